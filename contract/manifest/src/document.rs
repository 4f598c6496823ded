//! Text to tree, in the notation that the path names.

use std::path::Path;

use capgen_diagnostic::{Diagnostic, Source};

use crate::json::parse_json;
use crate::tree::Node;
use crate::yaml::{parse_yaml, parse_yaml_start};

/// Reads a text as JSON if its path ends with `.json`, otherwise as YAML.
///
/// # Errors
///
/// Those of [`parse_json`] or [`parse_yaml`].
pub fn parse_document(source: &Source) -> Result<Node, Vec<Diagnostic>> {
    if is_json(source) { parse_json(source) } else { parse_yaml(source) }
}

/// The part of a text before its first error.
pub(crate) struct Start {
    pub(crate) root: Option<Node>,
    /// The offset up to which `root` describes the text.
    pub(crate) end: usize,
    /// Whether the whole text is valid.
    pub(crate) is_valid: bool,
}

/// Reads as much of a text as is valid. JSON with errors is read as YAML, which contains nearly all of JSON.
pub(crate) fn parse_start(source: &Source) -> Start {
    let length = source.text().len();
    let is_json = is_json(source);
    if let Some(Ok(root)) = is_json.then(|| parse_json(source)) {
        return Start { root: Some(root), end: length, is_valid: true };
    }
    let (root, end) = parse_yaml_start(source);
    Start { root, end, is_valid: !is_json && end == length }
}

/// Whether a text is read as JSON.
pub(crate) fn is_json(source: &Source) -> bool {
    Path::new(source.path()).extension().is_some_and(|e| e.eq_ignore_ascii_case("json"))
}
