//! Formats as patterns and lengths, so that they compare with patterns; patterns with look-around as patterns without
//! it.

use super::term::{Term, TermId, Terms};
use crate::format::{Equivalent, equivalent, usual};
use crate::pattern::split;
use crate::{Format, Type, TypeSet};

/// The term of a format.
pub(super) fn term(terms: &mut Terms, format: Format) -> TermId {
    let Equivalent::Exact { patterns, max_length } = equivalent(format) else {
        return terms.add(Term::Format(format));
    };
    let mut parts: Vec<TermId> = patterns.iter().map(|source| terms.add(Term::Pattern((*source).to_owned()))).collect();
    parts.extend(max_length.map(|max| terms.add(Term::MaxLength(max as u64))));
    if parts.len() == 1 { parts.remove(0) } else { terms.add(Term::All(parts)) }
}

/// The pattern of the texts that most programs accept for a format that the term belongs to.
pub(super) fn usual_pattern(term: &Term) -> Option<&'static str> {
    let format = match term {
        Term::Format(format) => *format,
        // Two formats have no pattern in common, and no author writes one of these by chance.
        Term::Pattern(source) => Format::ALL.into_iter().find(|format| match equivalent(*format) {
            Equivalent::Exact { patterns, .. } => patterns.contains(&source.as_str()),
            Equivalent::Between { .. } => false,
        })?,
        _ => return None,
    };
    Some(usual(format))
}

/// The term of a pattern. Look-around at its ends becomes patterns of their own, which the search can combine.
pub(super) fn pattern(terms: &mut Terms, source: &str) -> TermId {
    if !source.contains("(?") {
        return terms.add(Term::Pattern(source.to_owned()));
    }
    let Some(alternatives) = split(source) else { return terms.add(Term::Pattern(source.to_owned())) };
    let other_types = terms.add(Term::Types(TypeSet::ALL.bits() & !Type::String.bits()));
    let mut any = Vec::new();
    for conditions in alternatives {
        let mut all = Vec::new();
        for (source, positive) in conditions {
            // Each part is shorter than the pattern, apart from the anchor, so this ends.
            let part = pattern(terms, &source);
            all.push(if positive { part } else { not_matching(terms, part, other_types) });
        }
        any.push(terms.add(Term::All(all)));
    }
    if any.len() == 1 { any.remove(0) } else { terms.add(Term::AnyOf(any)) }
}

/// A pattern accepts every value that is not a string, and so does its negation.
fn not_matching(terms: &mut Terms, pattern: TermId, other_types: TermId) -> TermId {
    let not = terms.add(Term::Not(pattern));
    terms.add(Term::AnyOf(vec![other_types, not]))
}
