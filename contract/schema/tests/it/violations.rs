//! The violations of a payload: paths, messages and order.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_schema::{Json, Schema, Validator};
use serde_json::{Value, json};

fn validator(schema: &Value) -> Validator {
    Validator::new(&Schema::parse(&Json::try_from(schema).unwrap()).unwrap())
}

/// Checks every violation as `path: message [keyword]`.
fn check(schema: Value, payload: Value, expected: &[&str]) {
    check_with(&validator(&schema), payload, expected);
}

fn check_with(validator: &Validator, payload: Value, expected: &[&str]) {
    let violations = validator.validate(&payload);
    let found: Vec<String> = violations.iter().map(|v| format!("{}: {} [{}]", v.path, v.message, v.keyword)).collect();
    assert_eq!(found, expected, "{payload}");
    assert_eq!(validator.is_valid(&payload), expected.is_empty(), "{payload}");
}

#[test]
fn the_example_of_the_documentation_reads_well() {
    let schema = json!({
        "type": "object",
        "properties": {"prUrl": {"type": "string"}, "severity": {"enum": ["low", "med", "high"]}},
        "required": ["prUrl", "severity"],
        "additionalProperties": false
    });
    check(schema.clone(), json!({"prUrl": "u", "severity": "low"}), &[]);
    check(
        schema.clone(),
        json!({"severity": "urgent", "x": 1}),
        &[
            "/prUrl: missing required property \"prUrl\" [required]",
            "/severity: value not in enum [\"low\",\"med\",\"high\"] [enum]",
            "/x: unexpected property \"x\" [additionalProperties]",
        ],
    );
    check(schema, json!([]), &[": expected object, got array [type]"]);
}

#[test]
fn each_keyword_has_a_message_with_its_requirement() {
    for (schema, payload, expected) in [
        (
            json!({"type": ["string", "null", "array"]}),
            json!(1),
            ": expected null, string or array, got integer [type]",
        ),
        (json!({"type": "integer"}), json!(1.5), ": expected integer, got number [type]"),
        (json!(false), json!(1), ": no value is allowed here [false]"),
        (json!({"const": {"b": 1, "a": "x"}}), json!(1), ": value is not {\"a\":\"x\",\"b\":1} [const]"),
        (json!({"minimum": 5}), json!(3), ": must be at least 5, got 3 [minimum]"),
        (json!({"maximum": 5}), json!(5.5), ": must be at most 5, got 5.5 [maximum]"),
        (json!({"exclusiveMinimum": 5}), json!(5.0), ": must be greater than 5, got 5 [exclusiveMinimum]"),
        (json!({"exclusiveMaximum": 5}), json!(5), ": must be less than 5, got 5 [exclusiveMaximum]"),
        (json!({"multipleOf": 5}), json!(7.0), ": must be a multiple of 5, got 7 [multipleOf]"),
        (json!({"multipleOf": 0.1}), json!(0.25), ": must be a multiple of 0.1, got 0.25 [multipleOf]"),
        (json!({"minLength": 1}), json!(""), ": must have at least 1 character, got \"\" [minLength]"),
        (json!({"maxLength": 2}), json!("abc"), ": must have at most 2 characters, got \"abc\" [maxLength]"),
        (json!({"pattern": "^b"}), json!("a\n"), ": must match the pattern \"^b\", got \"a\\n\" [pattern]"),
        (json!({"format": "email"}), json!("x"), ": must be a valid email, got \"x\" [format]"),
        (json!({"minItems": 2}), json!([1]), ": must have at least 2 items, got 1 [minItems]"),
        (json!({"maxItems": 1}), json!([1, 2]), ": must have at most 1 item, got 2 [maxItems]"),
        (json!({"uniqueItems": true}), json!([1, 2, 1.0]), ": items 0 and 2 are equal [uniqueItems]"),
        (json!({"minProperties": 2}), json!({"a": 1}), ": must have at least 2 properties, got 1 [minProperties]"),
        (json!({"maxProperties": 1}), json!({"a": 1, "b": 2}), ": must have at most 1 property, got 2 [maxProperties]"),
        (
            json!({"dependentRequired": {"a": ["b"]}}),
            json!({"a": 1}),
            "/b: missing property \"b\", which \"a\" requires [dependentRequired]",
        ),
        (json!({"items": false}), json!([1]), "/0: no value is allowed here [false]"),
        (json!({"not": {"type": "null"}}), json!(null), ": matches the schema in not [not]"),
    ] {
        check(schema, payload, &[expected]);
    }
}

