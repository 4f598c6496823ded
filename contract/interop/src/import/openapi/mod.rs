//! Capabilities from the operations of an OpenAPI document, version 3.0, 3.1 or 3.2.
//!
//! | operation | capability |
//! |---|---|
//! | `operationId`, or else method and path | `name` |
//! | method and path | `wireName`, such as `PUT /things/{id}` |
//! | `description`, or else `summary` | `description` |
//! | `tags` | `tags` |
//! | `GET`, `HEAD`, `OPTIONS` | `sideEffects: pure`; `PUT` and `DELETE`: `idempotent` ([RFC 9110 section 9.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.2)) |
//! | a JSON body and no parameters | `inputSchema` |
//! | parameters | an `inputSchema` with the members `path`, `query`, `header` and `body` |
//! | the bodies of the responses 2xx | `outputSchema` |
//! | `x-capgen` | the other keys, if capgen exported the document |

mod body;
mod media;
mod operation;
mod other_files;
mod parameters;
mod references;
mod schema;
mod sides;
mod template;

use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};

use capgen_schema::{Json, Object, pointer};

use super::{Dialect, Document, ImportSettings, Imported, Importer, Kind};
use crate::{OPENAPI_KEY, codes};
use operation::Operation;
use references::References;

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

/// The methods of the operations of a path.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Reads the operations of a document. References to other documents are errors: nothing is fetched.
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
    let mut importer = Importer::new("operation", settings);
    let json = document.json();
    if !importer.is_other_kind(json, "", Kind::OpenApi)
        && let Some(dialect) = dialect(&mut importer, json)
    {
        paths(&mut importer, json, dialect);
    }
    let info = |name| json.get("info").and_then(|info| info.get(name)).and_then(Json::as_str).map(str::to_owned);
    let agent = json.get(OPENAPI_KEY).and_then(|mark| mark.get("agent")).and_then(Json::as_str);
    let title = agent.map(str::to_owned).or_else(|| info("title"));
    Operations { imported: importer.finish(), title, version: info("version") }
}

/// The dialect of the schemas of a document, by its version.
fn dialect(importer: &mut Importer, json: &Json) -> Option<Dialect> {
    let version = json.get("openapi").and_then(Json::as_str).unwrap_or_default();
    if ["3.1.", "3.2."].iter().any(|start| version.starts_with(start)) {
        return Some(Dialect::Modern);
    }
    if version.starts_with("3.0.") {
        return Some(Dialect::OpenApi30);
    }
    let (at, message) = match json.get("swagger") {
        Some(_) => ("/swagger", "OpenAPI 2.0 is not supported"),
        None if version.is_empty() => ("", "the document has no member `openapi` with its version"),
        None => ("/openapi", "this version of OpenAPI is not supported"),
    };
    let help = "convert the document to OpenAPI 3.0, 3.1 or 3.2";
    importer.document_finding(codes::WRONG_FORM, at.to_owned(), message, help);
    None
}

/// Reports that webhooks are left out: they are operations of those who subscribe, and not of the agent.
fn webhooks(importer: &mut Importer, json: &Json) {
    let count = json.get("webhooks").and_then(Json::as_object).map_or(0, Object::len);
    if count > 0 {
        let message = match count {
            1 => "the document has a webhook, which is left out".to_owned(),
            count => format!("the document has {count} webhooks, which are left out"),
        };
        let help = "write a contract of its own for the agent that receives the messages";
        importer.document_finding(codes::WEBHOOKS, "/webhooks".to_owned(), message, help);
    }
}

fn paths(importer: &mut Importer, json: &Json, dialect: Dialect) {
    webhooks(importer, json);
    let mut references = References::of(json, dialect);
    // Since OpenAPI 3.1, a document may have only webhooks or components.
    let is_optional =
        dialect == Dialect::Modern && ["webhooks", "components"].iter().any(|name| json.get(name).is_some());
    if is_optional && json.get("paths").is_none() {
        return;
    }
    let Some(paths) = json.get("paths").and_then(Json::as_object) else {
        let help = "an OpenAPI document has its operations in `paths`";
        return importer.document_finding(codes::WRONG_FORM, String::new(), "the document has no `paths`", help);
    };
    let mut ids = HashMap::new();
    for (path, item) in paths.iter().filter(|(path, _)| !path.starts_with("x-")) {
        let at = pointer::join("/paths", path);
        if !path.starts_with('/') {
            importer.document_finding(codes::WRONG_FORM, at, "a path must start with `/`", "write the path with `/`");
            continue;
        }
        let (item, at) = match references.resolve(item, at.clone()) {
            Ok(found) => found,
            Err(message) => {
                importer.document_finding(codes::WRONG_FORM, at, message, references::HELP);
                continue;
            }
        };
        let item_at = at;
        for method in METHODS {
            if let Some(operation) = item.get(method) {
                let at = pointer::join(&item_at, method);
                let id = operation.get("operationId").and_then(Json::as_str).unwrap_or_default();
                let first = (!id.is_empty()).then(|| match ids.entry(id) {
                    Occupied(known) => Some(String::clone(known.get())),
                    Vacant(place) => {
                        place.insert(pointer::join(&at, "operationId"));
                        None
                    }
                });
                let place =
                    operation::Place { path, method, item, item_at: item_at.clone(), at, same_id: first.flatten() };
                Operation::import(importer, &mut references, dialect, place, operation);
            }
        }
    }
}
