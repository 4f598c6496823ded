//! A contract as an agent card of A2A.

use capgen_manifest::{About, Capability, Contact, Manifest, Side};
use capgen_schema::{Json, Object};

use super::extra::{push_about, revision};
use super::{Export, versions};
use crate::A2A_EXTENSION;
use crate::carried::of_draft_07;

/// An agent card of the A2A protocol, 1.0, with one skill for each capability.
///
/// `url` is the endpoint of the agent, which a card must have. A skill has no place for schemas: they are, with all
/// other keys of the capabilities, in the parameters of an extension, so that an import gives a contract with the same
/// hash. The card has the members that clients of version 0.3 read, too.
///
/// ```
/// use capgen_manifest::{Source, load};
/// let text = "\
/// version: 1
/// agent: agent://shop
/// transports: [{ kind: memory, topics: { requests: shop } }]
/// capabilities: [{ name: find, inputSchema: { type: string } }]
/// ";
/// let contract = load(&Source::new("capabilities.yaml", text)).unwrap();
/// let card = capgen_interop::a2a(&contract.manifest, "https://shop.example.com/a2a").document;
/// assert_eq!(card.pointer("/skills/0/id").and_then(|id| id.as_str()), Some("find"));
/// ```
pub fn a2a(manifest: &Manifest, url: &str) -> Export {
    let (manifest, losses) = versions::plain(manifest);
    let manifest = manifest.as_ref();
    let agent = manifest.agent.as_str();
    let count = manifest.capabilities.len();
    let counted = format!("An agent with {count} {}.", if count == 1 { "capability" } else { "capabilities" });
    // A card must have one.
    let description = manifest.about.description.as_deref().filter(|text| !text.is_empty()).unwrap_or(&counted);
    let modes = || Json::Array(vec![Json::from("application/json")]);
    let interface = object([
        ("url", Json::from(url)),
        ("protocolBinding", Json::from("JSONRPC")),
        ("protocolVersion", Json::from("1.0")),
    ]);
    let skills = manifest.capabilities.iter().map(skill).collect();
    let mut card: Object = members([
        ("name", Json::from(agent)),
        ("description", Json::from(description)),
        ("version", Json::from(revision(manifest).as_str())),
        ("supportedInterfaces", Json::Array(vec![interface])),
        ("protocolVersion", Json::from("0.3.0")),
        ("url", Json::from(url)),
        ("preferredTransport", Json::from("JSONRPC")),
        ("capabilities", object([("extensions", Json::Array(vec![extension(manifest)]))])),
        ("defaultInputModes", modes()),
        ("defaultOutputModes", modes()),
        ("skills", Json::Array(skills)),
    ])
    .collect();
    for (key, value) in links(&manifest.about) {
        card.push(key.to_owned(), value);
    }
    Export { document: Json::Object(card), losses }
}

/// The members of a card about the provider. A provider must have a name and a URL, so an owner with another address
/// is in the extension alone.
fn links(about: &About) -> impl Iterator<Item = (&'static str, Json)> {
    let provider = match (&about.owner, &about.contact) {
        (Some(owner), Some(Contact::Url(url))) => {
            Some(object([("organization", Json::from(owner.as_str())), ("url", Json::from(url.as_str()))]))
        }
        _ => None,
    };
    let documentation = about.documentation.as_ref().map(|url| Json::from(url.as_str()));
    let members = [("provider", provider), ("documentationUrl", documentation)];
    members.into_iter().filter_map(|(key, value)| Some((key, value?)))
}

fn skill(capability: &Capability) -> Json {
    let name = Json::from(capability.name.as_str());
    // Both are required, and clients show them.
    let description = capability.description.as_deref().filter(|text| !text.is_empty()).unwrap_or(&capability.name);
    let tags = capability.tags.iter().map(|tag| Json::from(tag.as_str())).collect();
    object([
        ("id", name.clone()),
        ("name", name),
        ("description", Json::from(description)),
        ("tags", Json::Array(tags)),
    ])
}

/// The extension with the capabilities as the contract has them, apart from their names.
fn extension(manifest: &Manifest) -> Json {
    let definition = |capability: &Capability| {
        let definition = capability.definition();
        let is_schema = |key: &str| Side::ALL.iter().any(|side| side.schema_key() == key);
        let value = |key: &str, value: &Json| if is_schema(key) { of_draft_07(value) } else { value.clone() };
        let rest = definition.iter().filter(|(key, _)| key != "name");
        let rest = rest.map(|(key, member)| (key.clone(), value(key, member)));
        (capability.name.clone(), Json::Object(rest.collect()))
    };
    let capabilities = Json::Object(manifest.capabilities.iter().map(definition).collect());
    let mut params: Object = members([("agent", Json::from(manifest.agent.as_str()))]).collect();
    push_about(&mut params, manifest);
    params.push("capabilities".to_owned(), capabilities);
    object([
        ("uri", Json::from(A2A_EXTENSION)),
        (
            "description",
            Json::from("The JSON Schemas (draft-07) of the requests and responses of each skill, by its id."),
        ),
        ("required", Json::Bool(false)),
        ("params", Json::Object(params)),
    ])
}

fn object<const N: usize>(all: [(&str, Json); N]) -> Json {
    Json::Object(members(all).collect::<Object>())
}

fn members<const N: usize>(members: [(&str, Json); N]) -> impl Iterator<Item = (String, Json)> {
    members.into_iter().map(|(key, value)| (key.to_owned(), value))
}
