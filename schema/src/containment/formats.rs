//! Formats as patterns and lengths, so that they compare with patterns.

use super::term::{Term, TermId, Terms};
use crate::Format;
use crate::format::{MAILBOX, MAILBOX_LOCAL_PART, MAX_MAILBOX, URI, URI_REFERENCE, UUID};

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
