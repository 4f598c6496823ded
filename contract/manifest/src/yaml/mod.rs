//! YAML text to tree. `granit-parser` supplies the events. This module adds the rules that untrusted contracts need and
//! YAML leaves open: scalars by the core schema, unique keys, no custom tags, and limits.

mod anchors;
mod load;
mod scalar;
mod spans;
mod syntax;

use load::Loader;

use crate::findings::Findings;
use crate::{Diagnostic, Node, Source, secrets};

/// Reads one YAML document ([YAML 1.2](https://yaml.org/spec/1.2.2/), core schema) into JSON's data model.
///
/// A key is its source text (`404:` is `"404"`). Takes time linear in the text and the copies that its aliases make,
/// plus the time to sort the keys of each mapping.
///
/// # Errors
///
/// All findings up to the first syntax error. Texts of more than 32 MiB or 2,000,000 values, values nested deeper than
/// 256 levels, and aliases that copy more than 250,000 values or 8 MiB are rejected.
pub fn parse_yaml(source: &Source) -> Result<Node, Vec<Diagnostic>> {
    source.hide_with(secrets::in_any);
    let mut findings = Findings::new(source)?;
    let root = syntax::check_characters(source.text(), &mut findings)
        .and_then(|()| Loader::new(source.text(), &mut findings).document());
    findings.finish(root)
}

/// Reads the start of a text: the tree of everything before the first syntax error, and the offset at which reading
/// stopped.
pub(crate) fn parse_yaml_start(source: &Source) -> (Option<Node>, usize) {
    match Findings::new(source) {
        Ok(mut findings) => Loader::new(source.text(), &mut findings).start_of_document(),
        Err(_) => (None, 0),
    }
}
