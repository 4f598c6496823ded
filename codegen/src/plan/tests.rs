//! Runs plans, as a printed validator would, and compares the verdicts with those of the interpreter of schemas.

use capgen_manifest::{Manifest, Source, load};
use capgen_schema::{Format, Json, MAX_PAYLOAD_DEPTH, Number, Type, parse_payload};
use serde_json::Value as Payload;

use super::test::{Call, Count, Depth, NumberTest, Place, PropertyTest, Test, TextTest};
use super::{Body, Constant, Declared, Plan, Shared, Stem, Style, plan};
use crate::lower;
use crate::model::check::Bound;

/// A style without decisions of a language.
struct Plain;

impl Style for Plain {
    fn name(&self, stem: Stem, subject: &str) -> String {
        format!("{stem:?} {subject}")
    }

    fn is_short(&self, test: &Test<'_>, _: &Shared<'_>) -> bool {
        !matches!(test, Test::All(_) | Test::Any(_) | Test::Choice(_))
    }

    fn has_number(&self, _: &Number) -> bool {
        true
    }
}

/// The values that a function can read, and the members that it has counted.
#[derive(Clone, Default)]
struct Frame<'v> {
    value: Option<&'v Payload>,
    members: Vec<Option<&'v Payload>>,
    item: Option<&'v Payload>,
    name: Option<Payload>,
    depth: usize,
    counted: usize,
}

impl<'v> Frame<'v> {
    fn of(value: &'v Payload, depth: usize) -> Self {
        Self { value: Some(value), depth, ..Self::default() }
    }

    fn get(&self, place: Place) -> &Payload {
        let value = match place {
            Place::Value => self.value,
            Place::Member(level) => self.members[level],
            Place::Item => self.item,
            Place::Name => self.name.as_ref(),
        };
        value.unwrap()
    }

    fn read(&self, place: Place) -> &'v Payload {
        match place {
            Place::Value => self.value.unwrap(),
            Place::Member(level) => self.members[level].unwrap(),
            Place::Item => self.item.unwrap(),
            Place::Name => panic!("a name has no members"),
        }
    }

    fn depth(&self, depth: Depth) -> usize {
        depth.more + if depth.has_parameter { self.depth } else { 0 }
    }
}

struct Interpreter<'p, 'm>(&'p Shared<'m>);

