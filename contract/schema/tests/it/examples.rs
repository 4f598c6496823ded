//! Examples of schemas, and payloads that violate one assertion.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use capgen_schema::{
    Counterexamples, ExactPayload, ExampleSettings, Json, Schema, Steps, Validator, counterexamples, examples,
    normalise, smallest_value,
};

fn schema(text: &str) -> Schema {
    Schema::parse_text(text).unwrap()
}

fn seeded(seed: u64, count: Option<usize>) -> ExampleSettings {
    ExampleSettings { count, seed, ..ExampleSettings::default() }
}

fn texts(values: &[Json]) -> Vec<String> {
    values.iter().map(Json::canonical).collect()
}

fn shown(text: &str, count: Option<usize>) -> Vec<String> {
    texts(&examples(&schema(text), seeded(0, count)).unwrap())
}

fn violated(text: &str) -> Vec<String> {
    let found = counterexamples(&schema(text), ExampleSettings::default()).found;
    found.iter().map(|example| format!("{} {}", example.expected.keyword, example.payload.canonical())).collect()
}

/// Checks that the examples are distinct and valid.
fn check_valid(schema: &Schema, values: &[Json], name: &str) {
    let validator = Validator::new(schema);
    for (index, value) in values.iter().enumerate() {
        let payload = ExactPayload::parse(value.canonical().as_bytes()).unwrap();
        assert!(validator.is_valid_exact(&payload), "{name}: {}", value.canonical());
        assert!(!values.iter().take(index).any(|other| other == value), "{name}: {} twice", value.canonical());
    }
}

/// Checks that the interpreter rejects each payload, with the expected violation.
fn check_invalid(schema: &Schema, result: &Counterexamples, name: &str) {
    let validator = Validator::new(schema);
    for example in &result.found {
        let payload = ExactPayload::parse(example.payload.canonical().as_bytes()).unwrap();
        let violations = validator.validate_exact(&payload);
        assert_eq!(violations, example.violations, "{name}");
        assert!(violations.contains(&example.expected), "{name}: {example:?}");
    }
}

