//! One operation as a capability.

use capgen_descriptor::SideEffects;
use capgen_diagnostic::quoted;
use capgen_manifest::{Capability, Side};
use capgen_schema::{Code, Json, pointer};

use super::http::Described;
use super::references::{References, Unresolved};
use super::schema::Payload;
use crate::OPENAPI_KEY;
use crate::codes;
use crate::import::mark::{Form, Mark};
use crate::import::{Dialect, Entry, ImportFinding, Importer, add_tags, finding};
use crate::operation::Route;

/// The place of an operation.
pub(super) struct Place<'d> {
    pub(super) path: &'d str,
    /// As it is sent.
    pub(super) method: &'d str,
    /// Whether `path` is the name of a webhook.
    pub(super) is_webhook: bool,
    /// The members of the path.
    pub(super) item: &'d Json,
    /// Their pointer.
    pub(super) item_at: String,
    /// The pointer of the operation.
    pub(super) at: String,
    /// The pointer of the `operationId` of an earlier operation that has the same one.
    pub(super) same_id: Option<String>,
}

/// An operation that is being read.
pub(super) struct Operation<'r, 'd> {
    pub(super) importer: &'r mut Importer,
    pub(super) references: &'r mut References<'d>,
    pub(super) dialect: Dialect,
    pub(super) place: Place<'d>,
    pub(super) json: &'d Json,
    pub(super) entry: Entry,
    pub(super) mark: Option<Mark>,
    pub(super) described: Described,
}

impl<'r, 'd> Operation<'r, 'd> {
    /// Adds an operation to the import.
    pub(super) fn import(
        importer: &'r mut Importer,
        references: &'r mut References<'d>,
        dialect: Dialect,
        place: Place<'d>,
        json: &'d Json,
    ) {
        let (method, path) = (place.method.to_owned(), place.path.to_owned());
        let route = Route { method, path, is_webhook: place.is_webhook };
        let id = json.get("operationId").and_then(Json::as_str).filter(|id| !id.is_empty());
        let mark = json.get(OPENAPI_KEY);
        // The path of an exported capability follows from its name.
        let is_own = mark.is_some() && id.is_some_and(|id| route == Route::of_capability(&Capability::new(id)));
        let wire = id.filter(|_| is_own).map_or_else(|| route.wire_name(), str::to_owned);
        let mut entry = importer.entry(&wire, place.at.clone());
        entry.title = id.map(str::to_owned).or(entry.title);
        let mark = mark.map(|mark| importer.mark(&mut entry, mark, &pointer::join(&place.at, OPENAPI_KEY)));
        let mut operation =
            Self { importer, references, dialect, place, json, entry, mark, described: Described::default() };
        operation.same_id();
        let capability = match operation.resolve(json, operation.place.at.clone()) {
            Some((json, at)) => {
                (operation.json, operation.place.at) = (json, at);
                operation.capability()
            }
            None => Capability::new(""),
        };
        let Self { importer, entry, .. } = operation;
        importer.add(entry, capability);
    }

    /// Rejects an operation whose id another one has: ids are unique in a document.
    fn same_id(&mut self) {
        let Some(first) = self.place.same_id.take() else { return };
        let id = self.json.get("operationId").and_then(Json::as_str).unwrap_or_default();
        let message = format!("two operations have the `operationId` {}", quoted(id));
        let help = "give each operation an `operationId` of its own, or leave this one out with `--skip`";
        let places = (first, pointer::join(&self.place.at, "operationId"));
        self.importer.conflict(&mut self.entry, codes::DUPLICATE_ENTRY, places, message, help);
    }

    fn capability(&mut self) -> Capability {
        let mut capability = self.mark.as_ref().map_or_else(|| Capability::new(""), Mark::capability);
        if self.mark.is_none() {
            effects(&mut capability, self.place.method);
        }
        let text = |name| self.json.get(name).and_then(Json::as_str).filter(|text| !text.is_empty());
        // The summary of an exported operation follows from the capability.
        let summary = text("summary").filter(|_| self.mark.is_none());
        capability.description = text("description").or(summary).map(str::to_owned);
        add_tags(&mut capability, self.json);
        let request = self.request();
        if let Some(Payload { json, parts }) = request.filter(|_| self.form(Side::Request) != Form::Loose) {
            capability.input = self.schema(Side::Request, json, &parts);
        }
        let response = self.response();
        if let Some(Payload { json, parts }) = response.filter(|_| self.form(Side::Response) != Form::Loose) {
            capability.output = self.schema(Side::Response, json, &parts);
        }
        capability.http = self.http();
        capability
    }

    pub(super) fn form(&self, side: Side) -> Form {
        self.mark.as_ref().map_or(Form::Plain, |mark| mark.form(side))
    }

    /// The value that a member refers to. A reference without a target is reported.
    pub(super) fn resolve(&mut self, value: &'d Json, at: String) -> Option<(&'d Json, String)> {
        match self.references.resolve(value, at) {
            Ok(found) => Some(found),
            Err(Unresolved { at, message, help }) => {
                self.unsupported(at, message, &help);
                None
            }
        }
    }

    /// Reports how something is read, once for all places with the same subject.
    pub(super) fn note(&mut self, code: Code, at: String, message: &str, label: &str, subject: &str) {
        let finding = Self::finding(code, at, message, label);
        self.importer.report_once(&mut self.entry, "", finding, subject.to_owned());
    }

    pub(super) fn finding(code: Code, at: String, message: &str, label: &str) -> ImportFinding {
        ImportFinding { label: label.to_owned(), ..finding(code, at, message.to_owned()) }
    }

    /// Reports a part that a capability cannot express.
    pub(super) fn unsupported(&mut self, at: String, message: impl Into<String>, help: &str) {
        self.importer.error(&mut self.entry, codes::UNSUPPORTED_OPERATION, at, message, help);
    }

    pub(super) fn malformed(&mut self, at: String, message: impl Into<String>, help: &str) {
        self.importer.error(&mut self.entry, codes::MALFORMED_ENTRY, at, message, help);
    }
}

/// The effects that HTTP guarantees for a method.
fn effects(capability: &mut Capability, method: &str) {
    (capability.side_effects, capability.idempotent) = match method {
        "GET" | "HEAD" | "OPTIONS" | "TRACE" | "QUERY" => (Some(SideEffects::Pure), None),
        "PUT" | "DELETE" => (Some(SideEffects::Idempotent), Some(true)),
        _ => (None, None),
    };
}
