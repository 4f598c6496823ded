//! Paths into a payload.

use crate::pointer;

/// A step of a path. A path is a stack of tokens during validation, and becomes a JSON Pointer only in a violation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Token<'v> {
    Name(&'v str),
    Index(usize),
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
