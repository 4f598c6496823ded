//! Text to tree, in the notation that the path names.

use std::path::Path;

use capgen_diagnostic::{Diagnostic, Source};

use crate::json::parse_json;
use crate::tree::Node;
use crate::yaml::parse_yaml;

/// Reads a text as JSON if its path ends with `.json`, otherwise as YAML.
///
/// # Errors
///
/// Those of [`parse_json`] or [`parse_yaml`].
pub fn parse_document(source: &Source) -> Result<Node, Vec<Diagnostic>> {
    let is_json = Path::new(source.path()).extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    if is_json { parse_json(source) } else { parse_yaml(source) }
}
