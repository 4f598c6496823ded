//! Capabilities from the tools of an MCP server.
//!
//! The tools are those of any revision of the protocol: 2024-11-05 to 2026-07-28.
//!
//! | tool | capability |
//! |---|---|
//! | `name` | `name`; if it is not a valid name, a similar one, and `wireName` |
//! | `description`, or else `title` | `description` |
//! | `inputSchema` | `inputSchema`; always that of an object, see `arguments.rs` |
//! | `outputSchema` | `outputSchema`; without it the response is loose |
//! | `annotations` | `sideEffects` and `idempotent`; see `annotations.rs` |
//! | `_meta["io.github.capgen/contract"]` | the other keys, if capgen exported the tool |
//! | `icons`, `execution`, other members | not used |
//!
//! Lists in the form of the APIs of model providers are read, too; see `form.rs`.

mod annotations;
mod arguments;
mod built_in;
mod exported;
mod form;
mod gemini;
mod misspelt;
mod pages;

use std::borrow::Cow;

use capgen_diagnostic::quoted;
use capgen_manifest::{Capability, Side};
use capgen_schema::{Anchor, Json, Schema, pointer};

use super::mark::{Form, Mark};
use super::{Dialect, Document, Entry, Foreign, ImportFinding, ImportSettings, Imported, Importer, finding, pruned};
use crate::{MCP_META_KEY, ToolSide, codes, tool_side};
use form::Listed;
pub(super) use form::is_tool;
use pages::Pages;

/// The tools of a server, as capabilities.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The capabilities.
    pub imported: Imported,
    /// The name of the server, if the document has it.
    pub server: Option<String>,
    /// The version of the server, if the document has it.
    pub server_version: Option<String>,
}

/// The first revision of the protocol in which a schema without `$schema` is one of draft 2020-12.
const MODERN: &str = "2025-11-25";

/// The member of version 1 of Cohere's API with the arguments of a tool, which are not a JSON Schema.
const COHERE: &str = "parameter_definitions";

/// Reads a list of tools: an array of tools, the result or the response of `tools/list`, or an array of several of
/// them, such as the pages of a long list. The members `server` or `serverInfo` and `protocolVersion` may be next to
/// `tools`, or in a result of their own, such as that of `initialize`.
///
/// Tools can also have the form of the APIs of model providers: `input_schema`, `parameters`, `function`,
/// `functionDeclarations` or `toolSpec` instead of `inputSchema`.
///
/// Takes time linear in the document, apart from the limits of [`normalise`](capgen_schema::normalise) and from
/// sorting.
///
/// ```
/// use capgen_interop::import::{Document, ImportSettings, mcp};
/// use capgen_manifest::Source;
/// let text = r#"{"tools": [{"name": "files.read", "inputSchema": {"type": "object"}}]}"#;
/// let document = Document::parse_json(&Source::new("tools.json", text)).unwrap();
/// let tools = mcp::tools(&document, ImportSettings::default());
/// let read = &tools.imported.capabilities[0];
/// assert_eq!((read.name.as_str(), read.wire_name.as_deref()), ("files_read", Some("files.read")));
/// ```
pub fn tools(document: &Document, settings: ImportSettings) -> Tools {
    let mut importer = Importer::new("tool", settings);
    let pages = Pages::read(&mut importer, document.json());
    let dialect = match pages.protocol {
        Some(version) if version >= MODERN => Dialect::Modern,
        _ => Dialect::ByDefinitions,
    };
    for (json, pointer) in pages.tools {
        if built_in::leave_out(&mut importer, json, &pointer) {
            continue;
        }
        for listed in Listed::of(json, pointer) {
            tool(&mut importer, &listed, dialect);
        }
    }
    let server = pages.server.map(str::to_owned);
    let mut imported = importer.finish();
    imported.about = pages.about;
    Tools { imported, server, server_version: pages.server_version.map(str::to_owned) }
}

