//! Comparison of numbers in payloads with numbers in schemas that have the same binary64.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_schema::{ExactPayload, Json, Schema, Validator};
use serde_json::{Value, json};

fn number(text: &str) -> Json {
    Json::Number(text.parse().unwrap())
}

fn array(texts: &[&str]) -> Json {
    Json::Array(texts.iter().map(|text| number(text)).collect())
}

fn check(keyword: &str, value: Json, payload: &str, expected: bool) {
    let schema = Json::Object([(keyword.to_owned(), value)].into_iter().collect());
    let validator = Validator::new(&Schema::parse(&schema).unwrap());
    let exact = ExactPayload::parse(payload.as_bytes()).unwrap();
    assert_eq!(validator.is_valid_exact(&exact), expected, "{} {payload}", schema.canonical());
    assert_eq!(validator.validate_exact(&exact).is_empty(), expected, "{} {payload}", schema.canonical());
    // A tree that rounds nothing is as good as its text.
    if !exact.is_rounded() {
        assert_eq!(validator.is_valid(exact.value()), expected, "{} {payload}", schema.canonical());
    }
}

#[test]
fn a_number_equals_itself_in_every_notation() {
    for (constant, payload) in [
        ("1152921504606846976", "1152921504606846976.0"),
        ("1152921504606846976", "1.152921504606846976e18"),
        ("1152921504606847000", "1.152921504606847e18"),
        ("9007199254740993", "9007199254740993.0"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("123456789012345678901234567890", "12345678901234567890123456789.0e1"),
        ("18446744073709551616", "18446744073709551616"),
        ("-18446744073709551616", "-18446744073709551616"),
        ("-9223372036854775808", "-9223372036854775808.0"),
        ("36893488147419103232", "36893488147419103232"),
        ("1e23", "1e23"),
        ("1e23", "100000000000000000000000"),
        ("0.1", "0.1"),
        ("0", "-0.0"),
        ("0.1000000000000000055511151231257827", "0.10000000000000000555111512312578270"),
        ("5e-324", "5e-324"),
    ] {
        check("const", number(constant), payload, true);
        check("const", array(&["1", constant, "0.5"]), &format!("[1.0, {payload}, 5e-1]"), true);
        check("enum", array(&["1", constant]), payload, true);
        check("enum", array(&["1", "2", "3", "4", "5", "6", "7", "8", constant]), payload, true);
        check("minimum", number(constant), payload, true);
        check("maximum", number(constant), payload, true);
        check("exclusiveMinimum", number(constant), payload, false);
        check("exclusiveMaximum", number(constant), payload, false);
    }
}

#[test]
fn numbers_with_the_same_binary64_are_different() {
    for (constant, payload) in [
        ("1152921504606846977", "1152921504606846976.0"),
        ("1152921504606846976", "1152921504606846977"),
        ("1152921504606847000", "1152921504606846976"),
        ("18446744073709551617", "18446744073709551616"),
        ("18446744073709551616", "18446744073709551615"),
        ("9007199254740993", "9007199254740992.0"),
        ("0.10000000000000000555", "0.1"),
        ("0.1000000000000000055511151231257827021181583404541015625", "0.1"),
        ("0.1", "0.1000000000000000055511151231257827"),
        ("123456789012345678901234567890", "1.2345678901234568e29"),
        ("1.2345678901234568e29", "123456789012345678901234567890"),
        ("1152921504606846976", "1.152921504606847e18"),
        ("1e23", "99999999999999991611392"),
        ("1", "1.00000000000000000000001"),
        ("9007199254740993", "9007199254740992.0"),
    ] {
        check("const", array(&["1", constant]), &format!("[1, {payload}]"), false);
        check("const", number(constant), payload, false);
        check("enum", array(&["1", constant]), payload, false);
        check("enum", array(&["1", "2", "3", "4", "5", "6", "7", "8", constant]), payload, false);
    }
}

#[test]
fn order_uses_every_digit_of_schema_and_payload() {
    check("exclusiveMaximum", number("18446744073709551617"), "18446744073709551616", true);
    check("minimum", number("18446744073709551617"), "18446744073709551616", false);
    check("exclusiveMinimum", number("18446744073709551615"), "18446744073709551616", true);
    check("exclusiveMaximum", number("1152921504606846999"), "1152921504606846976.0", true);
    check("exclusiveMaximum", number("0.10000000000000000555"), "0.1", true);
    check("minimum", number("0.10000000000000000555"), "0.1", false);
    check("minimum", number("0.1"), "0.09999999999999999999999", false);
    check("maximum", number("0.1"), "0.10000000000000000000001", false);
    check("exclusiveMinimum", number("0.1"), "0.10000000000000000000001", true);
    check("minimum", number("-18446744073709551615"), "-18446744073709551600", true);
    check("minimum", number("-18446744073709551615"), "-18446744073709551616", false);
    check(
        "exclusiveMaximum",
        number("972783798187987123879878123.18878137"),
        "972783798187987123879878123.188781371",
        false,
    );
}

#[test]
fn multiples_use_every_digit_of_schema_and_payload() {
    for (divisor, payload, expected) in [
        ("5", "-0.0", true),
        ("5", "15.0", true),
        ("5", "-7", false),
        ("2.5", "7.5", true),
        ("0.1", "0.3", true),
        ("0.1", "0.30000000000000000001", false),
        ("0.01", "4.35", true),
        ("0.123456789", "1e308", false),
        ("1e-300", "1e300", true),
        ("7", "1e300", false),
        ("1e300", "3e300", true),
        ("0.0000000075", "12345678900000.0000000076", false),
        ("0.0000000075", "0.000000015", true),
        ("3", "9007199254740993", true),
        ("3", "9007199254740993.0", true),
        ("3", "18446744073709551615", true),
        ("18446744073709551617", "36893488147419103234", true),
        ("18446744073709551617", "36893488147419103235", false),
        ("0.10000000000000000001", "0.2", false),
        ("0.10000000000000000001", "0.20000000000000000002", true),
        ("5e-324", "1.5e-323", true),
    ] {
        check("multipleOf", number(divisor), payload, expected);
    }
    check("multipleOf", number("5"), "\"7\"", true);
}

#[test]
fn an_integer_is_recognized_by_every_digit() {
    for (payload, expected) in [
        ("1.00000000000000000000", true),
        ("1.00000000000000000001", false),
        ("9007199254740993.5", false),
        ("123456789012345678901234567890.0", true),
        ("123456789012345678901234567890.5", false),
        ("1e300", true),
    ] {
        check("type", "integer".into(), payload, expected);
    }
}

#[test]
fn a_binary64_of_a_tree_counts_as_the_decimal_that_it_prints() {
    let is_valid =
        |schema: &str, payload: Value| Validator::new(&Schema::parse_text(schema).unwrap()).is_valid(&payload);
    assert!(is_valid(r#"{"const": 1152921504606847000}"#, json!(2_f64.powi(60))));
    assert!(!is_valid(r#"{"const": 1152921504606846976}"#, json!(2_f64.powi(60))));
    assert!(is_valid(r#"{"const": 1152921504606846976}"#, json!(1_u64 << 60)));
    assert!(is_valid(r#"{"const": 900719925474099.2}"#, json!(900_719_925_474_099.2)));
}

#[test]
fn messages_show_every_digit_of_the_payload() {
    let message = |schema: &str, payload: &str| {
        let validator = Validator::new(&Schema::parse_text(schema).unwrap());
        validator.validate_exact(&ExactPayload::parse(payload.as_bytes()).unwrap())[0].message.clone()
    };
    let expected = "must be at least 0.1, got 0.09999999999999999999999";
    assert_eq!(message(r#"{"minimum": 0.1}"#, "0.09999999999999999999999"), expected);
    let expected = "expected integer, got number";
    assert_eq!(message(r#"{"type": "integer"}"#, "1.00000000000000000001"), expected);
}

#[test]
fn literals_with_numbers_are_looked_up_by_value() {
    let literals = (0..20).map(|n| array(&[&n.to_string(), "18446744073709551616", "1e23"])).collect();
    check("enum", Json::Array(literals), "[7.0, 18446744073709551616, 1e23]", true);
    let literals = (0..20).map(|n| number(&(1_152_921_504_606_846_970_u64 + n).to_string())).collect();
    let literals = Json::Array(literals);
    check("enum", literals.clone(), "1152921504606846976.0", true);
    check("enum", literals.clone(), "1152921504606846989", true);
    check("enum", literals, "1152921504606846990", false);
}

#[test]
fn unique_items_compares_like_const() {
    for (items, unique) in [
        ("[1152921504606846976, 1152921504606846976.0]", false),
        ("[1152921504606846976.0, 1152921504606846976]", false),
        ("[1152921504606847000, 1152921504606847000.0]", false),
        ("[1152921504606847000, 1152921504606846976]", true),
        ("[1152921504606847000, 1.152921504606847e18]", false),
        ("[1152921504606846976, 1.152921504606847e18]", true),
        ("[0.1, 0.1000000000000000055511151231257827]", true),
        ("[1152921504606846977, 1152921504606846976.0]", true),
        ("[[1, 1152921504606846976], [1, 1152921504606846976.0]]", false),
        ("[{\"a\": 1152921504606847000}, {\"a\": 1152921504606847000.0}]", false),
        ("[18446744073709551616, 18446744073709551617]", true),
        ("[18446744073709551617, 18446744073709551617.0]", false),
        ("[18446744073709551615, 18446744073709551616]", true),
        ("[-9223372036854775808, -9223372036854775808.0]", false),
        ("[1e23, 100000000000000000000000]", false),
        ("[1e300, 1e-300, 0.5, 0]", true),
        ("[0, -0.0]", false),
    ] {
        check("uniqueItems", Json::Bool(true), items, unique);
    }
}

#[test]
fn many_close_numbers_are_compared_in_linear_time() {
    let bits =
        |n: u32| (0..13).map(move |bit| if n >> bit & 1 == 1 { "1152921504606846976" } else { "1152921504606847000" });
    let items: Vec<String> = (0..1 << 13).map(|n| format!("[{}]", bits(n).collect::<Vec<_>>().join(","))).collect();
    check("uniqueItems", Json::Bool(true), &format!("[{}]", items.join(",")), true);
    let tiny: Vec<String> = (1..20_000).map(|n| format!("{n}e-320")).collect();
    check("uniqueItems", Json::Bool(true), &format!("[{}]", tiny.join(",")), true);
}
