//! Names of the model as Rust identifiers: keywords and names of the prelude are escaped here and nowhere else.

use std::borrow::Cow;

use capgen_manifest::RustKeyword;

use crate::model::Model;

/// The names in Rust's prelude, which generated code uses without a path.
const PRELUDE: &[&str] = &[
    "AsMut",
    "AsRef",
    "AsyncFn",
    "AsyncFnMut",
    "AsyncFnOnce",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Into",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Self",
    "Send",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Unpin",
    "Vec",
];

/// Whether no type has this name.
pub(super) fn is_reserved(name: &str) -> bool {
    PRELUDE.contains(&name)
}

/// Renames the types that would hide a name of the prelude.
pub(super) fn escape_types(model: &mut Model<'_>) {
    model.escape_types(is_reserved);
}

/// The identifier of a field, parameter or variant. A keyword becomes a raw identifier or, if that is not possible,
/// gets a trailing `_`; that cannot collide, because no other name ends in `_`.
pub(super) fn escaped(name: &str) -> Cow<'_, str> {
    match RustKeyword::of(name) {
        Some(RustKeyword::NeverRaw) => Cow::Owned(format!("{name}_")),
        Some(RustKeyword::Raw) => Cow::Owned(format!("r#{name}")),
        None => Cow::Borrowed(name),
    }
}

/// A type name in snake_case: `AbC` gives `ab_c`. Distinct type names give distinct results, because every capital
/// starts a word.
pub(super) fn snake(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// The name of the method that sets a field. The prefix keeps it apart from `new` and from the methods of traits.
pub(super) fn setter(field: &str) -> String {
    format!("with_{field}")
}

/// The name of the constant with the text of the schema of a root type: `PingRequest` gives `PING_REQUEST_SCHEMA`.
pub(super) fn schema_constant(root: &str) -> String {
    format!("{}_SCHEMA", schema_static(root))
}

/// The name of the `static` with the compiled schema of a root type: `PingRequest` gives `PING_REQUEST`.
pub(super) fn schema_static(root: &str) -> String {
    snake(root).to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_escaped() {
        for (name, expected) in [("type", "r#type"), ("gen", "r#gen"), ("self", "self_"), ("Self", "Self_"), ("a", "a")]
        {
            assert_eq!(escaped(name), expected);
        }
    }

    #[test]
    fn types_have_names_in_snake_case() {
        for (name, expected) in [("Circle", "circle"), ("N1_0", "n1_0"), ("AscX12ab", "asc_x12ab"), ("AbC", "ab_c")] {
            assert_eq!(snake(name), expected);
        }
        assert_eq!(schema_constant("PingRequest"), "PING_REQUEST_SCHEMA");
    }
}
