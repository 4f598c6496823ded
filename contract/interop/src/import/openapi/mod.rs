//! Capabilities from the operations of an OpenAPI document, version 3.0, 3.1 or 3.2.
//!
//! | operation | capability |
//! |---|---|
//! | `operationId`, or else method and path | `name` |
//! | method and path | `wireName`, such as `PUT /things/{id}`, or `webhook sold` |
//! | `description`, or else `summary` | `description` |
//! | `tags` | `tags` |
//! | `GET`, `HEAD`, `OPTIONS`, `TRACE`, `QUERY` | `sideEffects: pure`; `PUT` and `DELETE`: `idempotent` ([RFC 9110 section 9.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.2)) |
//! | a JSON body and no parameters | `inputSchema` |
//! | parameters | an `inputSchema` with the members `path`, `query`, `header` and `body` |
//! | the bodies of the responses 2xx | `outputSchema` |
//! | method, path, servers, parameters, body, security | `http` |
//! | `info.description`, `info.contact`, `externalDocs` | the texts about the agent |
//! | `x-capgen` | the other keys, if capgen exported the document |

mod body;
mod each;
mod http;
mod media;
mod members;
mod operation;
mod other_files;
mod parameters;
mod references;
mod schema;
mod sides;
mod template;

use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};

use capgen_manifest::{About, Contact, HttpsUrl, Side};
use capgen_schema::{Json, Object, pointer};

use super::{Dialect, Document, ImportSettings, Imported, Importer, Kind};
use crate::{OPENAPI_KEY, codes};
pub(crate) use media::Media;
use operation::Operation;
pub(crate) use parameters::GROUPS;
use references::{References, Unresolved};
pub(crate) use schema::closed;

/// The operations of a document, as capabilities.
#[derive(Clone, Debug)]
pub struct Operations {
    /// The capabilities.
    pub imported: Imported,
    /// The id of the agent if capgen exported the document, or else the title of the document.
    pub title: Option<String>,
    /// The version of the document.
    pub version: Option<String>,
}

/// The members of a path that are operations, with their methods. OpenAPI 3.2 added the last one; in a document of an
/// earlier version, it can mean nothing else.
const METHODS: [(&str, &str); 9] = [
    ("get", "GET"),
    ("put", "PUT"),
    ("post", "POST"),
    ("delete", "DELETE"),
    ("options", "OPTIONS"),
    ("head", "HEAD"),
    ("patch", "PATCH"),
    ("trace", "TRACE"),
    ("query", "QUERY"),
];

/// The member of a path with the operations of all other methods, by their names.
const OTHER_METHODS: &str = "additionalOperations";

/// Reads the operations of a document, and its webhooks, which those offer who subscribe to them. References to other
/// documents are errors: nothing is fetched.
///
/// Takes time linear in the document and in the size of the capabilities, each of which has copies of the components
/// that it uses; at most two million values are copied.
///
/// ```
/// use capgen_interop::import::{Document, ImportSettings, openapi};
/// use capgen_manifest::Source;
/// let text = "\
/// openapi: 3.0.3
/// info: { title: Shop, version: 1.0.0 }
/// paths:
///   /products/{id}:
///     get:
///       operationId: getProduct
///       parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
///       responses:
///         '200': { description: A product, content: { application/json: { schema: { type: object } } } }
/// ";
/// let document = Document::parse(&Source::new("openapi.yaml", text)).unwrap();
/// let operations = openapi::operations(&document, ImportSettings::default());
/// let product = &operations.imported.capabilities[0];
/// assert_eq!((product.name.as_str(), product.wire_name.as_deref()), ("getProduct", Some("GET /products/{id}")));
/// ```
pub fn operations(document: &Document, settings: ImportSettings) -> Operations {
    operations_and_schemas(document, settings, None)
}

/// The same, and with `each`, also the schemas in `components.schemas`: each becomes that side of a capability with the
/// name of the component.
pub fn operations_and_schemas(document: &Document, settings: ImportSettings, each: Option<Side>) -> Operations {
    let mut importer = Importer::new(if each.is_some() { "entry" } else { "operation" }, settings);
    let json = document.json();
    if !importer.is_other_kind(json, "", Kind::OpenApi)
        && let Some(dialect) = dialect(&mut importer, json)
    {
        paths(&mut importer, document, dialect, each);
    }
    let info = |name| json.get("info").and_then(|info| info.get(name)).and_then(Json::as_str).map(str::to_owned);
    let agent = json.get(OPENAPI_KEY).and_then(|mark| mark.get("agent")).and_then(Json::as_str);
    let title = agent.map(str::to_owned).or_else(|| info("title"));
    let mut imported = importer.finish();
    imported.about = about(json);
    if imported.entries == 0 && !imported.has_errors() {
        imported.findings.push(members::without_operations(json, each.is_some()));
    }
    document.explain_references(&mut imported.findings);
    Operations { imported, title, version: info("version") }
}

