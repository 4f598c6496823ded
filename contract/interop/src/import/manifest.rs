//! Manifests whose schemas are JSON Schema of any draft, as programs make them from the types of a library.
//!
//! The document has the keys of `capabilities.yaml`. The manifest that it becomes has its keys and its order, and
//! schemas of the subset.

use std::collections::HashMap;

use capgen_diagnostic::{Diagnostic, Severity};
use capgen_manifest::{AgentId, Capability, DeclaredError, Manifest, Side, Source, TransportSettings, load};
use capgen_schema::{Json, Object, Schema, pointer};

use super::importer::finding;
use super::tidy::tidy;
use super::{Dialect, Document, Entry, Foreign, ImportFinding, ImportSettings, Imported, Importer, pruned};
use crate::{codes, pretty};

/// A manifest with its capabilities beside it.
#[derive(Clone, Debug)]
pub struct ManifestImport {
    /// The capabilities, in the order of the document.
    pub imported: Imported,
    /// The other keys; `None` if the document has errors outside of its schemas.
    pub manifest: Option<Manifest>,
}

/// Reads a document with the keys of a manifest. The dialect of a schema without `$schema` is draft 2020-12 if it has
/// `$defs`, and otherwise draft-07. Without `transports`, the agent has one of the kind `memory`.
///
/// Schemas that differ only in their notation, such as the order of keywords or `anyOf` of constants in place of
/// `enum`, become the same schema: libraries for schemas write the same type in different ways.
///
/// Takes time linear in the document, apart from the limits of [`normalise`](capgen_schema::normalise).
///
/// ```
/// use capgen_interop::import::{Document, ImportSettings, manifest::manifest};
/// let text = r#"{"version": 1, "agent": "agent://shop", "capabilities": [
///     {"name": "find", "inputSchema": {"anyOf": [{"const": "a"}, {"const": "b"}]}}]}"#;
/// let found = manifest(&Document::of_value(text.parse().unwrap()), ImportSettings::default());
/// let find = &found.imported.capabilities[0];
/// assert_eq!(find.input.as_ref().unwrap().source().to_string(), r#"{"type":"string","enum":["a","b"]}"#);
/// ```
pub fn manifest(document: &Document, settings: ImportSettings) -> ManifestImport {
    let mut importer = Importer::new("capability", settings);
    importer.allow_versions();
    let (manifest, mut findings) = match load(&Source::new("manifest.json", pretty(&without_schemas(document.json()))))
    {
        Ok(contract) => (Some(contract.manifest), of_diagnostics(contract.warnings)),
        Err(errors) => (None, of_diagnostics(errors)),
    };
    findings.extend(document.json().get("accepted").map(|_| accepted()));
    let elements = document.json().get("capabilities").and_then(Json::as_array).unwrap_or_default();
    // The reader of manifests leaves none out without an error.
    let read = manifest.as_ref().map(|manifest| manifest.capabilities.as_slice());
    let mut places = HashMap::with_capacity(elements.len());
    for (index, element) in elements.iter().enumerate() {
        let at = pointer::join("/capabilities", &index.to_string());
        let name = element.get("name").and_then(Json::as_str).map_or_else(|| (index + 1).to_string(), str::to_owned);
        let mut entry = importer.entry(&name, at);
        let known = read.and_then(|capabilities| capabilities.get(index)).cloned();
        let is_known = known.is_some();
        let capability =
            with_schemas(&mut importer, &mut entry, element, known.unwrap_or_else(|| Capability::new(name)));
        if is_known {
            places.insert(capability.version_label(), index);
            importer.add(entry, capability);
        }
    }
    let mut imported = importer.finish();
    imported.entries = elements.len();
    imported.about = manifest.as_ref().map(|manifest| manifest.about.clone()).unwrap_or_default();
    imported.capabilities.sort_by_key(|capability| places.get(&capability.version_label()).copied());
    findings.append(&mut imported.findings);
    imported.findings = findings;
    let manifest = manifest.map(|manifest| Manifest { capabilities: Vec::new(), ..manifest });
    ManifestImport { imported, manifest }
}

