//! Findings in a schema. They are located by JSON Pointer: this crate reads values, not files, so a caller that knows the source
//! text maps the pointer to a line.

use capgen_diagnostic::Code;

/// The part of an object's member that a finding points at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Anchor {
    /// The member's name.
    Key,
    /// The member's value.
    Value,
}

/// One finding in a schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The stable code.
    pub code: Code,
    /// JSON Pointer from the schema's root to the keyword or value.
    pub pointer: String,
    /// Whether the finding points at the name or the value of that member.
    pub anchor: Anchor,
    /// One sentence, without a full stop.
    pub message: String,
    /// A few words to print next to the location in the source; may be empty.
    pub label: String,
    /// How to fix it, if that is known.
    pub help: Option<String>,
}

impl Problem {
    pub(crate) fn new(code: Code, pointer: String, message: impl Into<String>) -> Self {
        Self { code, pointer, anchor: Anchor::Value, message: message.into(), label: String::new(), help: None }
    }

    pub(crate) fn at_key(mut self) -> Self {
        self.anchor = Anchor::Key;
        self
    }

    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
