//! The places of the values of a contract.

use std::ops::Range;

use super::kind::Kind;
use super::scan::{self, Pieces};

/// The place of each value of the known clauses, in bytes of the text, with the short name of its clause, in the order
/// of the text. Values may be empty or invalid. Takes linear time.
pub fn values(text: &str) -> impl Iterator<Item = (&'static str, Range<usize>)> {
    let trimmed = scan::trimmed(text);
    let header = scan::word(text, trimmed.start, trimmed.end);
    let clauses = Pieces::new(text, header.end, trimmed.end).filter_map(|piece| piece.content.ok());
    clauses.flat_map(move |clause| {
        let kind = Kind::named(text.get(clause.name).unwrap_or_default());
        kind.into_iter()
            .flat_map(move |kind| scan::values(text, clause.values.clone()).map(move |span| (kind.short(), span)))
    })
}