/// The schemas of a capability from an element of the document.
fn with_schemas(importer: &mut Importer, entry: &mut Entry, element: &Json, mut capability: Capability) -> Capability {
    let at = entry.pointer.clone();
    let mut read = |key: &'static str, holder: &Json, at: &str| -> Option<Schema> {
        let source = holder.get(key)?;
        let at = pointer::join(at, key);
        let own = pruned(source.clone());
        let foreign = Foreign { part: key, source, own, dialect: Dialect::ByDefinitions, keeps_dialect: false };
        let schema = importer.schema(entry, foreign, &|pointer| format!("{at}{pointer}"))?;
        // The other notation of a schema is in the subset, too.
        Schema::parse(&tidy(schema.source())).ok().or(Some(schema))
    };
    capability.input = read(Side::Request.schema_key(), element, &at);
    capability.output = read(Side::Response.schema_key(), element, &at);
    let errors = element.get("errors").and_then(Json::as_array).unwrap_or_default();
    for (index, error) in errors.iter().enumerate() {
        let at = pointer::join(&pointer::join(&at, "errors"), &index.to_string());
        let details = read(DeclaredError::SCHEMA_KEY, error, &at);
        if let Some(error) = capability.errors.get_mut(index) {
            error.details = details;
        }
    }
    capability
}

/// The document without its schemas, which the reader of manifests would reject, and with a transport.
fn without_schemas(document: &Json) -> Json {
    let Json::Object(members) = document else { return document.clone() };
    let member = |(key, value): &(String, Json)| {
        let value = if key == "capabilities" { each(value, &without_own_schemas) } else { value.clone() };
        (key.clone(), value)
    };
    let mut members: Object = members.iter().filter(|(key, _)| key != "accepted").map(member).collect();
    if members.get("transports").is_none() {
        // An agent without a valid id is an error of its own.
        let agent = members.get("agent").and_then(Json::as_str).and_then(AgentId::from_uri);
        let id = agent.as_ref().map_or("agent", AgentId::as_str);
        let transport = TransportSettings::memory(&format!("agents.{id}.requests"));
        let kind = ("kind".to_owned(), Json::from(transport.kind.as_str()));
        let settings = transport.settings.as_object().into_iter().flatten().cloned();
        let settings = Json::Object(std::iter::once(kind).chain(settings).collect());
        members.push("transports".to_owned(), Json::Array(vec![settings]));
    }
    Json::Object(members)
}

fn without_own_schemas(capability: &Json) -> Json {
    let Json::Object(members) = capability else { return capability.clone() };
    let is_schema = |key: &str| Side::ALL.iter().any(|side| side.schema_key() == key);
    let member = |(key, value): &(String, Json)| {
        let value = if key == "errors" { each(value, &without_details) } else { value.clone() };
        (key.clone(), value)
    };
    Json::Object(members.iter().filter(|(key, _)| !is_schema(key)).map(member).collect())
}

fn without_details(error: &Json) -> Json {
    let Json::Object(members) = error else { return error.clone() };
    Json::Object(members.iter().filter(|(key, _)| key != DeclaredError::SCHEMA_KEY).cloned().collect())
}

/// The elements of an array, changed; any other value as it is.
fn each(value: &Json, change: &dyn Fn(&Json) -> Json) -> Json {
    match value {
        Json::Array(items) => Json::Array(items.iter().map(change).collect()),
        other => other.clone(),
    }
}

/// Accepted warnings belong to one file, and are compared with the warnings about it.
fn accepted() -> ImportFinding {
    let message = "warnings about an imported manifest cannot be accepted in its source".to_owned();
    let help = "remove `accepted`; a warning about a schema ends when the schema is corrected".to_owned();
    let finding = finding(codes::WRONG_FORM, "/accepted".to_owned(), message);
    ImportFinding { help: Some(help), concerns_document: true, ..finding }
}

/// The findings of the reader of manifests. Their pointers are those of the document, and their lines are not.
fn of_diagnostics(diagnostics: Vec<Diagnostic>) -> Vec<ImportFinding> {
    let of = |diagnostic: Diagnostic| {
        let place = diagnostic.notes.iter().find_map(|note| note.strip_prefix("at: ")).unwrap_or_default().to_owned();
        let label = diagnostic.labels.first().map_or(String::new(), |label| label.text.clone());
        let concerns_document = diagnostic.severity() == Severity::Error;
        let found = finding(diagnostic.code, diagnostic.pointer.unwrap_or_default(), diagnostic.message);
        ImportFinding { place, label, concerns_document, help: diagnostic.help, ..found }
    };
    diagnostics.into_iter().map(of).collect()
}
