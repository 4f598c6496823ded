//! The budget of reports: many violations, long names and long messages.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use capgen_schema::pointer::compare;
use capgen_schema::{ExactPayload, Json, ReportBudget, Schema, Validator, Violations};
use serde_json::{Value, json};

const BYTES: usize = 64 << 10;

fn validator(schema: &Value) -> Validator {
    Validator::new(&Schema::parse(&Json::try_from(schema).unwrap()).unwrap())
}

fn bytes(violations: &Violations) -> usize {
    violations.iter().map(|violation| violation.path.len() + violation.message.len()).sum()
}

/// Objects of arrays of strings.
fn lists() -> Value {
    json!({"additionalProperties": {"items": {"type": "string"}}})
}

#[test]
fn a_small_payload_has_no_large_report() {
    let texts = [
        // 98 kB: a long name around many items.
        json!({"n".repeat(20_000): vec![1; 39_000]}).to_string(),
        // 1 MB of the same kind, and of other kinds.
        json!({"n".repeat(200_000): vec![1; 400_000]}).to_string(),
        format!(
            "{{{}}}",
            (0..250).map(|n| format!("\"{}{n:03}\":[1]", "n".repeat(4_000))).collect::<Vec<_>>().join(",")
        ),
        json!({"\u{1f600}".repeat(100_000): vec![0.5; 150_000]}).to_string(),
    ];
    for text in texts {
        let payload = ExactPayload::parse(text.as_bytes()).unwrap();
        let start = Instant::now();
        let violations = validator(&lists()).validate_exact(&payload);
        assert_eq!((violations.len(), violations.is_truncated()), (100, true));
        assert!(bytes(&violations) <= BYTES);
        // A debug build takes a few milliseconds. It would take minutes to write all paths.
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn a_report_is_truncated_if_and_only_if_a_violation_is_left_out() {
    for (count, expected) in [(1, (1, false)), (99, (99, false)), (100, (100, false)), (101, (100, true))] {
        let violations = validator(&json!({"items": false})).validate(&json!(vec![1; count]));
        assert_eq!((violations.len(), violations.is_truncated()), expected, "{count}");
    }
    assert!(!validator(&json!(true)).validate(&json!(1)).is_truncated());
}

#[test]
fn names_are_cut_in_paths_and_messages_before_they_are_escaped() {
    let name = |text: &str, count: usize| text.repeat(count);
    for (text, shown) in [("a", "a"), ("~", "~0"), ("/", "~1"), ("é", "é"), ("\u{1f600}", "\u{1f600}")] {
        let closed = validator(&json!({"additionalProperties": false}));
        let at = |count: usize| closed.validate(&json!({name(text, count): 1}))[0].clone();
        let (whole, cut) = (at(128), at(129));
        assert_eq!(whole.path, format!("/{}", shown.repeat(128)));
        assert_eq!(whole.message, format!("unexpected property \"{}\"", text.repeat(128)));
        assert_eq!(cut.path, format!("/{}…", shown.repeat(128)));
        assert_eq!(cut.message, format!("unexpected property \"{}…\"", text.repeat(128)));
        let missing = validator(&json!({"required": [name(text, 129)]})).validate(&json!({}))[0].clone();
        assert_eq!(missing.path, cut.path);
        assert_eq!(missing.message, format!("missing required property \"{}…\"", text.repeat(128)));
    }
}

#[test]
fn violations_are_in_the_order_of_whole_names() {
    let name = |last: char| "n".repeat(300) + &String::from(last);
    let payload = json!({name('b'): {"x": 1}, name('a'): 1});
    let schema = json!({"additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}}});
    let paths: Vec<String> = validator(&schema).validate(&payload).into_iter().map(|v| v.path).collect();
    let cut = "/".to_owned() + &"n".repeat(128) + "…";
    assert_eq!(paths, [cut.clone(), cut + "/x"]);
}

#[test]
fn a_report_has_the_longest_start_of_the_list_that_fits_its_bytes() {
    let schema = lists();
    let payload = json!({"é~/".repeat(50): vec![1; 300], "b": vec![1; 40], "a": [1]});
    let all = validator(&schema).budget(ReportBudget { violations: usize::MAX, bytes: usize::MAX, name: 128 });
    let all = all.validate(&payload).into_vec();
    assert_eq!(all.len(), 341);
    assert!(all.is_sorted_by(|a, b| compare(&a.path, &b.path).is_lt()));
    for limit in [0, 1, 30, 31, 100, 1_000, 10_000, 60_000] {
        let budget = ReportBudget { violations: 150, bytes: limit, ..ReportBudget::DEFAULT };
        let report = validator(&schema).budget(budget).validate(&payload);
        assert!(report.is_truncated() && report[..] == all[..report.len()], "{limit}");
        let next = all[report.len()].path.len() + all[report.len()].message.len();
        assert!(report.len() == 1 || bytes(&report) <= limit, "{limit}");
        assert!(report.len() == 150 || bytes(&report) + next > limit, "{limit}");
    }
}

#[test]
fn a_first_violation_that_is_too_long_is_reported() {
    // 127 levels with names of four bytes per code point: the path alone is longer than the bytes of a report.
    let payload = (0..127).fold(json!([1, 1]), |inner, _| json!({"\u{1f600}".repeat(200): inner}));
    let schema = json!({"$ref": "#/definitions/d",
        "definitions": {"d": {"items": false, "additionalProperties": {"$ref": "#/definitions/d"}}}});
    let violations = validator(&schema).validate(&payload);
    assert_eq!((violations.len(), violations.is_truncated()), (1, true));
    assert!(bytes(&violations) > BYTES && bytes(&violations) < 2 * BYTES);
}

#[test]
fn the_explanation_of_a_union_has_a_limit() {
    let values: Vec<String> = (0..16).map(|n| format!("{n}{}", "v".repeat(100))).collect();
    let names: Vec<String> = (10..40).map(|n| format!("{n}{}", "p".repeat(300))).collect();
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({"items": {"enum": values}}))).collect();
    let branch = json!({"type": "object", "properties": properties, "required": names});
    let schema = json!({"anyOf": [branch.clone(), {"allOf": [branch, {"required": ["more"]}]}]});
    let payload: serde_json::Map<String, Value> = names.iter().map(|name| (name.clone(), json!([1]))).collect();
    let violations = validator(&schema).validate(&payload.into());
    let message = &violations[0].message;
    assert!(message.starts_with("matches no branch of anyOf; closest is branch 0: value not in enum ["), "{message}");
    assert!(message.chars().count() == 4097 && message.ends_with('…'), "{}", message.len());
}

#[test]
fn a_caller_gets_more_if_it_asks_for_more() {
    let payload = json!({"n".repeat(1_000): vec![1; 2_000]});
    let all = validator(&lists()).budget(ReportBudget::UNLIMITED).validate(&payload);
    assert_eq!((all.len(), all.is_truncated()), (2_000, false));
    assert!(all.iter().all(|violation| violation.path.len() > 1_000));
    let by_number = validator(&lists()).max_violations(300).validate(&payload);
    assert_eq!((by_number.len(), by_number.is_truncated()), (300, true));
}

#[test]
fn a_report_of_a_peer_has_the_same_budget() {
    let all = validator(&lists()).budget(ReportBudget::UNLIMITED);
    let peer = |payload: &Value| Violations::of_peer(all.validate(payload), false);
    let own = |payload: &Value| validator(&lists()).validate(payload);
    for payload in
        [json!({"~/".repeat(5_000): vec![1; 1_000]}), json!({"a": [1]}), json!({"é".repeat(129): vec![1; 100]})]
    {
        assert_eq!(peer(&payload), own(&payload));
    }
    let few = validator(&lists()).max_violations(1).validate(&json!({"a": [1, 1]}));
    assert!(Violations::of_peer(few, true).is_truncated());
}