#[test]
fn violations_are_sorted_by_path_with_indexes_as_numbers_and_then_by_keyword() {
    let schema = json!({
        "properties": {"a": {"items": {"maximum": 1, "enum": [0]}}, "b": {"type": "null"}, "A": {"type": "null"}},
        "additionalProperties": false
    });
    let payload = json!({"b": 1, "a": [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5], "A": 1, "a/": 1});
    check(
        schema,
        payload,
        &[
            "/A: expected null, got integer [type]",
            "/a/0: value not in enum [0] [enum]",
            "/a/0: must be at most 1, got 2 [maximum]",
            "/a/10: value not in enum [0] [enum]",
            "/a~1: unexpected property \"a/\" [additionalProperties]",
            "/b: expected null, got integer [type]",
        ],
    );
}

#[test]
fn a_value_of_the_wrong_type_has_one_violation_and_none_are_repeated() {
    let branches = json!([
        {"type": "string"}, {"type": "string"}, {"type": "null"}, {"required": ["a"]}, {"properties": {"b": false}}, {"enum": [1]}
    ]);
    check(
        json!({"allOf": branches}),
        json!({"b": 1}),
        &[": expected null, got object [type]", ": expected string, got object [type]"],
    );
}

#[test]
fn values_are_quoted_up_to_a_limit_and_not_at_all_when_redacted() {
    let secret = "s3cret".repeat(100);
    let schema = json!({
        "properties": {
            "a": {"minLength": 1000}, "b": {"maximum": 1}, "c": {"pattern": "^x"}, "d": {"format": "uuid"},
            "e": {"anyOf": [{"maxLength": 1}, {"pattern": "^x"}]}, "f": {"enum": ["x"]}, "g": {"const": 1}
        }
    });
    let payload = json!({"a": secret, "b": 31337, "c": secret, "d": secret, "e": secret, "f": secret, "g": secret});
    let redacted = validator(&schema).redact(true).validate(&payload);
    assert_eq!(redacted.len(), 7);
    for violation in &redacted {
        assert!(!violation.message.contains("s3cret") && !violation.message.contains("31337"), "{}", violation.message);
    }
    check_with(
        &validator(&json!({"maxLength": 1})).quote_limit(5),
        json!("héllo\u{1F600}!"),
        &[": must have at most 1 character, got \"héllo\"... [maxLength]"],
    );
}

#[test]
fn names_that_the_schema_lacks_stay_out_of_redacted_messages() {
    let check = |schema: Value, payload: Value, expected: &[&str]| {
        check_with(&validator(&schema).redact(true), payload, expected);
    };
    check(
        json!({"properties": {"known": {"additionalProperties": false}}}),
        json!({"known": {"SECRET": 1}}),
        &["/known/SECRET: unexpected property [additionalProperties]"],
    );
    check(json!({"required": ["known"]}), json!({}), &["/known: missing required property \"known\" [required]"]);
    let union = |branch: Value| json!({"anyOf": [branch, {"required": ["a", "b", "c", "d"]}]});
    let closest = ": matches no branch of anyOf; closest is branch 0";
    for (branch, payload, expected) in [
        (json!({"additionalProperties": false}), json!({"SECRET": 1}), "unexpected property"),
        (
            json!({"properties": {"a": {"additionalProperties": false}}}),
            json!({"a": {"SECRET": 1}}),
            "unexpected property",
        ),
        (
            json!({"properties": {"a": {"additionalProperties": {"items": {"type": "null"}}}}}),
            json!({"a": {"SECRET": [1]}}),
            "expected null, got integer",
        ),
        (json!({"additionalProperties": {"type": "null"}}), json!({"SECRET": 1}), "expected null, got integer"),
        (json!({"properties": {"a": {"items": {"type": "null"}}}}), json!({"a": [1]}), "expected null, got integer"),
        (
            json!({"additionalProperties": {"required": ["a"]}}),
            json!({"SECRET": {}}),
            "missing required property \"a\"",
        ),
    ] {
        check(union(branch), payload, &[&format!("{closest}: {expected} [anyOf]")]);
    }
}

