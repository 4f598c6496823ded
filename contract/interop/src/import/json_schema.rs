//! Capabilities from files of JSON Schema.
//!
//! The name of a file decides its part: `find.request.schema.json` and `find.response.schema.json` are the sides of the
//! capability `find`, and any other `find.schema.json` or `find.json` is its request. [`Naming`] can decide otherwise.
//! `contract.json`, which an export writes, has the other keys and decides which files are read.

use std::collections::{BTreeMap, HashSet};

use capgen_diagnostic::quoted;
use capgen_manifest::{About, AgentId, Capability, Side};
use capgen_schema::{Json, LINKED_FILES, Object, is_same_dialect, pointer};

use super::{Dialect, Document, Entry, Foreign, ImportSettings, Imported, Importer, Kind, collection, pruned};
use crate::carried::without_formats;
use crate::{CONTRACT_FILE, CONTRACT_FORMAT, codes};

/// The schemas of several files, as capabilities.
#[derive(Clone, Debug)]
pub struct Schemas {
    /// The capabilities.
    pub imported: Imported,
    /// The agent in `contract.json`, if there is one.
    pub agent: Option<AgentId>,
}

/// The names of the capabilities that files become.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Naming {
    /// The capability of all files, instead of the names of the files.
    pub capability: Option<String>,
    /// The side of the files, instead of the one in their names.
    pub side: Option<Side>,
    /// Whether each definition of a file becomes a capability with its name, beside the schema at the root, if that
    /// asserts something.
    pub each: bool,
}

/// Reads files of JSON Schema, from a document of [`Document::of_files`]. The dialect of a schema without `$schema` is
/// draft 2020-12 if it has `$defs`, and otherwise draft-07. A file with only definitions is an error, unless each of
/// them becomes a capability. `naming` does not apply to files that `contract.json` names.
///
/// Takes time linear in the files, apart from the limits of [`normalise`](capgen_schema::normalise) and from sorting.
///
/// ```
/// use capgen_interop::import::json_schema::{Naming, schemas};
/// use capgen_interop::import::{Document, ImportSettings};
/// let files = [("find.request.schema.json", "{\"type\": \"string\"}"), ("find.response.schema.json", "true")];
/// let file = |(name, text): (&str, &str)| (name.to_owned(), Document::of_value(text.parse().unwrap()));
/// let document = Document::of_files(files.map(file).into());
/// let find = &schemas(&document, ImportSettings::default(), &Naming::default()).imported.capabilities[0];
/// assert!(find.name == "find" && find.input.is_some() && find.output.is_some());
/// ```
pub fn schemas(document: &Document, settings: ImportSettings, naming: &Naming) -> Schemas {
    let mut importer = Importer::new("schema", settings);
    let mut agent = None;
    let files: Vec<(&str, &Json)> =
        document.json().as_object().into_iter().flatten().map(|(path, json)| (path.as_str(), json)).collect();
    let contracts: Vec<_> = files.iter().filter(|(path, _)| base_name(path) == CONTRACT_FILE).collect();
    match contracts.as_slice() {
        [] => by_names(&mut importer, &files, &document.linked_paths(), naming),
        [(path, contract)] => agent = by_contract(&mut importer, path, contract, &files),
        [_, (path, _), ..] => {
            let help = "import each folder with a `contract.json` by itself";
            importer.document_finding(
                codes::WRONG_FORM,
                pointer::join("", path),
                "several files `contract.json`",
                help,
            );
        }
    }
    let mut imported = importer.finish();
    if let [(_, contract)] = contracts.as_slice() {
        imported.about = About::from_json(contract);
    }
    document.explain_references(&mut imported.findings);
    Schemas { imported, agent }
}

/// The name of a file without its folders.
fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The name of the capability and the side of a file.
fn part(path: &str) -> (&str, Side) {
    let stem = base_name(path);
    let stem = stem.strip_suffix(".json").unwrap_or(stem);
    let stem = stem.strip_suffix(".schema").unwrap_or(stem);
    for side in Side::ALL {
        if let Some(name) = stem.strip_suffix(side.name()).and_then(|stem| stem.strip_suffix('.')) {
            return (name, side);
        }
    }
    (stem, Side::Request)
}