impl Interpreter<'_, '_> {
    fn constant(&self, id: super::ConstantId) -> &Constant<'_> {
        self.0.constants().nth(id.0).unwrap().1
    }

    fn test<'v>(&self, test: &Test<'_>, frame: &mut Frame<'v>) -> bool {
        match test {
            Test::Always => true,
            Test::Never => false,
            Test::All(tests) => tests.iter().all(|test| self.test(test, frame)),
            Test::Any(tests) => tests.iter().any(|test| self.test(test, frame)),
            Test::Not(test) => !self.test(test, frame),
            Test::Conditional(tests) => {
                let [condition, then, otherwise] = &**tests;
                let consequence = if self.test(condition, frame) { then } else { otherwise };
                self.test(consequence, frame)
            }
            Test::ExactlyOne(count) => self.count(count, frame) == 1,
            Test::Choice(choice) => choice.branches.iter().any(|branch| self.test(branch, frame)),
            Test::Call(call) => self.call(call, frame) == 1,
            Test::HasType(place, ty) => has_type(frame.get(*place), *ty),
            Test::HasOtherType(place, ty) => !has_type(frame.get(*place), *ty),
            Test::Text(test) => self.text(test, frame),
            Test::Number(test) => number(test, frame.get(test.place)),
            Test::Equals(place, value) => equal(value.0, frame.get(*place)),
            Test::IsInSet(place, id) => match self.constant(*id) {
                Constant::Set(values) => values.iter().any(|value| equal(value, frame.get(*place))),
                other => panic!("{other:?} cannot be a set"),
            },
            Test::IsAmong(place, id) => match self.constant(*id) {
                Constant::Literals(values) => values.iter().any(|value| equal(value, frame.get(*place))),
                other => panic!("{other:?} has no literals"),
            },
            Test::MinItems(place, limit) => frame.get(*place).as_array().unwrap().len() as u64 >= *limit,
            Test::MaxItems(place, limit) => frame.get(*place).as_array().unwrap().len() as u64 <= *limit,
            Test::SpansMembers(place, least, most) => {
                let count = frame.get(*place).as_object().unwrap().len() as u64;
                *least <= count && most.is_none_or(|most| count <= most)
            }
            Test::HasNoItems(place) => frame.get(*place).as_array().unwrap().is_empty(),
            Test::HasDistinctItems(place) => {
                let items = frame.get(*place).as_array().unwrap();
                let texts: Vec<String> = items.iter().map(|item| json(item).canonical()).collect();
                (1..texts.len()).all(|end| !texts[..end].contains(&texts[end]))
            }
            Test::MayNest(depth) => frame.depth(*depth) < MAX_PAYLOAD_DEPTH,
            Test::IsShallow(place, depth) => is_shallow(frame.get(*place), frame.depth(*depth)),
            Test::CountsMembers(_, start) => {
                frame.counted = *start;
                true
            }
            Test::Has(place, name) => frame.get(*place).as_object().unwrap().contains_key(*name),
            Test::Property(property) => self.property(property, frame),
            Test::HasNoOthers(others) => {
                let members = frame.get(others.place).as_object().unwrap();
                let has_others = members.len() > others.declared.unwrap_or(frame.counted);
                let depth = others.depth.map(|depth| frame.depth(depth));
                !has_others || depth.is_some_and(|depth| is_shallow(frame.get(others.place), depth))
            }
            Test::HasOnlyNames(place, id) => match self.constant(*id) {
                Constant::Names(names) => {
                    frame.get(*place).as_object().unwrap().keys().all(|name| names.contains(&name.as_str()))
                }
                other => panic!("{other:?} has no names"),
            },
        }
    }

    fn property<'v>(&self, test: &PropertyTest<'_>, frame: &mut Frame<'v>) -> bool {
        let member = frame.read(test.place).as_object().unwrap().get(test.name);
        let Some(member) = member else { return !test.is_required };
        frame.counted += usize::from(test.is_counted);
        let level = test.member.level();
        if frame.members.len() <= level {
            frame.members.resize(level + 1, None);
        }
        // A counter belongs to one object, and the members of this one are counted after its members' own ones.
        let (counted, outer) = (frame.counted, frame.members[level].replace(member));
        let is_valid = self.test(&test.test, frame);
        frame.counted = counted;
        frame.members[level] = outer;
        is_valid
    }

    fn count(&self, count: &Count<'_>, frame: &mut Frame<'_>) -> usize {
        match count {
            Count::Zero => 0,
            Count::Of(test) => usize::from(self.test(test, frame)),
            Count::Call(call) => self.call(call, frame),
            Count::Sum(counts) => counts.iter().map(|count| self.count(count, frame)).sum(),
        }
    }

    /// The result of a function, 1 for `true`.
    fn call(&self, call: &Call, frame: &Frame<'_>) -> usize {
        let function = self.0.functions().iter().find(|function| function.id == call.function).unwrap();
        assert_eq!(function.has_depth, call.depth.is_some());
        let value = frame.get(call.place);
        let mut inner = Frame::of(value, call.depth.map_or(0, |depth| frame.depth(depth)));
        let test = |test, frame: &mut Frame<'_>| usize::from(self.test(test, frame));
        match &function.body {
            Body::Test(condition) => test(condition, &mut inner),
            Body::Count(count) => self.count(count, &mut inner),
            Body::Remember { decide, .. } => self.call(decide, &inner),
            Body::EachItem(condition) => {
                let items = value.as_array().unwrap().iter();
                let mut frames = items.map(|item| Frame { item: Some(item), ..inner.clone() });
                usize::from(frames.all(|mut frame| self.test(condition, &mut frame)))
            }
            Body::SomeItem(condition) => {
                let items = value.as_array().unwrap().iter();
                let mut frames = items.map(|item| Frame { item: Some(item), ..inner.clone() });
                usize::from(frames.any(|mut frame| self.test(condition, &mut frame)))
            }
            Body::Tuple { positions, rest } => {
                let items = value.as_array().unwrap().iter().enumerate();
                let mut tests = items.map(|(index, item)| (positions.get(index).unwrap_or(rest), item));
                let frame = |item| Frame { item: Some(item), ..inner.clone() };
                usize::from(tests.all(|(condition, item)| self.test(condition, &mut frame(item))))
            }
            Body::EachMember { declared, test: condition } => {
                let is_declared = |name: &str| match declared {
                    Declared::Few(names) => names.contains(&name),
                    Declared::Set(id) => matches!(self.constant(*id), Constant::Names(names) if names.contains(&name)),
                };
                let members = value.as_object().unwrap().iter().filter(|(name, _)| !is_declared(name));
                let name = |name: &String| Some(Payload::String(name.clone()));
                let frame = |(key, item)| Frame { item: Some(item), name: name(key), ..inner.clone() };
                let mut frames = members.map(frame);
                usize::from(frames.all(|mut frame| self.test(condition, &mut frame)))
            }
            Body::EachName(condition) => {
                let names = value.as_object().unwrap().keys();
                let mut frames = names.map(|name| Frame { name: Some(Payload::String(name.clone())), ..inner.clone() });
                usize::from(frames.all(|mut frame| self.test(condition, &mut frame)))
            }
        }
    }

    fn text(&self, test: &TextTest, frame: &Frame<'_>) -> bool {
        let Payload::String(text) = frame.get(test.place) else {
            assert!(!test.is_certain);
            return false;
        };
        let length = text.chars().count() as u64;
        let matches = |id| match self.constant(id) {
            Constant::Pattern(pattern) => pattern.is_match(text) == Ok(true),
            other => panic!("{other:?} cannot be a pattern"),
        };
        length >= test.min_length
            && test.max_length.is_none_or(|limit| length <= limit)
            && test.format.is_none_or(|format: Format| format.accepts(text))
            && test.pattern.is_none_or(matches)
    }
}

