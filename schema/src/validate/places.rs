//! Places of a payload, each as a step from the one above it.

use std::cmp::Ordering;

use crate::pointer;

/// An index into [`Places`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place(usize);

/// A reference token.
#[derive(Clone, Copy, Debug)]
pub(super) enum Token<'v> {
    Name(&'v str),
    Index(usize),
}

/// Shared prefixes are stored once: a payload's paths may be longer than the payload.
#[derive(Default)]
pub(super) struct Places<'v>(Vec<Step<'v>>);

struct Step<'v> {
    parent: Place,
    token: Token<'v>,
    /// Whether only the payload has this name.
    is_foreign: bool,
}

impl<'v> Places<'v> {
    pub(super) const ROOT: Place = Place(usize::MAX);

    pub(super) fn below(&mut self, parent: Place, token: Token<'v>) -> Place {
        self.0.push(Step { parent, token, is_foreign: false });
        Place(self.0.len() - 1)
    }

    /// Below, by a name that the schema does not have there.
    pub(super) fn below_foreign(&mut self, parent: Place, name: &'v str) -> Place {
        self.0.push(Step { parent, token: Token::Name(name), is_foreign: true });
        Place(self.0.len() - 1)
    }

    /// From the root down, and how many come before the first foreign name.
    pub(super) fn tokens(&self, mut place: Place) -> (Vec<Token<'v>>, usize) {
        let (mut tokens, mut behind_foreign) = (Vec::new(), None);
        while let Some(step) = self.0.get(place.0) {
            tokens.push(step.token);
            if step.is_foreign {
                behind_foreign = Some(tokens.len());
            }
            place = step.parent;
        }
        tokens.reverse();
        let familiar = tokens.len() - behind_foreign.unwrap_or(0);
        (tokens, familiar)
    }
}

pub(super) fn to_pointer(tokens: &[Token<'_>]) -> String {
    let mut pointer = String::new();
    for token in tokens {
        match token {
            Token::Name(name) => pointer::push(&mut pointer, name),
            Token::Index(index) => pointer::push(&mut pointer, &index.to_string()),
        }
    }
    pointer
}

impl Ord for Token<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Token::Index(a), Token::Index(b)) => a.cmp(b),
            // Violations next to each other have most of their path in common, and a name may be long.
            (Token::Name(a), Token::Name(b)) if std::ptr::eq(*a, *b) => Ordering::Equal,
            (Token::Name(a), Token::Name(b)) => a.encode_utf16().cmp(b.encode_utf16()),
            (Token::Index(_), Token::Name(_)) => Ordering::Less,
            (Token::Name(_), Token::Index(_)) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Token<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Token<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Token<'_> {}