/// A file with its path.
type File<'f> = (&'f str, &'f Json);

/// The parts of each capability: a side, the file, and the definition in it, if it is one.
type Parts<'f> = BTreeMap<&'f str, Vec<(Side, File<'f>, Option<Definition<'f>>)>>;

fn by_names<'f>(importer: &mut Importer, files: &[File<'f>], linked: &HashSet<&str>, naming: &'f Naming) {
    let mut capabilities = Parts::new();
    for file in files {
        if importer.is_other_kind(file.1, &pointer::join("", file.0), Kind::JsonSchema) {
            continue;
        }
        // Its definitions are in the schemas of the files that refer to it.
        if !naming.each && linked.contains(file.0) && has_only_definitions(file.1) {
            continue;
        }
        let (name, side) = part(file.0);
        let (name, side) = (naming.capability.as_deref().unwrap_or(name), naming.side.unwrap_or(side));
        let definitions: Vec<Definition<'_>> = if naming.each { definitions_of(file.1).collect() } else { Vec::new() };
        if definitions.is_empty() || !has_only_definitions(file.1) {
            capabilities.entry(name).or_default().push((side, *file, None));
        }
        for definition in definitions {
            capabilities.entry(definition.name).or_default().push((side, *file, Some(definition)));
        }
    }
    for (name, parts) in capabilities {
        let at = parts.first().map_or(String::new(), |(_, (path, _), definition)| place(path, *definition));
        if name.is_empty() {
            importer.nameless(&at, "the name of the file has no name of a capability");
            continue;
        }
        let mut entry = importer.entry(name, at);
        let mut capability = Capability::new("");
        let mut seen: Vec<(Side, String)> = Vec::new();
        for (side, (path, json), definition) in parts {
            let at = place(path, definition);
            if let Some((_, first)) = seen.iter().find(|(known, _)| *known == side) {
                let message = format!("two schemas are the {} of {}", side.name(), quoted(name));
                let help =
                    "rename one of them: `<capability>.request.schema.json` or `<capability>.response.schema.json`";
                importer.conflict(&mut entry, codes::DUPLICATE_ENTRY, (first.clone(), at), message, help);
                continue;
            }
            seen.push((side, at));
            let target = (&mut entry, &mut capability, side);
            match definition {
                Some(definition) => read_definition(importer, target, ((path, json), definition)),
                None => read_root(importer, target, (path, json)),
            }
        }
        importer.add(entry, capability);
    }
}

/// The side of a capability that a schema becomes, and the entry of its findings.
type Target<'t> = (&'t mut Entry, &'t mut Capability, Side);

/// Reads the schema at the root of a file.
fn read_root(importer: &mut Importer, (entry, capability, side): Target<'_>, (path, json): File<'_>) {
    let at = pointer::join("", path);
    let only_definitions = |importer: &mut Importer, entry: &mut Entry, message: &str| {
        let help = "import each definition as a capability with `--each`, or refer to one of them with `$ref`";
        importer.error(entry, codes::ONLY_DEFINITIONS, at.clone(), message, help);
    };
    if let Some(only) = collection::only(json) {
        let foreign = Foreign { dialect: only.dialect, ..foreign(side, &only.schema, Json::Null, false) };
        let locate = |pointer: &str| format!("{at}{}", collection::original(pointer));
        read_side(importer, (entry, capability, side), foreign, &locate);
    } else if collection::dialect(json).is_some() {
        only_definitions(importer, entry, "the document is a collection that does not have exactly one schema");
    } else if has_only_definitions(json) {
        only_definitions(importer, entry, "the schema has only definitions, so it accepts every value");
    } else {
        let foreign = foreign(side, json, pruned(json.clone()), false);
        read_side(importer, (entry, capability, side), foreign, &|pointer| format!("{at}{pointer}"));
    }
}

