//! What is declared in Rust as the manifest has it.

use std::any::TypeId;

use capgen_manifest::{Capability as Entry, Determinism, SideEffects};
use capgen_schema::{Json, Schema};

use super::once::PerType;
use super::path::UnsupportedSchema;
use super::side::Side;
use crate::{Capability, Descriptor, Payload};

/// A capability as the manifest has it.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The path of the Rust type that declares it; empty where a contract does.
    pub source: &'static str,
    /// What the manifest says, or why it can't.
    pub entry: Result<Entry, Vec<UnsupportedSchema>>,
}

/// What the derive says of a capability. All of it is text, which costs a compiler next to nothing.
pub trait Declare {
    /// What the caller sends.
    type Request: Payload;
    /// What the provider answers.
    type Response: Payload;
    /// The name in the contract.
    const NAME: &'static str;
    /// The path of the type.
    const SOURCE: &'static str;
    /// For people; empty where nothing is said.
    const DESCRIPTION: &'static str = "";
    /// The other keys, as in the manifest, in JSON.
    const SAID: &'static str = "{}";
}

#[diagnostic::do_not_recommend]
impl<T: Declare + 'static> Capability for T {
    type Request = T::Request;
    type Response = T::Response;
    const NAME: &'static str = T::NAME;

    fn descriptor() -> &'static Descriptor {
        &derived::<T>().descriptor
    }

    fn contract() -> Contract {
        derived::<T>().contract.clone()
    }
}

/// What follows from what is said, made on first use.
struct Derived {
    descriptor: Descriptor,
    contract: Contract,
}

fn derived<T: Declare + 'static>() -> &'static Derived {
    static ALL: PerType<Derived> = PerType::new();
    let declared = || said(T::NAME, T::DESCRIPTION, T::SAID);
    ALL.get(TypeId::of::<T>(), &|| Derived::new(declared(), T::SOURCE, [T::Request::SIDE, T::Response::SIDE]))
}

impl Derived {
    fn new(declared: Descriptor, source: &'static str, sides: [Option<Side>; 2]) -> Self {
        let mut entry = entry(&declared, sides.map(|side| Some(side?.get().schema.as_ref())));
        if let Ok(entry) = &mut entry {
            entry.input = entry.input.take().map(|schema| said_once(schema, declared.description));
        }
        Self { descriptor: completed(declared, entry.as_ref().ok()), contract: Contract { source, entry } }
    }
}

fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// What the attributes say, as a descriptor.
fn said(name: &'static str, description: &'static str, keys: &str) -> Descriptor {
    let mut said = Descriptor::declared(name);
    said.description = Some(description).filter(|description| !description.is_empty());
    let keys = keys.parse().unwrap_or(Json::Null);
    for (key, value) in keys.as_object().into_iter().flatten() {
        tell(&mut said, key, value);
    }
    said
}

fn tell(said: &mut Descriptor, key: &str, value: &Json) {
    let text = || value.as_str().map(|text| leaked(text.to_owned()));
    let texts = || -> &'static [&'static str] {
        let texts = value.as_array().into_iter().flatten().filter_map(Json::as_str);
        Box::leak(texts.map(|text| leaked(text.to_owned())).collect())
    };
    match key {
        "id" => said.id = text(),
        "version" => said.version = text(),
        "timeoutMs" => said.timeout_ms = value.as_number().and_then(capgen_schema::Number::as_u64),
        "idempotent" => said.idempotent = Some(*value == Json::Bool(true)),
        "since" => said.since = text(),
        "skill" => said.skill = text(),
        "supportedVersions" => said.supported_versions = texts(),
        "deprecatedVersions" => said.deprecated_versions = texts(),
        "minSchemaVersion" => said.min_schema_version = text(),
        "tags" => said.tags = texts(),
        "sideEffects" => said.side_effects = text(),
        "determinism" => said.determinism = text(),
        "latency" => said.latency = text(),
        "requiredRoles" => said.required_roles = texts(),
        "requiredScopes" => said.required_scopes = texts(),
        // The derive writes no other.
        _ => {}
    }
}

