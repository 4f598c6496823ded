//! Schemas of other dialects, and their normalised form.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use capgen_schema::{Json, Loss, Problem, Reading, Schema, Validator, normalise, normalise_noting};
use serde_json::{Value, json};

pub(crate) fn json_of(value: &Value) -> Json {
    Json::try_from(value).unwrap()
}

pub(crate) fn of(schema: &Value) -> Result<Json, Vec<Problem>> {
    let output = normalise(&json_of(schema))?;
    let again = normalise(&output).unwrap_or_else(|problems| panic!("{schema}: normalising again: {problems:?}"));
    assert_eq!(again.canonical(), output.canonical(), "{schema}: normalising again");
    Schema::parse(&output).unwrap_or_else(|problems| panic!("{schema}: {problems:?}"));
    Ok(output)
}

#[track_caller]
pub(crate) fn check(input: Value, expected: Value) {
    let output = of(&input).unwrap_or_else(|problems| panic!("{input}: {problems:?}"));
    assert_eq!(output.canonical(), json_of(&expected).canonical(), "{input}");
}

/// Checks the pointers and messages of the problems.
#[track_caller]
pub(crate) fn check_rejected(input: Value, expected: &[(&str, &str)]) {
    let problems = of(&input).expect_err(&input.to_string());
    let found: Vec<(&str, &str)> = problems.iter().map(|p| (p.pointer.as_str(), p.message.as_str())).collect();
    assert_eq!(found, expected, "{input}");
}

#[test]
fn integer_formats_become_bounds() {
    let integer = |format: &str| json!({"type": "integer", "format": format});
    let bounds = |low: Value, high: Value| json!({"type": "integer", "minimum": low, "maximum": high});
    check(integer("int8"), bounds(json!(-128), json!(127)));
    check(integer("uint32"), bounds(json!(0), json!(u32::MAX)));
    check(integer("int64"), bounds(json!(i64::MIN), json!(i64::MAX)));
    check(integer("uint"), bounds(json!(0), json!(u64::MAX)));
    check(
        json!({"type": ["integer", "null"], "format": "uint8", "minimum": 0, "maximum": 255}),
        json!({"type": ["integer", "null"], "minimum": 0, "maximum": 255}),
    );
}

#[test]
fn tighter_bounds_than_the_format_are_kept() {
    let byte = |bounds: Value| {
        let mut schema = json!({"type": "integer", "format": "uint8"});
        schema.as_object_mut().unwrap().extend(bounds.as_object().unwrap().clone());
        schema
    };
    check(byte(json!({"minimum": 1, "maximum": 300})), json!({"type": "integer", "minimum": 1, "maximum": 255}));
    check(
        byte(json!({"exclusiveMinimum": 0, "exclusiveMaximum": 1000})),
        json!({"type": "integer", "exclusiveMinimum": 0, "maximum": 255}),
    );
}

#[test]
fn integer_formats_are_not_checked_if_other_types_are_allowed() {
    for others in [json!({"type": "number"}), json!({"type": "string"}), json!({})] {
        let with = |name: &str| {
            let mut schema = others.clone();
            schema[name] = json!("int64");
            schema
        };
        check(with("format"), with("x-format"));
    }
    check(json!({"type": "number", "format": "double"}), json!({"type": "number"}));
    check(
        json!({"type": ["string", "integer"], "format": "int8"}),
        json!({"type": ["string", "integer"], "minimum": -128, "maximum": 127}),
    );
}

#[test]
fn all_kinds_of_definitions_move_to_the_root() {
    check(
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "properties": {"a": {"$ref": "#/$defs/A"}, "again": {"$ref": "#/$defs/A"}},
            "$defs": {"A": {"type": "string"}, "Unused": {"type": "null"}}
        }),
        json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "properties": {"a": {"$ref": "#/definitions/A"}, "again": {"$ref": "#/definitions/A"}},
            "definitions": {"A": {"type": "string"}}
        }),
    );
    check(
        json!({
            "properties": {
                "a": {"definitions": {"Inner thing": {"type": "string"}}, "type": "object"},
                "b": {"$ref": "#/properties/a/definitions/Inner%20thing"},
                "c": {"$ref": "#/properties/a"}
            },
        }),
        json!({
            "properties": {
                "a": {"$ref": "#/definitions/a"},
                "b": {"$ref": "#/definitions/Inner%20thing"},
                "c": {"$ref": "#/definitions/a"}
            },
            "definitions": {"Inner thing": {"type": "string"}, "a": {"type": "object"}},
        }),
    );
    check(
        json!({"$ref": "#/components/schemas/A", "components": {"schemas": {"A": {"type": "null", "nullable": true}}}}),
        json!({"$ref": "#/definitions/A", "definitions": {"A": {"type": "null"}}}),
    );
}

