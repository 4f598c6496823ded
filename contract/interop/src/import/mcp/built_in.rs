//! Tools of requests to models that the provider runs itself. They have no schema.

use capgen_diagnostic::quoted;
use capgen_schema::{Json, pointer};

use crate::codes;
use crate::import::Importer;

/// Members of Gemini and Bedrock that are such tools, or marks between tools.
const MEMBERS: [&str; 16] = [
    "cachePoint",
    "systemTool",
    "codeExecution",
    "code_execution",
    "computerUse",
    "computer_use",
    "enterpriseWebSearch",
    "enterprise_web_search",
    "fileSearch",
    "file_search",
    "googleMaps",
    "google_maps",
    "googleSearch",
    "google_search",
    "googleSearchRetrieval",
    "urlContext",
];

/// More such members.
const OTHER_MEMBERS: [&str; 3] = ["google_search_retrieval", "retrieval", "url_context"];

/// Members with a schema, or with a function that has one.
const WITH_SCHEMA: [&str; 10] = [
    "inputSchema",
    "input_schema",
    "parameters",
    "parametersJsonSchema",
    "parameters_json_schema",
    "parameter_definitions",
    "function",
    "functionDeclarations",
    "function_declarations",
    "toolSpec",
];

/// Reports the tools in an element of a list that have no schema because the provider runs them. Returns whether the
/// element has no others.
pub(super) fn leave_out(importer: &mut Importer, element: &Json, at: &str) -> bool {
    let Json::Object(members) = element else { return false };
    let has = |name: &str| members.get(name).is_some();
    let has_schema = WITH_SCHEMA.into_iter().any(has);
    if !has("name") {
        let known = MEMBERS.into_iter().chain(OTHER_MEMBERS).filter(|name| has(name));
        let count = known.map(|name| note(importer, name, pointer::join(at, name))).count();
        if count > 0 {
            return !has_schema;
        }
    }
    // `object` is the type of a schema that is in place of a tool.
    let kind = element.get("type").and_then(Json::as_str).filter(|kind| !matches!(*kind, "function" | "object" | ""));
    match kind {
        Some(kind) if !has_schema && super::misspelt::member(element).is_none() => {
            note(importer, kind, at.to_owned());
            true
        }
        _ => false,
    }
}

fn note(importer: &mut Importer, name: &str, at: String) {
    let message = format!("the tool {} is one of the provider and has no schema, so it is left out", quoted(name));
    let help = "declare a function with a schema if the tool is not one of the provider";
    importer.document_finding(codes::BUILT_IN_TOOL, at, message, help);
}
