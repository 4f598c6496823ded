//! The tools of a server: collecting the pages of `tools/list`, and reading the results of `tools/call`. No IO.

use std::collections::BTreeSet;

use capgen_call::{ErrorPayload, Payload as _, code};
use capgen_diagnostic::{cut_short, visible_lines};
use capgen_interop::{MCP_META_KEY, REQUEST_MEMBER, RESPONSE_MEMBER, ToolSide, tool_side};
use capgen_manifest::{Side, are_in_one_line};
use capgen_schema::{Json, Object};
use semver::Version;

use super::negotiate::ServerInfo;
use crate::error::McpError;
use crate::header::{MirroredParameter, mirrored};
use crate::json::{self, object, string};
use crate::meta;

/// The longest text of a failed tool that is kept, in characters. It becomes the message of an error: enough for a
/// trace of a stack, and not for a whole document.
const MAX_TEXT: usize = 8000;

/// The limits of a list of tools.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListLimits {
    /// The most pages.
    pub pages: usize,
    /// The most tools.
    pub tools: usize,
    /// The most bytes of all tools.
    pub bytes: usize,
}

impl Default for ListLimits {
    /// 200 pages, 10,000 tools, 32 MiB.
    fn default() -> Self {
        Self { pages: 200, tools: 10_000, bytes: 32 << 20 }
    }
}

/// A tool of a server.
#[derive(Clone, PartialEq, Debug)]
pub struct Tool {
    name: String,
    definition: Json,
    /// Whether the tool is an export of capgen whose requests or responses are members of an object.
    wraps_request: bool,
    wraps_response: bool,
    /// The parameters that are sent as headers too; over HTTP, a tool with an invalid annotation is not offered.
    pub(crate) mirrored: Result<Vec<MirroredParameter>, String>,
}

impl Tool {
    fn read(definition: Json) -> Self {
        let name = definition.get("name").and_then(Json::as_str).unwrap_or_default().to_owned();
        let mirrored = definition.get("inputSchema").map_or(Ok(Vec::new()), mirrored);
        let is_wrapped = |side| matches!(tool_side(&definition, side), ToolSide::Wrapped(_));
        let (wraps_request, wraps_response) = (is_wrapped(Side::Request), is_wrapped(Side::Response));
        Self { name, definition, wraps_request, wraps_response, mirrored }
    }

    /// The name, which `tools/call` uses; empty if the server sent none.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The definition as the server sent it, without checks: an object with `name`, `inputSchema` and more.
    #[must_use]
    pub fn definition(&self) -> &Json {
        &self.definition
    }

    /// The capability and its version, if the tool is an export of capgen that states one.
    pub(crate) fn capability(&self) -> Option<(&str, Version)> {
        let meta = self.definition.get("_meta")?.get(MCP_META_KEY)?;
        let name = meta.get("name").and_then(Json::as_str).unwrap_or(&self.name);
        Some((name, meta.get("version")?.as_str()?.parse().ok()?))
    }

    /// The arguments of a call: the request, which is a member of an object if the tool was exported so.
    pub(crate) fn arguments(&self, request: Json) -> Json {
        if self.wraps_request { object([(REQUEST_MEMBER, request)]) } else { request }
    }

    /// The response in a structured result.
    fn unwrapped(&self, structured: Json) -> Result<Json, McpError> {
        if !self.wraps_response {
            return Ok(structured);
        }
        let Json::Object(mut members) = structured else { return Err(missing(RESPONSE_MEMBER)) };
        let response = members.get_mut(RESPONSE_MEMBER).map(|value| std::mem::replace(value, Json::Null));
        response.ok_or_else(|| missing(RESPONSE_MEMBER))
    }
}

fn missing(member: &str) -> McpError {
    McpError::Protocol(format!("the structured result of the tool has no member `{member}`"))
}

/// All tools of a server.
#[derive(Clone, PartialEq, Debug)]
pub struct ToolList {
    pub(crate) server: ServerInfo,
    tools: Vec<Tool>,
}

impl ToolList {
    /// The server.
    #[must_use]
    pub fn server(&self) -> &ServerInfo {
        &self.server
    }

