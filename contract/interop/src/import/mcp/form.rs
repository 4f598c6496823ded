//! The forms in which tools are listed: that of MCP, and those of the APIs of model providers.
//!
//! | form | arguments |
//! |---|---|
//! | MCP | `inputSchema` |
//! | Anthropic | `input_schema` |
//! | OpenAI Responses, and many others | `parameters` |
//! | OpenAI Chat Completions | `function.parameters` |
//! | Gemini | `functionDeclarations[].parametersJsonSchema` or `.parameters` |
//! | Bedrock | `toolSpec.inputSchema.json` |

use capgen_schema::{Json, pointer};

/// The member of MCP with the schema of the arguments.
pub(super) const INPUT_SCHEMA: &str = "inputSchema";

/// A tool, without the objects that its form wraps around it.
#[derive(Clone, Debug)]
pub(super) struct Listed<'a> {
    pub(super) json: &'a Json,
    /// JSON Pointer in the document.
    pub(super) at: String,
    /// The names on the way to the schema of the arguments.
    path: &'static [&'static str],
    /// Whether a tool without a schema has no arguments. The form of MCP requires the member.
    pub(super) is_optional: bool,
}

impl<'a> Listed<'a> {
    /// The tools of an element of a list. It is one, except that Gemini lists several functions in one element.
    pub(super) fn of(element: &'a Json, at: String) -> Vec<Self> {
        for name in ["functionDeclarations", "function_declarations"] {
            if let Some(functions) = element.get(name).and_then(Json::as_array) {
                let at = pointer::join(&at, name);
                let function = |(index, json)| Self::function(json, pointer::join(&at, &usize::to_string(&index)));
                return functions.iter().enumerate().map(function).collect();
            }
        }
        if let Some(inner) = element.get("toolSpec").filter(|inner| inner.as_object().is_some()) {
            let at = pointer::join(&at, "toolSpec");
            return vec![Self::new(inner, at, &[INPUT_SCHEMA, "json"], false)];
        }
        if element.get(INPUT_SCHEMA).is_some() {
            return vec![Self::mcp(element, at)];
        }
        if let Some(inner) = element.get("function").filter(|inner| inner.as_object().is_some()) {
            return vec![Self::function(inner, pointer::join(&at, "function"))];
        }
        if element.get("input_schema").is_some() {
            return vec![Self::new(element, at, &["input_schema"], false)];
        }
        let is_function = element.get("type").and_then(Json::as_str) == Some("function");
        match is_function || PARAMETERS.iter().any(|[name]| element.get(name).is_some()) {
            true => vec![Self::function(element, at)],
            false => vec![Self::mcp(element, at)],
        }
    }

    fn mcp(json: &'a Json, at: String) -> Self {
        Self::new(json, at, &[INPUT_SCHEMA], false)
    }

    /// A function with `parameters`, which has none without the member.
    fn function(json: &'a Json, at: String) -> Self {
        let path = PARAMETERS.iter().find(|[name]| json.get(name).is_some()).unwrap_or(&["parameters"]);
        Self::new(json, at, path, true)
    }

    fn new(json: &'a Json, at: String, path: &'static [&'static str], is_optional: bool) -> Self {
        Self { json, at, path, is_optional }
    }

    /// The member with the schema of the arguments.
    pub(super) fn arguments(&self) -> &'static str {
        self.path.first().copied().unwrap_or(INPUT_SCHEMA)
    }

    /// Whether the tool is in the form of MCP.
    pub(super) fn is_mcp(&self) -> bool {
        self.path == [INPUT_SCHEMA]
    }

    /// The schema of the arguments. `null` is the same as an absent member, because some programs write all members.
    pub(super) fn schema(&self) -> Option<&'a Json> {
        let found = self.path.iter().try_fold(self.json, |json, name| json.get(name));
        found.filter(|schema| **schema != Json::Null)
    }

    /// The pointer to that schema.
    pub(super) fn schema_at(&self) -> String {
        self.path.iter().fold(self.at.clone(), |at, name| pointer::join(&at, name))
    }
}

/// The members of functions with the schema of the arguments. If there are several, the first one is JSON Schema.
const PARAMETERS: [[&str; 1]; 3] = [["parametersJsonSchema"], ["parameters_json_schema"], ["parameters"]];

/// Whether a value is a tool in one of the forms.
pub(in crate::import) fn is_tool(value: &Json) -> bool {
    let has = |name: &str| value.get(name).is_some();
    let names = [INPUT_SCHEMA, "input_schema", "toolSpec", "functionDeclarations", "function_declarations"];
    let is_function = value.get("type").and_then(Json::as_str) == Some("function") || has("name");
    names.into_iter().any(has) || is_function && (has("function") || PARAMETERS.iter().any(|[name]| has(name)))
}
