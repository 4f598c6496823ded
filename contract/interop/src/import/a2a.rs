//! Capabilities from the agent card of an A2A agent.
//!
//! The skills of a card have no schemas. Those of a contract are in the parameters of an extension, which an export of
//! capgen writes. Without it, each skill becomes a capability that is loose on both sides.

use std::collections::HashSet;

use capgen_diagnostic::quoted;
use capgen_manifest::{About, Capability, Contact, HttpsUrl, Side};
use capgen_schema::{Json, Object, pointer};

use super::{Dialect, Document, Foreign, ImportSettings, Imported, Importer, Kind, add_tags};
use crate::{A2A_EXTENSION, codes};

/// The skills of an agent, as capabilities.
#[derive(Clone, Debug)]
pub struct Skills {
    /// The capabilities.
    pub imported: Imported,
    /// The id of the agent if capgen exported the card, or else the name of the agent.
    pub agent: Option<String>,
}

/// Reads the capabilities of an agent card of version 0.3 or 1.0.
///
/// Without the extension, the card describes no payloads, so every skill becomes a capability that is loose on both
/// sides, with a note. With it, a skill without an entry, and an entry without a skill, is rejected.
///
/// ```
/// use capgen_interop::import::{Document, ImportSettings, a2a};
/// use capgen_manifest::Source;
/// let text = r#"{"name": "Shop", "skills": [{"id": "find", "name": "Find", "description": "Finds.", "tags": []}]}"#;
/// let document = Document::parse_json(&Source::new("card.json", text)).unwrap();
/// let skills = a2a::skills(&document, ImportSettings::default()).imported;
/// assert!(skills.capabilities[0].input.is_none() && skills.findings[0].code.as_str() == "N0931");
/// ```
pub fn skills(document: &Document, settings: ImportSettings) -> Skills {
    let mut importer = Importer::new("skill", settings);
    let card = document.json();
    let name = card.get("name").and_then(Json::as_str).map(str::to_owned);
    let agent = match parameters(card) {
        Some((parameters, at)) => {
            capabilities(&mut importer, card, parameters, &at);
            parameters.get("agent").and_then(Json::as_str).map(str::to_owned).or(name)
        }
        None if importer.is_other_kind(card, "", Kind::AgentCard) => name,
        None => {
            match card.get("skills").and_then(Json::as_array) {
                Some(skills) => loose(&mut importer, skills),
                None => {
                    let help = "pass the JSON of an agent card, which has `skills`";
                    let message = "the document is not an agent card";
                    importer.document_finding(codes::WRONG_FORM, String::new(), message, help);
                }
            }
            name
        }
    };
    let mut imported = importer.finish();
    imported.about = parameters(card).map_or_else(|| about(card), |(parameters, _)| About::from_json(parameters));
    Skills { imported, agent }
}

/// The texts of a card without the extension about the agent.
fn about(card: &Json) -> About {
    let text = |at: &str| card.pointer(at).and_then(Json::as_str).filter(|text| !text.is_empty());
    About {
        description: text("/description").map(str::to_owned),
        owner: text("/provider/organization").map(str::to_owned),
        contact: text("/provider/url").and_then(Contact::new),
        documentation: text("/documentationUrl").and_then(HttpsUrl::new),
    }
}

/// Reads the skills of a card without the extension.
fn loose(importer: &mut Importer, skills: &[Json]) {
    for (index, skill) in skills.iter().enumerate() {
        let at = pointer::join("/skills", &index.to_string());
        let text = |name| skill.get(name).and_then(Json::as_str).filter(|text| !text.is_empty());
        let Some(id) = text("id") else {
            importer.nameless(&at, "a skill must be an object with an `id`");
            continue;
        };
        let mut capability = Capability::new("");
        capability.description = text("description").or_else(|| text("name")).map(str::to_owned);
        add_tags(&mut capability, skill);
        let entry = importer.entry(id, at);
        importer.add(entry, capability);
    }
    let message = "the agent card has no schemas, so every payload of its skills is valid";
    let help = "ask the provider for a card with the extension of capgen, or add the schemas to a manifest of your own";
    importer.document_finding(codes::LOOSE_SKILLS, "/skills".to_owned(), message, help);
}