    /// The tools, in the order of the server.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The first tool with a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name && !name.is_empty())
    }

    /// The tool for a caller that knows a tool by its name, and states its version. If the server has tools for
    /// versions of the same compatibility line as the caller's, it is that of the equal one, or else of the highest
    /// one: a request that is valid for another line may mean something else there.
    pub(crate) fn for_caller(&self, name: &str, caller: Option<&Version>) -> Option<&Tool> {
        let named = self.get(name)?;
        let (Some(caller), Some((capability, _))) = (caller, named.capability()) else { return Some(named) };
        let of_line = self.tools.iter().filter_map(|tool| {
            let (name, version) = tool.capability()?;
            (name == capability && are_in_one_line(&version, caller)).then_some((version == *caller, version, tool))
        });
        let best = of_line.max_by(|(is_equal, version, _), (other_is_equal, other, _)| {
            (is_equal, version).cmp(&(other_is_equal, other))
        });
        Some(best.map_or(named, |(_, _, tool)| tool))
    }

    /// Removes the tools that clients over HTTP must not offer.
    pub(super) fn retain_valid_headers(&mut self) {
        self.tools.retain(|tool| tool.mirrored.is_ok());
    }

    /// The list as one result of `tools/list`, with `serverInfo`, `protocolVersion` and `instructions` as the answer to
    /// `initialize` has them.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let tools = self.tools.iter().map(|tool| tool.definition.clone()).collect();
        let mut list = Object::new();
        list.push("serverInfo".to_owned(), self.server.implementation.to_json());
        list.push("protocolVersion".to_owned(), string(self.server.revision.as_str()));
        list.set("instructions", self.server.instructions.as_deref().map(string));
        list.push("tools".to_owned(), Json::Array(tools));
        Json::Object(list)
    }
}

/// The pages of a list that have arrived.
#[derive(Debug)]
pub(crate) struct Pages {
    limits: ListLimits,
    tools: Vec<Tool>,
    pages: usize,
    bytes: usize,
    cursors: BTreeSet<String>,
}

impl Pages {
    pub(crate) fn new(limits: ListLimits) -> Self {
        Self { limits, tools: Vec::new(), pages: 0, bytes: 0, cursors: BTreeSet::new() }
    }

    /// Adds a page, and returns the cursor of the next one.
    pub(crate) fn add(&mut self, page: Json) -> Result<Option<String>, McpError> {
        let limit = |text: String| Err(McpError::Limit(text));
        let Json::Object(mut page) = complete(page)? else { return Err(no_tools()) };
        let Some(Json::Array(tools)) = page.get_mut("tools").map(|tools| std::mem::replace(tools, Json::Null)) else {
            return Err(no_tools());
        };
        self.pages += 1;
        if self.tools.len() + tools.len() > self.limits.tools {
            return limit(format!("more than {} tools", self.limits.tools));
        }
        for tool in tools {
            self.bytes += json::length(&tool);
            self.tools.push(Tool::read(tool));
        }
        if self.bytes > self.limits.bytes {
            return limit(format!("tools of more than {} bytes", self.limits.bytes));
        }
        let cursor = match page.get("nextCursor") {
            None | Some(Json::Null) => return Ok(None),
            Some(Json::String(cursor)) if cursor.is_empty() => return Ok(None),
            Some(Json::String(cursor)) => cursor,
            Some(_) => return Err(McpError::Protocol("`nextCursor` of `tools/list` is not a string".to_owned())),
        };
        if self.pages >= self.limits.pages {
            return limit(format!("more than {} pages of tools", self.limits.pages));
        }
        if !self.cursors.insert(cursor.clone()) {
            return Err(McpError::Protocol("a page of `tools/list` leads to an earlier page".to_owned()));
        }
        Ok(Some(cursor.clone()))
    }

    /// The list after the last page.
    pub(crate) fn finish(self, server: ServerInfo) -> ToolList {
        ToolList { server, tools: self.tools }
    }
}

fn no_tools() -> McpError {
    McpError::Protocol("the result of `tools/list` has no array `tools`".to_owned())
}

/// A result, if its request is complete. A result without a type is of an older revision.
pub(crate) fn complete(result: Json) -> Result<Json, McpError> {
    match result.get("resultType").map(Json::as_str) {
        None | Some(Some("complete")) => Ok(result),
        Some(Some("input_required")) => Err(McpError::InputRequired),
        Some(_) => Err(McpError::Protocol("the result has an unknown `resultType`".to_owned())),
    }
}

/// The result of a tool that ran.
#[derive(Clone, PartialEq, Debug)]
pub enum ToolResult {
    /// The response: the structured result or, if the tool has neither that nor an output schema, an object with the
    /// array `content`.
    Response(Json),
    /// The tool failed. The text is for the model that called it, and not trusted.
    Failed(String),
    /// The tool of a capgen agent failed with a code, or the agent denied the call with `EAGENTRPC_FORBIDDEN`. The
    /// error has a code, a message, details and whether a retry helps, all of which come from the server and are not
    /// trusted.
    Error(Box<ErrorPayload>),
}