/// A definition of a file.
#[derive(Clone, Copy)]
struct Definition<'f> {
    /// The pointer to the object that contains it.
    container: &'static str,
    name: &'f str,
}

/// The pointer to a file, or to a definition in it.
fn place(path: &str, definition: Option<Definition<'_>>) -> String {
    let file = pointer::join("", path);
    match definition {
        Some(Definition { container, name }) => pointer::join(&format!("{file}{container}"), name),
        None => file,
    }
}

/// The objects that contain definitions.
const DEFINITIONS: [&str; 3] = ["/$defs", "/definitions", "/components/schemas"];

fn definitions_of(schema: &Json) -> impl Iterator<Item = Definition<'_>> {
    DEFINITIONS.into_iter().flat_map(move |container| {
        let members = schema.pointer(container).and_then(Json::as_object).into_iter().flatten();
        members.map(move |(name, _)| Definition { container, name })
    })
}

/// Whether a schema has definitions, and nothing else that could assert something.
fn has_only_definitions(schema: &Json) -> bool {
    let is_text = |name: &str| {
        let is_text =
            matches!(name, "$schema" | "$id" | "id" | "$comment" | "title" | "description" | "$anchor" | "$vocabulary");
        is_text || name == LINKED_FILES
    };
    let is_container = |name: &str| matches!(name, "$defs" | "definitions" | "components");
    let is_collection = collection::dialect(schema).is_some();
    definitions_of(schema).next().is_some()
        && schema
            .as_object()
            .is_some_and(|members| members.iter().all(|(name, _)| is_text(name) || is_container(name) || is_collection))
}

/// Reads a definition as the schema of a side: a schema that refers to it, with the definitions of its file.
fn read_definition(
    importer: &mut Importer,
    target: Target<'_>,
    ((path, json), definition): (File<'_>, Definition<'_>),
) {
    let at = pointer::join("", path);
    let reference = format!("#{}", pointer::to_fragment(&pointer::join(definition.container, definition.name)));
    let context = ["$schema", "$id", "id", "$defs", "definitions", "components", LINKED_FILES];
    let kept = json.as_object().into_iter().flatten().filter(|(name, _)| context.contains(&name.as_str())).cloned();
    let members: Object = [("$ref".to_owned(), Json::String(reference))].into_iter().chain(kept).collect();
    let source = Json::Object(members);
    // The definitions that it does not use are not a part of it, so it is always translated.
    let foreign = foreign(target.2, &source, Json::Null, false);
    let foreign = Foreign { dialect: collection::dialect(json).unwrap_or(foreign.dialect), ..foreign };
    read_side(importer, target, foreign, &|pointer| format!("{at}{pointer}"));
}

/// A schema of a side. `own` is the schema as the contract would have it, and `keeps_dialect` whether its `$schema` is
/// that of the contract.
fn foreign(side: Side, source: &Json, own: Json, keeps_dialect: bool) -> Foreign<'_> {
    Foreign { part: side.schema_key(), source, own, dialect: Dialect::ByDefinitions, keeps_dialect }
}

/// The schema with one `$schema` for itself and the files that it refers to: its own, or else theirs. `None` if it
/// refers to none.
///
/// # Errors
///
/// The pointer of a file that declares another one. The keywords of all files are read by one dialect.
fn with_one_dialect(source: &Json) -> Result<Option<Json>, String> {
    let declared = |schema: &Json| Some(schema.get("$schema")?.as_str()?.to_owned());
    let own = declared(source);
    let mut found = own.clone();
    for (name, file) in source.get(LINKED_FILES).and_then(Json::as_object).into_iter().flatten() {
        let other = declared(file);
        if let (Some(known), Some(other)) = (&found, &other)
            && !is_same_dialect(known, other)
        {
            return Err(pointer::join(&pointer::join("", LINKED_FILES), name));
        }
        found = found.or(other);
    }
    let Json::Object(mut members) = source.clone() else { return Ok(None) };
    let Some(Json::Object(files)) = members.get_mut(LINKED_FILES) else { return Ok(None) };
    let without = |(name, mut file): (String, Json)| {
        if let Json::Object(members) = &mut file {
            members.set("$schema", None);
        }
        (name, file)
    };
    *files = files.iter().cloned().map(without).collect();
    if let (None, Some(found)) = (own, found) {
        members.set("$schema", Some(Json::String(found)));
    }
    Ok(Some(Json::Object(members)))
}

