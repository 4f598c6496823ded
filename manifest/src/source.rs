//! A text and the name it is shown under.

use std::sync::Arc;

/// A file's text with the path that diagnostics show. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Source(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: String,
    text: String,
}

impl Source {
    /// A source; `path` is only shown, never opened.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self(Arc::new(Inner { path: path.into(), text: text.into() }))
    }

    /// The path that diagnostics show.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.0.text
    }
}
