//! Generated TypeScript has the same verdicts as the interpreter, and the same violations in the same order.

use capgen_codegen::Language;
use capgen_schema::{Format, Validator};
use capgen_tests::agreement::labelled::{self, Labelled};
use capgen_tests::agreement::{self, Pair, domain, parse, typescript};
use capgen_tests::contract::{Draft, contract, generated};
use capgen_tests::node::{self, Node};
use capgen_tests::random::Random;
use serde_json::{Value, json};

fn node() -> Option<Node> {
    node::require_or_skip().unwrap()
}

/// A payload, however deep.
fn value(text: &str) -> Value {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    serde::Deserialize::deserialize(&mut deserializer).unwrap()
}

/// A description of each payload on which the two disagree.
fn disagreements(node: &Node, pairs: &[Pair]) -> Vec<String> {
    let files = typescript::files(pairs, |_| true).unwrap();
    let verdicts = node.validate(&files).unwrap();
    let mut disagreements = Vec::new();
    for (pair, verdicts) in pairs.iter().zip(verdicts.iter().flatten()) {
        let schema = parse(&pair.schema).unwrap();
        let (validator, redacting) = (Validator::new(&schema), Validator::new(&schema).redact(true));
        for (payload, verdict) in pair.payloads.iter().zip(verdicts) {
            let value = value(payload);
            let expected: Vec<_> =
                validator.validate(&value).into_iter().map(|v| (v.path, v.keyword.to_string(), v.message)).collect();
            let redacted: Vec<_> = redacting.validate(&value).into_iter().map(|v| v.message).collect();
            let is_as_expected = verdict.is_valid == expected.is_empty()
                && verdict.agrees
                && verdict.violations == expected
                && verdict.redacted == redacted;
            if !is_as_expected {
                disagreements.push(format!(
                    "{}: {}\n  payload {payload}\n  reported {verdict:?}\n  expected {expected:?}\n  redacted {redacted:?}",
                    pair.label, pair.schema
                ));
            }
        }
    }
    disagreements
}

fn assert_agreement(pairs: &[Pair]) {
    let Some(node) = node() else { return };
    let disagreements = disagreements(&node, pairs);
    let shown: Vec<&str> = disagreements.iter().map(String::as_str).take(12).collect();
    let payloads: usize = pairs.iter().map(|pair| pair.payloads.len()).sum();
    println!("{} schemas, {payloads} payloads", pairs.len());
    assert!(disagreements.is_empty(), "{} disagreements\n{}", disagreements.len(), shown.join("\n"));
}

/// Labelled pairs without their labels, and without payloads that JavaScript would round.
fn in_domain(labelled: Vec<Labelled>) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = labelled.into_iter().map(|(pair, _)| pair).collect();
    for pair in &mut pairs {
        pair.payloads.retain(|payload| domain::numbers(payload).into_iter().all(domain::in_typescript));
    }
    pairs
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn schemas_of_the_corpora_have_the_verdicts_and_violations_of_the_interpreter() {
    assert_agreement(&in_domain(labelled::capability_schemas().unwrap()));
}

#[test]
fn the_json_schema_test_suite_has_the_verdicts_and_violations_of_the_interpreter() {
    let pairs = in_domain(labelled::test_suite().unwrap());
    assert!(pairs.len() > 150, "{} groups", pairs.len());
    assert_agreement(&pairs);
}

/// Random pairs.
fn random_pairs(count: usize) -> Vec<Pair> {
    let (mut pairs, _) = agreement::pairs(1 << 32, count, 30);
    for pair in &mut pairs {
        pair.payloads.retain(|payload| domain::numbers(payload).into_iter().all(domain::in_typescript));
    }
    pairs
}

#[test]
fn random_schemas_and_payloads_have_the_verdicts_and_violations_of_the_interpreter() {
    assert_agreement(&random_pairs(400));
}

