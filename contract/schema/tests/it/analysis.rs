//! The claims of the analysis of schemas. The interpreter is the oracle.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use capgen_schema::analysis::branches::{self, Branches};
use capgen_schema::analysis::conjunction::Conjunction;
use capgen_schema::analysis::graph::Graph;
use capgen_schema::analysis::{depth, shared};
use capgen_schema::{Json, NodeId, Schema, Type, Validator};
use proptest::prelude::*;
use serde_json::{Value, json};

fn schema(value: &Value) -> Schema {
    Schema::parse(&Json::try_from(value).unwrap()).unwrap()
}

/// The branches of the union at the root.
fn nodes(schema: &Schema) -> Vec<NodeId> {
    let root = schema.assertions(schema.root()).unwrap();
    root.one_of.clone().or(root.any_of.clone()).unwrap()
}

fn object(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
    json!({"type": "object", "properties": properties, "required": required})
}

/// The tag of a `oneOf`, with `!` in front if it does not select at most one branch.
fn tag(branches: &Value, definitions: &Value) -> Option<String> {
    let schema = schema(&json!({"oneOf": branches, "definitions": definitions}));
    let branches = Branches::new(&schema, &nodes(&schema));
    let tag = branches.tag()?;
    assert_eq!(tag.is_exclusive(), branches.are_exclusive());
    Some(format!("{}{}", if tag.is_exclusive() { "" } else { "!" }, tag.name))
}

#[test]
fn tags_are_found_through_references_and_next_to_siblings() {
    let dog = object(json!({"kind": {"const": "dog"}, "name": {}}));
    let cat = object(json!({"kind": {"$ref": "#/definitions/cats"}}));
    let definitions = json!({"dog": dog, "pet": {"$ref": "#/definitions/dog"}, "cats": {"enum": ["cat", "lion"]}});
    let by_reference = json!([{"$ref": "#/definitions/pet"}, cat]);
    assert_eq!(tag(&by_reference, &definitions).as_deref(), Some("kind"));
    let next_to_siblings = json!([{"allOf": [{"$ref": "#/definitions/pet"}, {"required": ["age"]}]}, cat]);
    assert_eq!(tag(&next_to_siblings, &definitions).as_deref(), Some("kind"));
    let in_nested_union = json!([{"anyOf": [dog, object(json!({"kind": {"const": "wolf"}}))]}, cat]);
    assert_eq!(tag(&in_nested_union, &definitions).as_deref(), Some("kind"));
}

#[test]
fn tags_compare_values_as_payloads_do() {
    let version = |value: &str| object(json!({"v": {"const": serde_json::from_str::<Value>(value).unwrap()}}));
    assert_eq!(tag(&json!([version("1"), version("2")]), &json!({})).as_deref(), Some("v"));
    assert_eq!(tag(&json!([version("1"), version("1.0")]), &json!({})).as_deref(), Some("!v"));
    assert_eq!(tag(&json!([version("1"), version("\"1\"")]), &json!({})).as_deref(), Some("v"));
    assert_eq!(tag(&json!([version("1"), version("true"), version("null")]), &json!({})).as_deref(), Some("v"));
}

#[test]
fn names_that_javascript_objects_inherit_are_ordinary_tags() {
    for name in ["__proto__", "toString", "constructor"] {
        let branch = |value: &str| object(json!({name: {"const": value}}));
        assert_eq!(tag(&json!([branch("a"), branch("b")]), &json!({})).as_deref(), Some(name));
        let schema = schema(&json!({"oneOf": [branch("a"), branch("b")]}));
        let branches = Branches::new(&schema, &nodes(&schema));
        assert_eq!(branches.candidates(&json!({name: "b"})), [1]);
        assert!(branches.candidates(&json!({})).is_empty());
    }
}

#[test]
fn an_exclusive_tag_is_preferred() {
    let branch = |kind: &str, id: &str| object(json!({"id": {"enum": [id, "any"]}, "kind": {"const": kind}}));
    assert_eq!(tag(&json!([branch("a", "1"), branch("b", "2")]), &json!({})).as_deref(), Some("kind"));
    let untagged = object(json!({"name": {}}));
    assert_eq!(tag(&json!([branch("a", "1"), branch("b", "2"), untagged]), &json!({})).as_deref(), Some("!id"));
    assert_eq!(tag(&json!([branch("a", "1"), untagged]), &json!({})), None);
    // A branch that allows no objects does not count.
    assert_eq!(
        tag(&json!([branch("a", "1"), branch("b", "2"), {"type": "string"}]), &json!({})).as_deref(),
        Some("kind")
    );
}

#[test]
fn an_optional_property_is_not_a_tag() {
    let branch = |value: &str| json!({"type": "object", "properties": {"kind": {"const": value}}});
    assert_eq!(tag(&json!([branch("a"), branch("b")]), &json!({})), None);
}

