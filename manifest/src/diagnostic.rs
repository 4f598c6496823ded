//! One finding, with the places it is about.

use std::ops::Range;

use capgen_schema::{Code, Severity};

use crate::Source;

/// One finding: what is wrong, where, and what to do.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// One sentence, without a full stop.
    pub message: String,
    /// The source that the labels point into; `None` where there is no text, such as for a missing file.
    pub source: Option<Source>,
    /// The first one is the primary place.
    pub labels: Vec<Label>,
    /// Lines that follow the snippet, such as ``at: capability `review-pr`, inputSchema, /properties/prUrl``.
    pub notes: Vec<String>,
    /// What to write instead.
    pub help: Option<String>,
    /// JSON Pointer from the document's root to what is meant, where that is known.
    pub pointer: Option<String>,
}

/// A place and a few words about it.
#[derive(Clone, Debug)]
pub struct Label {
    /// In bytes of the source. Renderers clamp it.
    pub span: Range<usize>,
    /// May be empty.
    pub text: String,
}

impl Diagnostic {
    /// A finding without a place.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            source: None,
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            pointer: None,
        }
    }

    /// The same, pointing at `span` of `source`. The first call gives the primary place.
    #[must_use]
    pub fn at(mut self, source: &Source, span: Range<usize>, text: impl Into<String>) -> Self {
        self.source = Some(source.clone());
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// The same, with a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The same, with a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same, with the JSON Pointer of what is meant.
    #[must_use]
    pub fn pointer(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// Whether it refuses the input.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}
