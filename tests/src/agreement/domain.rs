//! The numbers for which all languages can agree; see `docs/agreement.md`.

use capgen_schema::Number;

/// The largest integer that JavaScript can distinguish from its neighbours, 2^53 - 1.
pub const MAX_SAFE: i64 = 9_007_199_254_740_991;

/// The texts of the numbers in a JSON text, in their order.
pub fn numbers(json: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = json;
    while let Some(at) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        rest = &rest[at..];
        let end = if rest.starts_with('"') {
            end_of_string(rest)
        } else {
            let end = rest.find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(rest.len());
            found.push(&rest[..end]);
            end
        };
        rest = &rest[end..];
    }
    found
}

fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Whether a text is valid JSON, apart from its depth.
pub fn is_payload(text: &str) -> bool {
    super::interpreter::value(text).is_some()
}

/// Whether the number is a 64-bit integer, or a decimal that reads as a binary64 and back.
pub fn in_rust(number: &str) -> bool {
    if number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok() {
        return true;
    }
    let Ok(exact) = number.parse::<Number>() else { return false };
    Number::from_f64(exact.as_f64()) == Some(exact)
}

/// Whether the number is a safe integer, or a decimal that is not a 64-bit integer and reads as a binary64 and back.
pub fn in_typescript(number: &str) -> bool {
    let Ok(exact) = number.parse::<Number>() else { return false };
    match exact.as_i64() {
        Some(integer) => integer.abs_diff(0) <= MAX_SAFE.unsigned_abs(),
        None => exact.as_u64().is_none() && Number::from_f64(exact.as_f64()) == Some(exact),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_only_outside_strings() {
        assert_eq!(numbers(r#"{"1\"2": [-3.5e+7, "4"], "\\": 6}"#), ["-3.5e+7", "6"]);
    }

    #[test]
    fn numbers_that_are_rounded_are_outside_the_domain() {
        for number in ["0", "-0.0", "9007199254740991", "1e300", "0.1", "1e21", "18446744073709552000"] {
            assert!(in_rust(number) && in_typescript(number), "{number}");
        }
        for number in ["9007199254740993", "-9223372036854775808", "18446744073709551615"] {
            assert!(in_rust(number) && !in_typescript(number), "{number}");
        }
        for number in ["18446744073709551616", "0.10000000000000000555", "1e400", "1e-400"] {
            assert!(!in_rust(number) && !in_typescript(number), "{number}");
        }
    }
}