#[test]
fn a_property_with_an_invalid_name_is_reported_at_its_path() {
    let names = json!({"pattern": "^[a-z]+$", "maxLength": 3});
    let schema = json!({"type": "object", "propertyNames": names, "additionalProperties": {"type": "integer"}});
    check(schema.clone(), json!({"a": 1, "abc": 2}), &[]);
    // The value and the name are checked independently of each other.
    check(
        schema.clone(),
        json!({"ABCD": "x", "a/b": 1, "b": null}),
        &[
            r#"/ABCD: property name must have at most 3 characters, got "ABCD" [propertyNames]"#,
            r#"/ABCD: property name must match the pattern "^[a-z]+$", got "ABCD" [propertyNames]"#,
            "/ABCD: expected integer, got string [type]",
            r#"/a~1b: property name must match the pattern "^[a-z]+$", got "a/b" [propertyNames]"#,
            "/b: expected integer, got null [type]",
        ],
    );
    let long = "A".repeat(100);
    let shown = "A".repeat(64);
    check_with(
        &validator(&json!({"propertyNames": {"format": "uuid"}})),
        json!({long.clone(): 1}),
        &[&format!(r#"/{long}: property name must be a valid uuid, got "{shown}"... [propertyNames]"#)],
    );
    check_with(
        &validator(&schema).redact(true),
        json!({"ABC": 1}),
        &["/ABC: property name must match the pattern \"^[a-z]+$\" [propertyNames]"],
    );
    // Declared and closed properties, and other types.
    let both =
        json!({"properties": {"B": true}, "additionalProperties": false, "propertyNames": {"pattern": "^[a-z]"}});
    check(
        both.clone(),
        json!({"B": 1, "C": 2, "d": 3}),
        &[
            r#"/B: property name must match the pattern "^[a-z]", got "B" [propertyNames]"#,
            r#"/C: property name must match the pattern "^[a-z]", got "C" [propertyNames]"#,
            r#"/C: unexpected property "C" [additionalProperties]"#,
            r#"/d: unexpected property "d" [additionalProperties]"#,
        ],
    );
    check(both, json!(["B"]), &[]);
    // Several subschemas with the same assertion have one violation.
    let twice =
        json!({"allOf": [{"propertyNames": {"minLength": 2}}, {"propertyNames": {"minLength": 2, "maxLength": 4}}]});
    check(twice, json!({"a": 1}), &[r#"/a: property name must have at least 2 characters, got "a" [propertyNames]"#]);
}

#[test]
fn deep_payloads_with_invalid_names_are_rejected() {
    let schema = json!({"$ref": "#/definitions/n", "definitions": {"n": {
        "type": "object", "propertyNames": {"maxLength": 1}, "additionalProperties": {"allOf": [
            {"$ref": "#/definitions/n"}, {"$ref": "#/definitions/n"}]}}}});
    let nested = |name: &str| (0..120).fold(json!({name: {}}), |inner, _| json!({"a": inner}));
    let path = "/a".repeat(120) + "/bb";
    let message = r#"property name must have at most 1 character, got "bb" [propertyNames]"#;
    check(schema.clone(), nested("b"), &[]);
    check(schema, nested("bb"), &[&format!("{path}: {message}")]);
}

#[test]
fn property_names_are_data() {
    for name in ["__proto__", "toString", "constructor", "", "a/b", "~"] {
        let schema =
            json!({"required": [name], "properties": {name: {"type": "integer"}}, "additionalProperties": false});
        assert!(!validator(&schema).is_valid(&json!({})), "{name}");
        assert!(validator(&schema).is_valid(&json!({name: 1})), "{name}");
        assert!(!validator(&schema).is_valid(&json!({name: "1"})), "{name}");
    }
    check(json!({"required": ["a/b"]}), json!({}), &["/a~1b: missing required property \"a/b\" [required]"]);
}

#[test]
fn a_missing_property_has_a_violation_for_each_property_that_requires_it() {
    let schema = json!({
        "required": ["b"],
        "dependencies": {"a": ["b", "c"]},
        "dependentRequired": {"d": ["b"]},
        "allOf": [{"dependentRequired": {"a": ["b"]}}]
    });
    check(
        schema,
        json!({"a": 1, "d": 2}),
        &[
            "/b: missing required property \"b\" [required]",
            "/b: missing property \"b\", which \"a\" requires [dependentRequired]",
            "/b: missing property \"b\", which \"d\" requires [dependentRequired]",
            "/c: missing property \"c\", which \"a\" requires [dependentRequired]",
        ],
    );
}

#[test]
fn patterns_of_names_apply_to_declared_properties_and_keep_others_from_additional_properties() {
    let schema = json!({
        "properties": {"ab": {"type": "integer"}, "c": {}},
        "patternProperties": {"^a": {"minimum": 2}, "b$": {"maximum": 5}},
        "additionalProperties": false
    });
    check(schema.clone(), json!({"ab": 3, "a": 2, "b": 5, "c": 9}), &[]);
    check(
        schema,
        json!({"ab": 1.5, "axb": 9, "d": 1}),
        &[
            "/ab: expected integer, got number [type]",
            "/axb: must be at most 5, got 9 [maximum]",
            "/d: unexpected property \"d\" [additionalProperties]",
        ],
    );
}
