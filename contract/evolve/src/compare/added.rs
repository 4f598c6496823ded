//! Capabilities that were probably renamed.

use std::collections::BTreeMap;

use capgen_diagnostic::nearest;
use capgen_manifest::{Capability, Side};
use capgen_schema::Schema;

/// The capabilities that only the new contract has, and may be old ones under another name.
pub(super) struct Added<'c> {
    names: Vec<&'c str>,
    /// By the texts of the schemas.
    by_schemas: BTreeMap<[Option<String>; 2], Vec<&'c str>>,
}

/// The most new capabilities whose names are compared with those of removed ones: each comparison takes about a
/// microsecond.
const MAX_NAMES: usize = 200;

impl<'c> Added<'c> {
    pub(super) fn new(capabilities: impl Iterator<Item = &'c Capability>) -> Self {
        let mut added = Self { names: Vec::new(), by_schemas: BTreeMap::new() };
        for capability in capabilities {
            added.names.push(&capability.name);
            added.by_schemas.entry(texts(capability)).or_default().push(&capability.name);
        }
        added
    }

    /// The probable new name of a removed capability: a similar name, or the only one with the same schemas.
    pub(super) fn renamed(&self, old: &Capability) -> Option<&'c str> {
        let near = match self.names.len() {
            0..=MAX_NAMES => nearest(&old.name, self.names.iter().copied()),
            _ => None,
        };
        let has_schema = old.input.is_some() || old.output.is_some();
        near.or_else(|| match self.by_schemas.get(&texts(old)).filter(|_| has_schema)?.as_slice() {
            [only] => Some(only),
            _ => None,
        })
    }
}

fn texts(capability: &Capability) -> [Option<String>; 2] {
    Side::ALL.map(|side| capability.schema(side).map(Schema::canonical))
}
