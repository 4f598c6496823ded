//! A finding: the problem, its location, and how to fix it.

use std::ops::Range;

use crate::{Applicability, Code, Severity, Source};

/// A finding: the problem, its location, and how to fix it.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// The severity, if it is not the one of the code.
    pub severity: Option<Severity>,
    /// The identity of the finding across runs, if it has one that does not depend on lines. Services that show
    /// findings use it to recognise a finding again.
    pub fingerprint: Option<String>,
    /// One sentence, without a full stop.
    pub message: String,
    /// The places that the finding is about. The first one is the primary place. They may be in several sources: a
    /// finding about two versions of a contract points into both.
    pub labels: Vec<Label>,
    /// The path of the file, if the finding concerns the whole file and has no label. Formats that annotate files need
    /// it; human-readable output does not show it, because the message or a note names the file.
    pub file: Option<String>,
    /// Lines that follow the snippets, such as ``at: capability `review-pr`, inputSchema, /properties/prUrl``.
    pub notes: Vec<String>,
    /// What to do, in words.
    pub help: Option<String>,
    /// Edits that fix the finding. They do not overlap, and are meant to be applied together.
    pub suggestions: Vec<Suggestion>,
    /// JSON Pointer from the root of the primary source's document to the value in question, if it is known.
    pub pointer: Option<String>,
}

/// A place in a source, with a few words about it.
#[derive(Clone, Debug)]
pub struct Label {
    /// The source that `span` points into.
    pub source: Source,
    /// In bytes of the source. Renderers clamp it.
    pub span: Range<usize>,
    /// May be empty.
    pub text: String,
}

/// An edit that a program can apply: it replaces `span` of `source` with `replacement`.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// The source that `span` points into.
    pub source: Source,
    /// In bytes of the source. An empty span inserts.
    pub span: Range<usize>,
    /// The new text, in the source's notation: quoted and escaped where the notation requires it.
    pub replacement: String,
    /// Whether a program may apply it by itself.
    pub applicability: Applicability,
}

impl Diagnostic {
    /// A finding without a place.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: None,
            fingerprint: None,
            message: message.into(),
            labels: Vec::new(),
            file: None,
            notes: Vec::new(),
            help: None,
            suggestions: Vec::new(),
            pointer: None,
        }
    }

    /// Sets the severity, for a finding that matters more or less than its code usually does.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    /// Adds a label at `span` of `source`. The first label is the primary place.
    #[must_use]
    pub fn at(self, source: &Source, span: Range<usize>, text: impl Into<String>) -> Self {
        self.label(Label { source: source.clone(), span, text: text.into() })
    }

    /// Adds a label. The first label is the primary place.
    #[must_use]
    pub fn label(mut self, label: Label) -> Self {
        self.labels.push(label);
        self
    }

    /// Sets the path of the file, for a finding that concerns the whole file.
    #[must_use]
    pub fn in_file(mut self, path: impl Into<String>) -> Self {
        self.file = Some(path.into());
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets the help text.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a certain edit that replaces `span` of `source` with `replacement`.
    #[must_use]
    pub fn suggest(mut self, source: &Source, span: Range<usize>, replacement: impl Into<String>) -> Self {
        let (source, replacement, applicability) = (source.clone(), replacement.into(), Applicability::Certain);
        self.suggestions.push(Suggestion { source, span, replacement, applicability });
        self
    }

    /// Marks all edits as ones that a person should read first.
    #[must_use]
    pub fn for_review(self) -> Self {
        self.with_applicability(Applicability::NeedsReview)
    }

    /// Marks all edits with an applicability.
    #[must_use]
    pub fn with_applicability(mut self, applicability: Applicability) -> Self {
        self.suggestions.iter_mut().for_each(|suggestion| suggestion.applicability = applicability);
        self
    }

    /// Whether a program may apply the edits by itself; `None` without edits. They are meant to be applied together, so
    /// one that needs review is enough for all.
    pub fn applicability(&self) -> Option<Applicability> {
        self.suggestions.iter().map(|suggestion| suggestion.applicability).max()
    }

    /// Sets the JSON Pointer of the value in question.
    #[must_use]
    pub fn pointer(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// Whether the finding rejects the input: its own severity, or the one of its code.
    pub fn severity(&self) -> Severity {
        self.severity.unwrap_or(self.code.severity())
    }

    /// The primary place, if the finding has one.
    pub fn primary(&self) -> Option<&Label> {
        self.labels.first()
    }
}