#[test]
fn keys_select_branches_that_forbid_the_other_keys() {
    let closed = |name: &str| json!({"type": "object", "properties": {name: {}}, "required": [name], "additionalProperties": false});
    let schema = schema(&json!({"oneOf": [closed("text"), closed("image"), {"type": "null"}]}));
    let branches = Branches::new(&schema, &nodes(&schema));
    assert_eq!([branches.key(0), branches.key(1), branches.key(2)], [Some("text"), Some("image"), None]);
    assert!(branches.are_exclusive());
    assert_eq!(branches.candidates(&json!({"image": 1})), [1]);
    assert!(branches.candidates(&json!({})).is_empty());
    assert_eq!(branches.candidates(&json!(null)), [2]);
}

#[test]
fn open_objects_have_no_keys() {
    let open = |name: &str| json!({"type": "object", "required": [name]});
    let open = schema(&json!({"oneOf": [open("text"), open("image")]}));
    let branches = Branches::new(&open, &nodes(&open));
    assert_eq!([branches.key(0), branches.key(1)], [None, None]);
    assert!(!branches.are_exclusive());
}

#[test]
fn integers_are_numbers() {
    let schema = schema(&json!({"oneOf": [{"type": "integer"}, {"type": ["number", "null"]}, {"enum": ["a", 1.5]}]}));
    let branches = Branches::new(&schema, &nodes(&schema));
    // A set of types with `number` always contains `integer`.
    assert_eq!(branches.of_type(Type::Integer), [0, 1, 2]);
    assert_eq!(branches.of_type(Type::Number), [1, 2]);
    assert_eq!(branches.candidates(&json!(2.0)), [0, 1, 2]);
    assert_eq!(branches.candidates(&json!(2.5)), [1, 2]);
    assert_eq!(branches.candidates(&json!("b")), [2]);
    assert!(!branches.are_exclusive());
}

fn recursive(schema: &Schema) -> Vec<&str> {
    let graph = Graph::new(schema);
    let pointers = graph.vertices().iter().filter(|vertex| vertex.is_recursive).map(|vertex| &*vertex.node.pointer);
    schema.nodes().map(|(_, node)| &*node.pointer).filter(|p| pointers.clone().any(|q| q == *p)).collect()
}

#[test]
fn recursion_is_found_through_unions_and_references() {
    let schema = schema(&json!({
        "properties": {"tree": {"$ref": "#/definitions/alias"}, "leaf": {"$ref": "#/definitions/leaf"}},
        "definitions": {
            "alias": {"$ref": "#/definitions/tree"},
            "tree": {"anyOf": [{"$ref": "#/definitions/leaf"}, {"items": {"$ref": "#/definitions/alias"}}]},
            "leaf": {"type": "string"},
            "unused": {"items": {"$ref": "#/definitions/unused"}}
        }
    }));
    assert_eq!(recursive(&schema), ["/definitions/tree", "/definitions/tree/anyOf/1"]);
    let graph = Graph::new(&schema);
    let find = |name: &str| {
        let (_, id) = schema.definitions().iter().find(|(n, _)| n == name).unwrap();
        graph.find(*id)
    };
    assert_eq!(find("leaf").unwrap().references, 2);
    assert_eq!(find("alias").unwrap().references, 2, "a reference is its target");
    assert!(find("unused").is_none());
    assert_eq!((depth::declared(&graph), depth::accepted(&graph)), (None, None));
}

#[test]
fn components_come_after_those_that_they_reach() {
    let schema = schema(&json!({
        "properties": {"a": {"$ref": "#/definitions/a"}, "b": {"items": {"$ref": "#/definitions/b"}}},
        "definitions": {
            "a": {"properties": {"b": {"$ref": "#/definitions/b"}, "self": {"$ref": "#/definitions/a"}}},
            "b": {"items": {"not": {"$ref": "#/definitions/c"}}},
            "c": {"additionalProperties": {"$ref": "#/definitions/b"}}
        }
    }));
    let graph = Graph::new(&schema);
    for vertex in graph.vertices() {
        assert!(vertex.targets().all(|target| graph.vertices()[target].component <= vertex.component));
        assert!(graph.components()[vertex.component].iter().any(|at| graph.vertices()[*at].id == vertex.id));
    }
    assert_eq!(graph.components().iter().map(Vec::len).sum::<usize>(), graph.vertices().len());
}

