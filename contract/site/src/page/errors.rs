//! The declared errors of a capability.

use capgen_manifest::{Capability, DeclaredError};

use crate::html::Attribute::{Href, Id};
use crate::html::{Html, class};
use crate::place::Page;
use crate::prose;
use crate::schema::{self, Anchors};

/// Writes the errors, in the order of the contract.
pub(super) fn list(html: &mut Html, page: Page<'_>, capability: &Capability) {
    html.leaf("p", &[], "A call may fail with these errors, and with others: callers handle unknown codes too.");
    capability.errors.iter().for_each(|error| one(html, page, error));
}

fn one(html: &mut Html, page: Page<'_>, error: &DeclaredError) {
    let anchors = Anchors::of_error(&error.code);
    html.element("h3", &[Id(&anchors.root)], |html| {
        let link = page.to_place(page, &anchors.root);
        html.element("a", &[Href(&link), class("self")], |html| html.leaf("code", &[], &error.code));
    });
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
        Some(details) => {
            html.leaf("p", &[], "Its details:");
            schema::part(html, page, (&anchors, "h4"), details, |_| {});
        }
        None => html.leaf("p", &[class("muted")], "It has no details."),
    }
}
