//! The places of a payload, and their order.

use std::cmp::Ordering;

use crate::pointer;

/// One step of a path.
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

/// The order of UTF-16 code units, as in a JavaScript engine. That of bytes differs from it only where a code point from
/// U+E000 on meets one beyond the basic plane.
pub(super) fn by_utf16(a: &str, b: &str) -> Ordering {
    match a.bytes().zip(b.bytes()).find(|(a, b)| a != b) {
        Some((a_byte, b_byte)) if a_byte >= 0xee && b_byte >= 0xee => a.encode_utf16().cmp(b.encode_utf16()),
        Some((a, b)) => a.cmp(&b),
        None => a.len().cmp(&b.len()),
    }
}