#[test]
fn long_chains_of_definitions_do_not_overflow_the_stack() {
    let count = 20_000;
    let definition =
        |n: usize| (format!("d{n}"), json!({"items": {"$ref": format!("#/definitions/d{}", (n + 1) % count)}}));
    let definitions: serde_json::Map<String, Value> = (0..count).map(definition).collect();
    let schema = schema(&json!({"items": {"$ref": "#/definitions/d0"}, "definitions": definitions}));
    let run = move || {
        let graph = Graph::new(&schema);
        assert_eq!(graph.components().len(), 2);
        assert!(shared::memoized(&graph).is_empty());
        assert_eq!(depth::declared(&graph), None);
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(run).unwrap().join().unwrap();
}

#[test]
fn definitions_that_one_place_reaches_twice_are_shared() {
    let fork = |definitions: Value| {
        let schema = schema(
            &json!({"allOf": [{"$ref": "#/definitions/b"}, {"$ref": "#/definitions/c"}], "definitions": definitions}),
        );
        let pointers = |id: &NodeId| schema.node(*id).pointer.clone();
        let shared: Vec<String> = shared::nodes(&schema).iter().map(pointers).collect();
        let graph = Graph::new(&schema);
        (shared, shared::memoized(&graph).len())
    };
    let reference = json!({"items": {"$ref": "#/definitions/d"}});
    let twice = json!({"b": reference, "c": reference, "d": {"type": "string"}});
    assert_eq!(fork(twice), (vec!["/definitions/d".to_owned()], 0));
    let recursive = json!({"b": reference, "c": reference, "d": {"allOf": [reference, reference]}});
    assert_eq!(fork(recursive), (vec!["/definitions/d".to_owned()], 1));
    let once = json!({"b": reference, "c": {}, "d": {"type": "string"}});
    assert_eq!(fork(once), (Vec::new(), 0));
}

#[test]
fn depths_are_bounded_by_types_values_and_closed_objects() {
    for (value, accepted, declared) in [
        (json!({"type": "string"}), Some(0), Some(0)),
        (json!({"items": {"type": "string"}}), None, Some(1)),
        (json!({"type": "array", "items": {"type": ["string", "null"]}}), Some(1), Some(1)),
        (json!({"enum": [1, [[]], {"a": 1}]}), Some(2), Some(0)),
        (
            json!({"type": "object", "properties": {"a": {"const": []}}, "additionalProperties": false}),
            Some(2),
            Some(1),
        ),
        (json!({"type": "object", "properties": {"a": {"const": []}}}), None, Some(1)),
        (json!({"allOf": [{}, {"anyOf": [{"type": "string"}, {"const": [1]}]}]}), Some(1), Some(0)),
        (json!({"not": {"items": {"items": {}}}}), None, Some(2)),
    ] {
        let schema = schema(&value);
        let graph = Graph::new(&schema);
        assert_eq!((depth::accepted(&graph), depth::declared(&graph)), (accepted, declared), "{value}");
    }
}

#[test]
fn facets_collect_the_assertions_of_a_conjunction() {
    let schema = schema(&json!({
        "allOf": [
            {"$ref": "#/definitions/a"},
            {"minItems": 2, "maxItems": 5, "minLength": 1, "not": {"type": "boolean"}},
            {"anyOf": [{"minimum": 1}], "maxItems": 4, "not": {"minimum": 9}, "description": "second"}
        ],
        "not": {"required": ["x"]},
        "definitions": {"a": {"type": ["string", "array", "boolean"], "maxItems": 9, "description": "first"}}
    }));
    let facets = Conjunction::of([schema.root()]).facets(&schema);
    assert_eq!(facets.types, [Type::String, Type::Array].into_iter().collect());
    assert_eq!((facets.item_counts().min, facets.item_counts().max), (2, Some(4)));
    assert_eq!((facets.lengths().min, facets.lengths().max), (1, None));
    assert_eq!((facets.unions.len(), facets.unions[0].keyword), (1, "anyOf"));
    assert_eq!((facets.negations.len(), facets.forbidden.as_slice()), (1, &["x".to_owned()][..]));
    assert_eq!((facets.description, facets.cost), (Some("first"), 5));
    let chosen = Conjunction::of([schema.root()]).distribute(&facets, &facets.unions[0], facets.unions[0].branches[0]);
    let chosen = chosen.facets(&schema);
    assert_eq!((chosen.unions.len(), chosen.bounds().count()), (0, 1));
}

#[test]
fn facets_drop_values_that_other_schemas_exclude() {
    let values = |value: &Value| {
        let schema = schema(value);
        let facets = Conjunction::of([schema.root()]).facets(&schema);
        let values =
            facets.values.as_ref().map(|values| values.iter().map(|value| value.canonical()).collect::<Vec<_>>());
        (values.map(|values| values.join(" ")), facets.negations.len(), facets.is_never())
    };
    let list = |values: &str| Some(values.to_owned());
    assert_eq!(values(&json!({"enum": [1, "a", null], "type": ["string", "null"]})), (list("\"a\" null"), 0, false));
    assert_eq!(values(&json!({"enum": [1, 2], "not": {"const": 1}})), (list("2"), 0, false));
    assert_eq!(values(&json!({"not": {"const": 1}})), (None, 1, false));
    assert_eq!(values(&json!({"const": 1, "allOf": [{"const": 2}]})), (list(""), 0, true));
    assert_eq!(values(&json!({"not": {}})), (None, 0, true));
    assert_eq!(values(&json!({"not": {"type": "integer"}})), (None, 1, false));
}

#[test]
fn keys_of_conjunctions_ignore_order_and_references() {
    let schema = schema(&json!({
        "properties": {"a": {"$ref": "#/definitions/d"}, "b": {"$ref": "#/definitions/e"}, "c": {}},
        "definitions": {"d": {"type": "string"}, "e": {"$ref": "#/definitions/d"}}
    }));
    let root = schema.assertions(schema.root()).unwrap();
    let [a, b, c] = [0, 1, 2].map(|index| root.properties[index].1);
    let key = |nodes: [NodeId; 2]| Conjunction::of(nodes).key(&schema);
    assert_eq!(key([a, c]), key([c, b]));
    assert_ne!(key([a, c]), key([a, b]));
}

/// Schemas over few names and values, so that random payloads match them often.
fn schemas() -> impl Strategy<Value = Value> {
    let constant = prop_oneof![Just(json!("a")), Just(json!("b")), Just(json!(1)), Just(json!(1.0)), Just(json!(null))];
    let leaf = prop_oneof![
        constant.clone().prop_map(|value| json!({"const": value})),
        prop::collection::vec(constant, 1..3).prop_map(|values| json!({"enum": values})),
        prop::sample::subsequence(vec!["null", "integer", "number", "string", "object", "array"], 1..3)
            .prop_map(|types| json!({"type": types})),
        prop::sample::select(vec!["x", "y", "__proto__"]).prop_map(|name| json!({"required": [name]})),
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({"$ref": "#/definitions/d"})),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let names = prop::sample::subsequence(vec!["x", "y", "__proto__"], 0..3);
        let properties = (prop::collection::vec(inner.clone(), 2), names, any::<bool>(), any::<bool>());
        let object = properties.prop_map(|(schemas, required, closed, typed)| {
            let mut object = json!({"properties": {"x": schemas[0], "y": schemas[1]}, "required": required});
            if closed {
                object["additionalProperties"] = json!(false);
            }
            if typed {
                object["type"] = json!("object");
            }
            object
        });
        prop_oneof![
            4 => object,
            1 => prop::collection::vec(inner.clone(), 1..3).prop_map(|all| json!({"allOf": all})),
            1 => prop::collection::vec(inner.clone(), 1..3).prop_map(|any| json!({"anyOf": any})),
            1 => inner.prop_map(|not| json!({"not": not})),
        ]
    })
}