/// The schema without the description that the capability has already: both come from one comment.
fn said_once(schema: Schema, description: Option<&str>) -> Schema {
    let Some(members) = schema.source().as_object() else { return schema };
    if description.is_none() || members.get("description").and_then(Json::as_str) != description {
        return schema;
    }
    let kept = members.iter().filter(|(key, _)| key != "description").cloned().collect();
    Schema::parse(&Json::Object(kept)).unwrap_or(schema)
}

/// The descriptor of what can't be said has no hash, and schemas that allow nothing.
fn completed(declared: Descriptor, entry: Option<&Entry>) -> Descriptor {
    match entry {
        Some(entry) => Descriptor {
            hash: leaked(entry.hash().to_string()),
            input_schema: entry.input.as_ref().map(|schema| leaked(schema.canonical())),
            output_schema: entry.output.as_ref().map(|schema| leaked(schema.canonical())),
            ..declared
        },
        None => Descriptor { input_schema: Some("false"), output_schema: Some("false"), ..declared },
    }
}

/// A capability by its descriptor, as generated code has it: without annotations.
pub(crate) fn contract_of(descriptor: &Descriptor) -> Contract {
    let [input, output] = [descriptor.input_schema, descriptor.output_schema].map(|text| text.map(Schema::parse_text));
    let unsupported = |error: &capgen_schema::SchemaTextError| {
        vec![UnsupportedSchema { path: descriptor.name.to_owned(), message: error.to_string() }]
    };
    let [input, output] = [input, output].map(|side| side.map(|side| side.map_err(|error| unsupported(&error))));
    let entry = entry(descriptor, [input.as_ref().map(Result::as_ref), output.as_ref().map(Result::as_ref)]);
    Contract { source: "", entry }
}

fn entry(
    declared: &Descriptor,
    sides: [Option<Result<&Schema, &Vec<UnsupportedSchema>>>; 2],
) -> Result<Entry, Vec<UnsupportedSchema>> {
    let mut unsupported: Vec<UnsupportedSchema> = Vec::new();
    for problem in sides.iter().flatten().filter_map(|side| side.err()).flatten() {
        // A type on both sides is told of once.
        if !unsupported.contains(problem) {
            unsupported.push(problem.clone());
        }
    }
    if !unsupported.is_empty() {
        return Err(unsupported);
    }
    let [input, output] = sides.map(|side| side.and_then(Result::ok).cloned());
    let version = |key: &str, text: Option<&str>| match text.map(str::parse) {
        Some(Err(error)) => {
            let message = format!("`{key}` must be a semantic version: {error}");
            Err(vec![UnsupportedSchema { path: declared.name.to_owned(), message }])
        }
        Some(Ok(version)) => Ok(Some(version)),
        None => Ok(None),
    };
    let text = |text: Option<&str>| text.map(str::to_owned);
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Ok(Entry {
        id: text(declared.id),
        description: text(declared.description),
        version: version("version", declared.version)?,
        input,
        output,
        timeout_ms: declared.timeout_ms,
        idempotent: declared.idempotent,
        since: text(declared.since),
        skill: text(declared.skill),
        supported_versions: texts(declared.supported_versions),
        deprecated_versions: texts(declared.deprecated_versions),
        min_schema_version: version("min_schema_version", declared.min_schema_version)?,
        tags: texts(declared.tags),
        side_effects: SideEffects::ALL.into_iter().find(|effects| Some(effects.name()) == declared.side_effects),
        determinism: Determinism::ALL.into_iter().find(|class| Some(class.name()) == declared.determinism),
        latency: text(declared.latency),
        required_roles: texts(declared.required_roles),
        required_scopes: texts(declared.required_scopes),
        ..Entry::new(declared.name)
    })
}
