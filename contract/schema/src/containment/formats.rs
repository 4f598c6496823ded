//! Formats as patterns and lengths, so that they compare with patterns; patterns with look-around as patterns without
//! it.

use super::term::{Term, TermId, Terms};
use crate::format::{MAILBOX, MAILBOX_LOCAL_PART, MAX_MAILBOX, URI, URI_REFERENCE, UUID};
use crate::pattern::split;
use crate::{Format, Type, TypeSet};

/// The term of a format.
pub(super) fn term(terms: &mut Terms, format: Format) -> TermId {
    let mut pattern = |source: &str| terms.add(Term::Pattern(source.to_owned()));
    match format {
        Format::Uuid => pattern(UUID),
        Format::Uri => pattern(URI),
        Format::UriReference => pattern(URI_REFERENCE),
        Format::Email => {
            let mut parts = vec![pattern(MAILBOX), pattern(MAILBOX_LOCAL_PART)];
            parts.push(terms.add(Term::MaxLength(MAX_MAILBOX as u64)));
            terms.add(Term::All(parts))
        }
        Format::DateTime => terms.add(Term::Format(format)),
    }
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