#[test]
fn examples_show_each_property_branch_type_and_member() {
    let object = r#"{"type": "object", "required": ["a"], "properties": {"a": {"type": "string"},
        "b": {"type": "integer", "minimum": 3}, "c": {"type": "array", "items": {"enum": ["x", "y"]}}}}"#;
    assert_eq!(shown(object, None), [r#"{"a":""}"#, r#"{"a":"","b":3,"c":["x","y"]}"#]);
    assert_eq!(shown(r#"{"enum": ["low", "high"]}"#, None), [r#""low""#, r#""high""#]);
    assert_eq!(shown(r#"{"type": ["string", "null"]}"#, None), ["null", r#""""#]);
    let union = r##"{"oneOf": [{"$ref": "#/definitions/a"}, {"$ref": "#/definitions/b"}], "definitions": {
        "a": {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "a"}}},
        "b": {"type": "object", "required": ["kind", "n"], "properties": {"kind": {"const": "b"}, "n": {"type": "number"}}}}}"##;
    assert_eq!(shown(union, None), [r#"{"kind":"a"}"#, r#"{"kind":"b","n":0}"#]);
    let map = r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#;
    assert_eq!(shown(map, None), ["{}", r#"{"a":0}"#]);
    let tree = r##"{"type": "object", "properties": {"left": {"$ref": "#"}, "value": {"type": "boolean"}}}"##;
    assert!(Schema::parse_text(tree).is_err(), "a reference to the root is not in the subset");
    let tree = r##"{"$ref": "#/definitions/t", "definitions": {"t": {"type": "object", "properties": {"left": {"$ref": "#/definitions/t"}, "value": {"type": "boolean"}}}}}"##;
    assert_eq!(shown(tree, None), ["{}", r#"{"left":{},"value":false}"#]);
}

#[test]
fn a_count_gives_that_many_examples_if_there_are_so_many() {
    assert_eq!(shown(r#"{"type": "integer"}"#, Some(4)), ["0", "1", "-1", "2"]);
    assert_eq!(shown(r#"{"type": "boolean"}"#, Some(4)), ["false", "true"]);
    assert_eq!(shown(r#"{"type": "string"}"#, Some(3)), [r#""""#, r#""a""#, r#""b""#]);
    assert_eq!(shown("true", Some(2)).len(), 2);
    assert_eq!(shown("false", Some(2)), [""; 0]);
    assert_eq!(shown(r#"{"type": "integer", "minimum": 2, "maximum": 1}"#, None), [""; 0]);
}

#[test]
fn patterns_with_look_around_have_examples() {
    let shown = |pattern: &str| shown(&format!(r#"{{"type": "string", "pattern": {pattern:?}}}"#), Some(1));
    assert_eq!(shown(r"^(?=.*[0-9])(?=.*[a-z]).{8,}$"), [r#""aaaaaaa0""#]);
    assert_eq!(shown("^(?!a|b)[a-z]{3}$"), [r#""caa""#]);
    assert_eq!(shown("^[a-c-]+(?<!-)(?<!a)$"), [r#""b""#]);
    assert_eq!(shown("^(?:(?!aa|--)[a-z-])+[0-9]$"), [r#""a0""#]);
    assert_eq!(shown("^x{5}(?=y)[a-z]{2}$"), [r#""xxxxxya""#]);
    // They also decide whether nothing matches, and which strings do not match.
    assert_eq!(shown("^(?!a)a"), [""; 0]);
    assert_eq!(violated(r#"{"pattern": "^(?!a)."}"#), [r#"pattern """#]);
    assert_eq!(violated(r#"{"minLength": 1, "pattern": "^(?!a)"}"#), [r#"minLength """#, r#"pattern "a""#]);
}

#[test]
fn strings_that_the_search_does_not_find_are_taken_from_the_schema() {
    let pattern = r#""pattern": "^(?:(?!ab).)*(?=.*[0-9]{9}).{30}q(?=z)zz$""#;
    assert!(examples(&schema(&format!("{{{pattern}, \"type\": \"string\"}}")), seeded(0, None)).is_err());
    let text = format!("{}123456789zqzz", "x".repeat(20));
    for (name, value) in [("examples", format!(r#"["no", "{text}"]"#)), ("default", format!("\"{text}\""))] {
        let object = format!(
            r#"{{"type": "object", "required": ["a"], "properties": {{"a": {{"type": "string", {pattern}, "{name}": {value}}}}}}}"#
        );
        assert_eq!(shown(&object, Some(1)), [format!(r#"{{"a":"{text}"}}"#)]);
    }
    let enclosing = format!(
        r#"{{"type": "object", "required": ["a"], "properties": {{"a": {{"type": "string", {pattern}}}}}, "examples": [{{"a": "{text}"}}]}}"#
    );
    assert_eq!(shown(&enclosing, Some(1)), [format!(r#"{{"a":"{text}"}}"#)]);
    // A whole example, if the search ends for another reason.
    let long = r#"{"type": "array", "minItems": 5000, "items": {"type": "null"}, "examples": [[null]]}"#;
    assert!(examples(&schema(long), seeded(0, None)).is_err());
    let long = long.replace("[[null]]", &format!("[[{}null]]", "null,".repeat(4999)));
    assert_eq!(examples(&schema(&long), seeded(0, None)).unwrap().len(), 1);
}

#[test]
fn examples_keep_every_digit() {
    let number = "0.12345678901234567890123";
    assert_eq!(shown(&format!(r#"{{"const": {number}}}"#), None), [number]);
    let large = "123456789012345678901234567890";
    assert_eq!(shown(&format!(r#"{{"type": "integer", "minimum": {large}}}"#), None), [large]);
}

#[test]
fn each_assertion_is_violated_alone() {
    let text = r#"{"type": "object", "required": ["url", "severity"], "additionalProperties": false, "properties": {
        "url": {"type": "string", "maxLength": 3}, "severity": {"enum": ["low", "high"]},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true, "minItems": 1}}}"#;
    assert_eq!(
        violated(text),
        [
            "type null",
            r#"required {"severity":"low"}"#,
            r#"required {"url":""}"#,
            r#"additionalProperties {"a":null,"severity":"low","url":""}"#,
            r#"type {"severity":"low","url":null}"#,
            r#"maxLength {"severity":"low","url":"aaaa"}"#,
            r#"enum {"severity":"","url":""}"#,
            r#"type {"severity":"low","tags":null,"url":""}"#,
            r#"minItems {"severity":"low","tags":[],"url":""}"#,
            r#"uniqueItems {"severity":"low","tags":["",""],"url":""}"#,
            r#"type {"severity":"low","tags":[null],"url":""}"#,
        ]
    );
    let found = counterexamples(&schema(text), ExampleSettings::default()).found;
    assert!(found.iter().all(|example| example.violations.len() == 1), "{found:#?}");
}

#[test]
fn bounds_formats_and_unions_are_violated() {
    assert_eq!(
        violated(r#"{"type": "integer", "minimum": 5, "maximum": 9}"#),
        ["type null", "minimum 0", "maximum 10"]
    );
    assert_eq!(violated(r#"{"type": "string", "format": "uuid", "pattern": "^a"}"#).len(), 3);
    assert_eq!(violated(r#"{"type": "string", "enum": ["a"]}"#), ["type null", r#"enum """#]);
    assert_eq!(violated(r#"{"not": {"type": "null"}}"#), ["not null"]);
    // Neither branch matches, and both match.
    assert_eq!(
        violated(r#"{"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 1}]}"#),
        ["type null", "oneOf 1", "minimum 0.1"]
    );
    assert_eq!(violated(r#"{"type": "integer", "multipleOf": 3}"#), ["type null", "multipleOf 1"]);
    assert_eq!(violated("true"), [""; 0]);
    assert_eq!(violated(r#"{"minLength": 0, "items": true}"#), [""; 0]);
}

#[test]
fn assertions_in_branches_are_violated_as_the_union_reports_them() {
    let branch = |name: &str, schema: &str| {
        format!(r#"{{"type": "object", "required": ["{name}"], "properties": {{"{name}": {schema}}}}}"#)
    };
    let a = branch("a", r#"{"type": "string", "maxLength": 1}"#);
    let b = branch("b", r#"{"type": "integer", "minimum": 3}"#);
    let found = violated(&format!(r#"{{"anyOf": [{a}, {b}]}}"#));
    for expected in [r#"anyOf {"a":"aa"}"#, r#"anyOf {"b":0}"#, r#"anyOf {"b":null}"#] {
        assert!(found.iter().any(|line| line == expected), "{expected}: {found:?}");
    }
}

#[test]
fn an_assertion_that_others_imply_is_violated_with_them() {
    assert_eq!(violated(r#"{"const": 5, "minimum": 3}"#), ["const 3", "minimum 0"]);
}

#[test]
fn seeds_vary_the_examples_and_nothing_else_does() {
    let text = r#"{"type": "object", "properties": {"a": {"enum": [1, 2, 3]}, "b": {"type": "string"}, "c": {"type": "integer"}}}"#;
    let of = |seed| texts(&examples(&schema(text), seeded(seed, Some(4))).unwrap());
    assert_eq!(of(7), of(7));
    assert!((1..8).any(|seed| of(seed) != of(0)), "every seed gives the same examples");
    for seed in 0..20 {
        check_valid(&schema(text), &examples(&schema(text), seeded(seed, Some(6))).unwrap(), text);
        assert_eq!(examples(&schema(r#"{"const": 1}"#), seeded(seed, None)).unwrap().len(), 1, "seed {seed}");
        let few = schema(r#"{"type": "integer", "minimum": 1, "maximum": 3}"#);
        let mut all = texts(&examples(&few, seeded(seed, Some(7))).unwrap());
        all.sort();
        assert_eq!(all, ["1", "2", "3"], "seed {seed}");
    }
}

/// Every schema of the corpora, with a name.
fn corpora() -> Vec<(String, Schema)> {
    let folder = crate::support::corpus(".");
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap().parse::<Json>().ok();
    let mut all: Vec<(String, Json)> = Vec::new();
    for case in read(folder.join("capability-schemas.json")).unwrap().as_array().unwrap() {
        all.push((case.get("id").unwrap().canonical(), case.get("schema").unwrap().clone()));
    }
    for pair in read(folder.join("schema-pairs.json")).unwrap().as_array().unwrap() {
        for key in ["old", "new"] {
            all.push((format!("{} {key}", pair.get("id").unwrap().canonical()), pair.get(key).unwrap().clone()));
        }
    }
    let files = |name: &str| {
        let mut files: Vec<_> =
            std::fs::read_dir(folder.join(name)).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "json"))
    };
    for path in files("mcp-tools") {
        for tool in read(path.clone()).unwrap().get("tools").and_then(Json::as_array).unwrap() {
            let name = format!("{} {}", path.display(), tool.get("name").unwrap().canonical());
            let normalised = tool.get("inputSchema").map(normalise);
            all.extend(normalised.and_then(Result::ok).map(|schema| (name, schema)));
        }
    }
    for path in files("tricky-schemas") {
        all.extend(read(path.clone()).map(|schema| (path.display().to_string(), schema)));
    }
    all.into_iter().filter_map(|(name, source)| Some((name, Schema::parse(&source).ok()?))).collect()
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn examples_of_the_corpora_are_valid_and_counterexamples_are_not() {
    let (mut valid, mut invalid, mut undecided) = (0, 0, 0);
    let mut slowest = (Duration::ZERO, String::new());
    for (name, schema) in corpora() {
        let start = Instant::now();
        let found = examples(&schema, ExampleSettings::default()).unwrap();
        check_valid(&schema, &found, &name);
        let is_empty = smallest_value(&schema, Steps::default()) == Ok(None);
        assert_eq!(found.is_empty(), is_empty, "{name}");
        let violations = counterexamples(&schema, ExampleSettings::default());
        check_invalid(&schema, &violations, &name);
        check_valid(&schema, &examples(&schema, seeded(3, Some(5))).unwrap(), &name);
        (valid, invalid, undecided) =
            (valid + found.len(), invalid + violations.found.len(), undecided + violations.undecided);
        slowest = slowest.max((start.elapsed(), name));
    }
    println!("{valid} examples, {invalid} counterexamples, {undecided} undecided; slowest {slowest:?}");
    assert!(undecided * 100 <= invalid, "{undecided} of {invalid} are undecided");
}

#[test]
fn hostile_schemas_end() {
    let chain = |keyword: &str| {
        let link = |n: usize| {
            format!(
                r##""d{n}": {{"{keyword}": [{{"$ref": "#/definitions/d{0}"}}, {{"allOf": [{{"$ref": "#/definitions/d{0}"}}]}}]}}"##,
                n + 1
            )
        };
        let links: Vec<String> = (0..40).map(link).collect();
        format!(
            r##"{{"$ref": "#/definitions/d0", "definitions": {{{}, "d40": {{"type": "integer"}}}}}}"##,
            links.join(",")
        )
    };
    let wide = |n: usize| {
        let properties: Vec<String> =
            (0..n).map(|i| format!(r#""p{i}": {{"anyOf": [{{"type": "integer"}}, {{"minLength": {i}}}]}}"#)).collect();
        format!(r#"{{"type": "object", "properties": {{{}}}}}"#, properties.join(","))
    };
    let long = {
        let link = |n: usize| {
            format!(
                r##""d{n}": {{"type": "object", "properties": {{"next": {{"$ref": "#/definitions/d{}"}}}}}}"##,
                n + 1
            )
        };
        let links: Vec<String> = (0..400).map(link).collect();
        format!(
            r##"{{"$ref": "#/definitions/d0", "definitions": {{{}, "d400": {{"type": "integer"}}}}}}"##,
            links.join(",")
        )
    };
    let endless = r##"{"$ref": "#/definitions/a", "definitions": {"a": {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/definitions/a"}}}}}"##;
    let long_string = r#"{"type": "string", "minLength": 100000000}"#;
    let pattern = r#"{"type": "array", "minItems": 300, "uniqueItems": true, "items": {"pattern": "^(a|b|ab){40}$"}}"#;
    for text in [&chain("anyOf"), &chain("oneOf"), &chain("allOf"), &wide(300), &long, endless, long_string, pattern] {
        let schema = schema(text);
        let settings = ExampleSettings { steps: Steps(300_000), ..ExampleSettings::default() };
        let start = Instant::now();
        let valid = examples(&schema, settings);
        check_valid(&schema, &valid.unwrap_or_default(), "hostile");
        check_invalid(&schema, &counterexamples(&schema, settings), "hostile");
        let name: String = text.chars().take(60).collect();
        println!("{:?} for {name}", start.elapsed());
        assert!(start.elapsed() < Duration::from_secs(60), "{name}");
    }
}
