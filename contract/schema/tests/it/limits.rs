//! Limits that a caller sets on a validator, the cache of validators, and schemas from text.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::LazyLock;

use capgen_schema::{Hash, Pattern, Schema, SchemaTextError, Validator, ValidatorCache};
use serde_json::json;

fn validator(schema: &str) -> Validator {
    Validator::new(&Schema::parse_text(schema).unwrap())
}

#[test]
fn validators_at_a_pointer_follow_references_and_keep_limits() {
    let schema = r##"{"properties":{"a/b":{"$ref":"#/definitions/d"}},"definitions":{"d":{"items":{"maximum":1}}}}"##;
    let root = validator(schema).redact(true).max_depth(1);
    let place = root.at("/properties/a~1b").unwrap();
    let violations = place.validate(&json!([2]));
    assert_eq!((violations[0].path.as_str(), violations[0].message.as_str()), ("/0", "must be at most 1"));
    assert!(!place.is_valid(&json!([[]])));
    assert!(root.at("/definitions/d/items").unwrap().is_valid(&json!(1)));
    assert!(root.at("").unwrap().is_valid(&json!([2])));
    assert!(root.at("/properties").is_none());
    assert!(root.at("/properties/a~1b/items").is_none());
}

#[test]
fn depth_can_only_be_lowered() {
    let deep = (0..129).fold(json!(1), |inner, _| json!([inner]));
    assert!(!validator("true").max_depth(1000).is_valid(&deep));
    assert!(validator("true").max_depth(0).is_valid(&json!(1)));
    assert!(!validator("true").max_depth(0).is_valid(&json!([])));
}

#[test]
fn max_violations_returns_the_first_ones() {
    let validator = validator(
        r#"{"required":["z"],"additionalProperties":{"type":"null"},"allOf":[{"properties":{"b":{"enum":[1]}}},{"minimum":1}]}"#,
    );
    let payload = json!({"c": 1, "b": 2, "a": [1], "B": 0});
    let all = validator.validate(&payload);
    for count in 1..8 {
        let first: Vec<_> = all.iter().take(count).cloned().collect();
        assert_eq!(validator.clone().max_violations(count).validate(&payload).into_vec(), first);
    }
    assert_eq!(validator.max_violations(0).validate(&payload).len(), 1);
}

#[test]
fn cache_compiles_once_and_evicts_the_least_recently_used() {
    let cache = ValidatorCache::new(2);
    let ask = |name: &str| {
        let mut compiled = false;
        let result = cache.get_or_compile(Hash::of(name), || {
            compiled = true;
            Schema::parse_text(name)
        });
        result.map(|_| compiled)
    };
    assert_eq!(ask("true"), Ok(true));
    assert_eq!(ask("false"), Ok(true));
    assert_eq!(ask("true"), Ok(false));
    assert_eq!(ask("{}"), Ok(true));
    assert_eq!(ask("true"), Ok(false));
    assert_eq!(ask("false"), Ok(true));
    assert!(matches!(ask("nonsense"), Err(SchemaTextError::Json(_))));
    assert_eq!(cache.len(), 2);
}

#[test]
fn cache_survives_a_panic_and_a_reentrant_call() {
    let cache = ValidatorCache::new(8);
    let panics = || cache.get_or_compile(Hash::of("a"), || -> Result<Schema, ()> { panic!("on purpose") });
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
    let inner = || cache.get_or_compile(Hash::of("b"), || Schema::parse_text("false"));
    let outer = cache.get_or_compile(Hash::of("a"), || {
        assert!(!inner()?.is_valid(&json!(1)));
        Schema::parse_text("true")
    });
    assert!(outer.unwrap().is_valid(&json!(1)));
}

#[test]
fn patterns_and_validators_work_in_statics() {
    static PATTERN: LazyLock<Option<Pattern>> = LazyLock::new(|| Pattern::new("^a$").ok());
    static CACHE: ValidatorCache = ValidatorCache::new(1);
    assert!(PATTERN.as_ref().unwrap().is_match("a").unwrap());
    assert!(CACHE.is_empty());
}

#[test]
fn schema_text_keeps_every_digit() {
    let text =
        r#"{"enum":[18446744073709551617,1e2,"\ud83d\ude00\n"," "],"minimum":0.1000000000000000055511151231257827}"#;
    let schema = Schema::parse_text(text).unwrap();
    let canonical =
        "{\"enum\":[18446744073709551617,100,\"😀\\n\",\" \"],\"minimum\":0.1000000000000000055511151231257827}";
    assert_eq!(schema.canonical(), canonical);
    let again = Schema::parse_text(canonical).unwrap();
    assert_eq!(again.hash(), schema.hash());
}

#[test]
fn schema_text_must_be_json() {
    for (text, offset, message) in [
        ("", 0, "the text has no value"),
        ("{\"a\":1,\"a\":2}", 0, "duplicate property names"),
        ("[{\"b\":1,\"a\":2,\"b\":3}]", 1, "duplicate property names"),
        ("{\"a\" 1}", 5, "expected `:`, found a number"),
        ("{\"a\":1,}", 7, "expected a key in double quotes, found `}`"),
        ("{,}", 1, "expected a key in double quotes, found `,`"),
        ("[1,]", 3, "expected a value, found `]`"),
        ("[1 2]", 3, "expected `,` or `]`, found a number"),
        ("[1", 2, "expected `,` or `]`, found the end of the text"),
        ("[", 1, "expected a value, found the end of the text"),
        ("true false", 5, "expected the end of the text, found a word"),
        ("nul", 0, "expected a value, found a word"),
        ("01", 0, "not a JSON number"),
        ("[1e400]", 1, "number outside the range of binary64"),
        ("\"a\u{1}\"", 2, "a string contains the control character U+0001"),
        ("\"a\\\"", 0, "unterminated string"),
        (r#""\ud800""#, 1, "lone surrogate"),
        (r#""\x""#, 1, "invalid escape"),
    ] {
        let error = text.parse::<capgen_schema::Json>().unwrap_err();
        assert_eq!((error.span.start, error.message.as_str()), (offset, message), "{text}");
    }
    let deep = "[".repeat(1 << 20);
    assert_eq!(deep.parse::<capgen_schema::Json>().unwrap_err().message, "nested more than 512 levels deep");
}

#[test]
fn the_patterns_of_a_schema_have_a_common_limit() {
    let schema = |count: usize| {
        let branches: Vec<_> = (0..count).map(|n| format!(r#"{{"pattern":"^x{n}(a{{1000}}){{100}}$"}}"#)).collect();
        Schema::parse(&format!(r#"{{"type":"string","anyOf":[{}]}}"#, branches.join(",")).parse().unwrap())
    };
    assert!(schema(13).is_ok());
    let problems = schema(20).unwrap_err();
    let found: Vec<_> = problems.iter().map(|p| (p.code.as_str(), p.pointer.as_str(), p.label.as_str())).collect();
    assert_eq!(found.len(), 5);
    assert_eq!(found[0], ("E0124", "/anyOf/10/pattern", "2.2 MiB"));
    // Also in schemas that a program reads at run time.
    let branches: Vec<_> = (0..20).map(|n| format!(r#"{{"pattern":"^x{n}(a{{1000}}){{100}}$"}}"#)).collect();
    assert!(matches!(
        Schema::parse_text(&format!(r#"{{"anyOf":[{}]}}"#, branches.join(","))),
        Err(SchemaTextError::Schema(problems)) if problems[0].code.as_str() == "E0124"
    ));
}