fn number(test: &NumberTest<'_>, value: &Payload) -> bool {
    let Some(float) = value.as_f64() else {
        assert!(test.ty.is_some());
        return false;
    };
    let is_multiple = |divisor| json(value).as_number().unwrap().is_multiple_of(divisor);
    test.ty.is_none_or(|ty| has_type(value, ty))
        && test.limits.iter().all(|limit| match limit.bound {
            Bound::Minimum => float >= limit.nearest,
            Bound::Maximum => float <= limit.nearest,
            Bound::ExclusiveMinimum => float > limit.nearest,
            Bound::ExclusiveMaximum => float < limit.nearest,
        })
        && test.multiple_of.is_none_or(is_multiple)
}

fn has_type(value: &Payload, ty: Type) -> bool {
    match ty {
        Type::Null => value.is_null(),
        Type::Boolean => value.is_boolean(),
        Type::Integer => value.as_f64().is_some_and(|float| float.fract() == 0.0),
        Type::Number => value.is_number(),
        Type::String => value.is_string(),
        Type::Array => value.is_array(),
        Type::Object => value.is_object(),
    }
}

fn is_shallow(value: &Payload, depth: usize) -> bool {
    match value {
        Payload::Array(items) => depth < MAX_PAYLOAD_DEPTH && items.iter().all(|item| is_shallow(item, depth + 1)),
        Payload::Object(members) => {
            depth < MAX_PAYLOAD_DEPTH && members.values().all(|member| is_shallow(member, depth + 1))
        }
        _ => true,
    }
}

fn json(payload: &Payload) -> Json {
    match payload {
        Payload::Null => Json::Null,
        Payload::Bool(value) => Json::Bool(*value),
        Payload::Number(number) => Json::Number(number.to_string().parse().unwrap()),
        Payload::String(text) => Json::String(text.clone()),
        Payload::Array(items) => Json::Array(items.iter().map(json).collect()),
        Payload::Object(members) => Json::Object(members.iter().map(|(n, value)| (n.clone(), json(value))).collect()),
    }
}

fn equal(value: &Json, payload: &Payload) -> bool {
    value.canonical() == json(payload).canonical()
}

/// Compares the verdicts of a plan for a schema with those of the interpreter; returns how many payloads are valid.
fn compare(schema: &str, payloads: &[Payload]) -> usize {
    let text = format!(
        "{{version: 1, agent: 'agent://shop', transports: [{{kind: memory, topics: {{requests: shop}}}}], \
         capabilities: [{{name: find, inputSchema: {schema}}}]}}"
    );
    let manifest: Manifest = load(&Source::new("capabilities.yaml", text.as_str())).unwrap().manifest;
    let mut model = lower::lower(&manifest);
    lower::add_validators(&mut model);
    let Plan { sides, shared } = plan(&model, &Plain);
    let schema_of = manifest.capabilities[0].schema(capgen_manifest::Side::Request).unwrap();
    let validator = capgen_schema::Validator::new(schema_of);
    let verdicts = payloads.iter().map(|payload| {
        let planned = Interpreter(&shared).test(&sides[0].verdict, &mut Frame::of(payload, 0));
        assert_eq!(planned, validator.is_valid(payload), "{schema}\n{payload}");
        planned
    });
    verdicts.filter(|is_valid| *is_valid).count()
}

