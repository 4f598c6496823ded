//! Changes of the declared errors of a capability.
//!
//! The set of errors is open: a caller handles a code that it does not know as any other failure, and drops details
//! that it cannot read. No change here makes a call fail, so none is breaking.

use capgen_diagnostic::Code;
use capgen_manifest::{Capability, DeclaredError, Side};
use capgen_schema::{Containment, Json, Schema};

use super::Context;
use super::capability::{Draft, Places};
use crate::side::witness;
use crate::{Level, SideComparison, Witness, codes};

/// Reports every declared error that was added, removed or changed. Errors are matched by their codes.
pub(super) fn compare(old: &Capability, new: &Capability, context: &Context<'_>, draft: &mut Draft) {
    for (index, before) in old.errors.iter().enumerate() {
        let at = new.errors.iter().position(|error| error.code == before.code);
        match at.and_then(|at| Some((at, new.errors.get(at)?))) {
            Some((at, after)) => Pair { before, after, indexes: (index, at) }.compare(context, draft),
            None => {
                let places = Places { old: place(index, ""), new: String::new() };
                let text = format!("the error {} was removed", before.code);
                let content = before.definition().canonical();
                draft.add(codes::ERROR_REMOVED, Level::Safe, places, (text, &content), None, None);
            }
        }
    }
    for (index, after) in new.errors.iter().enumerate().filter(|(_, error)| old.error(&error.code).is_none()) {
        let places = Places { old: String::new(), new: place(index, "") };
        let text = format!("the error {} was added", after.code);
        let help = "callers that have not been updated handle it as an unknown failure".to_owned();
        draft.add(codes::ERROR_ADDED, Level::Risky, places, (text, &after.definition().canonical()), Some(help), None);
    }
}

/// Two versions of an error, and their indexes.
struct Pair<'c> {
    before: &'c DeclaredError,
    after: &'c DeclaredError,
    indexes: (usize, usize),
}

impl Pair<'_> {
    fn compare(&self, context: &Context<'_>, draft: &mut Draft) {
        let Self { before, after, .. } = self;
        let code = &before.code;
        if before.retryable != after.retryable {
            let text = match after.retryable {
                true => format!("{code} is now retryable"),
                false => format!("{code} is no longer retryable"),
            };
            let help = match after.retryable {
                true => "callers with retries now send such a request again".to_owned(),
                false => "callers with retries no longer send such a request again".to_owned(),
            };
            self.report(draft, codes::ERROR_RETRYABLE, Level::Risky, "retryable", (text, ""), Some(help));
        }
        if before.status != after.status {
            let shown = |status: Option<u16>| status.map_or_else(|| "none".to_owned(), |status| status.to_string());
            let text = format!("the status of {code} changed from {} to {}", shown(before.status), shown(after.status));
            self.report(draft, codes::PROPERTY_CHANGED, Level::Safe, "status", (text, ""), None);
        }
        if before.description != after.description {
            let text = |error: &DeclaredError| error.description.as_deref().map_or(Json::Null, Json::from);
            let content = Json::Array(vec![text(before), text(after)]).canonical();
            let said = (format!("the description of {code} changed"), &*content);
            self.report(draft, codes::TEXT_CHANGED, Level::Cosmetic, "description", said, None);
        }
        self.details(context, draft);
    }

    fn details(&self, context: &Context<'_>, draft: &mut Draft) {
        let code = &self.before.code;
        let content = Json::Array(vec![source(self.before), source(self.after)]).canonical();
        let help = "callers that have not been updated get the error without its details".to_owned();
        let (text, proof) = match (&self.before.details, &self.after.details) {
            (None, None) => return,
            (Some(before), Some(after)) if before.canonical() == after.canonical() => {
                if before.source() != after.source() {
                    let said = (format!("the texts in the details of {code} changed"), &*content);
                    self.report(draft, codes::TEXT_CHANGED, Level::Cosmetic, DETAILS, said, None);
                }
                return;
            }
            (Some(before), Some(after)) => match incompatible(before, after, context) {
                Some(proof) => (format!("the details of {code} may be invalid for callers"), proof),
                None => {
                    let said = (format!("the details of {code} changed, and stay valid for callers"), &*content);
                    return self.report(draft, codes::PROPERTY_CHANGED, Level::Safe, DETAILS, said, None);
                }
            },
            (Some(_), None) => (format!("{code} has no details any more"), None),
            (None, Some(_)) => {
                let said = (format!("{code} now has details"), &*content);
                return self.report(draft, codes::PROPERTY_CHANGED, Level::Safe, DETAILS, said, None);
            }
        };
        draft.add(codes::ERROR_DETAILS, Level::Risky, self.places(DETAILS), (text, &content), Some(help), proof);
    }

    fn places(&self, key: &str) -> Places {
        let (old, new) = self.indexes;
        Places { old: place(old, key), new: place(new, key) }
    }

    fn report(
        &self,
        draft: &mut Draft,
        code: Code,
        level: Level,
        key: &str,
        said: (String, &str),
        help: Option<String>,
    ) {
        draft.add(code, level, self.places(key), said, help, None);
    }
}

const DETAILS: &str = "detailsSchema";

/// The JSON Pointer from the capability to a key of an error, or to the error.
fn place(index: usize, key: &str) -> String {
    let place = format!("/errors/{index}");
    if key.is_empty() { place } else { format!("{place}/{key}") }
}

/// Whether details of the new version may be invalid for the old one, as for responses, with those that prove it.
fn incompatible(before: &Schema, after: &Schema, context: &Context<'_>) -> Option<Option<Witness>> {
    let steps = context.settings.steps;
    let relation = SideComparison::of(Side::Response, before, after, &context.new, steps, context.work);
    match relation.is_accepted(Side::Response, context.settings.assume) {
        Containment::Yes => None,
        Containment::No(payload) => Some(witness(before, payload.clone())),
        Containment::Undecided(_) => Some(None),
    }
}

/// The schema of the details as it is written; null without one.
fn source(error: &DeclaredError) -> Json {
    error.details.as_ref().map_or(Json::Null, |schema| schema.source().clone())
}