/// The texts of a document about the agent.
fn about(json: &Json) -> About {
    let text = |at: &str| json.pointer(at).and_then(Json::as_str).filter(|text| !text.is_empty());
    let address = |at| text(at).and_then(Contact::new);
    About {
        description: text("/info/description").map(str::to_owned),
        owner: text("/info/contact/name").map(str::to_owned),
        contact: address("/info/contact/email").or_else(|| address("/info/contact/url")),
        documentation: text("/externalDocs/url").and_then(HttpsUrl::new),
    }
}

/// The dialect of the schemas of a document, by its version.
fn dialect(importer: &mut Importer, json: &Json) -> Option<Dialect> {
    let declared = json.get("openapi");
    let version = declared.and_then(Json::as_str).unwrap_or_default();
    if ["3.1.", "3.2."].iter().any(|start| version.starts_with(start)) {
        return Some(Dialect::Modern);
    }
    if version.starts_with("3.0.") {
        return Some(Dialect::OpenApi30);
    }
    let (at, message) = match json.get("swagger") {
        Some(_) => ("/swagger", "OpenAPI 2.0 is not supported"),
        None if declared.is_none() => ("", "the document has no member `openapi` with its version"),
        None if version.is_empty() => ("/openapi", "`openapi` must be a string"),
        None if ["3.0", "3.1", "3.2"].contains(&version) => ("/openapi", "the version must have three numbers"),
        None => ("/openapi", "this version of OpenAPI is not supported"),
    };
    let help = match (at, version) {
        ("/openapi", "" | "3.0" | "3.1" | "3.2") => "write the complete version in quotes, such as `\"3.0.3\"`",
        _ => "convert the document to OpenAPI 3.0, 3.1 or 3.2",
    };
    importer.document_finding(codes::WRONG_FORM, at.to_owned(), message, help);
    None
}

/// Reads the operations of all paths and webhooks.
fn paths(importer: &mut Importer, document: &Document, dialect: Dialect, each: Option<Side>) {
    let json = document.json();
    let mut reader = Reader { importer, references: References::of(document, dialect), dialect, ids: HashMap::new() };
    reader.early_webhooks(json);
    let webhooks = json.get("webhooks").and_then(Json::as_object).filter(|_| dialect == Dialect::Modern);
    // Since OpenAPI 3.1, a document may have only webhooks or components.
    let is_optional =
        dialect == Dialect::Modern && ["webhooks", "components"].iter().any(|name| json.get(name).is_some());
    match json.get("paths").and_then(Json::as_object) {
        Some(paths) => reader.items(paths, "/paths", false),
        None if is_optional && json.get("paths").is_none() => {}
        None => {
            let help = "an OpenAPI document has its operations in `paths`";
            let message = "the document has no `paths`";
            return reader.importer.document_finding(codes::WRONG_FORM, String::new(), message, help);
        }
    }
    if let Some(webhooks) = webhooks {
        reader.items(webhooks, "/webhooks", true);
    }
    if let Some(side) = each {
        reader.schemas(json, side);
    }
}

/// The operations of a document that are being read.
struct Reader<'r, 'd> {
    importer: &'r mut Importer,
    references: References<'d>,
    dialect: Dialect,
    /// The pointers of the ids of operations.
    ids: HashMap<&'d str, String>,
}

impl<'d> Reader<'_, 'd> {
    /// Reads the operations of paths, or of webhooks, which have names in place of paths.
    fn items(&mut self, items: &'d Object, at: &str, are_webhooks: bool) {
        for (path, item) in items.iter().filter(|(path, _)| are_webhooks || !path.starts_with("x-")) {
            let at = pointer::join(at, path);
            if !are_webhooks && !path.starts_with('/') {
                let message = "a path must start with `/`";
                self.importer.document_finding(codes::WRONG_FORM, at, message, "write the path with `/`");
                continue;
            }
            match self.references.resolve(item, at) {
                Ok((item, item_at)) => self.operations((path, are_webhooks), item, &item_at),
                Err(Unresolved { at, message, help }) => {
                    self.importer.document_finding(codes::WRONG_FORM, at, message, &help);
                }
            }
        }
    }

    fn operations(&mut self, (path, is_webhook): (&'d str, bool), item: &'d Json, item_at: &str) {
        self.unknown_members(item, item_at);
        let usual = METHODS
            .into_iter()
            .filter_map(|(name, method)| Some((method, item.get(name)?, pointer::join(item_at, name))));
        let others = item.get(OTHER_METHODS).and_then(Json::as_object).into_iter().flatten();
        let others_at = pointer::join(item_at, OTHER_METHODS);
        let others = others.map(|(method, operation)| (method.as_str(), operation, pointer::join(&others_at, method)));
        for (method, operation, at) in usual.chain(others) {
            let id = operation.get("operationId").and_then(Json::as_str).unwrap_or_default();
            let first = (!id.is_empty()).then(|| match self.ids.entry(id) {
                Occupied(known) => Some(String::clone(known.get())),
                Vacant(place) => {
                    place.insert(pointer::join(&at, "operationId"));
                    None
                }
            });
            let (item_at, same_id) = (item_at.to_owned(), first.flatten());
            let place = operation::Place { path, method, is_webhook, item, item_at, at, same_id };
            Operation::import(self.importer, &mut self.references, self.dialect, place, operation);
        }
    }
}
