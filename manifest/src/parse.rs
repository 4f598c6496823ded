//! Text to tree, whatever the notation.

use std::path::Path;

use crate::{Diagnostic, Node, Source, parse_json, parse_yaml};

/// Reads a text as JSON where its path ends with `.json`, else as YAML.
///
/// # Errors
///
/// Those of [`parse_json`] or [`parse_yaml`].
pub fn parse_document(source: &Source) -> Result<Node, Vec<Diagnostic>> {
    let is_json = Path::new(source.path()).extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    if is_json { parse_json(source) } else { parse_yaml(source) }
}
