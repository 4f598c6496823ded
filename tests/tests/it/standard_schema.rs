//! The sides of capabilities as Standard Schemas: their types, their names, and the libraries that accept them.

use capgen_codegen::Language;
use capgen_manifest::{Manifest, Side};
use capgen_schema::Validator;
use capgen_testkit::node::{command, printed};
use capgen_tests::contract::{Draft, contract, generated, generated_with_calls, random_names};
use capgen_tests::node::{self, Node, Program, TscError};
use serde_json::{Value, json};

fn node() -> Option<Node> {
    node::require_or_skip().unwrap()
}

fn compile(node: &Node, files: &[(&str, String)], options: Value) -> Vec<TscError> {
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.clone())).collect();
    node.tsc_check_all(&[Program { files, options }]).unwrap().into_iter().flatten().collect()
}

/// An order whose paths need care: items, names that look like indexes, and characters that pointers escape.
const ORDER: &str = r##"{
    "type": "object", "required": ["lines"], "additionalProperties": false,
    "definitions": {
        "Line": {"type": "object", "required": ["sku"], "properties": {
            "sku": {"type": "string", "minLength": 2}, "count": {"type": "integer", "minimum": 1}}},
        "a b/c~%": {"type": "array", "items": {"type": "array", "items": {"$ref": "#/definitions/Line"}}}
    },
    "properties": {
        "lines": {"type": "array", "description": "At least one.", "minItems": 1, "items": {"$ref": "#/definitions/Line"}},
        "byNumber": {"type": "object", "additionalProperties": {"$ref": "#/definitions/Line"}},
        "a/b~c": {"$ref": "#/definitions/a%20b~1c~0%25"},
        "__proto__": {"type": "object", "properties": {"0": {"type": "array", "items": {"type": "null"}}}},
        "$ref": {"type": "string"},
        "": {"type": "boolean"}
    }
}"##;

const RECEIPT: &str = r#"{"type": "object", "required": ["total"], "properties": {
    "total": {"type": "number"}, "notes": {"type": "array", "items": {"type": "string"}}}}"#;

fn shop() -> Manifest {
    let order = Draft { output: Some(RECEIPT.to_owned()), ..Draft::request("order", ORDER) };
    let ping = Draft { name: "ping".to_owned(), description: None, input: None, output: None };
    contract("shop", &[order, ping]).unwrap()
}

/// A program that gives generated objects to the official types.
const TYPES: &str = r#"
import type { StandardJSONSchemaV1, StandardSchemaV1, StandardTypedV1 } from "@standard-schema/spec";
import { orderRequest, orderResponse, pingRequest } from "./shop.EXTENSION";
import type { OrderRequest, OrderResponse, PingRequest, StandardSchema } from "./shop.EXTENSION";

export const order: StandardSchemaV1<OrderRequest, OrderRequest> = orderRequest;
export const receipt: StandardSchemaV1<OrderResponse> & StandardJSONSchemaV1<OrderResponse> = orderResponse;
export const typed: StandardTypedV1<OrderRequest> = orderRequest;
export const ping: StandardSchemaV1<unknown> & StandardJSONSchemaV1<PingRequest> = pingRequest;
export function any<T>(schema: StandardSchema<T>): StandardSchemaV1<T> & StandardJSONSchemaV1<T> {
  return schema;
}
// @ts-expect-error another type
export const wrong: StandardSchemaV1<OrderRequest> = orderResponse;

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export const equal: [
  Equal<StandardSchemaV1.InferInput<typeof orderRequest>, OrderRequest>,
  Equal<StandardSchemaV1.InferOutput<typeof orderRequest>, OrderRequest>,
  Equal<StandardJSONSchemaV1.InferInput<typeof orderResponse>, OrderResponse>,
  Equal<StandardSchemaV1.InferOutput<typeof pingRequest>, unknown>,
] = [true, true, true, true];

const result = orderRequest["~standard"].validate({}, { libraryOptions: { limit: 1, redact: true } });
export const sku: string = result.issues ? result.issues[0]?.message ?? "" : result.value.lines[0].sku;
export const schema: Record<string, unknown> = orderRequest["~standard"].jsonSchema.input({ target: "draft-2020-12" });
"#;