/// The parameters of the extension, and their pointer.
fn parameters(card: &Json) -> Option<(&Json, String)> {
    let extensions = card.get("capabilities")?.get("extensions")?.as_array()?;
    let is_ours = |extension: &&Json| extension.get("uri").and_then(Json::as_str) == Some(A2A_EXTENSION);
    let index = extensions.iter().position(|extension| is_ours(&extension))?;
    let parameters = extensions.get(index)?.get("params")?;
    Some((parameters, format!("/capabilities/extensions/{index}/params")))
}

/// Reads the capabilities of the extension. Its entries and the skills of the card must be the same: either may have
/// been edited.
fn capabilities(importer: &mut Importer, card: &Json, parameters: &Json, at: &str) {
    let at = pointer::join(at, "capabilities");
    let Some(all) = parameters.get("capabilities").and_then(Json::as_object) else {
        let help = "the extension has an object with one member for each skill";
        return importer.document_finding(codes::WRONG_FORM, at, "the extension has no `capabilities`", help);
    };
    let skills: Vec<(Option<&str>, String)> = card
        .get("skills")
        .and_then(Json::as_array)
        .unwrap_or_default()
        .iter()
        .enumerate()
        .map(|(index, skill)| (skill.get("id").and_then(Json::as_str), pointer::join("/skills", &index.to_string())))
        .collect();
    let listed: HashSet<&str> = skills.iter().filter_map(|(id, _)| *id).collect();
    for (name, value) in all {
        capability(importer, (name, listed.contains(name.as_str())), value, &pointer::join(&at, name));
    }
    let described: HashSet<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    for (id, at) in skills {
        match id {
            Some(id) if described.contains(id) => {}
            Some(id) => undescribed(importer, id, at),
            None => importer.nameless(&at, "a skill must be an object with an `id`"),
        }
    }
}

/// Rejects a skill without an entry in the extension.
fn undescribed(importer: &mut Importer, id: &str, at: String) {
    let mut entry = importer.entry(id, at.clone());
    let message = format!("the extension has no schemas of the skill {}", quoted(id));
    let help = "ask the provider for a card that capgen exported with this skill, or leave the skill out with `--skip`";
    importer.error(&mut entry, codes::MALFORMED_ENTRY, at, message, help);
    importer.add(entry, Capability::new(""));
}

fn capability(importer: &mut Importer, (name, is_listed): (&str, bool), value: &Json, at: &str) {
    let mut entry = importer.entry(name, at.to_owned());
    if !is_listed {
        let message = format!("the card has no skill {}", quoted(name));
        importer.invalid_mark(&mut entry, at.to_owned(), message);
    }
    if !Capability::is_name(name) {
        let message = format!("{} is not a valid name of a capability", quoted(name));
        importer.invalid_mark(&mut entry, at.to_owned(), message);
    }
    let is_schema = |key: &str| Side::ALL.iter().any(|side| side.schema_key() == key);
    let rest: Object = value.as_object().into_iter().flatten().filter(|(key, _)| !is_schema(key)).cloned().collect();
    let mut capability = importer.mark(&mut entry, &Json::Object(rest), at).capability();
    for side in Side::ALL {
        let Some(source) = value.get(side.schema_key()) else { continue };
        let at = pointer::join(at, side.schema_key());
        let (part, own, dialect) = (side.schema_key(), source.clone(), Dialect::ByDefinitions);
        let foreign = Foreign { part, source, own, dialect, keeps_dialect: true };
        let schema = importer.schema(&mut entry, foreign, &|below| format!("{at}{below}"));
        match side {
            Side::Request => capability.input = schema,
            Side::Response => capability.output = schema,
        }
    }
    importer.add(entry, capability);
}