impl ToolResult {
    /// Reads the result of `tools/call`.
    pub(crate) fn read(result: Json, tool: Option<&Tool>) -> Result<Self, McpError> {
        let Json::Object(mut members) = complete(result)? else {
            return Err(McpError::Protocol("the result of `tools/call` is not an object".to_owned()));
        };
        let content = members.get_mut("content").map(|content| std::mem::replace(content, Json::Null));
        let content = content.unwrap_or_else(|| Json::Array(Vec::new()));
        match members.get("isError") {
            Some(Json::Bool(true)) => {
                let error = members.get("_meta").and_then(|meta| meta.get(meta::ERROR)).and_then(error);
                return Ok(error.map_or_else(|| Self::Failed(failure(&content)), |error| Self::Error(Box::new(error))));
            }
            None | Some(Json::Bool(false) | Json::Null) => {}
            Some(_) => return Err(McpError::Protocol("`isError` of the result is not a boolean".to_owned())),
        }
        let structured = members.get_mut("structuredContent").map(|value| std::mem::replace(value, Json::Null));
        let has_schema = tool.is_some_and(|tool| tool.definition.get("outputSchema").is_some());
        match structured {
            Some(structured) => {
                tool.map_or(Ok(structured.clone()), |tool| tool.unwrapped(structured)).map(Self::Response)
            }
            None if has_schema => Err(McpError::Protocol(
                "the tool has an output schema, but its result has no `structuredContent`".to_owned(),
            )),
            None => Ok(Self::Response(Json::Object(Object::from_iter([("content".to_owned(), content)])))),
        }
    }
}

/// The error of a handler, without the parts that only a provider of calls states. A server that answers with a code of
/// the protocol would decide the next step of a client; only that of handlers without a code is one of handlers, and
/// that of denials ends a call like one of them.
fn error(payload: &Json) -> Option<ErrorPayload> {
    let ErrorPayload { code, message, retryable, details, .. } =
        ErrorPayload::from_json(payload.to_string().as_bytes()).ok()?;
    let is_accepted = [code::HANDLER_FAILED, code::FORBIDDEN].contains(&&*code) || !code::is_of_protocol(&code);
    let message = visible_lines(&cut_short(&message, MAX_TEXT));
    let error = ErrorPayload::of(&code, message).with_retryable(retryable == Some(true));
    is_accepted.then_some(ErrorPayload { details, ..error })
}

