//! Widening schemas that the subset cannot express.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod broken;
mod evaluator;
mod random;

use capgen_schema::{Json, Loss, Reading, Schema, Validator, normalise, normalise_lossy};
use serde_json::{Value, json};

fn json_of(value: &Value) -> Json {
    Json::try_from(value).unwrap()
}

fn widen(schema: &Value) -> (Json, Vec<Loss>) {
    let result = normalise_lossy(&json_of(schema)).unwrap_or_else(|problems| panic!("{schema}: {problems:#?}"));
    assert_eq!(normalise(&result.0).as_ref(), Ok(&result.0), "{schema}: the output is in the subset");
    result
}

/// Checks the output and the pointers of losses.
#[track_caller]
fn check(schema: Value, output: Value, losses: &[&str]) {
    let (found, lost) = widen(&schema);
    assert_eq!(found.canonical(), json_of(&output).canonical(), "{schema}: {lost:#?}");
    let lost: Vec<&str> = lost.iter().map(|loss| loss.pointer.as_str()).collect();
    assert_eq!(lost, losses, "{schema}");
}

#[test]
fn a_schema_that_can_be_expressed_has_no_losses() {
    let schema = json!({"type": "array", "items": {"type": "integer", "format": "int32"}, "not": {"minItems": 3}});
    assert_eq!(widen(&schema), (normalise(&json_of(&schema)).unwrap(), Vec::new()));
}

#[test]
fn keywords_that_only_assert_are_removed() {
    check(json!({"type": "string", "pattern": "(.)\\1"}), json!({"type": "string"}), &["/pattern"]);
    check(json!({"type": "object", "widget": 3}), json!({"type": "object"}), &["/widget"]);
    check(json!({"type": "strnig", "pattern": "(a"}), json!({}), &["/pattern", "/type"]);
    check(
        json!({"properties": {"a": 3, "b": {"items": "x"}}}),
        json!({"properties": {"a": true, "b": {}}}),
        &["/properties/a", "/properties/b/items"],
    );
    check(json!(3), json!(true), &[""]);
}

#[test]
fn references_to_other_documents_are_never_fetched() {
    check(
        json!({"properties": {"a": {"$ref": "https://example.org/a.json"}, "b": {"$ref": "#/definitions/none"}}}),
        json!({"properties": {"a": {}, "b": {}}}),
        &["/properties/a/$ref", "/properties/b/$ref"],
    );
    // Draft-07 ignores keywords next to `$ref`, so they must not apply once it is removed.
    check(json!({"$ref": "x.json", "type": "string", "title": "T"}), json!({"title": "T"}), &["/$ref", "/type"]);
}

#[test]
fn keywords_that_the_declared_draft_ignores_are_removed_without_an_effect() {
    let draft_07 = "http://json-schema.org/draft-07/schema#";
    check(
        json!({
            "$schema": draft_07, "contains": {"type": "string"}, "minContains": 0,
            "not": {"minItems": 3, "unevaluatedItems": false, "prefixItems": [{"$ref": "none.json"}]}
        }),
        json!({"$schema": draft_07, "contains": {"type": "string"}, "not": {"minItems": 3}}),
        &["/minContains", "/not/prefixItems", "/not/unevaluatedItems"],
    );
}

#[test]
fn tuples_keep_their_positions() {
    let [a, b] = [json!({"type": "string"}), json!({"type": "null"})];
    check(
        json!({"type": "array", "prefixItems": [a, b], "items": false}),
        json!({"type": "array", "items": [a, b], "additionalItems": false}),
        &[],
    );
    let lost = json!({"type": "string", "pattern": "(.)\\1"});
    check(
        json!({"prefixItems": [lost, b], "items": false}),
        json!({"items": [a, b], "additionalItems": false}),
        &["/prefixItems/0/pattern"],
    );
    check(
        json!({"items": [b, a], "additionalItems": lost}),
        json!({"items": [b, a], "additionalItems": a}),
        &["/additionalItems/pattern"],
    );
    check(
        json!({"items": [b, a], "anyOf": [{}, a], "unevaluatedItems": false}),
        json!({"items": [b, a], "anyOf": [{}, a]}),
        &["/unevaluatedItems"],
    );
}

#[test]
fn patterns_of_names_are_kept() {
    let [a, b] = [json!({"type": "string"}), json!({"type": "null"})];
    for schema in [
        json!({"properties": {"p": b}, "patternProperties": {"^x": a}, "additionalProperties": false}),
        json!({"patternProperties": {"^x": a}}),
    ] {
        check(schema.clone(), schema, &[]);
    }
    check(
        json!({"patternProperties": {"^x": {"type": "string", "pattern": "(a)\\1"}}}),
        json!({"patternProperties": {"^x": a}}),
        &["/patternProperties/^x/pattern"],
    );
}

