//! Calls of a capability to copy.

use capgen_schema::Json;

use super::parts::code;
use crate::fleet::CallSample;
use crate::html::{Html, class};
use crate::json;

/// The longest request of a sample, in bytes. A longer one is among the examples, and would hide the call here.
const MAX_REQUEST: usize = 4 << 10;

/// Writes the call of a capability with a request, unless the sample cannot contain the request as it is.
pub(super) fn one(html: &mut Html, sample: &CallSample, request: &Json) {
    if !fits(request) {
        return;
    }
    html.leaf("h3", &[], &sample.language);
    html.element("div", &[class("sample")], |html| {
        code(html, |html| {
            lines(html, &sample.before);
            json::block(html, request);
            lines(html, &sample.after);
        });
    });
}

/// Whether a request is the same value as a literal of JavaScript and in a raw string of Rust, which starts with
/// `r##"`.
fn fits(request: &Json) -> bool {
    let text = request.canonical();
    text.len() <= MAX_REQUEST && !text.contains("\"##") && !has_prototype(request)
}

/// Whether an object has the name `__proto__`, with which a literal of JavaScript sets the prototype. The nesting of
/// values is limited by the reader of manifests and by the search for examples.
fn has_prototype(value: &Json) -> bool {
    match value {
        Json::Object(members) => members.iter().any(|(name, value)| name == "__proto__" || has_prototype(value)),
        Json::Array(items) => items.iter().any(has_prototype),
        _ => false,
    }
}

fn lines(html: &mut Html, text: &str) {
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            html.line_end();
        }
        html.text(line);
    }
}
