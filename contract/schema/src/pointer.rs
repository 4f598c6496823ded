//! JSON Pointers ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)).

use std::cmp::Ordering;

/// Appends one reference token to a pointer, escaping `~` and `/`.
pub fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    if !token.contains(['~', '/']) {
        return pointer.push_str(token);
    }
    for c in token.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// The pointer of a member or element below `parent`.
pub fn join(parent: &str, token: &str) -> String {
    let mut pointer = parent.to_owned();
    push(&mut pointer, token);
    pointer
}

/// The unescaped reference tokens of a pointer, from the root down. The root (`""`) has none.
pub fn tokens(pointer: &str) -> impl Iterator<Item = String> + '_ {
    pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"))
}

/// The pointer as the fragment of a reference, after its `#`. Readers of references decode `%`, so it is encoded; other
/// characters stay as they are, so that the reference can be read.
///
/// ```
/// use capgen_schema::pointer::to_fragment;
/// assert_eq!(to_fragment("/definitions/50%"), "/definitions/50%25");
/// ```
#[must_use]
pub fn to_fragment(pointer: &str) -> String {
    pointer.replace('%', "%25")
}

/// Compares pointers in the order in which [`Validator::validate`](crate::Validator::validate) reports violations:
/// names by UTF-16 code units, array indexes as numbers, and a parent before its children.
///
/// ```
/// use std::cmp::Ordering;
/// use capgen_schema::pointer::compare;
/// assert_eq!(compare("/items/9/id", "/items/10"), Ordering::Less);
/// assert_eq!(compare("/a~1b/c", "/a~1b"), Ordering::Greater);
/// ```
pub fn compare(a: &str, b: &str) -> Ordering {
    let mut differing = tokens(a).zip(tokens(b)).map(|(a, b)| match (a.parse::<usize>(), b.parse::<usize>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        _ => by_utf16(&a, &b),
    });
    differing.find(|order| order.is_ne()).unwrap_or_else(|| tokens(a).count().cmp(&tokens(b).count()))
}

/// Compares by UTF-16 code units, as JavaScript does, so that violations have the same order in every language.
///
/// The order of UTF-8 bytes differs from it only between a code point from U+E000 to U+FFFF (first byte `0xee` or
/// `0xef`) and one beyond the basic plane (first byte `0xf0` or above). All other texts are compared as bytes, which
/// needs no conversion.
pub(crate) fn by_utf16(a: &str, b: &str) -> Ordering {
    match a.bytes().zip(b.bytes()).find(|(a, b)| a != b) {
        Some((a_byte, b_byte)) if a_byte >= 0xee && b_byte >= 0xee => a.encode_utf16().cmp(b.encode_utf16()),
        Some((a, b)) => a.cmp(&b),
        None => a.len().cmp(&b.len()),
    }
}