fn tool(importer: &mut Importer, listed: &Listed<'_>, dialect: Dialect) {
    let Listed { json, at, .. } = listed;
    let name = json.get("name").and_then(Json::as_str).filter(|name| !name.is_empty());
    // Without a name, nothing else can be reported in a useful way.
    let Some(name) = name else { return importer.nameless(at, "a tool must be an object with a `name`") };
    let mut entry = importer.entry(name, at.clone());
    let mut reader = Reader { importer, entry: &mut entry, listed, json, at };
    let description = reader.text("description").or(reader.text("title"));
    let mark = reader.mark();
    let mut capability = mark.as_ref().map_or_else(|| Capability::new(""), Mark::capability);
    reader.annotations(&mut capability);
    let is_exported = mark.is_some();
    let mark = mark.unwrap_or_default();
    // Calls use the name of the tool, whatever the name elsewhere was.
    capability.wire_name = None;
    if let Some(description) = description {
        capability.description = Some(description.to_owned());
    }
    let schema = reader.arguments_schema();
    capability.input = reader.side(Side::Request, schema.as_deref(), &mark, dialect);
    let schema = reader.optional("outputSchema");
    capability.output = reader.side(Side::Response, schema, &mark, dialect);
    (entry.title, entry.is_exported) = (mark.name, is_exported);
    importer.add(entry, capability);
}

/// A tool that is being read.
struct Reader<'r> {
    importer: &'r mut Importer,
    entry: &'r mut Entry,
    listed: &'r Listed<'r>,
    /// The tool of `listed`.
    json: &'r Json,
    /// Its pointer.
    at: &'r str,
}