/// Reads the schema of a side from a file. `locate` turns a pointer in it into one of the document.
fn read_side(
    importer: &mut Importer,
    (entry, capability, side): Target<'_>,
    foreign: Foreign<'_>,
    locate: &dyn Fn(&str) -> String,
) {
    let schema = match with_one_dialect(foreign.source) {
        Ok(Some(source)) => importer.schema(entry, Foreign { source: &source, ..foreign }, locate),
        Ok(None) => importer.schema(entry, foreign, locate),
        Err(file) => {
            let at = locate(&format!("{file}/$schema"));
            let message = "the file has another `$schema` than the file that refers to it";
            let help = "declare one draft in all files that refer to each other, or import the file by itself";
            return importer.error(entry, codes::WRONG_FORM, at, message, help);
        }
    };
    *match side {
        Side::Request => &mut capability.input,
        Side::Response => &mut capability.output,
    } = schema;
}

/// Reads `contract.json` and the files that it names, which are in the same folder.
fn by_contract(importer: &mut Importer, path: &str, contract: &Json, files: &[File<'_>]) -> Option<AgentId> {
    let at = pointer::join("", path);
    let is_known = contract.get(CONTRACT_FORMAT) == Some(&Json::Number(1_u64.into()));
    let Some(capabilities) = contract.get("capabilities").and_then(Json::as_array).filter(|_| is_known) else {
        let help = "capgen writes this file when it exports JSON Schema: export it again, or remove it";
        importer.document_finding(codes::WRONG_FORM, at, "not a `contract.json` of a known version", help);
        return None;
    };
    importer.allow_versions();
    let folder = path.strip_suffix(CONTRACT_FILE).unwrap_or_default();
    let files: BTreeMap<&str, &Json> =
        files.iter().filter_map(|(path, json)| Some((path.strip_prefix(folder)?, *json))).collect();
    for (index, json) in capabilities.iter().enumerate() {
        let at = pointer::join(&pointer::join(&at, "capabilities"), &index.to_string());
        let name = json.get("name").and_then(Json::as_str).filter(|name| Capability::is_name(name));
        let Some(name) = name else {
            importer.nameless(&at, "a capability must have a valid `name`");
            continue;
        };
        let mut entry = importer.entry(name, at.clone());
        let is_schema = |key: &str| Side::ALL.iter().any(|side| side.schema_key() == key);
        let keys: Object = json.as_object().into_iter().flatten().filter(|(key, _)| !is_schema(key)).cloned().collect();
        let mut capability = importer.mark(&mut entry, &Json::Object(keys), &at).capability();
        for side in Side::ALL {
            let Some(reference) = json.get(side.schema_key()) else { continue };
            let file = reference.get("file").and_then(Json::as_str).and_then(|file| Some((file, *files.get(file)?)));
            let Some((file, schema)) = file else {
                let at = pointer::join(&at, side.schema_key());
                let help = "pass the file of this schema too, or the whole folder";
                importer.error(&mut entry, codes::WRONG_FORM, at, "the file of the schema is missing", help);
                continue;
            };
            let keeps_dialect = reference.get("addedDialect") == Some(&Json::Bool(false));
            let at = pointer::join("", &format!("{folder}{file}"));
            let foreign = foreign(side, schema, without_formats(schema), keeps_dialect);
            read_side(importer, (&mut entry, &mut capability, side), foreign, &|pointer| format!("{at}{pointer}"));
        }
        importer.add(entry, capability);
    }
    contract.get("agent").and_then(Json::as_str).and_then(AgentId::new)
}
