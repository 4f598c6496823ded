//! The places of a contract in its `SKILL.md`.

use std::collections::BTreeMap;
use std::ops::Range;

use capgen_diagnostic::{Diagnostic, Source};

use super::yaml;
use crate::inputs::Mode;
use crate::inputs::contract::values;

/// Where the text of a contract is in its file.
pub(super) struct Places<'s> {
    source: &'s Source,
    /// The value of `metadata.contract`, quotes included.
    whole: Range<usize>,
    /// The offset of each byte of the contract in `whole`, if they are known.
    offsets: Option<Vec<usize>>,
}

impl<'s> Places<'s> {
    pub(super) fn new(source: &'s Source, span: Option<&Range<usize>>, contract: &str) -> Self {
        let whole = span.cloned().unwrap_or_default();
        let raw = source.text().get(whole.clone()).unwrap_or_default();
        Self { source, whole, offsets: yaml::offsets(raw, contract) }
    }

    /// Adds a label for a range of the contract.
    pub(super) fn label(&self, finding: Diagnostic, range: Range<usize>) -> Diagnostic {
        let offset = |at: usize| self.offsets.as_ref().and_then(|offsets| offsets.get(at)).copied();
        let span = match (offset(range.start), offset(range.end)) {
            (Some(start), Some(end)) => self.whole.start + start..self.whole.start + end,
            _ => self.whole.clone(),
        };
        finding.at(self.source, span, "")
    }
}

/// The first place of each value of a contract, by the short name of its clause and the value as the mode compares it.
pub(super) fn by_value(contract: &str, mode: Mode) -> BTreeMap<(&'static str, String), Range<usize>> {
    let mut places = BTreeMap::new();
    for (clause, span) in values(contract) {
        let value = mode.normalised(contract.get(span.clone()).unwrap_or_default());
        places.entry((clause, value)).or_insert(span);
    }
    places
}
