//! Generated TypeScript says of every payload what the interpreter says: the verdict, and every violation in its order.

use capgen_codegen::Language;
use capgen_manifest::Data;
use capgen_schema::{Json, Schema, Validator};
use capgen_tests::contract::{Draft, contract, generated, summary};
use capgen_tests::corpus::{self, Document, elements, member};
use capgen_tests::node::{self, Judged, Node};
use capgen_tests::random::Random;
use serde_json::{Value, json};

/// A schema and payloads, as texts.
struct Pair {
    label: String,
    schema: String,
    payloads: Vec<String>,
}

fn node() -> Option<Node> {
    node::require_or_skip().unwrap()
}

/// A schema that loads, as its source.
fn parse(text: &str) -> Option<Schema> {
    let value: Value = serde_json::from_str(text).ok()?;
    let json = read(text).or_else(|| Json::try_from(&value).ok())?;
    Schema::parse(&json).ok()
}

/// A text with its numbers as they are written.
fn read(text: &str) -> Option<Json> {
    let document = Document::parse(text).ok()?;
    Some(document.root().to_json())
}

/// A payload, however deep.
fn value(text: &str) -> Value {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    serde::Deserialize::deserialize(&mut deserializer).unwrap()
}

/// The pairs on which the two disagree, in words.
fn disagreements(node: &Node, pairs: &[Pair]) -> Vec<String> {
    let mut files = Vec::new();
    for pairs in pairs.chunks(40) {
        let draft = |(index, pair): (usize, &Pair)| Draft::request(&format!("c{index}"), &pair.schema);
        let drafts: Vec<Draft> = pairs.iter().enumerate().map(draft).collect();
        let contract = contract("random", &drafts).unwrap_or_else(|findings| panic!("{}", summary(&findings)));
        let check = |(index, pair): (usize, &Pair)| (format!("C{index}Request"), pair.payloads.clone());
        let checks = pairs.iter().enumerate().map(check).collect();
        files.push(Judged { file: generated(&contract, Language::TypeScript), checks });
    }
    let verdicts = node.judge(&files).unwrap();
    let mut disagreements = Vec::new();
    for (pair, verdicts) in pairs.iter().zip(verdicts.iter().flatten()) {
        let validator = Validator::new(&parse(&pair.schema).unwrap());
        for (payload, (verdict, agrees, violations)) in pair.payloads.iter().zip(verdicts) {
            let value = value(payload);
            let expected: Vec<_> =
                validator.validate(&value).into_iter().map(|v| (v.path, v.keyword.to_owned(), v.message)).collect();
            if *verdict != expected.is_empty() || !agrees || *violations != expected {
                disagreements.push(format!(
                    "{}: {}\n  payload {payload}\n  is {verdict}, in itself {agrees}\n  told     {violations:?}\n  expected {expected:?}",
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

/// Schemas and tests of the form that the JSON Schema Test Suite has; those that load.
fn labelled(document: &Document, label: &str) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for group in elements(Some(document.root())) {
        let Some(schema) = member(group, "schema") else { continue };
        let schema = document.text(schema).to_owned();
        let data = elements(member(group, "tests")).iter().filter_map(|test| member(test, "data"));
        let payloads =
            data.filter(|data| is_in_domain(&data.data)).map(|data| document.text(data).to_owned()).collect();
        let label = format!("{label} {}", corpus::string(group, "description").unwrap_or_default());
        if parse(&schema).is_some() && contract("x", &[Draft::request("x", &schema)]).is_ok() {
            pairs.push(Pair { label, schema, payloads });
        }
    }
    pairs
}

/// Whether a payload's numbers are the same in both languages.
fn is_in_domain(data: &Data) -> bool {
    match data {
        Data::Array(items) => items.iter().all(|item| is_in_domain(&item.data)),
        Data::Object(members) => members.iter().all(|member| is_in_domain(&member.value.data)),
        Data::Number(number, _) => {
            let is_safe = number.as_f64().abs() <= 9_007_199_254_740_991.0;
            is_safe || capgen_schema::Number::from_f64(number.as_f64()).is_some_and(|nearest| nearest == *number)
        }
        _ => true,
    }
}

#[test]
fn real_schemas_have_the_verdicts_and_violations_of_the_interpreter() {
    let Some(path) = corpus::path("capability-schemas.json") else { return };
    assert_agreement(&labelled(&Document::read(&path).unwrap(), "capability"));
}

#[test]
fn the_json_schema_test_suite_has_the_verdicts_and_violations_of_the_interpreter() {
    let Some(suite) = corpus::path("json-schema-test-suite") else { return };
    let mut pairs = Vec::new();
    for folder in ["draft7", "draft7/optional", "draft7/optional/format"] {
        let Some(folder) = [suite.join(folder), suite.join("tests").join(folder)].into_iter().find(|f| f.is_dir())
        else {
            continue;
        };
        for (name, document) in corpus::documents(&folder).unwrap() {
            pairs.extend(labelled(&document, &name));
        }
    }
    assert!(pairs.len() > 150, "{} groups", pairs.len());
    assert_agreement(&pairs);
}

/// Pairs by chance; `CAPGEN_SCHEMAS` says how many schemas, and `CAPGEN_SEED` where to start.
fn random_pairs(count: u64) -> Vec<Pair> {
    let of = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let seed: u64 = of("CAPGEN_SEED").unwrap_or(1);
    let count: u64 = of("CAPGEN_SCHEMAS").unwrap_or(count);
    let mut pairs = Vec::new();
    let mut at = seed << 32;
    while (pairs.len() as u64) < count {
        at += 1;
        let mut random = Random::new(at);
        let schema = random.schema().canonical();
        let Some(parsed) = parse(&schema) else { continue };
        if contract("x", &[Draft::request("x", &schema)]).is_err() {
            continue;
        }
        let payloads = (0..30).map(|_| random.payload(&parsed).to_value().to_string()).collect();
        pairs.push(Pair { label: format!("seed {at}"), schema, payloads });
    }
    pairs
}

#[test]
fn schemas_and_payloads_by_chance_have_the_verdicts_and_violations_of_the_interpreter() {
    assert_agreement(&random_pairs(400));
}

#[test]
fn validators_of_schemas_by_chance_compile() {
    let Some(node) = node() else { return };
    let pairs = random_pairs(120);
    let files = pairs.chunks(40).enumerate().map(|(index, pairs)| {
        let draft = |(index, pair): (usize, &Pair)| Draft::request(&format!("c{index}"), &pair.schema);
        let drafts: Vec<Draft> = pairs.iter().enumerate().map(draft).collect();
        (format!("{index}.ts"), generated(&contract("random", &drafts).unwrap(), Language::TypeScript))
    });
    let program = node::Program { files: files.collect(), options: node::strictest() };
    let errors = node.tsc_check_all(&[program]).unwrap();
    assert_eq!(errors, [vec![]]);
}

#[test]
fn files_have_only_the_helpers_that_they_need() {
    let Some(node) = node() else { return };
    let schemas = [
        json!(true),
        json!(false),
        json!({"type": "string"}),
        json!({"enum": [1, [2]]}),
        json!({"const": {"a": 1}}),
        json!({"minimum": 1.5}),
        json!({"exclusiveMaximum": 1}),
        json!({"minLength": 2}),
        json!({"maxLength": 2}),
        json!({"pattern": "a/b"}),
        json!({"format": "email"}),
        json!({"format": "uri"}),
        json!({"format": "date-time"}),
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
    let file = |(index, schema): (usize, &Value)| {
        let contract = contract("x", &[Draft::request("x", &schema.to_string())]).unwrap();
        (format!("{index}.ts"), generated(&contract, Language::TypeScript))
    };
    // The compiler tells of what is not used and of what is not there.
    let program = node::Program { files: schemas.iter().enumerate().map(file).collect(), options: node::strictest() };
    assert_eq!(node.tsc_check_all(&[program]).unwrap(), [vec![]]);
    let payloads = ["null", "1", "\"a/b\"", "[1, 1]", "{}", r#"{"a": 1, "toString": null}"#].map(str::to_owned);
    assert_agreement(&schemas.map(|schema| pair(schema, payloads.to_vec())));
}

fn pair(schema: Value, payloads: Vec<String>) -> Pair {
    Pair { label: "case".to_owned(), schema: schema.to_string(), payloads }
}

#[test]
fn depth_is_limited_whatever_the_schema() {
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
fn ways_that_lead_back_to_each_other_take_no_exponential_time() {
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
                        'é', ' ', '"', '\\', '_', 'Z', '\n', '😀',
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
