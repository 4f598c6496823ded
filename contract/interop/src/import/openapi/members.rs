//! Members that no operation is read from, although their author may have meant one.

use capgen_diagnostic::{nearest, quoted};
use capgen_schema::{Json, pointer};

use super::{METHODS, OTHER_METHODS, Reader};
use crate::codes;
use crate::import::{Dialect, ImportFinding, finding};

/// The members of a path that are not operations.
const OTHERS: [&str; 6] = ["$ref", "summary", "description", "servers", "parameters", OTHER_METHODS];

impl Reader<'_, '_> {
    /// Warns about members of a path that OpenAPI does not have: operations in them would be lost silently.
    pub(super) fn unknown_members(&mut self, item: &Json, item_at: &str) {
        let methods = METHODS.map(|(name, _)| name);
        let is_known = |name: &str| methods.contains(&name) || OTHERS.contains(&name) || name.starts_with("x-");
        for (name, _) in item.as_object().into_iter().flatten().filter(|(name, _)| !is_known(name)) {
            let message = format!("a path has no member {}, so it is left out", quoted(name));
            let help = match nearest(name, methods.into_iter().chain(OTHERS)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "remove it, or start its name with `x-`".to_owned(),
            };
            self.ignored(pointer::join(item_at, name), message, &help);
        }
    }

    /// Warns about webhooks in a document of a version that has none.
    pub(super) fn early_webhooks(&mut self, document: &Json) {
        if self.dialect == Dialect::OpenApi30 && document.get("webhooks").is_some() {
            let message = "OpenAPI 3.0 has no `webhooks`, so they are left out".to_owned();
            self.ignored(
                "/webhooks".to_owned(),
                message,
                "write `openapi: 3.1.0` if the document is one of OpenAPI 3.1",
            );
        }
    }

    fn ignored(&mut self, at: String, message: String, help: &str) {
        self.importer.document_finding(codes::IGNORED_MEMBER, at, message, help);
    }
}

/// The error of a document without operations; `has_schemas` if it has only components.
pub(super) fn without_operations(document: &Json, each: bool) -> ImportFinding {
    let schemas =
        document.pointer("/components/schemas").and_then(Json::as_object).filter(|schemas| !schemas.is_empty());
    let (at, message, help) = match schemas {
        Some(_) if !each => (
            "/components/schemas",
            "the document has no operations, only schemas",
            "import each schema as a capability with `--each`, and with `--side response` as its response",
        ),
        _ => {
            ("", "the document has no operations", "describe operations in `paths`, or schemas in `components.schemas`")
        }
    };
    let finding = finding(codes::NOTHING_TO_IMPORT, at.to_owned(), message.to_owned());
    ImportFinding { concerns_document: true, help: Some(help.to_owned()), ..finding }
}
