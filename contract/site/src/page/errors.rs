//! The declared errors of a capability.

use capgen_manifest::{Capability, DeclaredError};

use super::parts::code;
use crate::html::Attribute::Id;
use crate::html::{Html, class};
use crate::place::Anchor;
use crate::{json, prose};

/// Writes the errors, in the order of the contract.
pub(super) fn list(html: &mut Html, capability: &Capability) {
    html.leaf("p", &[], "A call may fail with these errors, and with others: callers handle unknown codes too.");
    capability.errors.iter().for_each(|error| one(html, error));
}

fn one(html: &mut Html, error: &DeclaredError) {
    let anchor = Anchor::fixed("errors").join(&error.code);
    html.element("h3", &[Id(&anchor)], |html| html.leaf("code", &[], &error.code));
    let status = error.status.map(|status| format!("HTTP {status}"));
    let marks = [error.retryable.then(|| "retryable".to_owned()), status];
    if marks.iter().any(Option::is_some) {
        html.element("p", &[class("marks")], |html| {
            marks.iter().flatten().for_each(|text| html.leaf("span", &[class("mark")], text));
        });
    }
    if let Some(text) = &error.description {
        prose::paragraphs(html, text);
    }
    match &error.details {
        Some(schema) => {
            html.leaf("p", &[], "Its details conform to this schema:");
            code(html, |html| json::block(html, schema.source()));
        }
        None => html.leaf("p", &[class("muted")], "It has no details."),
    }
}
