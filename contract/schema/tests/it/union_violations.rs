//! The violations of failed unions.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_schema::{Json, Schema, Validator};
use serde_json::{Value, json};

fn validator(schema: &Value) -> Validator {
    Validator::new(&Schema::parse(&Json::try_from(schema).unwrap()).unwrap())
}

/// Checks every violation as `path: message [keyword]`.
fn check(schema: &Value, payload: Value, expected: &[&str]) {
    let violations = validator(schema).validate(&payload);
    let found: Vec<String> = violations.iter().map(|v| format!("{}: {} [{}]", v.path, v.message, v.keyword)).collect();
    assert_eq!(found, expected, "{schema}: {payload}");
}

/// Two objects with the tag `kind`, as definitions.
fn pets(keyword: &str) -> Value {
    json!({
        keyword: [{"$ref": "#/definitions/cat"}, {"$ref": "#/definitions/dog"}],
        "definitions": {
            "cat": {"type": "object", "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}}, "required": ["kind", "lives"]},
            "dog": {"type": "object", "properties": {"kind": {"const": "dog"}, "name": {"type": "string"}}, "required": ["kind", "name"]}
        }
    })
}

#[test]
fn a_nullable_object_reports_the_violations_of_the_object() {
    let object = json!({
        "type": "object",
        "properties": {"status": {"enum": ["A", "B"]}, "n": {"type": "integer"}, "id": {"type": "string"}},
        "required": ["id"]
    });
    let expected = [
        "/id: missing required property \"id\" [required]",
        "/n: expected integer, got string [type]",
        "/status: value not in enum [\"A\",\"B\"] [enum]",
    ];
    let payload = json!({"status": "C", "n": "x"});
    check(&object, payload.clone(), &expected);
    for keyword in ["anyOf", "oneOf"] {
        check(&json!({keyword: [object, {"type": "null"}]}), payload.clone(), &expected);
        check(&json!({keyword: [{"const": null}, {"allOf": [object]}]}), payload.clone(), &expected);
    }
}

/// Generated code has the schema with sorted properties.
#[test]
fn the_tag_does_not_depend_on_the_order_of_properties() {
    // `size` also differs in every branch, but only `kind` is required.
    for names in [["kind", "size", "x"], ["size", "x", "kind"], ["x", "size", "kind"]] {
        // The text keeps the order of the properties, whatever the features of `serde_json`.
        let ordered = names.map(|name| match name {
            "x" => r#""x": {"type": "string"}"#.to_owned(),
            "kind" => r#""kind": {"const": "KIND"}"#.to_owned(),
            _ => r#""size": {"const": 0}"#.to_owned(),
        });
        let one = format!(r#"{{"type": "object", "properties": {{{}}}, "required": ["kind"]}}"#, ordered.join(","));
        let branches = [one.replace("KIND", "a").replace(": 0", ": 1"), one.replace("KIND", "b").replace(": 0", ": 2")];
        let schema = Schema::parse_text(&format!(r#"{{"oneOf": [{}]}}"#, branches.join(","))).unwrap();
        let violations = Validator::new(&schema).validate(&json!({"kind": "c", "size": 1}));
        let found: Vec<&str> = violations.iter().map(|violation| violation.path.as_str()).collect();
        assert_eq!(found, ["/kind"], "{names:?}");
    }
}

#[test]
fn a_value_of_a_type_that_no_branch_allows_has_one_violation_of_type() {
    let object = json!({"type": "object", "required": ["a"]});
    check(
        &json!({"anyOf": [object, {"type": "null"}], "minimum": 10}),
        json!(5),
        &[": expected null or object, got integer [type]"],
    );
    let nested = json!({"oneOf": [{"enum": ["x", "y"]}, {"anyOf": [object, {"const": 1.5}]}]});
    check(&nested, json!([]), &[": expected number, string or object, got array [type]"]);
    check(&nested, json!("z"), &[": value not in enum [\"x\",\"y\"] [enum]"]);
    check(&nested, json!({}), &["/a: missing required property \"a\" [required]"]);
    check(
        &json!({"properties": {"p": nested}}),
        json!({"p": true}),
        &["/p: expected number, string or object, got boolean [type]"],
    );
}

#[test]
fn a_tag_selects_the_branch_whose_violations_are_reported() {
    for keyword in ["anyOf", "oneOf"] {
        let pets = pets(keyword);
        check(&pets, json!({"kind": "dog", "name": "x"}), &[]);
        check(&pets, json!({"kind": "dog"}), &["/name: missing required property \"name\" [required]"]);
        check(&pets, json!({"kind": "dog", "name": 1, "lives": 9}), &["/name: expected string, got integer [type]"]);
        check(&pets, json!(1), &[": expected object, got integer [type]"]);
    }
}

#[test]
fn a_missing_or_unknown_tag_is_reported_at_its_path_with_the_allowed_values() {
    let pets = pets("oneOf");
    check(
        &pets,
        json!({"lives": 9}),
        &["/kind: missing required property \"kind\", one of [\"cat\",\"dog\"] [required]"],
    );
    check(&pets, json!({"kind": "cow", "lives": "x"}), &["/kind: value not in enum [\"cat\",\"dog\"] [enum]"]);
    check(&pets, json!({"kind": null}), &["/kind: value not in enum [\"cat\",\"dog\"] [enum]"]);
    // The same property is also required beside the union.
    let both = json!({"type": "object", "required": ["kind"], "allOf": [pets["definitions"]["cat"]], "anyOf": [
        {"properties": {"kind": {"enum": ["a", "b"]}}, "required": ["kind"]},
        {"properties": {"kind": {"const": 1}}, "required": ["kind"]}
    ]});
    check(
        &both,
        json!({"lives": 1}),
        &["/kind: missing required property \"kind\", one of [\"a\",\"b\",1] [required]"],
    );
    let many: Vec<Value> = (0..20).map(|n| json!({"properties": {"n": {"const": n}}, "required": ["n"]})).collect();
    let list = "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,...]";
    check(
        &json!({"oneOf": many}),
        json!({}),
        &[&format!("/n: missing required property \"n\", one of {list} [required]")],
    );
    check(&json!({"oneOf": many}), json!({"n": 20}), &[&format!("/n: value not in enum {list} [enum]")]);
}

#[test]
fn a_tag_is_found_through_references_parts_and_lists_of_values() {
    let schema = json!({
        "oneOf": [
            {"allOf": [{"$ref": "#/definitions/base"}, {"required": ["a"], "properties": {"kind": {"enum": ["x", "y"]}}}]},
            {"allOf": [{"$ref": "#/definitions/base"}], "required": ["b"], "properties": {"kind": {"$ref": "#/definitions/z"}}}
        ],
        "definitions": {"base": {"required": ["kind"], "properties": {"id": {"type": "integer"}}}, "z": {"const": "z"}}
    });
    check(&schema, json!({"kind": "y"}), &["/a: missing required property \"a\" [required]"]);
    check(
        &schema,
        json!({"kind": "z", "id": "x"}),
        &["/b: missing required property \"b\" [required]", "/id: expected integer, got string [type]"],
    );
    check(&schema, json!({"kind": 1}), &["/kind: value not in enum [\"x\",\"y\",\"z\"] [enum]"]);
}

#[test]
fn a_property_with_the_same_constant_in_every_branch_is_not_a_tag() {
    let branch = |kind: &str, name: &str| json!({"properties": {"version": {"const": 1}, "kind": {"const": kind}}, "required": ["version", "kind", name]});
    let schema = json!({"oneOf": [branch("a", "x"), branch("b", "y")]});
    check(
        &schema,
        json!({"version": 2, "kind": "b"}),
        &["/version: value is not 1 [const]", "/y: missing required property \"y\" [required]"],
    );
}

#[test]
fn an_optional_tag_excludes_branches_only_if_it_is_present() {
    let branch =
        |kind: &str, name: &str| json!({"type": "object", "properties": {"kind": {"const": kind}}, "required": [name]});
    let schema = json!({"anyOf": [branch("a", "x"), branch("b", "y")]});
    check(&schema, json!({"kind": "b"}), &["/y: missing required property \"y\" [required]"]);
    check(&schema, json!({"kind": "c"}), &["/kind: value not in enum [\"a\",\"b\"] [enum]"]);
    check(
        &schema,
        json!({}),
        &[": matches no branch of anyOf; closest is branch 0: missing required property \"x\" at /x [anyOf]"],
    );
}

#[test]
fn a_key_selects_the_branch_whose_violations_are_reported() {
    let variant = |name: &str, schema: Value| json!({"type": "object", "properties": {name: schema}, "required": [name], "additionalProperties": false});
    let radius = json!({"type": "object", "properties": {"radius": {"type": "number"}}, "required": ["radius"]});
    let schema = json!({"oneOf": [
        {"const": "none"}, variant("circle", radius), variant("square", json!({"type": "number"}))
    ]});
    check(&schema, json!({"circle": {"radius": "1"}}), &["/circle/radius: expected number, got string [type]"]);
    check(
        &schema,
        json!({"square": null, "x": 1}),
        &["/square: expected number, got null [type]", "/x: unexpected property \"x\" [additionalProperties]"],
    );
    check(&schema, json!("some"), &[": value is not \"none\" [const]"]);
    check(
        &schema,
        json!({}),
        &[": matches no branch of oneOf; closest is branch 1: missing required property \"circle\" at /circle [oneOf]"],
    );
}

#[test]
fn an_open_union_names_everything_that_the_value_lacks_to_match_the_closest_branch() {
    let schema = json!({"anyOf": [
        {"required": ["a", "b", "c"]},
        {"$ref": "#/definitions/d"},
    ], "definitions": {"d": {"properties": {"x": {"type": "integer"}}, "required": ["e"]}}});
    check(
        &schema,
        json!({"x": "1"}),
        &[
            ": matches no branch of anyOf; closest is branch 1 (\"d\"): missing required property \"e\" at /e; expected integer, got string at /x [anyOf]",
        ],
    );
    let names: Vec<String> = (10..30).map(|n| format!("p{n}")).collect();
    let more: Vec<String> = (10..31).map(|n| format!("p{n}")).collect();
    let violations = validator(&json!({"anyOf": [{"required": names}, {"required": more}]})).validate(&json!({}));
    let message = &violations[0].message;
    assert!(message.contains("\"p10\" at /p10; ") && message.ends_with("\"p25\" at /p25; and 4 more"), "{message}");
}

#[test]
fn a_value_that_matches_two_branches_of_one_of_has_one_violation() {
    check(
        &json!({"oneOf": [{"minimum": 1}, {"type": "null"}, {"maximum": 3}]}),
        json!(2),
        &[": matches more than one branch of oneOf: 0 and 2 [oneOf]"],
    );
}

#[test]
fn unions_within_unions_are_explained_at_any_depth() {
    let schema = json!({"$ref": "#/definitions/node", "definitions": {"node": {"anyOf": [
        {"type": "null"},
        {"oneOf": [
            {"type": "object", "properties": {"op": {"const": "neg"}, "of": {"$ref": "#/definitions/node"}}, "required": ["op", "of"]},
            {"type": "object", "properties": {"op": {"const": "num"}, "value": {"type": "number"}}, "required": ["op", "value"]}
        ]}
    ]}}});
    let mut payload = json!({"op": "num", "value": "1"});
    let mut path = String::new();
    for _ in 0..100 {
        payload = json!({"op": "neg", "of": payload});
        path += "/of";
    }
    check(&schema, payload, &[&format!("{path}/value: expected number, got string [type]")]);
}

/// Ways to pay; two of them are the branches of a union within the union.
fn payments(outer: &str, inner: &str) -> Value {
    let way = |kind: &str, name: &str| json!({"type": "object", "properties": {"kind": {"const": kind}, name: {"type": "string"}}, "required": ["kind", name]});
    json!({
        outer: [way("card", "number"), {"allOf": [{"$ref": "#/definitions/bank"}]}, {"$ref": "#/definitions/wallets"}],
        "definitions": {
            "bank": way("bank", "iban"),
            "apple": {"properties": {"device": {"type": "string"}}, "allOf": [way("apple", "token")]},
            "wallets": {"allOf": [{"required": ["owner"], "properties": {"owner": {"type": "string"}}}, {"$ref": "#/definitions/any"}]},
            "any": {inner: [{"$ref": "#/definitions/apple"}, way("google", "account")]}
        }
    })
}

#[test]
fn a_tag_is_found_through_branches_that_are_unions() {
    for (outer, inner) in [("anyOf", "anyOf"), ("anyOf", "oneOf"), ("oneOf", "anyOf"), ("oneOf", "oneOf")] {
        let schema = payments(outer, inner);
        check(&schema, json!({"kind": "apple", "token": "t", "owner": "o"}), &[]);
        check(&schema, json!({"kind": "bank"}), &["/iban: missing required property \"iban\" [required]"]);
        check(
            &schema,
            json!({"kind": "apple", "device": 1}),
            &[
                "/device: expected string, got integer [type]",
                "/owner: missing required property \"owner\" [required]",
                "/token: missing required property \"token\" [required]",
            ],
        );
        let listed = "[\"card\",\"bank\",\"apple\",\"google\"]";
        check(&schema, json!({"kind": "x"}), &[&format!("/kind: value not in enum {listed} [enum]")]);
        check(
            &schema,
            json!({"owner": "o"}),
            &[&format!("/kind: missing required property \"kind\", one of {listed} [required]")],
        );
        check(
            &json!({"anyOf": [schema["definitions"]["bank"], {"type": "null"}]}),
            json!({"kind": "bank"}),
            &["/iban: missing required property \"iban\" [required]"],
        );
    }
}

#[test]
fn a_tag_of_nullable_and_deep_unions_lists_the_values_of_all_branches_for_objects() {
    // Each level adds a leaf beside the union of all further levels.
    let count = 30;
    let leaf = |n: usize| json!({"properties": {"k": {"const": n}, "v": {"type": "string"}}, "required": ["k", "v"], "type": "object"});
    let level = |n: usize| {
        let next = json!({"$ref": format!("#/definitions/d{}", n + 1)});
        (format!("d{n}"), json!({"oneOf": [{"type": "null"}, leaf(n), {"anyOf": [next]}]}))
    };
    let mut definitions: serde_json::Map<String, Value> = (0..count).map(level).collect();
    definitions.insert(format!("d{count}"), leaf(count));
    let schema = json!({"$ref": "#/definitions/d0", "definitions": definitions});
    for n in 0..=count {
        check(&schema, json!({"k": n}), &["/v: missing required property \"v\" [required]"]);
    }
    let unknown = validator(&schema).validate(&json!({"k": -1}));
    assert_eq!((unknown.len(), unknown[0].path.as_str(), unknown[0].keyword.as_str()), (1, "/k", "enum"));
    check(&schema, json!("x"), &[": expected null or object, got string [type]"]);
}

#[test]
fn a_union_within_a_branch_narrows_the_tag_only_if_all_its_branches_list_it() {
    // The second branch allows any `kind`.
    let open = json!({"anyOf": [{"properties": {"kind": {"const": "b"}}, "required": ["kind", "x"]}, {"required": ["kind", "y"]}]});
    let schema = json!({"anyOf": [{"properties": {"kind": {"const": "a"}}, "required": ["kind", "z"]}, open]});
    check(
        &schema,
        json!({"kind": "c"}),
        &[": matches no branch of anyOf; closest is branch 1: matches no branch of anyOf [anyOf]"],
    );
    // But its own list beside the union counts.
    let mut listed = open.clone();
    listed["properties"] = json!({"kind": {"enum": ["b", "c", "d"]}});
    let schema = json!({"anyOf": [{"properties": {"kind": {"const": "a"}}, "required": ["kind", "z"]}, listed]});
    check(
        &schema,
        json!({"kind": "c"}),
        &[": matches no branch of anyOf; closest is branch 1: missing required property \"y\" at /y [anyOf]"],
    );
    check(&schema, json!({"kind": "e"}), &["/kind: value not in enum [\"a\",\"b\",\"c\",\"d\"] [enum]"]);
}

#[test]
fn the_values_of_a_tag_may_be_listed_by_a_union() {
    let documented = |values: &[&str]| -> Value {
        json!({"oneOf": values.iter().map(|value| json!({"const": value, "description": "a value"})).collect::<Vec<_>>()})
    };
    let branch =
        |values: &[&str], name: &str| json!({"properties": {"kind": documented(values)}, "required": ["kind", name]});
    let schema = json!({"anyOf": [branch(&["a", "b"], "x"), branch(&["c"], "y")]});
    check(&schema, json!({"kind": "b"}), &["/x: missing required property \"x\" [required]"]);
    check(&schema, json!({"kind": "d"}), &["/kind: value not in enum [\"a\",\"b\",\"c\"] [enum]"]);
}

#[test]
fn keys_are_found_through_branches_that_are_unions() {
    let variant = |name: &str| json!({"type": "object", "properties": {name: {"type": "number"}}, "required": [name], "additionalProperties": false});
    let polygon = json!({"oneOf": [variant("square"), {"anyOf": [variant("triangle"), {"type": "null"}]}]});
    let schema = json!({"anyOf": [variant("circle"), {"allOf": [polygon]}, {"enum": ["none"]}]});
    for name in ["circle", "square", "triangle"] {
        check(&schema, json!({name: 1}), &[]);
        check(&schema, json!({name: "1"}), &[&format!("/{name}: expected number, got string [type]")]);
    }
    check(
        &schema,
        json!({"line": 1}),
        &[": matches no branch of anyOf; closest is branch 1: matches no branch of oneOf [anyOf]"],
    );
    check(&schema, json!("some"), &[": value not in enum [\"none\"] [enum]"]);
}

#[test]
fn hostile_unions_compile_in_linear_time() {
    // Groups of unions, each of which refers to the next one twice, so that they have exponentially many branches; and
    // all to large lists.
    let big: Vec<String> = (0..250).map(|n| format!("v{n}")).collect();
    let mut definitions = serde_json::Map::new();
    let names: Vec<String> = (0..16).map(|n| format!("t{n}")).collect();
    for n in 0..1_500 {
        let next = json!({"$ref": format!("#/definitions/d{}", n + 1)});
        let next = if n % 30 == 29 { json!({"required": ["z"]}) } else { next };
        let tags: serde_json::Map<String, Value> =
            names.iter().map(|name| (name.clone(), json!({"$ref": "#/definitions/big"}))).collect();
        let leaf = json!({"properties": tags, "required": [format!("r{n}")]});
        definitions.insert(format!("d{n}"), json!({"anyOf": [leaf, next, {"oneOf": [next, {"type": "null"}]}]}));
    }
    definitions.insert("big".to_owned(), json!({"allOf": vec![json!({"enum": big}); 20]}));
    let roots: Vec<Value> = (0..50).map(|n| json!({"$ref": format!("#/definitions/d{}", 30 * n)})).collect();
    let schema = json!({"items": {"anyOf": roots}, "type": "array", "definitions": definitions});
    let start = std::time::Instant::now();
    let validator = validator(&schema);
    assert!(!validator.validate(&json!(1)).is_empty());
    let elapsed = start.elapsed();
    assert!(elapsed.as_secs() < 20, "{elapsed:?}");
}

#[test]
fn violations_of_unions_take_linear_time() {
    // Each definition is a union of two references to the next one: a walk without memory takes 2^60 steps.
    let mut definitions = serde_json::Map::new();
    for n in 0..60 {
        let next = json!({"$ref": format!("#/definitions/d{}", n + 1)});
        definitions.insert(format!("d{n}"), json!({"anyOf": [next, {"properties": {"a": next}, "required": ["a"]}]}));
    }
    definitions.insert("d60".to_owned(), json!({"type": "string"}));
    let schema = json!({"$ref": "#/definitions/d0", "definitions": definitions});
    let mut payload = json!(1);
    for _ in 0..60 {
        payload = json!({"a": payload});
    }
    assert!(!validator(&schema).validate(&payload).is_empty());
    let schema = json!({"anyOf": [{"$ref": "#/definitions/n"}, {"type": "null"}], "definitions": {"n": {"anyOf": [
        {"properties": {"a": {"$ref": "#/definitions/n"}}, "required": ["a", "b"]},
        {"properties": {"a": {"$ref": "#/definitions/n"}}, "required": ["a", "c"]}
    ]}}});
    assert_eq!(validator(&schema).validate(&payload).len(), 1);
}

#[test]
fn a_chain_of_unions_leads_to_the_only_branch_that_could_match() {
    let count = 60;
    let definition = |n: usize| {
        let next = json!({"$ref": format!("#/definitions/d{}", n + 1)});
        (format!("d{n}"), json!({"anyOf": [next, {"type": "null"}]}))
    };
    let mut definitions: serde_json::Map<String, Value> = (0..count).map(definition).collect();
    definitions.insert(format!("d{count}"), json!({"required": ["a"], "type": "object"}));
    let schema = json!({"$ref": "#/definitions/d0", "definitions": definitions});
    check(&schema, json!({}), &["/a: missing required property \"a\" [required]"]);
}

#[test]
fn redacted_messages_about_unions_have_no_text_of_the_payload() {
    let pets = pets("anyOf");
    let open = json!({"anyOf": [{"additionalProperties": {"type": "null"}}, {"required": ["a", "b", "c"]}]});
    for (schema, payload) in
        [(&pets, json!({"kind": "SECRET"})), (&pets, json!("SECRET")), (&open, json!({"SECRET": "SECRET"}))]
    {
        let violations = validator(schema).redact(true).validate(&payload);
        assert_eq!(violations.len(), 1);
        assert!(violations.iter().all(|v| !v.message.contains("SECRET")), "{violations:?}");
    }
}
