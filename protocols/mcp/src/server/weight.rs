//! The memory that a message needs while it is handled.

/// The bytes for a JSON value, in addition to those of the text: its values in the server and in the handler, with the
/// spare room of arrays that have grown. An array of small numbers needs forty times its text.
const VALUE: usize = 96;

/// The memory that a message needs while it is handled, in bytes. The text need not be JSON.
pub(super) fn weight(text: &[u8]) -> usize {
    let (mut values, mut is_string, mut is_escaped) = (1_usize, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            // Each begins another value, or follows the name of a member.
            b',' | b'[' | b'{' | b':' if !is_string => values = values.saturating_add(1),
            _ => {}
        }
    }
    values.saturating_mul(VALUE).saturating_add(text.len())
}

#[cfg(test)]
mod tests {
    use capgen_schema::Json;

    use super::*;

    #[test]
    fn the_weight_counts_values_and_not_the_contents_of_strings() {
        let weight = |text: &str| (weight(text.as_bytes()) - text.len()) / VALUE;
        assert_eq!(weight("[1,2,3]"), 4);
        assert_eq!(weight(r#"{"a":[],"b":"x"}"#), 6);
        assert_eq!(weight(r#""a,b,[\",{:""#), 1);
        assert_eq!(weight(""), 1);
    }

    #[test]
    fn the_weight_of_small_numbers_is_that_of_their_values() {
        let text = format!("[{}1]", "1,".repeat(9999));
        let values = [size_of::<Json>(), size_of::<serde_json::Value>()].map(|size| size * 10_000);
        // An array has room for twice its values at most.
        assert!(values.iter().all(|value| weight(text.as_bytes()) >= *value), "{values:?}");
        assert!(weight(text.as_bytes()) >= 2 * 10_000 * size_of::<Json>().min(size_of::<serde_json::Value>()));
    }
}
