//! The strict parser for payloads.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_schema::parse_payload;
use serde_json::json;

fn check_rejected(bytes: impl AsRef<[u8]>, line: usize, message: &str) {
    let bytes = bytes.as_ref();
    let error = parse_payload(bytes).unwrap_err();
    let shown = String::from_utf8_lossy(bytes.get(..bytes.len().min(40)).unwrap());
    assert!(error.message().contains(message), "{shown}: {error}");
    assert_eq!(error.line(), line, "{shown}: {error}");
}

#[test]
fn valid_json_is_parsed() {
    let text = r#" {"a": [1, -0.5e1, "\u00e9\ud83d\ude00", null, true], "b": 18446744073709551615, "": {}} "#;
    let expected = json!({"a": [1, -5.0, "é😀", null, true], "b": u64::MAX, "": {}});
    assert_eq!(parse_payload(text.as_bytes()).unwrap(), expected);
}

#[test]
fn json_on_which_parsers_disagree_is_rejected() {
    check_rejected("{\"a\": 1,\n\"b\": {\"a\": 1, \"\\u0061\": 2}}", 2, "duplicate property \"a\"");
    check_rejected("{\"__proto__\": 1, \"__proto__\": 1}", 1, "duplicate property");
    check_rejected("\"\\ud800\"", 1, "");
    check_rejected("\"\\ud800\\u0041\"", 1, "");
    check_rejected("{\"\\udc00\": 1}", 1, "");
    check_rejected(b"\"\xff\"", 1, "");
    check_rejected(b"\"\xed\xa0\x80\"", 1, "");
    check_rejected("1e400", 1, "number out of range");
    check_rejected("[1,\n-1e999]", 2, "number out of range");
    check_rejected("1 2", 1, "trailing characters");
    check_rejected("{} x", 1, "trailing characters");
    check_rejected("\u{feff}1", 1, "");
    for text in
        ["", "nul", "NaN", "Infinity", "01", "+1", ".5", "1.", "[1,]", "{\"a\":1,}", "{a:1}", "'a'", "\"\t\"", "//\n1"]
    {
        assert!(parse_payload(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn nesting_is_limited_to_128_levels() {
    let arrays = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let objects = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    assert!(parse_payload(arrays(128).as_bytes()).is_ok());
    assert!(parse_payload(objects(128).as_bytes()).is_ok());
    check_rejected(arrays(129), 1, "nested deeper than 128 levels");
    check_rejected(objects(129), 1, "nested deeper than 128 levels");
    check_rejected("[".repeat(1_000_000), 1, "nested deeper than 128 levels");
}

#[test]
fn many_properties_are_parsed_in_linear_time() {
    let members: Vec<String> = (0..200_000).map(|n| format!("\"{n}\":0")).collect();
    let payload = parse_payload(format!("{{{}}}", members.join(",")).as_bytes()).unwrap();
    assert_eq!(payload.as_object().unwrap().len(), 200_000);
}

#[test]
fn redacted_messages_contain_nothing_of_the_payload() {
    for text in [
        "{\"SECRET\": 1, \"SECRET\": 2}",
        "{\"SECRET \\\" at line 1 column 1\": 1, \"SECRET \\\" at line 1 column 1\": 2}",
        "\"SECRET\\q\"",
        "\"SECRET\\ud800\"",
        "\"SECRET\\u00zz\"",
        "\"SECRET",
        "\"SECRET\t\"",
        "SECRET",
        "nSECRET",
        "1 SECRET",
        "{\"SECRET\" 1}",
        "{SECRET: 1}",
        "[1 SECRET]",
        "-SECRET",
        "1e999",
        "{\"$serde_json::private::Number\": 1, \"$serde_json::private::Number\": 1}",
    ] {
        let error = parse_payload(text.as_bytes()).unwrap_err();
        let whole = error.message();
        let error = error.redact(true);
        let message = error.message();
        assert!(error.to_string().starts_with(&message));
        assert!(!message.is_empty() && !["SECRET", "999", "private"].iter().any(|s| message.contains(s)), "{message}");
        assert!(whole.starts_with(&message), "{message}: {whole}");
    }
    let error = parse_payload(b"{\"a\": 1, \"a\": 1}").unwrap_err();
    assert_eq!(error.redact(true).message(), "duplicate property");
}

#[test]
fn long_names_are_truncated_in_messages() {
    let name = "x".repeat(1_000_000);
    let error = parse_payload(format!("{{\"{name}\":1,\"{name}\":1}}").as_bytes()).unwrap_err();
    assert!(error.message().len() < 200);
}
