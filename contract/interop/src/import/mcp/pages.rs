//! The pages of a list of tools, in each form in which they are stored.

use capgen_diagnostic::shortened;
use capgen_manifest::About;
use capgen_schema::{Json, pointer};

use super::form::is_tool;
use crate::import::{Importer, Kind};
use crate::{MCP_META_KEY, codes};

/// The tools of all pages, with the name, version and protocol of their server.
#[derive(Default)]
pub(super) struct Pages<'a> {
    /// Each tool with its JSON Pointer in the document.
    pub(super) tools: Vec<(&'a Json, String)>,
    pub(super) server: Option<&'a str>,
    pub(super) server_version: Option<&'a str>,
    pub(super) protocol: Option<&'a str>,
    /// The texts about the agent: those of an export, or the instructions of the server.
    pub(super) about: About,
    /// Whether the last page so far names a further one.
    continues: Option<String>,
}

impl<'a> Pages<'a> {
    /// Finds the tools of a document, and reports every part that has another form.
    pub(super) fn read(importer: &mut Importer, document: &'a Json) -> Self {
        let mut pages = Self::default();
        if importer.is_other_kind(document, "", Kind::Tools) {
            return pages;
        }
        match document {
            // An element is a page or a tool. A page that is an array has the tools of one page.
            Json::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    let at = pointer::join("", &index.to_string());
                    match element {
                        Json::Array(tools) => pages.list(tools, &at),
                        // Servers also send requests and notifications on the stream of a response.
                        Json::Object(_) if is_message_of_server(element) => {}
                        Json::Object(_) if is_page(element) => pages.page(importer, element, at),
                        _ => pages.tools.push((element, at)),
                    }
                }
            }
            Json::Object(_) if is_tool(document) => pages.tools.push((document, String::new())),
            Json::Object(_) => pages.page(importer, document, String::new()),
            _ => wrong_form(importer, String::new(), "the document is not a list of tools"),
        }
        if let Some(at) = pages.continues.take() {
            let message = "the last page names a further page, so the list is incomplete";
            let help = "ask for the next page with this cursor, and pass all pages: as an array, or one per line";
            importer.document_finding(codes::INCOMPLETE_LIST, at, message, help);
        }
        pages
    }

    fn list(&mut self, tools: &'a [Json], at: &str) {
        self.tools.extend(tools.iter().enumerate().map(|(i, tool)| (tool, pointer::join(at, &i.to_string()))));
    }

    /// A result, or a response with a result.
    fn page(&mut self, importer: &mut Importer, page: &'a Json, at: String) {
        if let Some(result) = page.get("result").filter(|_| page.get("tools").is_none()) {
            let at = pointer::join(&at, "result");
            return match result {
                Json::Object(_) if result.get("result").is_none() => self.page(importer, result, at),
                _ => wrong_form(importer, at, "the result is not one of `tools/list`"),
            };
        }
        if let Some(error) = page.get("error") {
            return server_error(importer, pointer::join(&at, "error"), error);
        }
        if let Some(inner) = page.get("toolConfig").filter(|_| page.get("tools").is_none()) {
            return self.page(importer, inner, pointer::join(&at, "toolConfig"));
        }
        let is_about_server = self.server(page);
        self.texts(page);
        let list = LISTS.into_iter().find_map(|name| Some((name, page.get(name)?)));
        match list {
            Some((name, Json::Array(tools))) => {
                self.list(tools, &pointer::join(&at, name));
                let cursor = page.get("nextCursor").and_then(Json::as_str);
                self.continues = cursor.map(|_| pointer::join(&at, "nextCursor"));
            }
            Some((name, _)) => wrong_form(importer, pointer::join(&at, name), &format!("`{name}` must be an array")),
            None if is_about_server => {}
            None => wrong_form(importer, at, "the document has no member `tools`"),
        }
    }

    /// Reads the texts about the agent, unless an earlier page has them.
    fn texts(&mut self, page: &Json) {
        let mark = page.get("_meta").and_then(|meta| meta.get(MCP_META_KEY));
        let instructions = page.get("instructions").and_then(Json::as_str).filter(|text| !text.is_empty());
        let description = self.about.description.take().or_else(|| instructions.map(str::to_owned));
        self.about = match mark.map(About::from_json).filter(|about| !about.is_empty()) {
            Some(about) => about,
            None => About { description, ..std::mem::take(&mut self.about) },
        };
    }

    /// Reads the members about the server; returns whether there are any.
    fn server(&mut self, page: &'a Json) -> bool {
        let server = page.get("serverInfo").or(page.get("server"));
        let text = |name| server.and_then(|server| server.get(name)).and_then(Json::as_str);
        self.server = self.server.or(text("name"));
        self.server_version = self.server_version.or(text("version"));
        let protocol = page.get("protocolVersion").and_then(Json::as_str);
        self.protocol = self.protocol.or(protocol);
        server.is_some() || protocol.is_some() || page.get("supportedVersions").is_some()
    }
}

/// The members with a list of tools: that of MCP and of requests to models, and an older one of such requests.
const LISTS: [&str; 2] = ["tools", "functions"];

/// Whether an element of an array is a page, and not a tool.
fn is_page(element: &Json) -> bool {
    let has = |name| element.get(name).is_some();
    !has("name")
        && ["tools", "functions", "toolConfig", "result", "error", "serverInfo", "protocolVersion"].into_iter().any(has)
}

/// Whether an element is a request or a notification of JSON-RPC, and not a response.
fn is_message_of_server(element: &Json) -> bool {
    let has = |name| element.get(name).is_some();
    has("jsonrpc") && has("method") && !has("result") && !has("error")
}

/// A response of JSON-RPC that is an error. Its texts are the server's.
fn server_error(importer: &mut Importer, pointer: String, error: &Json) {
    /// The most characters of a message that are shown. A server may choose any text; reasons are a sentence or two.
    const MAX_MESSAGE: usize = 300;
    let code = error.get("code").filter(|code| code.as_number().is_some()).map(Json::canonical);
    let code = code.map(|code| format!(" {}", shortened(&code, 20))).unwrap_or_default();
    let text = error.get("message").and_then(Json::as_str).filter(|text| !text.is_empty());
    let text = text.map(|text| format!(": {}", shortened(text, MAX_MESSAGE))).unwrap_or_default();
    let message = format!("the response is an error of the server{code}{text}");
    let help = "resolve the cause, ask for `tools/list` again, and pass its result";
    importer.document_finding(codes::WRONG_FORM, pointer, message, help);
}

fn wrong_form(importer: &mut Importer, pointer: String, message: &str) {
    let help = "pass an array of tools, the result of `tools/list`, or the tools of a request to a model: `{\"tools\": [...]}`";
    importer.document_finding(codes::WRONG_FORM, pointer, message, help);
}
