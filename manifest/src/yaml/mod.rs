//! YAML text to tree: the events of `granit-parser`, and on top of them everything that a contract from a stranger needs
//! and YAML leaves open: scalars by the core schema, unique keys, no tags of one's own, and limits.

mod anchors;
mod load;
mod scalar;
mod spans;
mod syntax;

use load::Loader;

use crate::findings::Findings;
use crate::{Diagnostic, Node, Source};

/// Reads one YAML document ([YAML 1.2](https://yaml.org/spec/1.2.2/), core schema) into JSON's data model.
///
/// Keys are the text they are written as (`404:` is `"404"`). Takes time linear in the text and in what its aliases stand
/// for, but for the sorting of keys.
///
/// # Errors
///
/// Everything that is wrong, up to the first syntax error. Texts of more than 32 MiB or 2,000,000 values, and values nested
/// deeper than 256 levels are refused, and so are aliases that stand for more than 250,000 values or 8 MiB.
pub fn parse_yaml(source: &Source) -> Result<Node, Vec<Diagnostic>> {
    let mut findings = Findings::new(source)?;
    let root = syntax::check_characters(source.text(), &mut findings)
        .and_then(|()| Loader::new(source.text(), &mut findings).document());
    findings.finish(root)
}
