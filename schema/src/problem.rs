//! Findings in a schema. They are located by JSON Pointer: this crate reads values, not files, so a caller that knows the source
//! text maps the pointer to a line.

/// A stable code of a finding, such as `E0107` (error) or `W0101` (warning). `capgen explain` explains it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code(&'static str);

/// Whether a finding makes the input invalid.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The input is rejected.
    Error,
    /// The input is accepted, but is probably a mistake.
    Warning,
}

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

impl Code {
    /// A code. `text` must be `E` or `W` followed by four digits; this is not checked.
    pub const fn new(text: &'static str) -> Self {
        Self(text)
    }

    /// The code as text, such as `E0107`.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// The severity: codes of errors start with `E`, codes of warnings with `W`.
    pub fn severity(self) -> Severity {
        if self.0.starts_with('W') { Severity::Warning } else { Severity::Error }
    }
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