/// Many optional properties, of which the first must be a string.
fn many_properties(count: usize, rest: &str) -> String {
    let names = (0..count).map(|index| format!("\"p{index}\": {{\"type\": \"string\"}}"));
    let properties = names.collect::<Vec<_>>().join(", ");
    format!("{{\"type\": \"object\", \"properties\": {{{properties}}}, \"required\": [\"p0\"]{rest}}}")
}

/// A union with so many branches that they do not fit into one function.
fn many_branches(keyword: &str) -> String {
    let branches = (0..500).map(|index| format!("{{\"type\": \"integer\", \"minimum\": {index}}}"));
    format!("{{\"{keyword}\": [{}]}}", branches.collect::<Vec<_>>().join(", "))
}

#[test]
fn plans_accept_the_same_payloads_as_the_interpreter() {
    let deep = |levels: usize| (0..levels).fold(Payload::from(1), |inner, _| Payload::Array(vec![inner]));
    let payloads = [
        "null",
        "true",
        "false",
        "0",
        "1",
        "2",
        "2.5",
        "-1",
        "1e3",
        "150",
        "499",
        "600",
        r#""""#,
        r#""a""#,
        r#""abc""#,
        r#""a/b""#,
        r#""😀😀""#,
        r#""6ba7b810-9dad-11d1-80b4-00c04fd430c8""#,
        "[]",
        "[1]",
        "[1, 1]",
        "[1, 2, 3]",
        r#"["a"]"#,
        "[[1], [1]]",
        r#"[{"a": 1}, {"a": 1.0}]"#,
        "{}",
        r#"{"a": 1}"#,
        r#"{"a": "a"}"#,
        r#"{"a": 1, "b": 2}"#,
        r#"{"b": 2}"#,
        r#"{"c": null}"#,
        r#"{"kind": "x", "v": 1}"#,
        r#"{"kind": "y", "v": 1}"#,
        r#"{"kind": "y", "v": "1"}"#,
        r#"{"kind": "z"}"#,
        r#"{"a": {"a": {"a": 1}}}"#,
        r#"{"a": {"a": {"b": 1}}}"#,
        r#"{"constructor": 1}"#,
        r#"{"a": [1, "a", null]}"#,
        r#"{"p0": "a"}"#,
        r#"{"p0": "a", "p119": "b"}"#,
        r#"{"p0": "a", "other": 1}"#,
        r#"{"p0": 1}"#,
        r#"{"next": {"next": {"value": 1}}}"#,
        r#"{"next": {"next": {"value": "1"}}}"#,
    ];
    let mut payloads: Vec<Payload> = payloads.map(|text| parse_payload(text.as_bytes()).unwrap()).into();
    let object = |member| Payload::Object([("a".to_owned(), member)].into_iter().collect());
    for levels in [MAX_PAYLOAD_DEPTH, MAX_PAYLOAD_DEPTH + 1] {
        payloads.extend([deep(levels), object(deep(levels - 1))]);
    }
    let schemas = [
        "{}",
        r#"{"type": "object", "minProperties": 1, "maxProperties": 1}"#,
        r#"{"type": "object", "dependentRequired": {"a": ["b"], "c": ["b", "kind"]}}"#,
        r#"{"dependentRequired": {"kind": ["v"]}, "properties": {"v": {"type": "integer"}}, "additionalProperties": {"type": "string"}}"#,
        r#"{"type": "object", "patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": false}"#,
        r#"{"patternProperties": {"^[ab]": {"type": "integer"}, "b|k": {"minimum": 2}}, "properties": {"b": {"const": 2}, "v": true}}"#,
        r#"{"patternProperties": {"^k": {"const": "x"}}, "additionalProperties": {"type": "integer"}, "properties": {"p0": {}}}"#,
        r##"{"definitions": {"d": {"patternProperties": {"^a": {"$ref": "#/definitions/d"}}}}, "$ref": "#/definitions/d"}"##,
        r#"{"minProperties": 2, "properties": {"a": {"type": "integer"}}}"#,
        r#"{"maxProperties": 1, "required": ["a"], "additionalProperties": {"type": "string"}}"#,
        r#"{"type": "object"}"#,
        r#"{"type": ["string", "null"], "minLength": 2}"#,
        r#"{"minLength": 2, "pattern": "/"}"#,
        r#"{"type": "string", "format": "uuid"}"#,
        r#"{"type": "number", "multipleOf": 0.5, "maximum": 2}"#,
        r#"{"type": "integer", "exclusiveMinimum": 0}"#,
        r#"{"minimum": 1, "maxLength": 1, "maxItems": 1}"#,
        r#"{"enum": [1, "a", null, {"a": 1}, [1]]}"#,
        r#"{"enum": [1, 2, 3, 4, 5, 6, 7, 8, 9, "a"]}"#,
        r#"{"const": {"a": 1}}"#,
        r#"{"enum": ["a", "abc", 1], "type": "string", "maxLength": 1}"#,
        r#"{"type": "array", "items": {"type": "integer"}}"#,
        r#"{"type": "array", "uniqueItems": true, "minItems": 1}"#,
        r#"{"type": "array", "items": false}"#,
        r#"{"items": [{"type": "integer"}, {"type": "integer", "minimum": 2}]}"#,
        r#"{"items": [{"type": "integer"}], "additionalItems": false}"#,
        r#"{"items": [true, {"minimum": 1}], "additionalItems": {"type": "integer"}, "uniqueItems": true}"#,
        r#"{"items": [{"items": [{"const": 1}]}, {"items": {"const": 1}}]}"#,
        r#"{"items": [true]}"#,
        r#"{"contains": {"type": "integer", "minimum": 2}}"#,
        r#"{"type": "array", "contains": true}"#,
        r#"{"contains": {"contains": {"const": 1}}, "items": {"type": "array"}}"#,
        r#"{"if": {"type": "object", "required": ["a"]}, "then": {"required": ["b"]}, "else": {"type": "integer"}}"#,
        r#"{"if": {"minimum": 2}, "then": {"type": "string"}}"#,
        r#"{"if": {"type": "array"}, "else": {"type": "string"}}"#,
        r#"{"if": true, "then": {"type": "integer"}, "else": false}"#,
        r#"{"if": {"type": "integer"}, "then": false, "else": {"type": "string"}}"#,
        r#"{"if": {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": false},
            "then": {"if": {"required": ["a"]}, "then": {"minProperties": 1}, "else": {"maxProperties": 0}}, "else": {"type": "string"}}"#,
        r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "additionalProperties": false}"#,
        r#"{"type": "object", "properties": {"a": {}, "b": false}, "required": ["a"]}"#,
        r#"{"type": "object", "required": ["a"], "additionalProperties": {"type": "integer"}}"#,
        r#"{"properties": {"a": {"type": "integer"}}, "required": ["a", "b"]}"#,
        r#"{"type": "object", "propertyNames": {"maxLength": 1, "pattern": "^[a-c]"}}"#,
        r#"{"type": "object", "properties": {"constructor": {"type": "integer"}}, "required": ["constructor"]}"#,
        r#"{"oneOf": [{"type": "object", "properties": {"kind": {"const": "x"}, "v": {"type": "integer"}}, "required": ["kind", "v"]},
            {"type": "object", "properties": {"kind": {"const": "y"}, "v": {"type": "string"}}, "required": ["kind", "v"]}]}"#,
        r#"{"oneOf": [{"minimum": 1}, {"maximum": 2}, {"type": "string"}]}"#,
        r#"{"anyOf": [{"minimum": 2}, {"maxLength": 1}]}"#,
        r#"{"allOf": [{"type": "object", "required": ["a"]}, {"properties": {"a": {"type": "integer"}}}]}"#,
        r#"{"not": {"type": "object", "required": ["a"]}}"#,
        r#"{"type": "string", "not": {"maxLength": 1}}"#,
        r##"{"type": "object", "properties": {"next": {"$ref": "#/definitions/Node"}},
            "definitions": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/definitions/Node"},
            "value": {"type": "integer"}}, "additionalProperties": false}}}"##,
        r##"{"anyOf": [{"$ref": "#/definitions/A"}, {"type": "integer"}], "definitions": {"A": {"anyOf": [{"type": "object",
            "properties": {"a": {"$ref": "#/definitions/A"}}}, {"type": "array", "items": {"$ref": "#/definitions/A"}}]}}}"##,
    ];
    let sizes = [many_properties(120, ""), many_properties(120, ", \"additionalProperties\": false")];
    let unions = [many_branches("anyOf"), many_branches("oneOf"), many_branches("allOf")];
    let schemas = schemas.iter().map(|schema| (*schema).to_owned()).chain(sizes).chain(unions);
    for schema in schemas {
        let valid = compare(&schema, &payloads);
        assert!(valid > 0, "no payload is valid: {schema}");
    }
}