#[test]
fn a_pattern_of_names_that_cannot_be_expressed_opens_its_object() {
    let [a, b, number] = ["string", "null", "number"].map(|name| json!({"type": name}));
    for pattern in ["^(x)\\1", "^[[:alpha:]]+$", "(", "^a{,3}$", "^(a{999}){999}$"] {
        let at = format!("/patternProperties/{pattern}");
        let of = |others: &Value| json!({"properties": {"p": b}, "patternProperties": {"^y": b, pattern: a}, "additionalProperties": others});
        check(
            of(&json!(false)),
            json!({"properties": {"p": b}, "patternProperties": {"^y": b}, "additionalProperties": a}),
            &["/additionalProperties", &at],
        );
        check(
            of(&number),
            json!({"properties": {"p": b}, "patternProperties": {"^y": b}, "additionalProperties": {"anyOf": [a, number]}}),
            &["/additionalProperties", &at],
        );
        check(of(&json!(true)), json!({"properties": {"p": b}, "patternProperties": {"^y": b}}), &[&at]);
        check(
            json!({"patternProperties": {pattern: {"type": "string", "pattern": "(.)\\1"}}, "additionalProperties": false}),
            json!({"additionalProperties": a}),
            &["/additionalProperties", &at, &format!("{at}/pattern")],
        );
        check(json!({"patternProperties": {pattern: 3}}), json!({}), &[&at]);
        check(
            json!({"not": {"patternProperties": {pattern: a}, "additionalProperties": false}}),
            json!({}),
            &["/not", "/not/additionalProperties", &format!("/not{at}")],
        );
        check(json!({"propertyNames": {"pattern": pattern}}), json!({}), &["/propertyNames/pattern"]);
    }
}

#[test]
fn keywords_that_depend_on_a_removed_one_are_removed() {
    check(json!({"contains": {"type": "null"}, "minContains": 0, "maxContains": 2}), json!({}), &["/contains"]);
    check(
        json!({"if": {"required": ["a"], "pattern": "(.)\\1"}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}),
        json!({}),
        &["/if", "/if/pattern"],
    );
    // What applies only if the condition is met may be widened; the condition itself may not.
    let (a, text) = (json!({"required": ["a"]}), json!({"type": "string"}));
    check(
        json!({"if": a, "then": {"type": "string", "pattern": "(.)\\1"}, "else": {"type": "null"}}),
        json!({"if": a, "then": text, "else": {"type": "null"}}),
        &["/then/pattern"],
    );
    check(
        json!({"contains": {"type": "string", "pattern": "(.)\\1"}}),
        json!({"contains": text}),
        &["/contains/pattern"],
    );
    check(json!({"minimum": "x", "exclusiveMinimum": true}), json!({}), &["/exclusiveMinimum", "/minimum"]);
    check(json!({"properties": 3, "additionalProperties": false}), json!({}), &["/properties"]);
}

#[test]
fn a_loss_in_a_branch_of_one_of_makes_it_any_of() {
    let of = |keyword: &str| json!({keyword: [{"type": "string"}, {"minimum": 3}]});
    check(
        json!({"oneOf": [{"type": "string", "pattern": "(.)\\1"}, {"minimum": 3}]}),
        of("anyOf"),
        &["/oneOf", "/oneOf/0/pattern"],
    );
    let any = json!({"anyOf": [{"type": "string"}], "allOf": [of("anyOf")]});
    check(
        json!({"anyOf": [{"type": "string"}], "oneOf": [{"type": "string", "pattern": "(.)\\1"}, {"minimum": 3}]}),
        any,
        &["/oneOf", "/oneOf/0/pattern"],
    );
    // Deep inside, and through a reference.
    check(
        json!({"oneOf": [{"properties": {"a": {"$ref": "#/definitions/D"}}}, {"type": "null"}],
            "definitions": {"D": {"type": "string", "pattern": "(.)\\1"}}}),
        json!({"anyOf": [{"properties": {"a": {"$ref": "#/definitions/D"}}}, {"type": "null"}],
            "definitions": {"D": {"type": "string"}}}),
        &["/definitions/D/pattern", "/oneOf"],
    );
}

#[test]
fn a_loss_below_not_narrows_there() {
    check(
        json!({"type": "string", "not": {"pattern": "(.)\\1"}}),
        json!({"type": "string"}),
        &["/not", "/not/pattern"],
    );
    check(
        json!({"not": {"anyOf": [{"type": "string"}, {"pattern": "(.)\\1"}]}}),
        json!({"not": {"anyOf": [{"type": "string"}, false]}}),
        &["/not/anyOf/1/pattern"],
    );
    check(
        json!({"not": {"not": {"type": "string", "pattern": "(.)\\1"}}}),
        json!({"not": {"not": {"type": "string"}}}),
        &["/not/not/pattern"],
    );
    check(
        json!({"not": {"oneOf": [{"type": "string", "pattern": "(.)\\1"}, {"type": "null"}]}}),
        json!({}),
        &["/not", "/not/oneOf", "/not/oneOf/0/pattern"],
    );
}

