//! What is wrong with a schema, before anyone knows where its text came from.

/// A stable code such as `E0107` (error) or `W0112` (warning); `capgen explain` tells about it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code(&'static str);

/// Whether a finding refuses the input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The input is refused.
    Error,
    /// The input is accepted.
    Warning,
}

/// Which part of the member at a pointer a finding is about.
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
    /// JSON Pointer from the schema's root to what is meant.
    pub pointer: String,
    /// The member's name or its value.
    pub anchor: Anchor,
    /// One sentence, without a full stop.
    pub message: String,
    /// A few words for the place itself; may be empty.
    pub label: String,
    /// What to write instead, where that is known.
    pub help: Option<String>,
}

impl Code {
    /// A code; `text` is `E` or `W` and four digits.
    pub const fn new(text: &'static str) -> Self {
        Self(text)
    }

    /// The code as it is printed.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Errors start with `E`, warnings with `W`.
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