#[test]
fn the_official_types_accept_generated_objects() {
    let Some(node) = node() else { return };
    let typescript = generated(&shop(), Language::TypeScript);
    let declarations = capgen_codegen::generate(&shop(), &[Language::JavaScript]).remove("shop.d.ts").unwrap();
    for (name, extension, text) in [("shop.ts", "ts", typescript), ("shop.d.ts", "js", declarations)] {
        for options in [node::strict(), node::strictest()] {
            let uses = TYPES.replace("EXTENSION", extension);
            assert_eq!(compile(&node, &[(name, text.clone()), ("uses.ts", uses)], options), [], "{name}");
        }
    }
}

/// The path of a violation as a list, by the value in which it is.
fn path(pointer: &str, payload: &Value) -> Value {
    let mut place = Some(payload);
    let key = |token: String| {
        let (key, next) = match place {
            Some(Value::Array(items)) => {
                let index: usize = token.parse().unwrap();
                (json!(index), items.get(index))
            }
            Some(Value::Object(members)) => (json!(token), members.get(&token)),
            _ => (json!(token), None),
        };
        place = next;
        key
    };
    capgen_schema::pointer::tokens(pointer).map(key).collect()
}

/// The violations that the interpreter finds, as issues; `null` if there are none.
fn issues(contract: &Manifest, side: Side, payload: &Value) -> Value {
    let validator = Validator::new(contract.capabilities[0].schema(side).unwrap());
    let violations = validator.validate(payload);
    let issue = |v: &capgen_schema::Violation| json!({"message": v.message, "path": path(&v.path, payload), "keyword": v.keyword.to_string()});
    if violations.is_empty() { Value::Null } else { violations.iter().map(issue).collect() }
}

/// Issues without the parameters of their keywords, which each of them has.
fn without_params(issues: &Value) -> Value {
    let mut issues = issues.clone();
    for issue in issues.as_array_mut().into_iter().flatten() {
        assert!(issue.as_object_mut().unwrap().remove("params").unwrap().is_object(), "{issue}");
    }
    issues
}

/// Issues in the order of their texts.
fn sorted(issues: &Value) -> Option<Vec<String>> {
    let mut texts: Vec<_> = issues.as_array()?.iter().map(|i| json!([i["message"], i["path"]]).to_string()).collect();
    texts.sort();
    Some(texts)
}

/// Issues as MCP's SDK writes them.
fn mcp_text(issues: &Value) -> String {
    let text = |issue: &Value| {
        let message = issue["message"].as_str().unwrap();
        let key = |key: &Value| key.as_str().map_or_else(|| key.to_string(), str::to_owned);
        let path: Vec<String> = issue["path"].as_array().unwrap().iter().map(key).collect();
        if path.is_empty() { message.to_owned() } else { format!("{}: {message}", path.join(".")) }
    };
    issues.as_array().unwrap().iter().map(text).collect::<Vec<_>>().join(", ")
}