#[test]
fn a_definition_with_a_loss_may_be_used_in_both_polarities() {
    check(
        json!({"properties": {"a": {"$ref": "#/definitions/D"}, "b": {"not": {"$ref": "#/definitions/D"}}},
            "definitions": {"D": {"type": "string", "pattern": "(.)\\1"}}}),
        json!({"properties": {"a": {"$ref": "#/definitions/D"}, "b": {}}, "definitions": {"D": {"type": "string"}}}),
        &["/definitions/D/pattern", "/properties/b/not", "/properties/b/not/$ref"],
    );
    // The referenced place is itself below `not`.
    check(
        json!({"properties": {"a": {"$ref": "#/not/items"}}, "not": {"items": {"type": "string", "pattern": "(.)\\1"}}}),
        json!({"properties": {"a": {}}, "not": {"items": false}}),
        &["/not/items/pattern", "/properties/a/$ref"],
    );
}

#[test]
fn a_loss_names_its_keyword_and_reason() {
    let (_, losses) = widen(&json!({"properties": {"pattern": {"type": "string", "pattern": "(.)\\1"}}}));
    let [loss] = losses.as_slice() else { panic!("{losses:#?}") };
    assert_eq!((loss.pointer.as_str(), loss.keyword.as_str()), ("/properties/pattern/pattern", "pattern"));
    let reason = "invalid pattern: back-references are not supported, because no engine can match them in bounded time";
    assert_eq!((loss.reason.as_str(), loss.reading), (reason, Reading::Widened));
}

#[test]
fn hostile_schemas_are_widened_in_bounded_time_or_rejected() {
    let mut deep = json!({"pattern": "(.)\\1"});
    for _ in 0..70 {
        deep = json!({"not": deep});
    }
    assert!(normalise_lossy(&json_of(&deep)).is_ok());
    let lost = |count: usize| {
        let members: serde_json::Map<String, Value> =
            (0..count).map(|i| (format!("k{i}"), json!({"pattern": "(.)\\1"}))).collect();
        json!({"properties": members})
    };
    let wide = normalise_lossy(&json_of(&lost(12_000)));
    assert!(wide.is_err_and(|problems| !problems.is_empty()), "more losses than the limit");
    assert_eq!(widen(&lost(5_000)).1.len(), 5_000);
    let tuples = json!({"properties": {"a": {"items": [{"items": [{"items": [{"pattern": "(.)\\1"}, {}]}, {}]}, {}], "maxItems": 2}}});
    widen(&tuples);
}

/// Every payload that a random schema accepts, its widened form accepts. The evaluator knows keywords that the subset
/// does not have.
#[test]
fn the_output_accepts_every_payload_that_the_input_accepts() {
    let (mut lossy, mut accepted, mut unions) = (0, 0, 0);
    for seed in 0..3000 {
        let schema = random::schema(seed);
        let (output, losses) = widen(&schema);
        lossy += usize::from(!losses.is_empty());
        unions += usize::from(losses.iter().any(|loss| loss.keyword == "oneOf"));
        let validator = Validator::new(&Schema::parse(&output).unwrap());
        for payload in random::payloads(seed) {
            let expected = evaluator::accepts(&schema, &payload);
            let found = validator.is_valid(&payload);
            accepted += usize::from(expected);
            assert!(found || !expected, "seed {seed}: {schema}\nbecame {}\nand rejects {payload}", output.canonical());
            if losses.is_empty() {
                assert_eq!(found, expected, "seed {seed}: {schema}\nbecame {}: {payload}", output.canonical());
            }
        }
    }
    println!("{lossy} schemas with losses, {unions} of them in `oneOf`, {accepted} valid payloads");
    assert!(lossy > 1500 && accepted > 10_000 && unions > 100);
}

#[test]
fn schemas_that_are_broken_at_every_place_are_widened() {
    let mut failures = Vec::new();
    for seed in 0..3000 {
        let schema = broken::schema(seed);
        match normalise_lossy(&json_of(&schema)) {
            Ok((output, _)) if Schema::parse(&output).is_ok() => {}
            Ok((output, _)) => failures.push(format!("{seed} {schema} becomes {}", output.canonical())),
            Err(problems) => {
                failures.push(format!("{seed} {schema}: {:?}", problems.last().map(|p| (&p.pointer, &p.message))))
            }
        }
    }
    failures.sort_by_key(String::len);
    failures.truncate(20);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn too_many_losses_are_an_error_that_names_the_limit() {
    let hosts: serde_json::Map<String, Value> =
        (0..12_000).map(|n| (format!("p{n}"), json!({"pattern": "(.)\\1"}))).collect();
    let problems = normalise_lossy(&json_of(&json!({"properties": hosts}))).unwrap_err();
    assert!(problems[0].message.contains("the limits are 10000 parts and 32 rounds"), "{}", problems[0].message);
    assert_eq!(problems[0].pointer, "");
}