fn payloads() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(json!("a")),
        Just(json!("b")),
        Just(json!("c")),
        Just(json!(1)),
        Just(json!(1.0)),
        Just(json!(1.5)),
        Just(json!(null)),
        Just(json!([])),
    ];
    let member = scalar.clone().prop_map(Some).boxed();
    let member = prop_oneof![3 => member, 1 => Just(Some(json!({"x": "a"}))), 2 => Just(None)];
    let object = prop::array::uniform3(member).prop_map(|members| {
        let named = ["x", "y", "__proto__"].into_iter().zip(members);
        named.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect::<serde_json::Map<_, _>>().into()
    });
    prop_oneof![1 => scalar, 3 => object]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_value_matches_only_candidates_and_one_of_exclusive_branches(
        schemas in prop::collection::vec(schemas(), 2..4),
        definition in schemas(),
        payloads in prop::collection::vec(payloads(), 12),
    ) {
        let text = json!({"oneOf": schemas, "definitions": {"d": definition}});
        let Ok(schema) = Schema::parse(&Json::try_from(&text).unwrap()) else { return Ok(()) };
        let nodes = nodes(&schema);
        let analysis = Branches::new(&schema, &nodes);
        let is_exclusive = analysis.are_exclusive() || branches::are_exclusive(&schema, &nodes);
        let validator = Validator::new(&schema);
        for payload in payloads {
            let is_match = |index: &usize| validator.at(&format!("/oneOf/{index}")).unwrap().is_valid(&payload);
            let matches: Vec<usize> = (0..nodes.len()).filter(is_match).collect();
            let candidates = analysis.candidates(&payload);
            prop_assert!(matches.iter().all(|index| candidates.contains(index)), "{text} {payload}");
            prop_assert!(!is_exclusive || matches.len() < 2, "{text} {payload}");
            prop_assert_eq!(validator.is_valid(&payload), matches.len() == 1, "{} {}", text, payload);
        }
    }
}