#[test]
fn libraries_report_the_violations_of_the_interpreter_as_issues() {
    let Some(node) = node() else { return };
    let contract = shop();
    let valid = json!({"lines": [{"sku": "ab"}], "byNumber": {"0": {"sku": "ab", "count": 2}}, "a/b~c": [[{"sku": "ab"}]], "": true});
    let receipt = json!({"total": 1.5, "notes": []});
    let requests = [
        json!({}),
        json!({"lines": []}),
        json!({"lines": [{"sku": "a"}, {"count": 0}, 5]}),
        json!({"lines": [{"sku": "ab"}], "byNumber": {"0": {"sku": 1}, "1": [], "01": {"sku": "ab", "count": 1.5}}}),
        json!({"lines": [{"sku": "ab"}], "a/b~c": [[], [{"sku": "ab"}, {"sku": ""}], 0], "extra/0": 1, "": 0}),
        json!({"lines": {"0": {}}, "byNumber": [{}], "$ref": 1}),
        serde_json::from_str(r#"{"lines": [{"sku": "ab"}], "__proto__": {"0": [null, 1], "constructor": 0}}"#).unwrap(),
    ];
    let responses = [json!({"total": "1", "notes": ["a", 1, null]}), json!({"notes": [[]]})];
    let mut payloads = vec![(valid.clone(), receipt.clone())];
    payloads.extend(requests.map(|request| (request, receipt.clone())));
    payloads.extend(responses.map(|response| (valid.clone(), response)));
    let texts: Vec<[String; 2]> = payloads.iter().map(|(a, b)| [a.to_string(), b.to_string()]).collect();
    let file = generated(&contract, Language::TypeScript);
    let answers = node
        .standard(&json!({"file": file, "request": "orderRequest", "response": "orderResponse", "payloads": texts}))
        .unwrap();
    for ((request, response), answer) in payloads.iter().zip(answers["results"].as_array().unwrap()) {
        let (of_request, of_response) =
            (issues(&contract, Side::Request, request), issues(&contract, Side::Response, response));
        let first = if of_request.is_null() { &of_response } else { &of_request };
        assert_eq!(&without_params(&answer["direct"]), first, "{request} {response}");
        assert_eq!(&without_params(&answer["trpc"]), first, "{request} {response}");
        assert_eq!(&without_params(&answer["orpc"]), first, "{request} {response}");
        assert_eq!(without_params(&answer["hono"]), of_request, "{request}");
        assert_eq!(sorted(&answer["form"]), sorted(&of_request), "{request}");
        match answer["mcp"].as_str() {
            // The SDK copies arguments into objects, which loses this name before the server validates them.
            None if request.get("__proto__").is_some() => {}
            Some(text) => assert!(text.contains(&mcp_text(first)), "{text}\n{first}"),
            None => assert!(first.is_null(), "{request} {response}"),
        }
    }
    assert_eq!(answers["results"][0]["direct"], Value::Null);
    let listed = &answers["schemas"]["request"];
    assert_eq!(listed["properties"]["lines"]["description"], "At least one.");
    assert_eq!(listed["properties"]["a/b~c"]["$ref"], "#/$defs/a%20b~1c~0%25");
    assert_eq!(listed["$defs"]["Line"]["required"], json!(["sku"]));
    assert_eq!(answers["schemas"]["response"]["required"], json!(["total"]));
}

#[test]
fn names_of_objects_differ_from_all_other_names() {
    let Some(node) = node() else { return };
    let object = r#"{"type": "object", "properties": {"a": {"enum": [1, 2]}}}"#;
    let draft = |name: &str| Draft { output: Some(object.to_owned()), ..Draft::request(name, object) };
    // `handle-x` has an object with the name of the function that handles messages for the agent `x-request`.
    let names = ["x", "parse-x", "is-x", "assert-x", "handle-x", "create-x", "X_", "in", "schema-x", "1", "standard"];
    let drafts = names.map(draft);
    let mut contracts: Vec<Manifest> =
        ["x", "x-request", "request"].iter().map(|agent| contract(agent, &drafts).unwrap()).collect();
    contracts.extend(random_names(20));
    let program = |contract: &Manifest| Program {
        files: vec![("a.ts".to_owned(), generated_with_calls(contract, Language::TypeScript))],
        options: node::strictest(),
    };
    let programs: Vec<Program> = contracts.iter().map(program).collect();
    assert_eq!(node.tsc_check_all(&programs).unwrap().concat(), []);
    let text = generated_with_calls(&contracts[1], Language::TypeScript);
    assert!(
        text.contains("export function handleXRequest(") && text.contains("export const handleXRequestX"),
        "{text}"
    );
}

/// A program that prints the keywords and parameters of the issues about a value.
const PARAMETERS: &str = r#"
import { checkRequest } from "./limits.mjs";
const issues = (value, libraryOptions) => checkRequest["~standard"].validate(value, { libraryOptions }).issues;
const shown = (issue) => `${issue.path.join(".")} ${issue.keyword} ${JSON.stringify(issue.params)}`;
const value = { size: 0.7, text: "AB/", list: [1, 1, 1], color: "x", id: "x", fixed: 1, a: 1, nested: { deep: "" } };
for (const issue of issues(value)) console.log(shown(issue));
console.log(issues({ unknown: 1 }, { redact: true }).map(shown).join());
console.log(JSON.stringify(issues({ size: 0, text: "", color: "y" }, { limit: 1 }).at(-1)));
"#;

#[test]
fn issues_have_the_keyword_and_its_parameters() {
    if node().is_none() {
        return;
    }
    let schema = r##"{"type": "object", "required": ["must"], "additionalProperties": false, "dependentRequired": {"a": ["b"]},
        "definitions": {"Deep": {"type": "string", "minLength": 1}},
        "properties": {
            "must": {}, "a": {}, "b": {}, "fixed": {"const": {"a": 2}}, "id": {"type": "string", "format": "uuid"},
            "size": {"type": "number", "multipleOf": 0.5, "exclusiveMinimum": 1}, "text": {"pattern": "^[a-z]/$", "maxLength": 2},
            "list": {"type": "array", "items": {"type": ["string", "null"]}, "maxItems": 2},
            "color": {"enum": ["red", "green"]}, "nested": {"oneOf": [{"type": "object", "properties": {"deep": {"$ref": "#/definitions/Deep"}}}, {"type": "null"}]}}}"##;
    let contract = contract("limits", &[Draft::request("check", schema)]).unwrap();
    let printed = run("issues", &contract, PARAMETERS);
    let expected = [
        r#"b dependentRequired {"property":"a","missingProperty":"b"}"#,
        r#"color enum {"allowedValues":["red","green"]}"#,
        r#"fixed const {"allowedValue":{"a":2}}"#,
        r#"id format {"format":"uuid"}"#,
        r#"list maxItems {"limit":2}"#,
        r#"list.0 type {"type":["null","string"]}"#,
        r#"list.1 type {"type":["null","string"]}"#,
        r#"list.2 type {"type":["null","string"]}"#,
        r#"must required {"missingProperty":"must"}"#,
        r#"nested.deep minLength {"limit":1}"#,
        r#"size exclusiveMinimum {"limit":1}"#,
        r#"size multipleOf {"multipleOf":0.5}"#,
        r#"text maxLength {"limit":2}"#,
        r#"text pattern {"pattern":"^[a-z]/$"}"#,
        r#"must required {"missingProperty":"must"},unknown additionalProperties {}"#,
        r#"{"message":"and more","path":[]}"#,
    ];
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
}