impl<'r> Reader<'r> {
    /// A member; `null` is the same as an absent one, because some servers write all members.
    fn optional(&self, name: &str) -> Option<&'r Json> {
        self.json.get(name).filter(|value| **value != Json::Null)
    }

    /// The schema of the arguments.
    fn arguments_schema(&mut self) -> Option<Cow<'r, Json>> {
        let schema = self.listed.schema();
        if schema.is_some() {
            // The types of Gemini are in the forms of functions alone.
            let changed = schema.filter(|_| self.listed.is_optional).and_then(gemini::with_usual_types);
            return changed.map(Cow::Owned).or(schema.map(Cow::Borrowed));
        }
        if self.json.get(COHERE).is_some() {
            let message = "`parameter_definitions` is the form of version 1 of Cohere's API, which is not read";
            let help = "write a JSON Schema in `parameters`, as version 2 of that API has it";
            let at = pointer::join(self.at, COHERE);
            self.importer.error(self.entry, codes::MALFORMED_ENTRY, at, message, help);
        } else if let Some((name, near)) = misspelt::member(self.json) {
            let arguments = near.unwrap_or(self.listed.arguments());
            let message = format!("the schema of the arguments is in {}, which no form of tools has", quoted(name));
            let at = pointer::join(self.at, name);
            let help = format!("did you mean `{arguments}`?");
            let finding =
                ImportFinding { anchor: Anchor::Key, help: Some(help), ..finding(codes::MALFORMED_ENTRY, at, message) };
            self.importer.report(self.entry, "", finding);
        } else if self.listed.is_optional {
            // The providers define a function without `parameters` as one without arguments.
            let closed = [("type", Json::from("object")), ("additionalProperties", Json::Bool(false))];
            return Some(Cow::Owned(Json::Object(
                closed.map(|(name, value)| (name.to_owned(), value)).into_iter().collect(),
            )));
        } else {
            self.missing_schema();
        }
        None
    }

    fn missing_schema(&mut self) {
        let name = self.listed.arguments();
        let message = format!("a tool must have the member `{name}`");
        let help = match misspelt::has_unknown_objects(self.json) {
            true => format!("write the schema of its arguments in `{name}`"),
            false => format!(
                "write the schema of its arguments there; without arguments, write \
                 `\"{name}\": {{\"type\": \"object\", \"additionalProperties\": false}}`"
            ),
        };
        self.importer.error(self.entry, codes::MALFORMED_ENTRY, self.at.to_owned(), message, &help);
    }

    fn malformed(&mut self, pointer: String, expected: &str) {
        let name = pointer::tokens(&pointer).last().unwrap_or_default();
        let message = format!("{} must be {expected}", quoted(&name));
        self.importer.error(self.entry, codes::MALFORMED_ENTRY, pointer, message, "correct it, or remove it");
    }

    fn text(&mut self, name: &str) -> Option<&'r str> {
        let value = self.optional(name)?;
        if value.as_str().is_none() {
            self.malformed(pointer::join(self.at, name), "a string");
        }
        value.as_str()
    }

    /// The keys of the contract, if capgen exported the tool. They are exact, and annotations are only hints.
    fn mark(&mut self) -> Option<Mark> {
        let mark = self.optional("_meta")?.get(MCP_META_KEY)?;
        let pointer = pointer::join(&pointer::join(self.at, "_meta"), MCP_META_KEY);
        Some(self.importer.mark(self.entry, mark, &pointer))
    }

    /// The schema of a side, if the tool has one and `_meta` does not contradict it.
    fn side(&mut self, side: Side, schema: Option<&Json>, mark: &Mark, dialect: Dialect) -> Option<Schema> {
        if let Some(message) = exported::contradiction(self.json, side, mark.form(side)) {
            let at = if schema.is_some() { pointer::join(self.at, side.schema_key()) } else { self.at.to_owned() };
            self.importer.invalid_mark(self.entry, at, message.to_owned());
            return None;
        }
        self.schema(side, schema?, mark, dialect)
    }

    fn schema(&mut self, side: Side, schema: &Json, mark: &Mark, dialect: Dialect) -> Option<Schema> {
        let part = if side == Side::Request { self.listed.arguments() } else { side.schema_key() };
        let at = if side == Side::Request { self.listed.schema_at() } else { pointer::join(self.at, part) };
        let is_wrapped = mark.form(side) == Form::Wrapped;
        // An export of capgen has the form of MCP.
        if side == Side::Request && !self.listed.is_mcp() {
            return self.arguments(schema, pruned(schema.clone()), at, dialect);
        }
        // A tool without `_meta` may be an export too, so its definitions stay.
        match tool_side(self.json, side) {
            ToolSide::Loose => None,
            ToolSide::Plain(_) if is_wrapped => {
                let message = "the schema is not that of an object with one member, as `_meta` states";
                self.importer.invalid_mark(self.entry, at, message.to_owned());
                None
            }
            ToolSide::Plain(own) if side == Side::Request => self.arguments(schema, own, at, dialect),
            ToolSide::Plain(own) => {
                let foreign = Foreign { part, source: schema, own, dialect, keeps_dialect: false };
                self.importer.schema(self.entry, foreign, &|pointer| format!("{at}{pointer}"))
            }
            // capgen wrote it, so findings in it need no exact place.
            ToolSide::Wrapped(own) => {
                let foreign = Foreign { part, source: &own.clone(), own, dialect, keeps_dialect: false };
                self.importer.schema(self.entry, foreign, &|_| at.clone())
            }
        }
    }
    /// The schema of the request, which accepts objects only.
    fn arguments(&mut self, schema: &Json, own: Json, at: String, dialect: Dialect) -> Option<Schema> {
        let part = self.listed.arguments();
        // An export restores the schema of the contract, which need not have the keyword.
        let is_exported = self.optional("_meta").is_some_and(|meta| meta.get(MCP_META_KEY).is_some());
        let object = if is_exported { None } else { arguments::of_object(schema) };
        let (source, own) = match &object {
            Some(object) => {
                self.importer.report(self.entry, part, arguments::finding(at.clone()));
                (object, arguments::of_object(&own).unwrap_or(own))
            }
            None => (schema, own),
        };
        let foreign = Foreign { part, source, own, dialect, keeps_dialect: false };
        let schema = self.importer.schema(self.entry, foreign, &|pointer| format!("{at}{pointer}"))?;
        if arguments::rejects_objects(&schema) {
            let message = "the arguments of a tool are an object, and the schema accepts no object";
            let help = "describe the arguments as the properties of an object, with `\"type\": \"object\"` at the root";
            self.importer.error(self.entry, codes::MALFORMED_ENTRY, at, message, help);
            return None;
        }
        Some(schema)
    }
}
