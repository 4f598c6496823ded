//! The values of plain scalars, by YAML's core schema ([YAML 1.2.2 section
//! 10.3.2](https://yaml.org/spec/1.2.2/#1032-tag-resolution)).

use capgen_schema::{Number, NumberError};

use crate::Data;

/// The reason that a scalar has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Invalid {
    /// `.inf` or `.nan`.
    NotFinite,
    /// Outside the range of binary64.
    Range,
    /// The value does not fit the tag.
    Tag,
}

/// The value of a plain scalar without a tag.
pub(super) fn plain(text: &str) -> Result<Data, Invalid> {
    if let Some(data) = word(text) {
        return Ok(data);
    }
    match number(text) {
        Some(number) => number.map(|n| Data::Number(n, text.to_owned())),
        None if is_not_finite(text) => Err(Invalid::NotFinite),
        None => Ok(Data::String(text.to_owned())),
    }
}

/// The value of a scalar, quoted or not, with a tag of the core schema.
pub(super) fn tagged(text: &str, tag: &str) -> Result<Data, Invalid> {
    if tag == "str" {
        return Ok(Data::String(text.to_owned()));
    }
    let data = plain(text)?;
    let fits = match (tag, &data) {
        ("null", Data::Null) | ("bool", Data::Bool(_)) | ("float", Data::Number(..)) => true,
        ("int", Data::Number(..)) => !is_float(text),
        _ => false,
    };
    if fits { Ok(data) } else { Err(Invalid::Tag) }
}

fn word(text: &str) -> Option<Data> {
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => Data::Null,
        "true" | "True" | "TRUE" => Data::Bool(true),
        "false" | "False" | "FALSE" => Data::Bool(false),
        _ => return None,
    })
}

fn is_not_finite(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

fn is_float(text: &str) -> bool {
    !text.starts_with("0x") && text.contains(['.', 'e', 'E'])
}

fn number(text: &str) -> Option<Result<Number, Invalid>> {
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    match json_text(text, unsigned).parse() {
        Ok(number) => Some(Ok(number)),
        Err(NumberError::Range) => Some(Err(Invalid::Range)),
        Err(_) => None,
    }
}

/// Rewrites numbers that the core schema allows and JSON does not (`+1`, `010`, `.5`, `1.`) in JSON's grammar. Any
/// other text that is not a JSON number stays invalid.
fn json_text(text: &str, unsigned: &str) -> String {
    let sign = if text.starts_with('-') { "-" } else { "" };
    let (mantissa, exponent) = unsigned.split_at(unsigned.find(['e', 'E']).unwrap_or(unsigned.len()));
    let (whole, fraction) = mantissa.split_at(mantissa.find('.').unwrap_or(mantissa.len()));
    if whole.is_empty() && fraction.len() < 2 {
        return String::new();
    }
    let fraction = if fraction == "." { "" } else { fraction };
    let whole = whole.trim_start_matches('0');
    let zero = if whole.is_empty() { "0" } else { "" };
    format!("{sign}{zero}{whole}{fraction}{exponent}")
}

fn radix(digits: &str, radix: u32) -> Option<Result<Number, Invalid>> {
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let significant = digits.trim_start_matches('0');
    // binary64 ends at 2^1024. This check also bounds the conversion below, which takes quadratic time.
    if significant.len() * radix.ilog2() as usize > 1024 + 2 {
        return Some(Err(Invalid::Range));
    }
    // Decimal digits, the least significant one first.
    let mut decimal = vec![0];
    for digit in significant.chars().filter_map(|c| c.to_digit(radix)) {
        let mut carry = digit;
        for place in &mut decimal {
            carry += *place * radix;
            *place = carry % 10;
            carry /= 10;
        }
        while carry > 0 {
            decimal.push(carry % 10);
            carry /= 10;
        }
    }
    let decimal: String = decimal.iter().rev().filter_map(|&d| char::from_digit(d, 10)).collect();
    Some(decimal.parse().map_err(|_| Invalid::Range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_core_schema() {
        for (text, value) in [
            ("0", "0"),
            ("-0", "0"),
            ("+1", "1"),
            ("010", "10"),
            ("-007", "-7"),
            ("0o10", "8"),
            ("0xFf", "255"),
            ("0x10000000000000000", "18446744073709551616"),
            ("0x1000000000000000000000000000000000", "5444517870735015415413993718908291383296"),
            ("18446744073709551616", "18446744073709551616"),
            (".5", "0.5"),
            ("-.5", "-0.5"),
            ("1.", "1"),
            ("1.e3", "1000"),
            ("00.50", "0.5"),
            ("1e3", "1000"),
            ("+12e+03", "12000"),
        ] {
            match plain(text) {
                Ok(Data::Number(number, kept)) => assert_eq!((number.to_string(), &*kept), (value.to_owned(), text)),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_only_looks_like_something_is_a_string() {
        for text in [
            "no",
            "on",
            "yes",
            "y",
            "nULL",
            "tRUE",
            ".",
            "+",
            "-",
            "+.",
            "-.e3",
            ".e3",
            "1e",
            "1e+",
            "0x",
            "0o",
            "0o8",
            "-0x1",
            "0X1",
            "0b1",
            "1_000",
            "1:30",
            "1.2.3",
            "2026-01-01",
            "1 2",
            "--1",
            "+-1",
            ".Nan",
            "+.nan",
            "Infinity",
            "１",
        ] {
            assert!(matches!(plain(text), Ok(Data::String(s)) if s == text), "{text}");
        }
    }

    #[test]
    fn numbers_that_binary64_cannot_hold_are_refused() {
        for text in ["1e999", "-1e400", "1e-400", &format!("0x1{}", "0".repeat(256)), &"9".repeat(400)] {
            assert_eq!(plain(text).err(), Some(Invalid::Range), "{text}");
        }
        for text in [".inf", "-.Inf", "+.INF", ".nan", ".NaN"] {
            assert_eq!(plain(text).err(), Some(Invalid::NotFinite), "{text}");
        }
    }

    #[test]
    fn a_core_tag_is_applied_or_refused() {
        assert!(matches!(tagged("12", "str"), Ok(Data::String(_))));
        assert!(matches!(tagged("12", "float"), Ok(Data::Number(..))));
        assert!(matches!(tagged("0x1e", "int"), Ok(Data::Number(..))));
        assert!(matches!(tagged("", "null"), Ok(Data::Null)));
        for (text, tag) in [("1.0", "int"), ("1e3", "int"), ("yes", "bool"), ("x", "null"), ("x", "map"), ("", "seq")] {
            assert_eq!(tagged(text, tag).err(), Some(Invalid::Tag), "{text} {tag}");
        }
    }
}