/// A program that prints the objects that forms become.
const FORMS: &str = r##"
import { coerce, findRequest, findResponse, isFindRequest, parseFindRequest } from "./forms.mjs";
const show = (value) => console.log(JSON.stringify(value));
const query = (text, schema = findRequest) => coerce(schema, new URLSearchParams(text));
show(query("page=2&q=12&ratio=-1.5e0&open=true&sort=1&tags=1&tags=2&names=3&either=5&__proto__=7&x1=4"));
show(query("page=&q=&ratio=&open=&sort=asc&tags=9"));
// Texts that are not written as such values, or would lose digits, stay as they are.
show(query("page=01&ratio=0x1&open=yes&sort=null&tags=&big=9007199254740993&big2=1e999"));
show(query("page=1&page=2&other=1"));
show(query("a=1&b=x", findResponse));
const form = new FormData();
form.append("q", "ab");
form.append("file", new Blob(["x"]));
show(coerce(findRequest, form).file.size);
show(coerce(findRequest, { page: "3", tags: ["4", "x"], open: undefined, q: 5, names: [] }));
// It is a function of its own: validators convert nothing.
show([isFindRequest({ page: "1" }), parseFindRequest({ page: "1" }).violations[0].message, isFindRequest(query("page=1"))]);
"##;

#[test]
fn forms_become_objects_by_a_function_of_their_own() {
    if node().is_none() {
        return;
    }
    let schema = r##"{"type": "object",
        "definitions": {"a b/c~": {"type": ["integer", "null"]}, "List": {"items": {"$ref": "#/definitions/a%20b~1c~0"}, "type": "array"}},
        "patternProperties": {"^x[0-9]$": {"type": "integer"}},
        "allOf": [{"properties": {"ratio": {"allOf": [{"type": "number"}, {"maximum": 10}]}}},
                  {"oneOf": [{"required": ["a"]}, {"properties": {"open": {"type": "boolean"}}}]}],
        "properties": {
            "page": {"$ref": "#/definitions/a%20b~1c~0"}, "q": {"type": "string"}, "sort": {"enum": ["asc", 1, null]},
            "tags": {"$ref": "#/definitions/List"}, "names": {"type": "array", "items": {"type": "string"}},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "__proto__": {"type": "integer"},
            "big": {"type": "integer"}, "big2": {"type": "number"}, "file": {}}}"##;
    let output = r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#;
    let draft = Draft { output: Some(output.to_owned()), ..Draft::request("find", schema) };
    let printed = run("forms", &contract("forms", &[draft]).unwrap(), FORMS);
    let expected = [
        r#"{"page":2,"q":"12","ratio":-1.5,"open":true,"sort":1,"tags":[1,2],"names":["3"],"either":"5","__proto__":7,"x1":4}"#,
        r#"{"page":null,"q":"","sort":"asc","tags":[9]}"#,
        r#"{"page":"01","ratio":"0x1","open":"yes","sort":null,"tags":[null],"big":"9007199254740993","big2":"1e999"}"#,
        r#"{"page":[1,2],"other":"1"}"#,
        r#"{"a":1,"b":"x"}"#,
        "1",
        r#"{"page":3,"tags":[4,"x"],"q":5,"names":[]}"#,
        r#"[false,"expected null or integer, got string",true]"#,
    ];
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
}

