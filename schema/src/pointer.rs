//! JSON Pointers ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)).

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
