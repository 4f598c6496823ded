//! Loading a schema: findings, their codes and their pointers.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_schema::{Json, Problem, Schema, codes};
use serde_json::{Value, json};

fn load(schema: &Value) -> Result<Schema, Vec<Problem>> {
    Schema::parse(&Json::try_from(schema).unwrap())
}

fn findings(schema: &Value) -> Vec<Problem> {
    load(schema).map_or_else(|problems| problems, |schema| schema.warnings().to_vec())
}

/// Checks all findings, each written as `code pointer`.
fn check(schema: Value, expected: &[&str]) {
    let found: Vec<String> = findings(&schema).iter().map(|p| format!("{} {}", p.code.as_str(), p.pointer)).collect();
    assert_eq!(found, expected, "{schema}");
}

fn check_help(schema: Value, expected: &str) {
    let help = findings(&schema).first().and_then(|problem| problem.help.clone()).unwrap();
    assert!(help.contains(expected), "{schema}: {help}");
}

/// `depth` levels of `not` around `true`.
fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(true), |schema, _| json!({ "not": schema }))
}

fn nested_array(depth: usize) -> Value {
    (0..depth).fold(json!(1), |value, _| json!([value]))
}

#[test]
fn every_keyword_of_the_subset_loads() {
    check(
        json!({
            "$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://example.com/x", "$comment": "c",
            "title": "t", "description": "d", "default": {"a": "xy"}, "examples": [{"a": "xy"}],
            "type": ["object", "null"], "required": ["a", "not in properties"], "additionalProperties": {"type": "integer"},
            "properties": {
                "a": {"type": "string", "minLength": 2.0, "maxLength": 1e2, "pattern": "^x", "format": "uri-reference"},
                "b": {"type": "array", "items": {"$ref": "#/definitions/b"}, "minItems": 0, "maxItems": 9, "uniqueItems": true},
                "c": {"minimum": -1.5, "maximum": 2, "exclusiveMinimum": -2, "exclusiveMaximum": 1e9, "multipleOf": 1e-2},
                "i": {"patternProperties": {"^x": {"type": "string"}, "y$": true}, "additionalProperties": false, "required": ["x1"]},
                "g": {"type": "object", "minProperties": 1, "maxProperties": 9},
                "h": {"dependentRequired": {"a": ["b"], "c": []}, "dependencies": {"a": ["b", "d"], "e": ["f"]}},
                "d": {"enum": [1, "1", null], "not": {"const": 2}},
                "f": {"propertyNames": {"type": "string", "pattern": "^a", "minLength": 1, "maxLength": 9, "format": "uuid", "title": "t"}},
                "e": {"oneOf": [true, {}], "anyOf": [true], "allOf": [{"$ref": "#/definitions/b", "title": "beside"}]},
                "$ref": {"type": "string"}
            },
            "definitions": {"b": false}
        }),
        &["W0104 /default", "W0104 /examples/0"],
    );
    check(json!({"type": "object", "properties": {"definitions": {"type": "string"}}}), &[]);
    check(json!(true), &[]);
    check(json!({}), &[]);
}