/// Writes the modules of a contract and a program into a folder; returns the output of the program.
fn run(name: &str, contract: &Manifest, program: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("standard-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in capgen_codegen::generate(contract, &[Language::JavaScriptModule]) {
        std::fs::write(folder.join(name), text).unwrap();
    }
    std::fs::write(folder.join("main.mjs"), program).unwrap();
    printed(command().arg("main.mjs").current_dir(&folder))
}

/// A program that compares the JSON Schemas with the sources, and uses an object that accepts everything.
const CONVERT: &str = r##"
import assert from "node:assert/strict";
import { oddRequest, oddResponse, looseRequest } from "./odd.mjs";
const source = JSON.parse(SOURCE);
for (const keyword of ["$schema", "$id", "$comment"]) delete source[keyword];
const { definitions, ...root } = source;
const convert = (schema, target) => schema["~standard"].jsonSchema.output({ target });
assert.deepEqual(convert(oddRequest, "draft-07"), source);
const renamed = JSON.parse(JSON.stringify({ ...root, $defs: definitions }).replaceAll('"$ref":"#/definitions/', '"$ref":"#/$defs/'));
assert.deepEqual(convert(oddRequest, "draft-2020-12"), renamed);
assert.notEqual(convert(oddRequest, "draft-07"), convert(oddRequest, "draft-07"));
assert.deepEqual(convert(oddResponse, "draft-07"), { not: {} });
assert.deepEqual(convert(looseRequest, "draft-2020-12"), {});
for (const schema of [oddRequest, oddResponse, looseRequest])
  for (const target of ["openapi-3.0", "", "toString", undefined]) assert.throws(() => convert(schema, target), /is not supported/);
const { validate } = looseRequest["~standard"];
for (const value of [undefined, null, [{}], Symbol.iterator]) assert.deepEqual(validate(value), { value });
const { issues } = oddRequest["~standard"].validate({ secret: "abc", b: 1 }, { libraryOptions: { redact: true, limit: 1 } });
assert.deepEqual(issues[0].path, ["b"]);
assert.deepEqual(issues.slice(1), [{ message: "and more", path: [] }]);
assert.equal(oddRequest["~standard"].validate({ secret: "abc", b: 1 }).issues.length, 2);
assert.equal(oddRequest["~standard"].validate({ secret: "abc", b: 1 }, null).issues.length, 2);
const cycle = [];
cycle.push(cycle);
assert.deepEqual(oddRequest["~standard"].validate(cycle).issues[0].path, []);
"##;

#[test]
fn json_schemas_equal_the_sources_whatever_their_text() {
    if node().is_none() {
        return;
    }
    let source = r##"{
        "$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://example.org/odd", "$comment": "for authors",
        "title": "</script><!-- ${x} ` \u2028 \u202e */", "description": "a\nb\\ \"quoted\"",
        "type": "object",
        "properties": {
            "secret": {"enum": [1, 1.5e-7, -0.1, null, true, {"$ref": "data", "__proto__": {"a": []}}]},
            "$ref": {"$ref": "#/definitions/a%22b~1c", "description": "a property with the name of a keyword"},
            "definitions": {"const": {"definitions": {"$id": 1}}},
            "__proto__": {"default": {"__proto__": 1, "$comment": "data"}, "examples": ["#/definitions/a", 9007199254740993]},
            "1": {"items": false}, "0": true, "b": {"type": "null", "not": {"maximum": 1e300}}
        },
        "additionalProperties": {"anyOf": [{"$ref": "#/definitions/__proto__"}, {"pattern": "^</script>\\/$"}]},
        "definitions": {"a\"b/c": {"minLength": 2}, "__proto__": {"type": "integer", "multipleOf": 0.01}}
    }"##;
    let odd = Draft { output: Some("false".to_owned()), ..Draft::request("odd", source) };
    let loose = Draft { name: "loose".to_owned(), description: None, input: None, output: None };
    let contract = contract("odd", &[odd, loose]).unwrap();
    assert_eq!(run("schemas", &contract, &CONVERT.replace("SOURCE", &json!(source).to_string())), "");
}