#[test]
fn validators_of_random_schemas_compile() {
    let Some(node) = node() else { return };
    // The schemas of `typescript_properties.rs` have other shapes; these have every keyword.
    let count = std::env::var("CAPGEN_SCHEMAS").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    let pairs = random_pairs(count);
    let errors = typescript::compile_errors(&node, &pairs).unwrap();
    let failed = pairs.iter().zip(errors);
    let failed: Vec<_> =
        failed.filter_map(|(pair, error)| Some(format!("{}: {}\n  {}", pair.label, pair.schema, error?))).collect();
    assert!(failed.is_empty(), "{} of {count} schemas\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn tests_of_types_compile_whatever_the_name_of_the_property() {
    let Some(node) = node() else { return };
    let mut pairs = Vec::new();
    for name in ["p", "p-q", "", "1", "a.b", "__proto__", "say \"hi\"", "class"] {
        let branch = |schema: Value| json!({"properties": {name: schema}, "required": [name]});
        let values =
            [branch(json!({"const": 1})), branch(json!({"const": "b"})), branch(json!({"enum": [true, "c", 2]}))];
        let rules = [
            json!({"type": "string"}),
            json!({"type": "boolean"}),
            json!({"type": "number", "minimum": 0}),
            json!({"type": ["string", "null"]}),
            json!({"type": "array", "items": {"type": "string"}}),
            json!({"$ref": "#/definitions/d"}),
        ];
        for (rule, keyword) in rules.iter().flat_map(|rule| ["anyOf", "oneOf", "allOf"].map(|keyword| (rule, keyword)))
        {
            let mut schema = json!({"type": "object", "properties": {name: rule}, "required": [name], keyword: values});
            if rule.get("$ref").is_some() {
                schema["definitions"] = json!({"d": {"type": "object", "properties": {"x": {"type": "string"}}}});
            }
            pairs.push(pair(schema.clone(), Vec::new()));
            schema["required"] = json!([]);
            pairs.push(pair(json!({"type": "array", "items": schema}), Vec::new()));
        }
    }
    pairs.retain(|pair| parse(&pair.schema).is_some());
    assert!(pairs.len() > 200, "{} schemas are in the subset", pairs.len());
    let errors = typescript::compile_errors(&node, &pairs).unwrap();
    let failed: Vec<_> =
        pairs.iter().zip(errors).filter_map(|(pair, error)| Some(format!("{}\n  {}", pair.schema, error?))).collect();
    assert!(failed.is_empty(), "{} of {}\n{}", failed.len(), pairs.len(), failed.join("\n"));
}

#[test]
fn files_have_only_the_helpers_that_they_need() {
    let Some(node) = node() else { return };
    let mut schemas = vec![
        json!(true),
        json!(false),
        json!({"type": "string"}),
        json!({"enum": [1, [2]]}),
        json!({"const": {"a": 1}}),
        json!({"minimum": 1.5}),
        json!({"exclusiveMaximum": 1}),
        json!({"multipleOf": 2}),
        json!({"type": "integer", "multipleOf": 0.3}),
        json!({"minLength": 2}),
        json!({"maxLength": 2}),
        json!({"pattern": "a/b"}),
        json!({"minItems": 1}),
        json!({"uniqueItems": true}),
        json!({"items": {"type": "null"}}),
        json!({"required": ["toString"]}),
        json!({"properties": {"a": {"type": "boolean"}}}),
        json!({"type": "object", "additionalProperties": false}),
        json!({"additionalProperties": {"type": "null"}}),
        json!({"anyOf": [{"type": "null"}, {"type": "string"}]}),
        json!({"oneOf": [{"type": "null"}, {"type": "string"}]}),
        json!({"allOf": [{"type": "null"}]}),
        json!({"not": {"type": "null"}}),
    ];
    schemas.extend(Format::ALL.iter().map(|format| json!({"format": format.name()})));
    let file = |(index, schema): (usize, &Value)| {
        let contract = contract("x", &[Draft::request("x", &schema.to_string())]).unwrap();
        (format!("{index}.ts"), generated(&contract, Language::TypeScript))
    };
    // The compiler reports unused and missing helpers.
    let program = node::Program { files: schemas.iter().enumerate().map(file).collect(), options: node::strictest() };
    assert_eq!(node.tsc_check_all(&[program]).unwrap(), [vec![]]);
    let payloads = ["null", "1", "\"a/b\"", "[1, 1]", "{}", r#"{"a": 1, "toString": null}"#].map(str::to_owned);
    assert_agreement(&schemas.into_iter().map(|schema| pair(schema, payloads.to_vec())).collect::<Vec<_>>());
}

/// JavaScript's `%` is exact for binary64s, but the number that a payload states is a decimal.
#[test]
fn multiples_are_those_of_the_decimal_digits() {
    let divisors = [
        "1",
        "2",
        "3",
        "5",
        "7",
        "10",
        "0.1",
        "0.01",
        "0.3",
        "2.5",
        "1.5",
        "0.123456789",
        "1e-7",
        "1e-300",
        "1e300",
        "5e-324",
        "9007199254740991",
        "9007199254740993",
        "18446744073709551616",
        "1e21",
        "1180591620717411303424",
        "0.10000000000000000555",
        "123456789012345678901.5",
        "0.30000000000000004",
    ];
    let payloads = [
        "0",
        "-0.0",
        "1",
        "-1",
        "2.0",
        "7.5",
        "7",
        "-10",
        "0.1",
        "0.3",
        "0.30000000000000004",
        "0.7",
        "-1.1",
        "4.35",
        "1.005",
        "19.99",
        "1e-7",
        "3e-7",
        "1.5e-7",
        "1e21",
        "1e300",
        "3e300",
        "1e308",
        "1e-300",
        "5e-324",
        "1.5e-323",
        "9007199254740991",
        "9007199254740990",
        "-9007199254740991",
        "9007199254740992",
        "18014398509481984",
        "0.246913578",
        "2361183241434822600000",
        "1000000000000000000000",
        "\"7\"",
        "null",
        "[1]",
        "{}",
    ];
    let is_inside = |payload: &&str| domain::numbers(payload).into_iter().all(domain::in_typescript);
    let payloads: Vec<String> = payloads.into_iter().filter(is_inside).map(str::to_owned).collect();
    let types =
        ["", r#""type": "number", "#, r#""type": "integer", "#, r#""type": ["string", "number"], "minimum": -2, "#];
    let schema = |divisor: &str, ty: &str| Pair {
        label: "case".to_owned(),
        schema: format!(r#"{{{ty}"multipleOf": {divisor}}}"#),
        payloads: payloads.clone(),
    };
    let pairs: Vec<Pair> = divisors.iter().flat_map(|divisor| types.map(|ty| schema(divisor, ty))).collect();
    assert_agreement(&pairs);
}

fn pair(schema: Value, payloads: Vec<String>) -> Pair {
    Pair { label: "case".to_owned(), schema: schema.to_string(), payloads }
}

#[test]
fn depth_is_limited_for_every_schema() {
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    let mut payloads = Vec::new();
    for depth in [127, 128, 129, 600] {
        payloads.push(nested("[", "", "]", depth));
        payloads.push(nested("[", "1", "]", depth));
        payloads.push(nested("{\"a\":", "[]", "}", depth - 1));
        payloads.push(nested("{\"a\":", "1", "}", depth));
        payloads.push(format!(r#"{{"b": {}}}"#, nested("[", "", "]", depth - 1)));
    }
    let tree = json!({"definitions": {"t": {"type": "object", "properties": {"a": {"$ref": "#/definitions/t"}}}}, "$ref": "#/definitions/t"});
    let list = json!({"definitions": {"t": {"type": "array", "items": {"$ref": "#/definitions/t"}}}, "$ref": "#/definitions/t"});
    let schemas = [
        json!(true),
        json!({"not": {"type": "string"}}),
        json!({"type": ["object", "array"]}),
        json!({"properties": {"a": {"not": {"type": "object", "additionalProperties": {"const": 1}}}}}),
        json!({"oneOf": [{"type": "object"}, {"type": "array", "uniqueItems": true}]}),
        json!({"not": tree["definitions"]["t"].as_object().map(|_| json!(false)).unwrap()}),
        tree,
        list,
    ];
    assert_agreement(&schemas.map(|schema| pair(schema, payloads.clone())));
}

#[test]
fn definitions_that_refer_to_each_other_do_not_take_exponential_time() {
    let mut definitions = serde_json::Map::new();
    for level in 0..40 {
        let next = json!({"$ref": format!("#/definitions/d{}", level + 1)});
        definitions.insert(format!("d{level}"), json!({"allOf": [{"allOf": [next.clone()]}, {"anyOf": [next]}]}));
    }
    definitions.insert("d40".to_owned(), json!({"type": "object", "properties": {"x": {"type": "string"}}}));
    let diamond = json!({"definitions": definitions, "$ref": "#/definitions/d0"});
    let left = json!({"$ref": "#/definitions/t"});
    let branch = |last: &str| json!({"properties": {"x": left, last: {"type": "string"}}, "required": [last]});
    let tree = json!({"definitions": {"t": {"anyOf": [branch("a"), branch("b")]}}, "$ref": "#/definitions/t"});
    let deep = |inner: &str| format!("{}{inner}{}", "{\"x\":".repeat(60), "}".repeat(60));
    let payloads = vec!["{}".to_owned(), "1".to_owned(), r#"{"x": 1}"#.to_owned(), deep("{\"b\": \"\"}"), deep("1")];
    assert_agreement(&[pair(diamond, payloads.clone()), pair(tree, payloads)]);
}

/// A schema in `not` is about the same value as the keywords beside it, whatever its own keywords look at.
#[test]
fn keywords_beside_not_are_about_the_whole_value() {
    let not = json!({"not": {"items": {"type": "string", "maxLength": 1}}});
    let schema = json!({"type": "array", "allOf": [not, {"maxItems": 1}, {"uniqueItems": true}]});
    let payloads = [r#"["a", "b"]"#, r#"["a", "a"]"#, r#"["a"]"#, r#"["ab", 1]"#, r#"["ab"]"#];
    assert_agreement(&[pair(schema, payloads.map(str::to_owned).into())]);
}

/// Each level has two ways to the next one, and the value at all of them is a scalar or an empty array.
#[test]
fn scalars_in_nested_unions_do_not_take_exponential_time() {
    let mut definitions = serde_json::Map::new();
    for level in 0..40 {
        let next = |name: &str| json!({"$ref": format!("#/definitions/{name}{}", level + 1)});
        definitions.insert(format!("a{level}"), json!({"anyOf": [next("a"), next("b")]}));
        definitions.insert(format!("b{level}"), json!({"anyOf": [next("b"), next("a")]}));
    }
    definitions.insert("a40".to_owned(), json!({"type": ["string", "array"], "minLength": 5, "minItems": 1}));
    definitions.insert("b40".to_owned(), json!({"type": ["string", "array"], "minLength": 6, "minItems": 2}));
    let schema = json!({"definitions": definitions, "$ref": "#/definitions/a0"});
    assert_agreement(&[pair(schema, ["\"a\"", "[]", "1", "\"abcdef\""].map(str::to_owned).into())]);
}

#[test]
fn every_violation_of_a_deep_recursive_union_is_found_in_time() {
    let node = json!({"$ref": "#/definitions/node"});
    let list = json!({"type": "array", "minItems": 3, "items": node});
    let schema = json!({"definitions": {"node": {"anyOf": [list, {"type": "string", "minLength": 2}]}}, "oneOf": [{"enum": [1]}, node, node], "allOf": [node]});
    let mut payload = "1".to_owned();
    for _ in 0..5 {
        payload = format!("[{payload},{payload},{payload}]");
    }
    for _ in 0..90 {
        payload = format!("[{payload},\"ok\",\"ok\"]");
    }
    // Without memory, every violation is found again at each of the levels above it, in both branches.
    assert_agreement(&[pair(schema, vec![payload])]);
}

#[test]
fn large_schemas_are_checked() {
    let property = |n: usize| (format!("p{n}"), json!({"type": "string", "maxLength": 5}));
    let many: serde_json::Map<String, Value> = (0..10_000).map(property).collect();
    let closed = json!({"type": "object", "properties": many, "required": ["p7"], "additionalProperties": false});
    let nested =
        (0..30).fold(json!({"type": "integer"}), |inner, _| json!({"type": "object", "properties": {"a": inner}}));
    let values: Vec<Value> = (0..5_000).map(|n| json!(format!("v{n}"))).collect();
    let payloads = [
        r#"{"p7": "x"}"#,
        r#"{"p7": "x", "p9999": "toolong"}"#,
        r#"{"p7": "x", "q": 1}"#,
        r#"{"p7": 1, "p8": 2}"#,
        r#"{"a": {"a": {"a": 1}}}"#,
        r#"{"a": {"a": {"b": 1}}}"#,
        "\"v4999\"",
        "\"v5000\"",
    ];
    let payloads: Vec<String> = payloads.map(str::to_owned).to_vec();
    let pairs = [closed, nested, json!({"enum": values})].map(|schema| pair(schema, payloads.clone()));
    assert_agreement(&pairs);
    let Some(node) = node() else { return };
    for pair in &pairs {
        let contract = contract("x", &[Draft::request("x", &pair.schema)]).unwrap();
        let file = generated(&contract, Language::TypeScript);
        assert_eq!(node.tsc_check(&[("x.ts", file)], node::strictest()).unwrap(), []);
    }
}

#[test]
fn formats_agree_near_the_edges_of_their_grammars() {
    let mut pairs = Vec::new();
    for (name, seeds) in [
        ("uuid", vec!["2eb8aa08-aa98-11ea-b4aa-73b441d16380"]),
        ("date-time", vec!["1998-12-31T23:59:60.5+00:00", "2020-02-29t00:00:00Z", "1998-12-31T15:59:60-08:00"]),
        (
            "email",
            vec![
                "joe.b@ex-a.com",
                "\"a\\\"@ b\"@x.y",
                "j@[IPv6:1:2::7.8.9.10]",
                "j@[127.0.0.255]",
                "j@[ipv6:1:2:3:4:5:6:7:8]",
            ],
        ),
        (
            "uri",
            vec![
                "http://u:p@h.c:80/a%7E/b?c=d#e",
                "a://[::ffff:1.2.3.4]:1/",
                "urn:x:y",
                "x://[v1.a:b]/",
                "h://[1:2:3:4:5:6:7::]",
            ],
        ),
        ("uri-reference", vec!["//u@[::1]:8/a/b?c#d", "./a:b", "a/b;c", "?q#f", "/a//b"]),
        ("date", vec!["2020-02-29", "1999-11-30", "2000-12-31"]),
        ("time", vec!["23:59:60Z", "15:59:60.25-08:00", "00:00:00+23:59"]),
        ("duration", vec!["P1Y2M3DT4H5M6S", "PT5M", "P9W", "P2DT1S"]),
        ("ipv4", vec!["127.0.0.1", "255.249.9.10"]),
        ("ipv6", vec!["1:2:3:4:5:6:7::", "::ffff:1.2.3.4", "fe80::1", "1:2:3:4:5:6:7:8"]),
        ("hostname", vec!["a.b-c.1", "xn--a", "A9.example"]),
        ("idn-email", vec!["é.b@é-a.com", "\"é\\\" b\"@x.y", "é@[127.0.0.255]", "é@[IPv6:1:2::3]"]),
        ("iri", vec!["http://é:p@h:80/a%7Eé?é\u{e000}#é", "a://[::1]/é", "urn:é", "a://[v1.a]/"]),
        ("uri-template", vec!["a{/b,c:12}é{?d*}", "{+a.b%41}%7E", "x"]),
        ("json-pointer", vec!["/a~0b/~1/é", "/"]),
        (
            "regex",
            vec![
                r"^(a|[^b-z\d])+?$",
                r"(?<n>a{2,5})\k<n>",
                r"(?<=a)(?!b)\u{41}\x41",
                r"[\u0041-\u{1F600}-]\p{L}",
                r"(?:a)(b)\2?",
                r"[\ud83d\ude00-\ud83d\ude05]",
            ],
        ),
    ] {
        let mut random = Random::new(7);
        let mut payloads = Vec::new();
        for seed in seeds {
            payloads.push(json!(seed).to_string());
            for _ in 0..1_500 {
                let mut text: Vec<char> = seed.chars().collect();
                for _ in 0..1 + random.below(2) {
                    let c = random.pick(&[
                        ':', '.', '/', '%', '@', '[', ']', '#', '?', '0', '1', '2', '5', '9', 'a', 'F', 'g', '-', '+',
                        'é', ' ', '"', '\\', '_', 'Z', '\n', '😀', '(', ')', '{', '}', '*', ',', '|', '^', '$', '<',
                        '>', '~', 'T', 'S', 'k',
                    ]);
                    let at = random.below(text.len() + 1);
                    match random.below(3) {
                        0 if at < text.len() => drop(text.remove(at)),
                        1 if at < text.len() => text[at] = c,
                        _ => text.insert(at, c),
                    }
                    if text.is_empty() {
                        text.push('a')
                    }
                }
                payloads.push(json!(text.into_iter().collect::<String>()).to_string());
            }
        }
        pairs.push(pair(json!({"format": name}), payloads));
    }
    assert_agreement(&pairs);
}