#[test]
fn keyword_values_are_checked() {
    check(json!(1), &["E0101 "]);
    check(json!({"properties": {"a/b~": null}}), &["E0101 /properties/a~1b~0"]);
    for (keyword, value) in [
        ("title", json!(1)),
        ("$comment", json!([])),
        ("examples", json!({})),
        ("type", json!(1)),
        ("enum", json!("a")),
        ("properties", json!([])),
        ("definitions", json!([])),
        ("required", json!("a")),
        ("minimum", json!("3")),
        ("exclusiveMaximum", json!(true)),
        ("multipleOf", json!("2")),
        ("minLength", json!("1")),
        ("uniqueItems", json!(0)),
        ("pattern", json!(null)),
        ("format", json!(["uri"])),
        ("anyOf", json!({})),
        ("$schema", json!(7)),
        ("$ref", json!(1)),
    ] {
        check(json!({ keyword: value }), &[&format!("E0102 /{keyword}")]);
    }
    check(json!({"required": ["a", 1, "a"]}), &["E0102 /required/1", "E0104 /required/2"]);
    check(json!({"type": ["string", "string", "strnig"]}), &["E0104 /type/1", "E0105 /type/2"]);
    check(json!({"type": []}), &["E0118 /type"]);
    check(json!({"maxLength": 1.5, "minItems": -1}), &["E0103 /maxLength", "E0103 /minItems"]);
    check(json!({"multipleOf": 0}), &["E0125 /multipleOf"]);
    check(json!({"multipleOf": -2.5}), &["E0125 /multipleOf"]);
    for (digits, is_valid) in [(1000, true), (1001, false)] {
        let schema = format!(r#"{{"multipleOf": 0.{}}}"#, "7".repeat(digits)).parse().unwrap();
        assert_eq!(Schema::parse(&schema).is_ok(), is_valid, "{digits} digits");
    }
    check(json!({"type": "string", "multipleOf": 2}), &["W0107 /multipleOf"]);
    check(json!({"multipleOf": 5, "exclusiveMinimum": 5, "maximum": 9.99}), &["W0103 /multipleOf"]);
    check(json!({"type": "integer", "multipleOf": 2.5, "minimum": 1, "maximum": 4}), &["W0103 /multipleOf"]);
    check(json!({"multipleOf": 2.5, "minimum": 1, "maximum": 4}), &[]);
    check(json!({"multipleOf": 5, "minimum": 6, "maximum": 4}), &["W0103 /minimum"]);
    check(
        json!({"propertyNames": {"pattern": "(", "maxLength": -1}}),
        &["E0112 /propertyNames/pattern", "E0103 /propertyNames/maxLength"],
    );
    check(json!({"propertyNames": {"pattern": "^(a+)+$"}}), &["W0106 /propertyNames/pattern"]);
    check(json!({"type": "array", "propertyNames": {"minLength": 1}}), &["W0107 /propertyNames"]);
    check(json!({"allOf": []}), &["E0117 /allOf"]);
    check(json!({"format": "url"}), &["E0106 /format"]);
    check(json!({"$schema": "http://json-schema.org/draft-04/schema#"}), &["E0115 /$schema"]);
    check(json!({"items": {"$id": "x"}}), &["E0116 /items/$id"]);
    check(json!({"pattern": "("}), &["E0112 /pattern"]);
    check(json!({"pattern": "(a)\\1"}), &["E0113 /pattern"]);
    check(json!({"pattern": "((a{1000}){1000}){1000}"}), &["E0114 /pattern"]);
}

#[test]
fn an_unchecked_format_is_an_annotation() {
    check(json!({"type": "string", "x-format": "url"}), &[]);
    check(json!({"$ref": "#/definitions/a", "x-format": "b", "definitions": {"a": {"x-format": "uuid"}}}), &[]);
    check(json!({"propertyNames": {"maxLength": 9, "x-format": "url"}}), &[]);
    check(json!({"x-format": 1}), &["E0102 /x-format"]);
    check(json!({"format": "uri", "x-format": "url"}), &["E0127 /x-format"]);
    check(json!({"propertyNames": {"format": "uri", "x-format": "url"}}), &["E0127 /propertyNames/x-format"]);
    let (plain, annotated) = (load(&json!({"type": "string"})), load(&json!({"type": "string", "x-format": "url"})));
    let (plain, annotated) = (plain.unwrap(), annotated.unwrap());
    assert_eq!(plain.hash(), annotated.hash());
    assert_eq!(annotated.node(annotated.root()).annotations.x_format.as_deref(), Some("url"));
}

#[test]
fn deprecated_read_only_and_write_only_are_annotations() {
    let flags = json!({"deprecated": true, "readOnly": true, "writeOnly": true});
    check(flags.clone(), &[]);
    check(json!({"$ref": "#/definitions/a", "deprecated": true, "definitions": {"a": {}}}), &[]);
    check(json!({"deprecated": "yes"}), &["E0102 /deprecated"]);
    check(json!({"propertyNames": {"readOnly": true}}), &["E0126 /propertyNames/readOnly"]);
    let schema = load(&flags).unwrap();
    assert_eq!(schema.hash(), load(&json!({})).unwrap().hash());
    let annotations = &schema.node(schema.root()).annotations;
    assert!(annotations.deprecated && annotations.read_only && annotations.write_only);
}

#[test]
fn property_names_have_assertions_about_strings_only() {
    check(json!({"propertyNames": {}}), &[]);
    check(json!({"propertyNames": {"type": ["null", "string"], "description": "d"}}), &[]);
    for value in [json!(true), json!([]), json!("^a$")] {
        check(json!({"propertyNames": value}), &["E0126 /propertyNames"]);
    }
    for keyword in ["enum", "const", "allOf", "anyOf", "not", "$ref", "minimum", "properties", "examples"] {
        let at = format!("E0126 /propertyNames/{}", keyword.replace('/', "~1"));
        check(json!({"propertyNames": {keyword: [1]}}), &[&at]);
    }
    check(json!({"propertyNames": {"type": "integer"}}), &["E0126 /propertyNames/type"]);
    check(json!({"propertyNames": {"zzz": 1}}), &["E0107 /propertyNames/zzz"]);
    // The name of a property is data.
    check(json!({"properties": {"propertyNames": {"enum": ["a"]}}}), &[]);
}

#[test]
fn draft_07_has_four_accepted_uris() {
    for scheme in ["http", "https"] {
        for end in ["", "#"] {
            let uri = format!("{scheme}://json-schema.org/draft-07/schema{end}");
            check(json!({"items": {"$schema": uri}}), &[]);
        }
    }
}

#[test]
fn unknown_keywords_are_rejected_with_a_replacement() {
    for (schema, help) in [
        (json!({"nullable": true, "type": "string"}), "write `type: [\"string\", \"null\"]`"),
        (json!({"nullable": true, "type": ["string", "integer"]}), "[\"string\", \"integer\", \"null\"]"),
        (json!({"nullable": true, "type": "string", "enum": ["a"]}), "add `null` to `enum`"),
        (json!({"nullable": true}), "anyOf"),
        (json!({"nullable": false, "type": "string"}), "remove it"),
        (json!({"$defs": {}}), "`definitions`"),
        (json!({"dependencies": {"a": {"required": ["b"]}}}), "anyOf"),
        (json!({"dependencies": {"a": "b"}}), "write an array"),
        (json!({"dependentRequired": ["a", "b"]}), "write an object"),
        (json!({"dependentSchemas": {}}), "`if`"),
        (json!({"if": {}}), "in `then`"),
        (json!({"then": {}}), "the condition in `if`"),
        (json!({"patternProperties": [{}]}), "by name"),
        (json!({"propertyNames": true}), "remove it"),
        (json!({"propertyNames": false}), "`additionalProperties: false`"),
        (json!({"propertyNames": "^a"}), "an object with `pattern`"),
        (json!({"propertyNames": {"enum": ["a"]}}), "in `properties`"),
        (json!({"propertyNames": {"anyOf": [{"pattern": "a"}]}}), "alternatives"),
        (json!({"propertyNames": {"minimum": 1}}), "an object with `pattern`"),
        (json!({"propertyNames": {"patern": "a"}}), "did you mean `pattern`?"),
        (json!({"propertyNames": {"type": "integer"}}), "as a `pattern`"),
        (json!({"divisibleBy": 2}), "write `multipleOf`"),
        (json!({"contains": {}, "minContains": 2}), "one item"),
        (json!({"prefixItems": []}), "list of schemas in `items`"),
        (json!({"additionalItems": {}}), "write `items`"),
        (json!({"items": {}, "additionalItems": {}}), "`items` applies to all items"),
        (json!({"unevaluatedProperties": false}), "additionalProperties"),
        (json!({"$anchor": "a"}), "definitions"),
        (json!({"requierd": ["a"]}), "did you mean `required`?"),
        (json!({"MinLength": 1}), "did you mean `minLength`?"),
        (json!({"exclusiveMinimum": true, "minimum": 1}), "draft-04"),
        (json!({"type": "int"}), "write `integer`"),
        (json!({"type": "strnig"}), "did you mean `string`?"),
        (json!({"format": "url"}), "write `uri`"),
        (json!({"$ref": "#/$defs/a"}), "rename `$defs`"),
        (json!({"$ref": "#/definitions/nod", "definitions": {"node": {}}}), "did you mean `node`?"),
    ] {
        check_help(schema, help);
    }
    check(json!({"x-internal": 1, "zzz": 1}), &["E0107 /x-internal", "E0107 /zzz"]);
}

#[test]
fn keywords_of_other_schema_languages_get_a_replacement() {
    for (schema, help) in [
        (json!({"min": 1, "type": "string"}), "write `minLength`"),
        (json!({"max": 1, "type": "array"}), "write `maxItems`"),
        (json!({"max": 1, "type": "object"}), "write `maxProperties`"),
        (json!({"size": 1, "type": "object"}), "write `minProperties`"),
        (json!({"max": 1, "type": "int"}), "write `maximum`"),
        (json!({"min": 1}), "write `minimum` for numbers, `minLength` for strings, or `minItems` for arrays"),
        (json!({"length": 1, "type": "string"}), "write `minLength` and `maxLength`"),
        (json!({"regex": "^a$"}), "write `pattern`"),
        (json!({"values": ["a"]}), "write `enum`"),
        (json!({"sku": {"type": "string"}}), "if it is the name of a property, write it in `properties`"),
        (json!({"sku": "String"}), "if it is the name of a property, write it in `properties`"),
    ] {
        check_help(schema, help);
    }
}

#[test]
fn types_in_the_syntax_of_other_languages_get_a_replacement() {
    for (name, help) in [
        ("String", "write `string`"),
        ("Bool", "write `boolean`"),
        ("INT", "write `integer`"),
        ("None", "write `\"null\"`, in quotes"),
        ("string?", "write `type: [string, \"null\"]`"),
        ("string | null", "write `type: [string, \"null\"]`"),
        ("int|str", "write `type: [integer, string]`"),
        ("string[]", "write `type: array` and `items: { type: string }`"),
        ("List<String>", "write `type: array` and `items: { type: string }`"),
        ("uuid", "write `type: string` and `format: uuid`"),
        ("DateTime", "write `type: string` and `format: date-time`"),
        ("date", "write `type: string` and `format: date`"),
        ("ip", "write `type: string` and `pattern: \"^"),
        ("enum", "remove `type`, and list the values: `enum: [...]`"),
        ("any", "remove `type`"),
        ("Money", "write one of `null`, `boolean`"),
        ("a|b", "write one of `null`, `boolean`"),
    ] {
        check_help(json!({ "type": name }), help);
    }
}

#[test]
fn values_of_the_wrong_type_get_a_replacement() {
    for (schema, help) in [
        (json!({"enum": "a"}), "write an array, even for one value: `enum: [...]`"),
        (json!({"enum": {"a": 1}}), "write an array of the values, without names: `enum: [...]`"),
        (json!({"examples": 1}), "write an array, even for one example: `examples: [...]`"),
        (json!({"oneOf": {"type": "string"}}), "write an array of schemas: `oneOf: [{...}, {...}]`"),
        (
            json!({"properties": [{"name": "a"}]}),
            "write the schemas by name, without a list: `properties: { <name>: {...} }`",
        ),
        (json!({"required": {"a": true}}), "write an array of the names of the required properties"),
        (json!({"maxLength": "10"}), "write it without quotes"),
        (json!({"maxLength": "unlimited"}), "write a number; without a limit, remove it"),
        (json!({"uniqueItems": "yes"}), "write `true`, without quotes"),
        (json!({"type": null}), "write the type null in quotes: `type: \"null\"`"),
        (json!({"description": 5}), "put it in quotes"),
        (json!({"enum": null}), "a key without a value is null: add a value, or remove the key"),
        (json!({"items": "string"}), "write `{ type: string }`"),
        (json!({"items": "Int"}), "write `{ type: integer }`"),
        (json!({"items": "Money"}), "write keywords in braces, such as `{ type: string }`"),
        (json!({"items": "string[]"}), "write keywords in braces: write `type: array` and `items: { type: string }`"),
        (json!({"additionalProperties": "no"}), "write `false`, without quotes"),
        (json!({"properties": {"a": null}}), "write `{}` for a schema that accepts every value"),
    ] {
        check_help(schema, help);
    }
}

#[test]
fn formats_in_another_case_get_the_help_of_the_format() {
    for (name, help) in [
        ("Date", "write `date`, or `x-format: Date` if nothing is to be checked"),
        ("IP", "write `pattern: \"^"),
        ("datte", "did you mean `date`? Otherwise write `x-format: datte`"),
        ("UUID", "write `uuid`"),
        ("Date-Time", "write `date-time`"),
        ("dateTime", "write `date-time`"),
        ("URL", "write `uri`"),
        ("url", "write `uri`, or `x-format: url` if nothing is to be checked"),
        ("two words", "`x-format` with this name"),
        ("Int32", "limit the value with `minimum` and `maximum`"),
    ] {
        check_help(json!({ "format": name }), help);
    }
}

#[test]
fn references_must_name_a_definition_of_the_root() {
    let definitions = json!({"a b": {}, "a/b": {}, "a~b": {}, "a%b": {}, "": {}, "é": {}});
    for name in ["a%20b", "a b", "a~1b", "a~0b", "a%25b", "", "%C3%A9", "é"] {
        let schema = json!({"$ref": format!("#/definitions/{name}"), "definitions": definitions.clone()});
        assert!(load(&schema).is_ok(), "{name}");
    }
    for target in [
        "#",
        "",
        "#a",
        "#/",
        "#/definitions",
        "#/properties/a",
        "#/definitions/a/b",
        "#/definitions/a%2Fb",
        "#/definitions/a~2b",
        "#/definitions/a%2",
        "#/definitions/a%zz",
        "#/definitions/%ff",
        "other.json#/definitions/a",
        "http://example.com/#/definitions/a",
    ] {
        check(json!({"$ref": target}), &["E0108 /$ref"]);
    }
    check(json!({"items": {"$ref": "#/definitions/a"}}), &["E0109 /items/$ref"]);
    check_help(json!({"items": {"$ref": "#/definitions/a"}}), "add it to `definitions` at the root of this schema");
    for (keyword, help) in [
        ("minLength", "the same as no limit"),
        ("minItems", "the same as no limit"),
        ("maxLength", "without a limit, remove it"),
        ("maxItems", "without a limit, remove it"),
        ("minProperties", "the same as no limit"),
        ("maxProperties", "without a limit, remove it"),
    ] {
        check_help(json!({keyword: -1}), help);
        check_help(json!({keyword: 1.5}), "write a whole number");
    }
}

#[test]
fn only_annotations_may_appear_next_to_a_reference() {
    let mut schema = json!({
        "$ref": "#/definitions/a", "title": "t", "description": "d", "default": 1, "examples": [1], "$comment": "c",
        "$id": "x", "$schema": "http://json-schema.org/draft-07/schema", "definitions": {"a": {}}
    });
    check(schema.clone(), &[]);
    schema.as_object_mut().unwrap().insert("minimum".to_owned(), json!(1));
    check(schema, &["E0111 /minimum"]);
}

#[test]
fn cycles_that_consume_no_input_are_reported_once_each() {
    check(json!({"definitions": {"a": {"$ref": "#/definitions/a"}}}), &["E0110 /definitions/a/$ref"]);
    check(
        json!({
            "items": {"$ref": "#/definitions/a"},
            "definitions": {
                "a": {"allOf": [{"$ref": "#/definitions/b"}]},
                "b": {"anyOf": [{"oneOf": [{"not": {"$ref": "#/definitions/a"}}]}]}
            }
        }),
        &["E0110 /definitions/b/anyOf/0/oneOf/0/not/$ref"],
    );
    for step in ["items", "additionalProperties"] {
        check(json!({"$ref": "#/definitions/a", "definitions": {"a": {step: {"$ref": "#/definitions/a"}}}}), &[]);
    }
}

#[test]
fn depth_is_limited_to_64_levels_of_subschemas_and_128_of_values() {
    check(nested(64), &[&format!("W0103 {}", "/not".repeat(64))]);
    let refused = load(&nested(65)).unwrap_err();
    assert_eq!(refused.first().unwrap().code, codes::SCHEMA_TOO_DEEP);
    check(json!({"default": nested_array(128)}), &[]);
    for keyword in ["const", "default"] {
        check(json!({keyword: nested_array(129)}), &[&format!("E0120 /{keyword}")]);
    }
    for keyword in ["enum", "examples"] {
        check(json!({keyword: [nested_array(128)]}), &[]);
        check(json!({keyword: [nested_array(129)]}), &[&format!("E0120 /{keyword}")]);
    }
}

#[test]
fn long_chains_of_references_are_rejected() {
    let chain = |length: usize| {
        let link = |n: usize| (format!("d{n}"), json!({"allOf": [{"$ref": format!("#/definitions/d{}", n + 1)}]}));
        let mut definitions: serde_json::Map<String, Value> = (0..length).map(link).collect();
        definitions.insert(format!("d{length}"), json!({}));
        json!({"$ref": "#/definitions/d0", "definitions": definitions})
    };
    assert!(load(&chain(50)).is_ok());
    let problems = load(&chain(20_000)).unwrap_err();
    assert!(problems.iter().all(|problem| problem.code == codes::CHAIN_TOO_LONG));
}

#[test]
fn probable_mistakes_are_warnings() {
    check(json!({"enum": []}), &["W0101 /enum"]);
    check(
        json!({"enum": [1, {"a": 1, "b": 2}, 1.0, {"b": 2, "a": 1}, true, "1"]}),
        &["W0101 /enum/2", "W0101 /enum/3"],
    );
    check(
        json!({"definitions": {"a": {"$ref": "#/definitions/b"}, "b": {}}}),
        &["W0102 /definitions/a", "W0102 /definitions/b"],
    );
    check(json!({"items": {"definitions": {"a": {}}}}), &["W0102 /items/definitions/a"]);
    for (schema, at) in [
        (json!({"minimum": 2, "maximum": 1}), "/minimum"),
        (json!({"exclusiveMinimum": 2, "maximum": 2}), "/exclusiveMinimum"),
        (json!({"minLength": 2, "maxLength": 1}), "/minLength"),
        (json!({"minItems": 2, "maxItems": 1}), "/minItems"),
        (json!({"minProperties": 2, "maxProperties": 1}), "/minProperties"),
        (json!({"properties": {"a": {}, "b": {}}, "required": ["a", "b"], "maxProperties": 1}), "/maxProperties"),
        (
            json!({"properties": {"a": {}, "b": false}, "additionalProperties": false, "minProperties": 2}),
            "/minProperties",
        ),
        (json!({"propertyNames": {"minLength": 2, "maxLength": 1}}), "/propertyNames/minLength"),
        (
            json!({"properties": {"a": {}, "b": {}}, "required": ["a", "b"], "propertyNames": {"pattern": "^a"}}),
            "/required/1",
        ),
        (json!({"minItems": 1, "items": false}), "/items"),
        (json!({"required": ["b", "a"], "properties": {"a": false, "b": {}}}), "/required/1"),
        (json!({"required": ["a"], "additionalProperties": false}), "/required/0"),
        (json!({"type": "string", "enum": [1, null]}), "/enum"),
        (json!({"type": "integer", "const": 1.5}), "/const"),
        (json!({"not": {}}), "/not"),
        (json!({"allOf": [true, false]}), "/allOf"),
        (json!({"anyOf": [false]}), "/anyOf"),
    ] {
        check(schema, &[&format!("W0103 {at}")]);
    }
    check(json!({"minimum": 1, "maximum": 1, "type": "integer", "const": 1.0}), &[]);
    check(json!({"type": "string", "default": 1, "examples": ["a", 2]}), &["W0104 /default", "W0104 /examples/1"]);
    check(json!({"pattern": "(?=a)b"}), &["W0105 /pattern"]);
    check(json!({"pattern": "^(a+)+$"}), &["W0106 /pattern"]);
    for (pattern, inner) in [("/^a$/", "^a$"), ("/^a$/i", "^a$"), ("/^a|b/", "^a|b"), ("/a$/gu", "a$")] {
        check(json!({"pattern": pattern}), &["W0110 /pattern"]);
        check_help(json!({"pattern": pattern}), &format!("remove the slashes: write {inner:?}"));
    }
    for pattern in ["/a/", "^/a$", "/", "//", "^/$", "/api/v1", "/^a$/b", r"/a\$/"] {
        check(json!({"pattern": pattern}), &[]);
    }
    check(json!({"type": "integer", "minLength": 1}), &["W0107 /minLength"]);
    check(json!({"type": "integer", "minimum": 1}), &[]);
}

#[test]
fn numbers_that_no_javascript_number_equals_are_reported_once_for_each_keyword() {
    let check_text = |text: &str, expected: &[&str]| {
        let found = match Schema::parse(&text.parse::<Json>().unwrap()) {
            Ok(schema) => schema.warnings().to_vec(),
            Err(problems) => problems,
        };
        let found: Vec<String> = found.iter().map(|p| format!("{} {}", p.code.as_str(), p.pointer)).collect();
        assert_eq!(found, expected, "{text}");
    };
    for text in ["9007199254740993", "1152921504606846976", "0.1000000000000000055511151231257827", "1e23"] {
        let expected: &[&str] = if text == "1e23" { &[] } else { &["W0108 /const"] };
        check_text(&format!(r#"{{"const": {text}}}"#), expected);
    }
    check_text(r#"{"enum": [1, 9007199254740992, 18446744073709551615, 9007199254740993]}"#, &["W0108 /enum/2"]);
    check_text(r#"{"const": [{"a": [0.1, 9007199254740993]}]}"#, &["W0108 /const/0/a/1"]);
    // Bounds need not be equal to a payload, and an example that rounds is its own value.
    check_text(r#"{"minimum": 9007199254740993}"#, &[]);
    check_text(r#"{"const": 0.1, "default": 0.10, "examples": [0.1]}"#, &[]);
    check_text(r#"{"const": 9007199254740993, "default": 9007199254740993}"#, &["W0108 /const"]);
    check_text(r#"{"const": 0.10000000000000000001, "default": 0.1}"#, &["W0108 /const", "W0104 /default"]);
}

#[test]
fn all_errors_are_reported_at_once_in_source_order() {
    let member = |name: &str, value: Json| (name.to_owned(), value);
    let text = |text: &str| Json::String(text.to_owned());
    let schema = Json::Object(
        [
            member("zzz", Json::Null),
            member("type", text("x")),
            member("items", Json::Object([member("minimum", text("1"))].into_iter().collect())),
            member("enum", Json::Array(Vec::new())),
        ]
        .into_iter()
        .collect(),
    );
    let found: Vec<_> = Schema::parse(&schema).unwrap_err().iter().map(|p| p.code.as_str()).collect();
    assert_eq!(found, ["E0107", "E0105", "E0102", "W0101"]);
}

#[test]
fn nodes_are_in_source_order_with_parents_first() {
    let schema = load(&json!({
        "allOf": [{"items": {}}, true],
        "definitions": {"d": {}},
        "properties": {"a": {"$ref": "#/definitions/d"}}
    }))
    .unwrap();
    let pointers: Vec<&str> = schema.nodes().map(|(_, node)| node.pointer.as_str()).collect();
    assert_eq!(pointers, ["", "/allOf/0", "/allOf/0/items", "/allOf/1", "/definitions/d", "/properties/a"]);
}

#[test]
fn schemas_with_huge_pointers_are_rejected_in_bounded_memory() {
    let items: Vec<Value> = (0..2_000).map(|_| json!({})).collect();
    let schema = json!({"properties": {"x".repeat(1 << 16): {"allOf": items}}});
    let problems = load(&schema).unwrap_err();
    assert_eq!(problems.last().unwrap().code, codes::SCHEMA_TOO_LARGE);
}

#[test]
fn large_schemas_load_in_linear_time() {
    let properties: serde_json::Map<String, Value> =
        (0..20_000).map(|n| (format!("p{n}"), json!({"$ref": format!("#/definitions/d{n}")}))).collect();
    let definitions: serde_json::Map<String, Value> =
        (0..20_000).map(|n| (format!("d{n}"), json!({"type": "string"}))).collect();
    let required: Vec<String> = (0..20_000).map(|n| format!("p{n}")).collect();
    check(json!({"properties": properties, "definitions": definitions, "required": required}), &[]);
}

/// The pattern in the help is copied into the schema, which must then load and accept the values of the format.
#[test]
fn a_format_outside_of_the_subset_gets_a_pattern_to_paste() {
    for (format, valid, invalid) in [
        ("partial-date-time", "2024-02-29T12:00:00", "2023-02-29T12:00:00"),
        ("partial-time", "12:00:00.25", "12:00"),
        ("ip", "127.0.0.1", "127.0.0.256"),
    ] {
        let help = findings(&json!({ "format": format }))[0].help.clone().unwrap();
        let pattern = help.split_once("`pattern: ").unwrap().1.split_once("`, or `").unwrap().0;
        let pattern: Value = serde_json::from_str(pattern).unwrap();
        let validator = capgen_schema::Validator::new(&load(&json!({ "pattern": pattern })).unwrap());
        assert!(validator.is_valid(&json!(valid)), "{format}");
        assert!(!validator.is_valid(&json!(invalid)), "{format}");
    }
}

#[test]
fn a_required_property_that_no_schema_of_its_place_declares_is_a_warning() {
    let sku = json!({"sku": {"type": "string"}});
    check(json!({"properties": sku, "required": ["sku", "sky"]}), &["W0109 /required/1"]);
    check(
        json!({"properties": sku, "oneOf": [{"required": ["sku"]}, {"required": ["sky"]}]}),
        &["W0109 /oneOf/1/required/0"],
    );
    check(json!({"allOf": [{"properties": sku}, {"required": ["sky"]}]}), &["W0109 /allOf/1/required/0"]);
    check(json!({"items": {"properties": sku, "required": ["sky"]}}), &["W0109 /items/required/0"]);
    check(
        json!({"definitions": {"a": {"properties": sku}}, "allOf": [{"$ref": "#/definitions/a"}], "required": ["sky"]}),
        &["W0109 /required/0"],
    );
    check_help(json!({"properties": sku, "required": ["sky"]}), "did you mean `sku`?");
}

#[test]
fn a_required_property_may_be_declared_by_another_schema_of_its_place() {
    let a = json!({"a": {"type": "string"}, "b": {}});
    for schema in [
        json!({"required": ["a"]}),
        json!({"type": "object", "required": ["a"]}),
        json!({"properties": a, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        json!({"properties": {"x": {}}, "anyOf": [{"properties": a}, {"required": ["a"]}]}),
        json!({"properties": {"x": {}}, "required": ["a"], "allOf": [{"$ref": "#/definitions/d"}], "definitions": {"d": {"properties": a}}}),
        json!({"definitions": {"d": {"properties": {"x": {}}, "required": ["a"]}}, "allOf": [{"$ref": "#/definitions/d"}, {"properties": a}]}),
        json!({"properties": {"x": {}}, "required": ["a"], "additionalProperties": true}),
        json!({"properties": {"x": {}}, "required": ["a"], "additionalProperties": {"type": "string"}}),
        json!({"properties": {"x": {}}, "not": {"required": ["a"]}}),
        json!({"properties": {"x": {}}, "not": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}}),
    ] {
        check(schema, &[]);
    }
    // One mistake has one warning.
    check(json!({"properties": {"x": {}}, "required": ["a"], "additionalProperties": false}), &["W0103 /required/0"]);
}

#[test]
fn a_misspelt_required_property_of_a_closed_object_has_a_suggestion_at_its_place_in_the_list() {
    let closed = |required: Value| json!({"properties": {"sku": {}, "amount": {}}, "required": required, "additionalProperties": false});
    check(closed(json!(["amount", "sky"])), &["W0103 /required/1"]);
    check_help(closed(json!(["amount", "sky"])), "did you mean `sku`?");
    check(closed(json!(["amuont", "sky"])), &["W0103 /required/0", "W0103 /required/1"]);
    check_help(closed(json!(["colour"])), "declare it in `properties`, or remove it from `required`");
    // Another schema of the place declares the property, but the closed one rejects it.
    check(
        json!({"allOf": [{"properties": {"a": {}}}, {"required": ["a"], "additionalProperties": false}]}),
        &["W0103 /allOf/1/required/0"],
    );
}

#[test]
fn a_required_property_of_an_open_object_is_reported_only_if_it_is_a_typo_of_a_declared_one() {
    let open = |declared: &str, required: &str, others: Value| json!({"properties": {declared: {}}, "required": [required], "additionalProperties": others});
    for others in [json!(true), json!({}), json!({"type": "string"})] {
        for (declared, required) in
            [("sku", "sky"), ("userId", "userID"), ("user_id", "userId"), ("email", "emial"), ("address", "adress")]
        {
            let schema = open(declared, required, others.clone());
            check(schema.clone(), &["W0109 /required/0"]);
            check_help(schema, &format!("did you mean `{declared}`? If not, declare `{required}` in `properties`"));
        }
        for (declared, required) in [
            ("id", "url"),
            ("id", "uid"),
            ("a", "b"),
            ("x1", "x2"),
            ("line1", "line2"),
            ("minPrice", "maxPrice"),
            ("latitude", "longitude"),
            ("sku", "quantity"),
        ] {
            check(open(declared, required, others.clone()), &[]);
        }
    }
    // Both names are meant if both are required.
    check(json!({"properties": {"item": {}}, "required": ["item", "items"], "additionalProperties": true}), &[]);
}

#[test]
fn patterns_of_names_are_checked_like_other_patterns() {
    check(json!({"patternProperties": {"(": {}}}), &["E0112 /patternProperties/("]);
    check(
        json!({"patternProperties": {"^(a+)+$": {"minimum": "1"}}}),
        &["W0106 /patternProperties/^(a+)+$", "E0102 /patternProperties/^(a+)+$/minimum"],
    );
    check(json!({"type": "string", "patternProperties": {"a": {}}}), &["W0107 /patternProperties"]);
    let many: serde_json::Map<String, Value> = (0..65).map(|number| (format!("^{number}$"), json!({}))).collect();
    check(json!({"patternProperties": many}), &["E0123 /patternProperties"]);
}
