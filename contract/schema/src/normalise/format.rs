//! Formats of strings that become patterns.

use capgen_diagnostic::quoted;

use super::lossy::Reading;
use super::number::Types;
use super::tree::Value;
use super::walk::{Draft, Walk};
use crate::format::pattern::equivalent;
use crate::{Format, Json};

impl<'a> Walk<'a> {
    /// `format`: kept if it is in the subset, replaced by bounds or a pattern if possible, and otherwise left to the
    /// loader.
    pub(super) fn format(&mut self, draft: &mut Draft<'a>, value: &'a Json) {
        let name = value.as_str().unwrap_or_default();
        if Format::from_name(name).is_some() {
            return self.copy(draft, "format", value);
        }
        if self.numeric_format(draft, name) {
            return;
        }
        match equivalent(name) {
            Some(pattern) if Types::of(draft.object).allow("string") => {
                draft.push_or_conjoin("pattern", Value::Plain(Json::String(pattern.to_owned())));
            }
            // A format of strings does not apply to other values, and `type` rules out strings.
            Some(_) => {}
            // OpenAPI defines it as a hint for input forms.
            None if name == "password" => {}
            None if value.as_str().is_some() => self.unchecked_format(draft, name),
            None => self.copy(draft, "format", value),
        }
    }

    /// A format that the subset cannot check. JSON Schema and OpenAPI let tools ignore it, so it stays as an
    /// annotation.
    pub(super) fn unchecked_format(&mut self, draft: &mut Draft<'a>, name: &str) {
        draft.push_json("x-format", Json::String(name.to_owned()));
        let reason = format!("the format {} is not checked: it is kept in `x-format`", quoted(name));
        self.note(Reading::UncheckedFormat, draft.at("format"), reason, name);
    }
}
