//! Paths into a payload.

use super::budget::ReportBudget;
use crate::pointer;

/// A step of a path. A path is a stack of tokens during validation, and becomes a JSON Pointer only in a violation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Token<'v> {
    Name(&'v str),
    Index(usize),
}

/// The pointer, with its names cut before they are escaped, so that no escape is cut in half.
pub(super) fn to_pointer(tokens: &[Token<'_>], budget: ReportBudget) -> String {
    let mut pointer = String::new();
    for token in tokens {
        match token {
            Token::Name(name) => pointer::push(&mut pointer, &budget.cut_name(name)),
            Token::Index(index) => pointer::push(&mut pointer, &index.to_string()),
        }
    }
    pointer
}
