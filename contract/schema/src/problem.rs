//! Findings in a schema. They are located by JSON Pointer: this crate reads values, not files, so a caller that knows
//! the source text maps the pointer to a line.

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
    /// The correct name, if the finding is about a wrong one and the correct one is certain.
    pub rename: Option<Rename>,
}

/// A wrong name, and the name to write instead: that of a type or a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rename {
    /// The name in the schema.
    pub from: String,
    /// The name to write instead.
    pub to: String,
}

impl Problem {
    pub(crate) fn new(code: Code, pointer: String, message: impl Into<String>) -> Self {
        let (anchor, message, label) = (Anchor::Value, message.into(), String::new());
        Self { code, pointer, anchor, message, label, help: None, rename: None }
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

    pub(crate) fn rename(mut self, from: &str, to: Option<&str>) -> Self {
        self.rename = to.map(|to| Rename { from: from.to_owned(), to: to.to_owned() });
        self
    }
}