#[test]
fn a_self_referencing_root_becomes_a_definition_named_by_its_title() {
    let tree = |title: &str| json!({"title": title, "type": "object", "properties": {"next": {"$ref": "#"}}});
    let expected = |title: &str, name: &str| {
        let reference = format!("#/definitions/{name}");
        let properties = json!({"next": {"$ref": reference}});
        json!({"$ref": reference, "definitions": {name: {"title": title, "type": "object", "properties": properties}}})
    };
    check(tree("Tree"), expected("Tree", "Tree"));
    check(tree("a tree"), expected("a tree", "atree"));
    check(tree("木"), expected("木", "Root"));
}

#[test]
fn duplicate_definition_names_get_a_suffix_from_their_pointer() {
    let input = |order: [&str; 2]| {
        let inner = |kind: &str| json!({"definitions": {"X": {"type": kind}}});
        let properties: serde_json::Map<String, Value> =
            order.iter().map(|name| ((*name).to_owned(), inner(name))).collect();
        let refs: Vec<Value> =
            order.iter().map(|name| json!({"$ref": format!("#/properties/{name}/definitions/X")})).collect();
        json!({"properties": properties, "anyOf": refs, "not": {"$ref": "#/definitions/X"}, "definitions": {"X": {"type": "null"}}})
    };
    let names = |input: &Value| {
        let output = of(input).unwrap();
        let definitions = output.get("definitions").and_then(Json::as_object).unwrap().iter();
        let mut names: Vec<String> = definitions.map(|(name, json)| format!("{name} {}", json.canonical())).collect();
        names.sort();
        names
    };
    let found = names(&input(["string", "object"]));
    assert_eq!(found, names(&input(["object", "string"])));
    assert_eq!(found[0], r#"X {"type":"null"}"#);
    assert!(found[1].starts_with("X_") && found[2].starts_with("X_"), "{found:?}");
}

#[test]
fn assertions_next_to_a_reference_apply_in_modern_dialects() {
    let definitions = json!({"A": {"type": "string"}});
    check(
        json!({"$ref": "#/$defs/A", "minLength": 1, "description": "d", "$defs": definitions}),
        json!({
            "minLength": 1, "description": "d", "allOf": [{"$ref": "#/definitions/A"}], "definitions": definitions
        }),
    );
    check(
        json!({"$ref": "#/$defs/A", "description": "d", "$defs": definitions}),
        json!({"$ref": "#/definitions/A", "description": "d", "definitions": definitions}),
    );
    check_rejected(
        json!({"$ref": "#/definitions/A", "minLength": 1, "definitions": definitions}),
        &[("/minLength", "`minLength` next to `$ref` is ignored by draft-07")],
    );
}

#[test]
fn a_single_branch_of_all_of_is_merged() {
    let definitions = json!({"A": {"type": "string"}});
    check(
        json!({"properties": {"a": {"description": "d", "default": "x", "allOf": [{"$ref": "#/definitions/A"}]}}, "definitions": definitions}),
        json!({"properties": {"a": {"description": "d", "default": "x", "$ref": "#/definitions/A"}}, "definitions": definitions}),
    );
    let both = json!({"description": "d", "allOf": [{"description": "e", "type": "string"}]});
    check(both.clone(), both);
}

#[test]
fn nullable_becomes_a_type() {
    check(json!({"type": "string", "nullable": true}), json!({"type": ["string", "null"]}));
    check(json!({"type": "string", "nullable": false}), json!({"type": "string"}));
    check(
        json!({"type": "string", "nullable": true, "enum": ["a", null]}),
        json!({"type": ["string", "null"], "enum": ["a", null]}),
    );
    check(
        json!({"type": "string", "nullable": true, "enum": ["a"]}),
        json!({"type": ["string", "null"], "enum": ["a", null]}),
    );
    check(
        json!({"anyOf": [{"type": "string"}], "nullable": true}),
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
    );
    let message = "`nullable` is not part of the schema subset";
    check_rejected(json!({"type": "string", "nullable": 1}), &[("/nullable", message)]);
    // A reference leads to a place that would move.
    let inner = json!({"nullable": true, "oneOf": [{"type": "string"}]});
    let source = json!({"properties": {"a": inner, "b": {"$ref": "#/properties/a/oneOf/0"}}});
    check_rejected(source, &[("/properties/a/nullable", message)]);
}

#[test]
fn tuples_are_lists_in_items() {
    let items = json!([{"type": "string"}, {"type": "integer"}]);
    let rest = json!({"type": "boolean"});
    check(json!({"properties": {"t": {"items": items}}}), json!({"properties": {"t": {"items": items}}}));
    check(json!({"items": items, "additionalItems": rest}), json!({"items": items, "additionalItems": rest}));
    check(json!({"prefixItems": items, "items": false}), json!({"items": items, "additionalItems": false}));
    check(json!({"prefixItems": items, "items": rest}), json!({"items": items, "additionalItems": rest}));
    check(json!({"prefixItems": items, "unevaluatedItems": false}), json!({"items": items, "additionalItems": false}));
    check(json!({"prefixItems": items, "maxItems": 2}), json!({"items": items, "maxItems": 2}));
    check(
        json!({"prefixItems": items, "items": {}, "unevaluatedItems": false}),
        json!({"items": items, "additionalItems": {}}),
    );
    check(json!({"items": [], "additionalItems": rest}), json!({"items": rest}));
    check(json!({"prefixItems": []}), json!({}));
    check(json!({"items": [{"type": "string"}]}), json!({"items": [{"type": "string"}]}));
    // A reference to a position, and one to further items.
    let source = json!({"prefixItems": [{"type": "string"}, {"$ref": "#/prefixItems/0"}, {"$ref": "#/items"}], "items": {"type": "null"}});
    let output = of(&source).unwrap();
    assert_eq!(output.pointer("/items").and_then(Json::as_array).map(<[Json]>::len), Some(3));
    for (valid, value) in
        [(true, json!(["a", "b", null])), (false, json!(["a", null, null])), (false, json!(["a", "b", 1]))]
    {
        let validator = Validator::new(&Schema::parse(&output).unwrap());
        assert_eq!(validator.is_valid(&value), valid, "{value}");
    }
    // Whether `unevaluatedItems` applies depends on the payload.
    let message = "`unevaluatedItems` is not part of the schema subset";
    let open = json!({"items": items, "anyOf": [{"items": {"type": "null"}}, {}], "unevaluatedItems": false});
    check_rejected(open, &[("/unevaluatedItems", message)]);
}

#[test]
fn additional_items_without_a_list_are_ignored_with_a_note() {
    for schema in [json!({"additionalItems": false}), json!({"items": {}, "additionalItems": {"type": "null"}})] {
        let (output, notes) = noted(&schema).unwrap();
        assert_eq!(output.get("additionalItems"), None, "{schema}");
        let found: Vec<_> = notes.iter().map(|note| (note.pointer.as_str(), note.reading)).collect();
        assert_eq!(found, [("/additionalItems", Reading::Ignored)], "{schema}");
    }
}

#[test]
fn tuples_with_the_same_schema_for_all_items_are_lists_of_one_schema() {
    let byte = json!({"type": "integer", "format": "uint8"});
    let output = json!({"type": "integer", "minimum": 0, "maximum": 255});
    check(
        json!({"type": "array", "items": [byte, byte], "minItems": 2, "maxItems": 2}),
        json!({"type": "array", "items": output, "minItems": 2, "maxItems": 2}),
    );
    check(json!({"prefixItems": [byte, byte], "items": false}), json!({"items": output, "maxItems": 2}));
    check(json!({"items": [byte, byte], "additionalItems": byte}), json!({"items": output}));
    check(json!({"items": [true, true]}), json!({"items": true}));
}

#[test]
fn maps_with_any_name_or_listed_names_are_supported() {
    let string = json!({"type": "string"});
    check(
        json!({"patternProperties": {".*": string}, "additionalProperties": false}),
        json!({"additionalProperties": string}),
    );
    for pattern in ["^.*$", "^(.*)$"] {
        check(
            json!({"patternProperties": {pattern: string}, "additionalProperties": false}),
            json!({"propertyNames": {"pattern": pattern}, "additionalProperties": string}),
        );
        let (output, notes) = noted(&json!({"properties": {"a": {"patternProperties": {pattern: string}}}})).unwrap();
        assert_eq!(output, json_of(&json!({"properties": {"a": {"additionalProperties": string}}})));
        let at = format!("/properties/a/patternProperties/{pattern}");
        let found: Vec<_> = notes.iter().map(|note| (note.pointer.as_str(), note.reading)).collect();
        assert_eq!(found, [(at.as_str(), Reading::EveryName)]);
    }
    check(json!({"patternProperties": {"": string}}), json!({"additionalProperties": string}));
    check(
        json!({"patternProperties": {"^(?:true|false)$": string}, "additionalProperties": false}),
        json!({"properties": {"true": string, "false": string}, "additionalProperties": false}),
    );
    check(json!({"propertyNames": string, "additionalProperties": string}), json!({"additionalProperties": string}));
    check(
        json!({
            "propertyNames": {"type": "string", "enum": ["a", "b"]},
            "properties": {"a": {"type": "null"}, "c": string},
            "additionalProperties": string
        }),
        json!({"properties": {"a": {"type": "null"}, "c": false, "b": string}, "additionalProperties": false}),
    );
}

#[test]
fn lists_of_names_can_be_excluded_long_or_next_to_patterns() {
    let (string, names) = (json!({"type": "string"}), json!({"enum": ["a", "b"]}));
    for pattern in ["", "^.*$"] {
        check(
            json!({"propertyNames": names, "patternProperties": {pattern: string}}),
            json!({"properties": {"a": string, "b": string}, "additionalProperties": false}),
        );
    }
    for (rest, name) in [(json!({"^a": string}), json!(["a", "c.d/e"])), (json!({"^.*$": string}), json!(["a\n", "b"]))]
    {
        let pattern = if name[0] == "a" { "^(?:a|c\\.d\\/e)$" } else { "^(?:a\n|b)$" };
        check(
            json!({"propertyNames": {"enum": name}, "patternProperties": rest, "additionalProperties": {"type": "null"}}),
            json!({"propertyNames": {"pattern": pattern}, "patternProperties": rest, "additionalProperties": {"type": "null"}}),
        );
    }
    let many: Vec<String> = (0..100).map(|number| format!("n{number}")).collect();
    let pattern = format!("^(?:{})$", many.join("|"));
    check(
        json!({"propertyNames": {"$ref": "#/$defs/N"}, "additionalProperties": string, "$defs": {"N": {"enum": many}}}),
        json!({"propertyNames": {"pattern": pattern}, "additionalProperties": string}),
    );
    check(
        json!({
            "propertyNames": {"not": {"anyOf": [{"const": "a"}, {"enum": ["b", "c"]}]}},
            "properties": {"a": string, "d": string}, "patternProperties": {"^\\w": string}, "additionalProperties": false
        }),
        json!({
            "properties": {"a": false, "d": string, "b": false, "c": false},
            "additionalProperties": string,
            "allOf": [{"additionalProperties": string}, {"propertyNames": {"pattern": "^\\w"}}]
        }),
    );
    check(
        json!({"propertyNames": {"not": {"enum": ["a"]}}, "patternProperties": {"^(a|b)$": string}}),
        json!({"properties": {"a": false}, "patternProperties": {"^(a|b)$": string}}),
    );
    check(
        json!({"propertyNames": {"anyOf": [names, {"pattern": "^x|y$"}, {"enum": []}]}}),
        json!({"propertyNames": {"pattern": "(?:^(?:a|b)$)|(?:^x|y$)"}}),
    );
    check(
        json!({"propertyNames": {"enum": []}, "patternProperties": {"^a": {}}}),
        json!({"additionalProperties": false}),
    );
}

#[test]
fn maps_with_names_of_a_form_are_supported() {
    let string = json!({"type": "string"});
    let unchanged = json!({
        "propertyNames": {"type": "string", "description": "d", "pattern": "^a", "minLength": 1, "format": "uuid"},
        "additionalProperties": string
    });
    check(unchanged.clone(), unchanged);
    check(
        json!({"type": "object", "patternProperties": {"^\\d+$": string}, "additionalProperties": false}),
        json!({"type": "object", "propertyNames": {"pattern": "^\\d+$"}, "additionalProperties": string}),
    );
    check(
        json!({"patternProperties": {"^x\\-": string, "^y": string}, "unevaluatedProperties": false}),
        json!({"propertyNames": {"pattern": "^x-|^y"}, "additionalProperties": string}),
    );
    check(
        json!({"propertyNames": {"minLength": 1}, "patternProperties": {"^x": {}}, "additionalProperties": false}),
        json!({"propertyNames": {"minLength": 1}, "additionalProperties": {}, "allOf": [{"propertyNames": {"pattern": "^x"}}]}),
    );
    // The schema of the pattern also applies to declared properties.
    check(
        json!({"properties": {"xa": {"maxLength": 1}}, "patternProperties": {"^x": string}, "additionalProperties": false}),
        json!({
            "properties": {"xa": {"maxLength": 1}}, "propertyNames": {"pattern": "^x"}, "additionalProperties": string,
            "allOf": [{"additionalProperties": string}]
        }),
    );
    check(
        json!({"properties": {"xa": string}, "patternProperties": {"^x": true}, "additionalProperties": false}),
        json!({"properties": {"xa": string}, "propertyNames": {"pattern": "^x"}, "additionalProperties": true}),
    );
    check(
        json!({
            "propertyNames": {"allOf": [{"$ref": "#/$defs/name"}, {"type": ["string", "null"], "format": "ip", "default": "d"}]},
            "$defs": {"name": {"type": "string", "pattern": "^a\\-", "x-id": 1, "readOnly": true, "maxLength": 10}}
        }),
        json!({"propertyNames": {"type": "string", "pattern": "^a-", "maxLength": 10}, "allOf": [
            {"propertyNames": {"type": ["string", "null"], "pattern": capgen_schema::normalise(&json_of(&json!({"type": "string", "format": "ip"})))
                .unwrap().get("pattern").unwrap().as_str().unwrap()}}]}),
    );
    check(json!({"propertyNames": {"pattern": "^.*$"}}), json!({"propertyNames": {"pattern": "^.*$"}}));
    check(
        json!({"propertyNames": {"allOf": [true, {"minLength": 0, "maxLength": 3}]}}),
        json!({"propertyNames": {"minLength": 0, "maxLength": 3}}),
    );
    check(
        json!({"propertyNames": {"allOf": [{"pattern": "a"}, {"minLength": 0, "type": "string"}]}}),
        json!({"propertyNames": {"pattern": "a"}}),
    );
    check(json!({"propertyNames": {"allOf": [{}, true]}, "type": "object"}), json!({"type": "object"}));
    check(
        json!({"propertyNames": false, "properties": {"a": string}}),
        json!({"properties": {"a": false}, "additionalProperties": false}),
    );
}

#[test]
fn other_patterns_of_names_are_kept() {
    let string = json!({"type": "string"});
    for schema in [
        // Other names are allowed, a declared name does not match, or the schemas differ.
        json!({"patternProperties": {"^x\\d": string}}),
        json!({"patternProperties": {"^x\\d": string}, "properties": {"y": {}}, "additionalProperties": false}),
        json!({"patternProperties": {"^x\\d": string, "^y": {}}, "additionalProperties": false}),
        json!({"patternProperties": {"^x\\d": string}, "additionalProperties": string}),
    ] {
        check(schema.clone(), schema);
    }
    check(
        json!({"patternProperties": {"^x\\-": string, "^y": {"nullable": true, "type": "string"}}}),
        json!({"patternProperties": {"^x-": string, "^y": {"type": ["string", "null"]}}}),
    );
}

#[test]
fn other_constraints_on_names_are_rejected() {
    let message = |keyword: &str| {
        format!("`{keyword}` constrains the names of properties in a way that is not part of the schema subset")
    };
    for names in [
        json!({"anyOf": [{"pattern": "a"}, {"minLength": 2}]}),
        json!({"not": {"pattern": "a"}}),
        json!({"type": "integer"}),
        json!({"pattern": "a", "enum": ["a", "b"]}),
        json!({"$ref": "#/definitions/loop"}),
    ] {
        let definitions = json!({"loop": {"allOf": [{"$ref": "#/definitions/loop"}]}});
        let problems = of(&json!({"propertyNames": names, "definitions": definitions})).unwrap_err();
        let found: Vec<_> = problems.iter().map(|p| (p.pointer.as_str(), p.message.as_str())).collect();
        assert!(found.contains(&("/propertyNames", &message("propertyNames"))), "{names}: {found:?}");
    }
}

#[test]
fn unsupported_annotations_are_dropped() {
    check(
        json!({"type": "string", "readOnly": true, "x-order": 1, "x-format": {}, "contentMediaType": "text/html", "example": "a"}),
        json!({"type": "string", "readOnly": true, "examples": ["a"]}),
    );
    check(json!({"deprecated": true, "description": "d"}), json!({"deprecated": true, "description": "d"}));
    check(json!({"readOnly": "no", "writeOnly": false}), json!({"writeOnly": false}));
    check(
        json!({"$ref": "#/$defs/a", "deprecated": true, "$defs": {"a": {}}}),
        json!({"$ref": "#/definitions/a", "deprecated": true, "definitions": {"a": {}}}),
    );
}

#[test]
fn escapes_invalid_in_ecma_262_are_removed() {
    check(json!({"pattern": r"^a\-b\#[\-\&]\.$"}), json!({"pattern": r"^a-b#[\-&]\.$"}));
    check(json!({"pattern": r"^a\-{1,2}[{\,}]$"}), json!({"pattern": r"^a-{1,2}[{,}]$"}));
    // The character keeps braces from being a quantifier, so they are characters as well.
    check(json!({"pattern": r"^a{1\,2}$"}), json!({"pattern": r"^a\{1,2\}$"}));
    check(json!({"pattern": r"^a{1,2\}\-$"}), json!({"pattern": r"^a\{1,2\}-$"}));
    // Without the backslash, the character would become syntax.
    for pattern in [r"(?\:a)", r"(?<\=a)", r"(?<a\_b>c)", r"^\p{sc\=Latn}$"] {
        assert_eq!(of(&json!({"pattern": pattern})).unwrap_err().len(), 1, "{pattern}");
    }
}

#[test]
fn errors_of_the_loader_point_into_the_input() {
    check_rejected(
        json!({
            "allOf": [{"properties": {"a": {"minLength": -1}}}],
            "properties": {"b": {"$ref": "#/$defs/B"}},
            "$defs": {"B": {"type": "strnig"}},
            "oneOf": []
        }),
        &[
            ("/$defs/B/type", "unknown type \"strnig\""),
            ("/allOf/0/properties/a/minLength", "`minLength` must be a non-negative integer"),
            ("/oneOf", "`oneOf` is empty"),
        ],
    );
}

#[test]
fn dependencies_become_not_or_if() {
    check(
        json!({"dependentRequired": {"a": ["b", "b"], "c": ["c"]}}),
        json!({"dependencies": {"a": ["b"], "c": ["c"]}}),
    );
    check(
        json!({"dependencies": {"a": ["b"], "c": {"type": "object"}}}),
        json!({
            "dependencies": {"a": ["b"]},
            "if": {"type": "object", "required": ["c"]}, "then": {"type": "object"}
        }),
    );
    check(
        json!({"type": "object", "dependencies": {"a": {"required": ["b"]}}}),
        json!({"type": "object", "not": {"required": ["a"], "not": {"required": ["b"]}}}),
    );
    check(
        json!({"dependentSchemas": {"a": {"type": "object"}}}),
        json!({"if": {"type": "object", "required": ["a"]}, "then": {"type": "object"}}),
    );
    let (a, b) = (json!({"type": "object", "required": ["a"]}), json!({"type": "object", "required": ["b"]}));
    check(
        json!({"if": {"minimum": 1}, "then": {"type": "integer"}, "dependentSchemas": {"a": {"maxProperties": 3}}}),
        json!({
            "if": {"minimum": 1}, "then": {"type": "integer"},
            "allOf": [{"if": a, "then": {"maxProperties": 3}}]
        }),
    );
    check(
        json!({"dependentSchemas": {"a": {"maxProperties": 3}, "b": {"maxProperties": 4}}}),
        json!({
            "if": a, "then": {"maxProperties": 3}, "allOf": [{"if": b, "then": {"maxProperties": 4}}]
        }),
    );
}

#[test]
fn conditions_and_contained_items_are_kept() {
    let (a, b, c) = (json!({"required": ["a"]}), json!({"required": ["b"]}), json!({"required": ["c"]}));
    let nullable = json!({"type": ["string", "null"]});
    let unusual = json!({"type": "string", "nullable": true});
    check(
        json!({"type": "object", "if": a, "then": {"properties": {"p": unusual}}, "else": c}),
        json!({"type": "object", "if": a, "then": {"properties": {"p": nullable}}, "else": c}),
    );
    check(
        json!({"if": {"$ref": "#/$defs/x"}, "then": b, "$defs": {"x": a}}),
        json!({"if": {"$ref": "#/definitions/x"}, "then": b, "definitions": {"x": a}}),
    );
    check(json!({"contains": unusual}), json!({"contains": nullable}));
    check(json!({"contains": a, "minContains": 1}), json!({"contains": a}));
    check(json!({"contains": a, "minContains": 0}), json!({}));
    for (schema, ignored) in [
        (json!({"then": false, "else": false}), vec!["/then", "/else"]),
        (json!({"if": false}), vec!["/if"]),
        (json!({"items": {"then": false, "nullable": true, "type": "null"}}), vec!["/items/then"]),
    ] {
        let (output, notes) = normalise_noting(&Json::try_from(&schema).unwrap()).unwrap();
        let found: Vec<_> =
            notes.iter().filter(|note| note.reading == Reading::Ignored).map(|note| note.pointer.as_str()).collect();
        assert!(found.len() == ignored.len() && found.iter().all(|at| ignored.contains(at)), "{schema}: {found:?}");
        assert!(Schema::parse(&output).is_ok(), "{schema}");
    }
}

#[test]
fn numbers_of_properties_are_kept() {
    for schema in [json!({"minProperties": 1}), json!({"required": ["a", "b"], "minProperties": 3, "maxProperties": 4})]
    {
        check(schema.clone(), schema);
    }
}

#[test]
fn counts_that_other_keywords_express_are_translated() {
    check(json!({"type": "number", "multipleOf": 1.0}), json!({"type": "integer"}));
    check(json!({"type": "number", "multipleOf": 0.5}), json!({"type": "number", "multipleOf": 0.5}));
    check(json!({"multipleOf": 1}), json!({"multipleOf": 1}));
}

#[test]
fn unevaluated_properties_become_additional_ones_if_equivalent() {
    check(
        json!({"properties": {"a": true}, "unevaluatedProperties": false}),
        json!({"properties": {"a": true}, "additionalProperties": false}),
    );
    let text = json!({"type": "string"});
    check(
        json!({
            "$ref": "#/$defs/base", "properties": {"b": text, "a": true}, "unevaluatedProperties": false,
            "$defs": {"base": {"properties": {"a": text}, "allOf": [{"$ref": "#/$defs/top"}]}, "top": {"required": ["id"], "properties": {"id": text}}}
        }),
        json!({
            "properties": {"b": text, "a": true, "id": true}, "additionalProperties": false,
            "definitions": {
                "base": {"properties": {"a": text}, "allOf": [{"$ref": "#/definitions/top"}]},
                "top": {"required": ["id"], "properties": {"id": text}}
            },
            "allOf": [{"$ref": "#/definitions/base"}]
        }),
    );
    check(
        json!({
            "allOf": [{"properties": {"a": text}, "patternProperties": {"^x\\-": text}}, true],
            "anyOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"a": true}}],
            "patternProperties": {"^y": text, "^x-": true}, "unevaluatedProperties": text
        }),
        json!({
            "allOf": [{"properties": {"a": text}, "patternProperties": {"^x-": text}}, true],
            "anyOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"a": true}}],
            "patternProperties": {"^y": text, "^x-": true}, "properties": {"a": true}, "additionalProperties": text
        }),
    );
    // Nothing is left to evaluate.
    check(
        json!({"allOf": [{"properties": {"a": text}, "additionalProperties": false}, true], "unevaluatedProperties": false}),
        json!({"allOf": [{"properties": {"a": text}, "additionalProperties": false}, true]}),
    );
}

#[test]
fn unevaluated_properties_that_depend_on_the_value_are_rejected() {
    let message = "`unevaluatedProperties` is not part of the schema subset";
    let branch = json!({"properties": {"a": true}});
    for keyword in [
        json!({"anyOf": [branch, true]}),
        json!({"oneOf": [branch, true]}),
        json!({"if": branch, "then": true}),
        json!({"dependentSchemas": {"b": branch}}),
        json!({"allOf": [{"anyOf": [branch, true]}]}),
        json!({"anyOf": [{"additionalProperties": true}, true]}),
        json!({"anyOf": [{"patternProperties": {"^a": true}}, true]}),
        json!({"allOf": [branch], "propertyNames": {"enum": ["a", "b"]}}),
    ] {
        let mut schema = keyword.clone();
        schema["unevaluatedProperties"] = json!(false);
        check_rejected(schema, &[("/unevaluatedProperties", message)]);
    }
}

#[test]
fn unevaluated_properties_are_lost_with_a_schema_that_they_depend_on() {
    for branch in [json!({"properties": {"a": {"pattern": "(a)\\1"}}}), json!({"$ref": "#/definitions/B"})] {
        let definitions = json!({"B": {"additionalProperties": {"$ref": "b.json"}}});
        let schema = json!({"allOf": [branch, true], "unevaluatedProperties": false, "definitions": definitions});
        let (output, losses) = capgen_schema::normalise_lossy(&json_of(&schema)).unwrap();
        assert!(losses.iter().any(|loss| loss.pointer == "/unevaluatedProperties"), "{losses:?}");
        assert_eq!((output.get("additionalProperties"), losses.len()), (None, 2), "{output}");
    }
}

#[test]
fn many_names_that_are_declared_again_are_rejected() {
    let long = "a".repeat(1 << 20);
    let branch = json!({"properties": {(&long): true}});
    let closed = json!({"allOf": [branch], "unevaluatedProperties": false});
    let problems = capgen_schema::normalise(&json_of(&json!({"items": {"anyOf": vec![closed; 8]}}))).unwrap_err();
    assert!(problems.iter().all(|problem| problem.pointer.ends_with("/unevaluatedProperties")), "{problems:?}");
    assert!((1..8).contains(&problems.len()));
}

#[test]
fn names_can_be_listed_by_a_reference() {
    check(
        json!({"propertyNames": {"$ref": "#/$defs/E"}, "additionalProperties": {"type": "integer"}, "$defs": {
            "E": {"$ref": "#/$defs/F", "title": "E"}, "F": {"enum": ["a", "b"], "type": "string"}}}),
        json!({"properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "additionalProperties": false}),
    );
}

#[test]
fn formats_can_become_annotations() {
    let schema = json_of(&json!({
        "properties": {"format": {"format": "date"}, "b": {"const": {"format": "date"}}, "c": {"type": "integer", "format": "int32"}},
        "x-capgen-files": {"f": {"format": "uuid", "x-format": "old"}}, "components": {"schemas": {"S": {"format": "ip"}}}
    }));
    let places = [
        "/properties/format/format",
        "/properties/c/format",
        "/x-capgen-files/f/format",
        "/components/schemas/S/format",
    ];
    assert_eq!(capgen_schema::places_of_checked_formats(&schema), places);
    let all = capgen_schema::annotate_formats(&schema, &|_| true).unwrap();
    assert!(capgen_schema::places_of_checked_formats(&all).is_empty());
    assert_eq!(all.pointer("/x-capgen-files/f"), Some(&json_of(&json!({"x-format": "uuid"}))));
    assert_eq!(all.pointer("/properties/b"), schema.pointer("/properties/b"));
    assert_eq!(capgen_schema::annotate_formats(&schema, &|name| name == "time"), None);
    let text = json_of(&json!({"type": "integer", "format": "date"}));
    assert!(capgen_schema::places_of_checked_formats(&text).is_empty(), "it does not apply to numbers");
    for name in capgen_schema::checked_formats() {
        let schema = json_of(&json!({"type": ["string", "integer"], "format": name}));
        assert_eq!(capgen_schema::places_of_checked_formats(&schema).len(), 1, "{name}");
    }
}

#[test]
fn draft_04_exclusive_flags_become_numbers() {
    check(
        json!({"minimum": 0, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false}),
        json!({"exclusiveMinimum": 0, "maximum": 9}),
    );
    check(
        json!({"type": "integer", "format": "uint8", "minimum": -1, "exclusiveMinimum": true}),
        json!({"type": "integer", "minimum": 0, "maximum": 255}),
    );
}

#[test]
fn members_keep_their_order() {
    let text = r#"{"type":"integer","format":"uint8","title":"t","x-a":1,"description":"d"}"#;
    let output = normalise(&text.parse().unwrap()).unwrap();
    let names: Vec<&str> = output.as_object().unwrap().iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["type", "minimum", "maximum", "title", "description"]);
}

/// The output and the notes.
fn noted(source: &Value) -> Result<(Json, Vec<Loss>), Vec<Problem>> {
    normalise_noting(&Json::try_from(source).unwrap())
}

#[test]
fn keywords_of_other_vocabularies_are_ignored_with_a_note() {
    let (output, notes) = noted(&json!({"type": "string", "markdownDescription": "x", "tsType": {"a": [1]}})).unwrap();
    assert_eq!(output.canonical(), r#"{"type":"string"}"#);
    let found: Vec<_> = notes.iter().map(|note| (note.name.as_str(), note.reading)).collect();
    let unknown = Reading::UnknownKeyword;
    assert_eq!(found, [("markdownDescription", unknown), ("tsType", unknown)]);
    // Next to `$ref`, too, in every dialect.
    let schema = json!({"properties": {"a": {"$ref": "#/definitions/A", "tsType": "A"}}, "definitions": {"A": {}}});
    assert_eq!(noted(&schema).unwrap().1.len(), 1);
    // Their authors mean that something is checked.
    for name in ["minLenght", "typ", "divisibleBy", "$dynamicRef"] {
        assert!(noted(&json!({name: 1})).is_err(), "{name}");
    }
}

#[test]
fn keywords_that_the_declared_draft_ignores_are_ignored_with_a_note() {
    let uri = |draft: &str| match draft.starts_with("20") {
        true => format!("https://json-schema.org/draft/{draft}/schema"),
        false => format!("http://json-schema.org/draft-{draft}/schema#"),
    };
    for (keyword, value, draft, ignores, has) in [
        ("minContains", json!(0), "07", "draft 2019-09 and later; `$schema` is draft-07", "2019-09"),
        ("maxContains", json!(2), "07", "draft 2019-09 and later; `$schema` is draft-07", "2019-09"),
        ("unevaluatedProperties", json!(false), "07", "draft 2019-09 and later; `$schema` is draft-07", "2019-09"),
        ("unevaluatedItems", json!(false), "06", "draft 2019-09 and later; `$schema` is draft-06", "2019-09"),
        ("prefixItems", json!([{}]), "2019-09", "draft 2020-12; `$schema` is draft 2019-09", "2020-12"),
        ("dependentRequired", json!({"a": ["b"]}), "07", "draft 2019-09 and later; `$schema` is draft-07", "2019-09"),
        ("dependentSchemas", json!({"a": {}}), "07", "draft 2019-09 and later; `$schema` is draft-07", "2019-09"),
        ("if", json!({"minLength": 1}), "06", "draft-07 and later; `$schema` is draft-06", "07"),
        ("const", json!(1), "04", "draft-06 and later; `$schema` is draft-04", "06"),
        ("propertyNames", json!({"minLength": 1}), "04", "draft-06 and later; `$schema` is draft-04", "06"),
        ("dependencies", json!({"a": ["b"]}), "2020-12", "draft-07 and earlier; `$schema` is draft 2020-12", "07"),
        (
            "additionalItems",
            json!(false),
            "2020-12",
            "draft 2019-09 and earlier; `$schema` is draft 2020-12",
            "2019-09",
        ),
    ] {
        let schema = |draft: &str| json!({"$schema": uri(draft), "items": {keyword: value}, "definitions": {"unused": {keyword: value}}});
        let (output, notes) = noted(&schema(draft)).unwrap();
        let message = format!("`{keyword}` is a keyword of {ignores}, which ignores it");
        let found: Vec<_> = notes.iter().map(|p| (p.pointer.clone(), p.reason.clone(), p.reading)).collect();
        assert_eq!(found, [(format!("/items/{keyword}"), message.clone(), Reading::Ignored)], "{keyword}");
        assert_eq!(output.pointer("/items").map(Json::canonical).as_deref(), Some("{}"), "{keyword}");
        // In the draft that has it, or without `$schema`, there is no such note.
        for other in [schema(has), json!({"items": {keyword: value}})] {
            let notes = noted(&other).map(|(_, notes)| notes).unwrap_or_default();
            assert!(notes.iter().all(|note| note.reason != message), "{other}: {notes:?}");
        }
    }
    // Other keywords do not take an ignored one into account, and its subschemas are not read.
    let (output, notes) = noted(
        &json!({"$schema": uri("07"), "contains": {"type": "string"}, "minContains": 0, "prefixItems": [{}, {"type": "strnig"}]}),
    )
    .unwrap();
    assert_eq!(notes.iter().map(|note| note.keyword.as_str()).collect::<Vec<_>>(), ["minContains", "prefixItems"]);
    let without = json!({"$schema": uri("07"), "contains": {"type": "string"}});
    assert_eq!(output, of(&without).unwrap());
}
