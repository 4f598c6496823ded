//! Findings in a schema. They are located by JSON Pointer: this crate reads values, not files, so a caller that knows
//! the source text maps the pointer to a line.

use capgen_diagnostic::{Applicability, Code};

use crate::Json;

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
    /// Changes of the schema that fix it, if they are known.
    pub fix: Option<Fix>,
}

/// Changes of a schema that fix a finding. They are meant to be applied together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// The changes, at different places.
    pub edits: Vec<Edit>,
    /// Whether a program may apply them by itself.
    pub applicability: Applicability,
}

/// A change of a schema. Pointers start at the schema's root.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Edit {
    /// Writes another name in place of a key or a text.
    Rename {
        /// The member or the text.
        pointer: String,
        /// Whether the key is renamed, or the text that is the value.
        anchor: Anchor,
        /// The present name.
        from: String,
        /// The name to write instead.
        to: String,
    },
    /// Writes another value in place of one.
    Replace {
        /// The present value.
        pointer: String,
        /// The new value.
        value: Json,
    },
    /// Puts a number or boolean in quotes.
    Quote {
        /// The number or boolean.
        pointer: String,
    },
    /// Puts a value in brackets: a list with one element.
    Wrap {
        /// The value.
        pointer: String,
    },
    /// Removes a member or an element.
    Remove {
        /// The value of the member, or the element.
        pointer: String,
    },
}

impl Problem {
    pub(crate) fn new(code: Code, pointer: String, message: impl Into<String>) -> Self {
        let (anchor, message, label) = (Anchor::Value, message.into(), String::new());
        Self { code, pointer, anchor, message, label, help: None, fix: None }
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

    /// Sets the changes that fix it.
    pub(crate) fn fix(mut self, applicability: Applicability, edits: Vec<Edit>) -> Self {
        self.fix = Some(Fix { edits, applicability });
        self
    }

    /// Sets a change of the value in question.
    pub(crate) fn fix_value(self, applicability: Applicability, value: Json) -> Self {
        let edit = Edit::Replace { pointer: self.pointer.clone(), value };
        self.fix(applicability, vec![edit])
    }

    /// Sets the removal of the member or element in question.
    pub(crate) fn fix_removal(self, applicability: Applicability) -> Self {
        let edit = Edit::Remove { pointer: self.pointer.clone() };
        self.fix(applicability, vec![edit])
    }

    /// Sets another name for the key or the text in question, if there is one.
    pub(crate) fn rename(self, from: &str, to: Option<(&str, Applicability)>) -> Self {
        let Some((to, applicability)) = to else { return self };
        let edit = Edit::Rename {
            pointer: self.pointer.clone(),
            anchor: self.anchor,
            from: from.to_owned(),
            to: to.to_owned(),
        };
        self.fix(applicability, vec![edit])
    }
}