/// The text of a failed tool.
fn failure(content: &Json) -> String {
    let items = content.as_array().unwrap_or_default();
    let texts: Vec<&str> = items.iter().filter_map(|item| item.get("text").and_then(Json::as_str)).collect();
    let text = if texts.is_empty() { "the tool failed without a text".to_owned() } else { texts.join("\n") };
    cut_short(&text, MAX_TEXT).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meta::Implementation;
    use crate::revision::Revision;

    fn json(text: &str) -> Json {
        text.parse().unwrap()
    }

    fn server() -> ServerInfo {
        let implementation = Implementation::new("s", "1");
        ServerInfo { implementation, revision: Revision::V2025_11_25, has_tools: true, instructions: None }
    }

    #[test]
    fn pages_are_joined_in_order() {
        let mut pages = Pages::new(ListLimits::default());
        assert_eq!(pages.add(json(r#"{"tools":[{"name":"b"}],"nextCursor":"2"}"#)), Ok(Some("2".to_owned())));
        assert_eq!(pages.add(json(r#"{"resultType":"complete","tools":[{"name":"a"}]}"#)), Ok(None));
        for end in [r#""""#, "null"] {
            let page = json(&format!(r#"{{"tools":[],"nextCursor":{end}}}"#));
            assert_eq!(Pages::new(ListLimits::default()).add(page), Ok(None), "{end}");
        }
        let list = pages.finish(server());
        assert_eq!(list.tools().iter().map(Tool::name).collect::<Vec<_>>(), ["b", "a"]);
        let expected = r#"{"serverInfo":{"name":"s","version":"1"},"protocolVersion":"2025-11-25","tools":[{"name":"b"},{"name":"a"}]}"#;
        assert_eq!(list.to_json().to_string(), expected);
    }

    #[test]
    fn tools_without_a_name_are_in_the_list_and_not_found() {
        let mut pages = Pages::new(ListLimits::default());
        let page = r#"{"tools":[1,{"name":1},{"name":""},{"name":"a"}]}"#;
        pages.add(json(page)).unwrap();
        let list = pages.finish(server());
        assert_eq!(list.to_json().get("tools"), json(page).get("tools"));
        assert_eq!((list.get(""), list.get("a").map(Tool::name)), (None, Some("a")));
    }

    #[test]
    fn endless_lists_end() {
        let limits = ListLimits { pages: 3, tools: 5, bytes: 200 };
        let page = |cursor: &str| json(&format!(r#"{{"tools":[{{"name":"a"}}],"nextCursor":"{cursor}"}}"#));
        let mut pages = Pages::new(limits);
        pages.add(page("1")).unwrap();
        assert!(matches!(pages.add(page("1")), Err(McpError::Protocol(_))), "the same cursor");
        let mut pages = Pages::new(limits);
        pages.add(page("1")).unwrap();
        pages.add(page("2")).unwrap();
        assert!(matches!(pages.add(page("3")), Err(McpError::Limit(_))), "too many pages");
        let many = json(&format!(r#"{{"tools":[{}{{"name":"a"}}]}}"#, r#"{"name":"a"},"#.repeat(5)));
        assert!(matches!(Pages::new(limits).add(many), Err(McpError::Limit(_))), "too many tools");
        let large = json(&format!(r#"{{"tools":[{{"name":"{}"}}]}}"#, "a".repeat(200)));
        assert!(matches!(Pages::new(limits).add(large), Err(McpError::Limit(_))), "too many bytes");
    }

    #[test]
    fn lists_that_violate_the_protocol_are_rejected() {
        for page in ["1", "{}", r#"{"tools":{}}"#, r#"{"tools":[],"resultType":"x"}"#, r#"{"tools":[],"nextCursor":5}"#]
        {
            assert!(matches!(Pages::new(ListLimits::default()).add(json(page)), Err(McpError::Protocol(_))), "{page}");
        }
    }

    fn read(result: &str, tool: &str) -> Result<ToolResult, McpError> {
        ToolResult::read(json(result), Some(&Tool::read(json(tool))))
    }

    #[test]
    fn the_response_is_found_in_every_form_of_result() {
        let plain = r#"{"name":"a"}"#;
        let response = |text: &str| Ok(ToolResult::Response(json(text)));
        assert_eq!(read(r#"{"content":[],"structuredContent":{"a":1}}"#, plain), response(r#"{"a":1}"#));
        let content = r#"{"content":[{"type":"text","text":"x"}]}"#;
        assert_eq!(read(content, plain), response(content));
        assert_eq!(read("{}", plain), response(r#"{"content":[]}"#));
        let wrapped = r#"{"name":"a",
            "inputSchema":{"type":"object","properties":{"value":{}},"required":["value"],"additionalProperties":false},
            "outputSchema":{"type":"object","properties":{"result":{}},"required":["result"],"additionalProperties":false},
            "_meta":{"io.github.capgen/contract":{"response":"wrapped","request":"wrapped"}}}"#;
        assert_eq!(read(r#"{"content":[],"structuredContent":{"result":[1]}}"#, wrapped), response("[1]"));
        assert!(matches!(read(r#"{"content":[],"structuredContent":{}}"#, wrapped), Err(McpError::Protocol(_))));
        assert!(matches!(read(r#"{"content":[]}"#, wrapped), Err(McpError::Protocol(_))));
        let tool = Tool::read(json(wrapped));
        assert_eq!(tool.arguments(json("3")), json(r#"{"value":3}"#));
    }

    #[test]
    fn failures_and_requests_for_input_are_not_responses() {
        let plain = r#"{"name":"a"}"#;
        let failed = r#"{"content":[{"type":"text","text":"no"},{"type":"image","data":""},{"type":"text","text":"way"}],"isError":true}"#;
        assert_eq!(read(failed, plain), Ok(ToolResult::Failed("no\nway".to_owned())));
        let with_error = |error: &str| {
            format!(
                r#"{{"content":[{{"type":"text","text":"NO_SEATS: none"}}],"isError":true,"_meta":{{"io.github.capgen/error":{error}}}}}"#
            )
        };
        let error =
            r#"{"code":"NO_SEATS","message":"none\u0007","retryable":true,"details":{"free":0},"effect":"none"}"#;
        let Ok(ToolResult::Error(error)) = read(&with_error(error), plain) else { panic!("no error") };
        assert_eq!((error.code.as_str(), error.message.as_str()), ("NO_SEATS", r"none\u{7}"));
        assert_eq!(
            (error.retryable, error.details, error.effect),
            (Some(true), Some(serde_json::json!({"free": 0})), None)
        );
        let denied = r#"{"code":"EAGENTRPC_FORBIDDEN","message":"no","retryable":false}"#;
        let Ok(ToolResult::Error(error)) = read(&with_error(denied), plain) else { panic!("no error") };
        assert_eq!(error.code, "EAGENTRPC_FORBIDDEN");
        // Other codes of the protocol and invalid errors are failures with a text.
        for error in [r#"{"code":"EAGENTRPC_BUSY","message":"","retryable":true}"#, r#"{"code":1}"#, "null"] {
            assert_eq!(read(&with_error(error), plain), Ok(ToolResult::Failed("NO_SEATS: none".to_owned())), "{error}");
        }
        let input = r#"{"resultType":"input_required","inputRequests":{}}"#;
        assert_eq!(read(input, plain), Err(McpError::InputRequired));
        for result in [r#"{"resultType":"task"}"#, r#"{"isError":"true","structuredContent":{}}"#] {
            assert!(matches!(read(result, plain), Err(McpError::Protocol(_))), "{result}");
        }
    }
}
