//! The warning about definitions that have the same name but differ.

use std::collections::HashMap;

use capgen_diagnostic::{quoted, shortened};
use capgen_schema::Schema;

use super::reader::{Place, Reader};
use super::schema::Index;
use crate::tree::{Part, follow};
use crate::{ContractPart, DeclaredError, Definition, DefinitionPlace, Definitions, Manifest, Node, Side, codes};

/// The most definitions with which another one is compared: those of the two sides of all versions of a capability.
const MAX_COMPARED: usize = 2 * Manifest::MAX_VERSIONS;

/// Warns once for each name whose definitions differ, at the first definition and the first one that differs from it.
pub(crate) fn check(reader: &mut Reader<'_>, root: &Node, manifest: &Manifest) {
    let definitions = Definitions::of(manifest);
    let mut known: HashMap<&str, Option<Vec<&Definition>>> = HashMap::new();
    let mut index = Index::default();
    for other in definitions.iter().filter(|definition| !definition.is_shared) {
        let slot = known.entry(&other.name).or_insert_with(|| Some(Vec::new()));
        let Some(others) = slot else { continue };
        let differs = |one: &&&Definition| one.first != other.first && !are_versions(manifest, one, other);
        if let Some(one) = others.iter().find(differs) {
            report(reader, root, manifest, (one, other), &mut index);
            *slot = None;
        } else if others.len() < MAX_COMPARED
            && !others.iter().any(|one| one.place.capability == other.place.capability)
        {
            others.push(other);
        }
    }
}

/// Whether two definitions are in versions of one capability, which have a change of it side by side.
fn are_versions(manifest: &Manifest, one: &Definition, other: &Definition) -> bool {
    let (one, other) = (one.place.capability, other.place.capability);
    let name = |index: usize| manifest.capabilities.get(index).map(|capability| &capability.name);
    one != other && name(one) == name(other)
}

fn report<'n>(
    reader: &mut Reader<'_>,
    root: &'n Node,
    manifest: &Manifest,
    (one, other): (&Definition, &Definition),
    index: &mut Index<'n>,
) {
    let pointer = |definition: &Definition| {
        let DefinitionPlace { capability, part, node } = definition.place;
        let pointer = schema(manifest, definition)?.node(node).pointer.as_str();
        Some((format!("/capabilities/{capability}{}{pointer}", part.pointer()), pointer))
    };
    let (Some((one_at, _)), Some((other_at, below))) = (pointer(one), pointer(other)) else { return };
    let mut key = |at: &str| follow(root, at, |node, key| index.member(node, key)).span(reader.source, Part::Key);
    let (one_key, other_key) = (key(&one_at), key(&other_at));
    let Some(capability) = manifest.capabilities.get(other.place.capability) else { return };
    let part = match other.place.part {
        ContractPart::Request => Side::Request.schema_key().to_owned(),
        ContractPart::Response => Side::Response.schema_key().to_owned(),
        ContractPart::Details(index) => {
            let code = capability.errors.get(index).map(|error| quoted(&error.code)).unwrap_or_default();
            format!("error {code}, {}", DeclaredError::SCHEMA_KEY)
        }
    };
    let at = format!("capability {}, {part}, {}", quoted(&capability.name), shortened(below, 200));
    let place = Place { pointer: other_at, at: Some(at), secret: false };
    let label =
        if one.text == other.text { "equal, but refers to definitions that differ" } else { "differs from the other" };
    let message = format!("definitions with the name {} differ", quoted(&other.name));
    let finding = reader.finding(codes::DIFFERENT_DEFINITIONS, message, (other_key, label), &place);
    let finding = finding.at(reader.source, one_key, "the other definition");
    reader.report(finding.help(
        "make them equal, or rename one; otherwise the name of each generated type starts with the capability and the side",
    ));
}

fn schema<'m>(manifest: &'m Manifest, definition: &Definition) -> Option<&'m Schema> {
    manifest.capabilities.get(definition.place.capability)?.schema(definition.place.part)
}
