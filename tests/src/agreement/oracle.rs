//! The violations of a payload, computed from the text of `docs/violations.md` about unions: slow, and without the
//! interpreter's analyses. Only assertions that apply no subschema, and the verdicts of branches, come from the
//! interpreter.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use capgen_schema::{Json, Object, Schema, Validator};
use serde_json::Value;

/// The path, keyword and message of each violation, in order.
pub type Violations = Vec<(String, String, String)>;

/// The keywords that [`Oracle`] reads itself.
const APPLICATORS: [&str; 18] = [
    "properties",
    "patternProperties",
    "propertyNames",
    "additionalProperties",
    "items",
    "additionalItems",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "definitions",
    "title",
    "description",
    "$ref",
];

/// The order of the violations at one path.
const KEYWORDS: [&str; 26] = [
    "propertyNames",
    "type",
    "false",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minProperties",
    "maxProperties",
    "required",
    "dependentRequired",
    "additionalProperties",
    "anyOf",
    "oneOf",
    "not",
];

/// The JSON types, in the order of messages. `number` means one with a fraction.
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/// A path, to be sorted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Token {
    Index(usize),
    Name(Vec<u16>),
}

struct Found {
    path: Vec<Token>,
    keyword: &'static str,
    message: String,
}

/// A schema.
pub struct Oracle {
    root: Json,
    /// The validators of subschemas, by their text.
    validators: RefCell<HashMap<String, Option<Validator>>>,
}

/// A failed union, as far as the value's type, a tag and keys explain it.
enum Explained<'s> {
    Types(Vec<&'static str>),
    Tag(String, Vec<Json>),
    Branch(&'s Json),
    Open(Vec<usize>),
}

impl Oracle {
    /// An oracle for a schema that loads.
    pub fn new(schema: Json) -> Self {
        Self { root: schema, validators: RefCell::default() }
    }

    /// All violations of a payload.
    pub fn violations(&self, payload: &Value) -> Violations {
        let mut found = Vec::new();
        self.visit(vec![(&self.root, false)], payload, &[], true, &mut found);
        found.into_iter().map(|found| (pointer(&found.path), found.keyword.to_owned(), found.message)).collect()
    }

    /// `at` are the subschemas that apply, each with whether it comes from `additionalProperties`.
    fn visit<'s>(
        &'s self,
        mut at: Vec<(&'s Json, bool)>,
        value: &Value,
        path: &[Token],
        explains: bool,
        all: &mut Vec<Found>,
    ) {
        let mut here: Vec<(&'static str, String)> = Vec::new();
        let mut below: BTreeMap<Token, Vec<(Json, bool)>> = BTreeMap::new();
        let mut missing: BTreeMap<Token, Vec<String>> = BTreeMap::new();
        let mut dependent: BTreeMap<Token, Vec<String>> = BTreeMap::new();
        let mut names: BTreeMap<Token, Vec<String>> = BTreeMap::new();
        let mut unions = Vec::new();
        let mut seen: Vec<&Json> = Vec::new();
        while let Some((schema, is_additional)) = at.pop() {
            let schema = self.resolve(schema);
            let Some(object) = schema.as_object() else {
                if *schema == Json::Bool(false) {
                    here.push(match path.last() {
                        Some(Token::Name(name)) if is_additional => {
                            let name = String::from_utf16_lossy(name);
                            ("additionalProperties", format!("unexpected property {}", quote(&name)))
                        }
                        _ => ("false", "no value is allowed here".to_owned()),
                    });
                }
                continue;
            };
            if seen.iter().any(|other| std::ptr::eq(*other, schema)) {
                continue;
            }
            seen.push(schema);
            let own: Object =
                object.iter().filter(|(name, _)| !APPLICATORS.contains(&name.as_str())).cloned().collect();
            let own = messages(&Json::Object(own), value);
            let is_mistyped = own.iter().any(|(_, keyword, _)| *keyword == "type");
            for (name, keyword, message) in own {
                match name {
                    Some(name) => {
                        let lists = if keyword == "dependentRequired" { &mut dependent } else { &mut missing };
                        lists.entry(Token::Name(name.encode_utf16().collect())).or_default().push(message);
                    }
                    None => here.push((keyword, message)),
                }
            }
            if is_mistyped {
                continue;
            }
            at.extend(list(object, "allOf").iter().map(|part| (part, false)));
            if let Some(condition) = object.get("if") {
                let keyword = if self.accepts(condition, value) { "then" } else { "else" };
                at.extend(object.get(keyword).map(|part| (part, false)));
            }
            for keyword in ["anyOf", "oneOf"] {
                let branches = list(object, keyword);
                let matching: Vec<usize> =
                    (0..branches.len()).filter(|at| self.accepts(&branches[*at], value)).collect();
                match matching.as_slice() {
                    _ if object.get(keyword).is_none() => {}
                    [] => match self.explain(branches, value) {
                        Explained::Types(types) => here.extend(of_schema("type", texts(&types), value)),
                        Explained::Tag(name, values) => {
                            let enumeration =
                                Json::Object([("enum".to_owned(), Json::Array(values))].into_iter().collect());
                            let token = Token::Name(name.encode_utf16().collect());
                            if value.get(&name).is_some() {
                                below.entry(token).or_default().push((enumeration, false));
                            } else {
                                let message = &messages(&enumeration, &Value::from("unlisted"))[0].2;
                                let listed = message.trim_start_matches("value not in enum ");
                                missing
                                    .entry(token)
                                    .or_default()
                                    .push(format!("missing required property {}, one of {listed}", quote(&name)));
                            }
                        }
                        Explained::Branch(branch) => at.push((branch, false)),
                        Explained::Open(candidates) => unions.push((keyword, branches, candidates)),
                    },
                    [first, second, ..] if keyword == "oneOf" => {
                        here.push(("oneOf", format!("matches more than one branch of oneOf: {first} and {second}")))
                    }
                    _ => {}
                }
            }
            if object.get("not").is_some_and(|not| self.accepts(not, value)) {
                here.push(("not", "matches the schema in not".to_owned()));
            }
            if let (Some(contained), Value::Array(items)) = (object.get("contains"), value)
                && !items.iter().any(|item| self.accepts(contained, item))
            {
                here.push(("contains", "no item matches the schema in contains".to_owned()));
            }
            match value {
                Value::Array(items) => {
                    for index in (0..items.len()).filter(|_| object.get("items").is_some()) {
                        let item = match object.get("items") {
                            Some(Json::Array(list)) => list.get(index).or(object.get("additionalItems")),
                            every => every,
                        };
                        let items = item.cloned().into_iter().map(|item| (item, false));
                        below.entry(Token::Index(index)).or_default().extend(items);
                    }
                }
                Value::Object(members) => {
                    for name in members.keys() {
                        let declared = object.get("properties").and_then(Json::as_object).and_then(|all| all.get(name));
                        let patterns = object.get("patternProperties").and_then(Json::as_object);
                        let is_match = |source: &str| {
                            let schema =
                                Json::Object([("pattern".to_owned(), Json::from(source))].into_iter().collect());
                            messages(&schema, &Value::from(name.as_str())).is_empty()
                        };
                        let matching = patterns.into_iter().flatten().filter(|(source, _)| is_match(source));
                        let matching: Vec<&Json> = matching.map(|(_, schema)| schema).collect();
                        let is_rest = declared.is_none() && matching.is_empty();
                        let rest = object.get("additionalProperties").filter(|_| is_rest);
                        let apply = declared.into_iter().chain(matching).map(|schema| (schema.clone(), false));
                        let apply = apply.into_iter().chain(rest.map(|schema| (schema.clone(), true)));
                        let token = Token::Name(name.encode_utf16().collect());
                        below.entry(token.clone()).or_default().extend(apply);
                        if let Some(of_names) = object.get("propertyNames") {
                            let found = messages(of_names, &Value::from(name.as_str())).into_iter();
                            let found = found.map(|(_, _, message)| format!("property name {message}"));
                            names.entry(token).or_default().extend(found);
                        }
                    }
                }
                _ => {}
            }
        }
        let is_mistyped = here.iter().any(|(keyword, _)| *keyword == "type");
        if is_mistyped {
            here.retain(|(keyword, _)| *keyword == "type");
        } else {
            for (keyword, branches, candidates) in unions {
                let text = if explains { self.closest(branches, &candidates, value) } else { String::new() };
                here.push((keyword, format!("matches no branch of {keyword}{text}")));
            }
        }
        here.sort_by_key(|(keyword, message)| {
            (KEYWORDS.iter().position(|other| other == keyword), message.encode_utf16().collect::<Vec<_>>())
        });
        here.dedup();
        all.extend(here.into_iter().map(|(keyword, message)| Found { path: path.to_vec(), keyword, message }));
        if is_mistyped {
            return;
        }
        for token in dependent.keys() {
            below.entry(token.clone()).or_default();
        }
        for (token, messages) in missing {
            below.entry(token.clone()).or_default();
            let longest = messages.into_iter().max_by_key(|message| message.encode_utf16().collect::<Vec<_>>());
            missing_at(&mut below, &token, longest);
        }
        for (token, schemas) in &below {
            let mut path = path.to_vec();
            path.push(token.clone());
            let mut of_name = names.remove(token).unwrap_or_default();
            of_name.sort_by_key(|message| message.encode_utf16().collect::<Vec<_>>());
            of_name.dedup();
            let of_name =
                of_name.into_iter().map(|message| Found { path: path.clone(), keyword: "propertyNames", message });
            all.extend(of_name);
            let required = match schemas.as_slice() {
                [(Json::String(message), _)] => Some(message.clone()),
                _ => None,
            };
            let is_missing = required.is_some() || dependent.contains_key(token);
            all.extend(required.map(|message| Found { path: path.clone(), keyword: "required", message }));
            let mut others = dependent.remove(token).unwrap_or_default();
            others.sort_by_key(|message| message.encode_utf16().collect::<Vec<_>>());
            others.dedup();
            let others = others.into_iter();
            all.extend(others.map(|message| Found { path: path.clone(), keyword: "dependentRequired", message }));
            if is_missing {
                continue;
            }
            let member = match token {
                Token::Index(index) => value.get(*index),
                Token::Name(name) => value.get(String::from_utf16_lossy(name)),
            };
            if let Some(member) = member {
                let schemas = schemas.iter().map(|(schema, is_additional)| (schema, *is_additional)).collect();
                self.visit(schemas, member, &path, explains, all);
            }
        }
    }

    fn explain<'s>(&'s self, branches: &'s [Json], value: &Value) -> Explained<'s> {
        let of_type: Vec<usize> =
            (0..branches.len()).filter(|at| self.types(&branches[*at]).contains(&type_of(value))).collect();
        if branches.iter().all(|branch| self.types(branch).is_empty()) {
            return match branches {
                [only] => Explained::Branch(only),
                _ => Explained::Open((0..branches.len()).collect()),
            };
        }
        if of_type.is_empty() {
            let all: Vec<&str> = branches.iter().flat_map(|branch| self.types(branch)).collect();
            let mut types: Vec<&str> = TYPES.into_iter().filter(|name| all.contains(name)).collect();
            if types.contains(&"number") {
                types.retain(|name| *name != "integer");
            }
            return Explained::Types(types);
        }
        let mut possible = of_type.clone();
        let objects: Vec<usize> =
            (0..branches.len()).filter(|at| self.types(&branches[*at]).contains(&"object")).collect();
        if let (Some(members), true) = (value.as_object(), objects.len() > 1) {
            let for_objects: Vec<&Json> = objects.iter().map(|at| &branches[*at]).collect();
            let tag = self.tag(&for_objects);
            let mut is_exclusive = false;
            if let Some((name, values)) = tag {
                is_exclusive = are_distinct(&values);
                let is_required = |at: usize| self.requires(for_objects[at], &name);
                let fits = |at: usize| match members.get(&name) {
                    Some(value) => values[at].iter().any(|listed| listed.equals(value)),
                    None => !is_required(at),
                };
                possible.retain(|branch| objects.iter().position(|at| at == branch).is_none_or(&fits));
                let is_known = match members.get(&name) {
                    Some(value) => values.iter().flatten().any(|listed| listed.equals(value)),
                    None => !(0..objects.len()).all(is_required),
                };
                if !is_known {
                    let mut all: Vec<Json> = Vec::new();
                    for value in values.into_iter().flatten() {
                        if !all.contains(&value) {
                            all.push(value);
                        }
                    }
                    return Explained::Tag(name, all);
                }
            }
            if !is_exclusive && let Some(keys) = self.keys(&for_objects) {
                let has_key = |at: usize| keys[at].iter().any(|key| members.contains_key(key));
                possible.retain(|branch| objects.iter().position(|at| at == branch).is_none_or(has_key));
            }
        }
        match possible.as_slice() {
            [only] => Explained::Branch(&branches[*only]),
            [] => Explained::Open(of_type),
            _ => Explained::Open(possible),
        }
    }

    /// The name and the values in each branch.
    fn tag(&self, branches: &[&Json]) -> Option<(String, Vec<Vec<Json>>)> {
        let names = self.declared(branches.first()?);
        let values = |name: &str| branches.iter().map(|branch| self.listed(branch, name)).collect::<Option<Vec<_>>>();
        let all: Vec<(&str, Vec<Vec<Json>>)> =
            names.into_iter().filter_map(|name| Some((name, values(name)?))).collect();
        let is_same = |lists: &[Vec<Json>]| {
            lists
                .iter()
                .all(|list| lists[0].iter().all(|v| list.contains(v)) && list.iter().all(|v| lists[0].contains(v)))
        };
        let exclusive = all.iter().find(|(_, lists)| are_distinct(lists));
        let tag = exclusive.or_else(|| all.iter().find(|(_, lists)| !is_same(lists)));
        tag.map(|(name, lists)| ((*name).to_owned(), lists.clone()))
    }

    /// The names in `properties`, in order.
    fn declared<'s>(&'s self, schema: &'s Json) -> Vec<&'s str> {
        let Some(object) = self.resolve(schema).as_object() else { return Vec::new() };
        let own = object.get("properties").and_then(Json::as_object);
        let mut names: Vec<&str> = own.into_iter().flat_map(|own| own.iter().map(|(name, _)| name.as_str())).collect();
        let mut at: Vec<&Json> = list(object, "allOf").iter().collect();
        at.extend(["anyOf", "oneOf"].into_iter().filter_map(|keyword| self.for_objects(list(object, keyword)).next()));
        names.extend(at.into_iter().flat_map(|schema| self.declared(schema)));
        names
    }

    /// The values that a subschema lists for a property.
    fn listed(&self, schema: &Json, name: &str) -> Option<Vec<Json>> {
        let object = self.resolve(schema).as_object()?;
        let declared = object.get("properties").and_then(Json::as_object).and_then(|all| all.get(name));
        let own = declared.and_then(|declared| self.values(declared));
        let parts = list(object, "allOf").iter().map(|part| self.listed(part, name));
        let unions = ["anyOf", "oneOf"].into_iter().filter(|keyword| object.get(keyword).is_some());
        let unions = unions.map(|keyword| {
            let branches = self.for_objects(list(object, keyword)).map(|branch| self.listed(branch, name));
            branches.collect::<Option<Vec<_>>>().map(any)
        });
        in_all(std::iter::once(own).chain(parts).chain(unions))
    }

    /// The values that a subschema lists.
    fn values(&self, schema: &Json) -> Option<Vec<Json>> {
        let object = self.resolve(schema).as_object()?;
        let enumeration = object.get("enum").and_then(Json::as_array).map(|values| any(vec![values.to_vec()]));
        let only = object.get("const").map(|only| vec![only.clone()]);
        let parts = list(object, "allOf").iter().map(|part| self.values(part));
        let unions = ["anyOf", "oneOf"].into_iter().filter(|keyword| object.get(keyword).is_some());
        let unions = unions.map(|keyword| {
            let branches = list(object, keyword).iter().filter(|branch| !self.types(branch).is_empty());
            branches.map(|branch| self.values(branch)).collect::<Option<Vec<_>>>().map(any)
        });
        in_all([enumeration, only].into_iter().chain(parts).chain(unions))
    }

    fn requires(&self, schema: &Json, name: &str) -> bool {
        let Some(object) = self.resolve(schema).as_object() else { return false };
        let unions = ["anyOf", "oneOf"].into_iter().filter(|keyword| object.get(keyword).is_some());
        list(object, "required").iter().any(|required| required.as_str() == Some(name))
            || list(object, "allOf").iter().any(|part| self.requires(part, name))
            || unions
                .into_iter()
                .any(|keyword| self.for_objects(list(object, keyword)).all(|branch| self.requires(branch, name)))
    }

    fn allows(&self, schema: &Json, name: &str) -> bool {
        let Some(object) = self.resolve(schema).as_object() else { return true };
        let declared = object.get("properties").and_then(Json::as_object).and_then(|all| all.get(name));
        let negated = object.get("not").and_then(Json::as_object).filter(|not| not.iter().count() == 1);
        let negated = negated.and_then(|not| not.get("required")).and_then(Json::as_array);
        let forbids = declared == Some(&Json::Bool(false))
            || (object.get("additionalProperties") == Some(&Json::Bool(false)) && declared.is_none())
            || negated.is_some_and(|names| matches!(names, [Json::String(only)] if only == name));
        let mut unions = ["anyOf", "oneOf"].into_iter().filter(|keyword| object.get(keyword).is_some());
        !forbids
            && list(object, "allOf").iter().all(|part| self.allows(part, name))
            && unions.all(|keyword| self.for_objects(list(object, keyword)).any(|branch| self.allows(branch, name)))
    }

    fn for_objects<'s>(&'s self, branches: &'s [Json]) -> impl Iterator<Item = &'s Json> {
        branches.iter().filter(|branch| self.types(branch).contains(&"object"))
    }

    /// For each branch, properties of which it requires one and that no other branch allows.
    fn keys(&self, branches: &[&Json]) -> Option<Vec<Vec<String>>> {
        let keys = |branch: &&Json| {
            self.keys_of(branch, &|name| {
                self.allows(branch, name) && branches.iter().filter(|other| self.allows(other, name)).count() == 1
            })
        };
        branches.iter().map(keys).collect()
    }

    fn keys_of(&self, schema: &Json, is_key: &dyn Fn(&str) -> bool) -> Option<Vec<String>> {
        let parts = self.parts(schema);
        let mut required = parts.iter().flat_map(|part| list(part, "required")).filter_map(Json::as_str);
        if let Some(key) = required.find(|name| is_key(name)) {
            return Some(vec![key.to_owned()]);
        }
        let unions = parts.iter().flat_map(|part| ["anyOf", "oneOf"].map(|keyword| (part, keyword)));
        let unions = unions.filter(|(part, keyword)| part.get(keyword).is_some());
        let mut keys = unions.map(|(part, keyword)| {
            let keys = self.for_objects(list(part, keyword)).map(|branch| self.keys_of(branch, is_key));
            keys.collect::<Option<Vec<_>>>().map(|keys| keys.concat())
        });
        keys.find_map(|keys| keys)
    }

    fn closest(&self, branches: &[Json], candidates: &[usize], value: &Value) -> String {
        let lacks = |at: &usize| {
            let mut found = Vec::new();
            self.visit(vec![(&branches[*at], false)], value, &[], false, &mut found);
            (*at, found)
        };
        let Some((at, found)) = candidates.iter().map(lacks).min_by_key(|(_, found)| found.len()) else {
            return String::new();
        };
        let target = branches[at].as_object().and_then(|branch| branch.get("$ref")).and_then(Json::as_str);
        let label = target.map(|target| format!(" ({})", quote(self.last_name(target)))).unwrap_or_default();
        let text = |found: &Found| match pointer(&found.path) {
            path if path.is_empty() => found.message.clone(),
            path => format!("{} at {}", found.message, cut(&path)),
        };
        let texts: Vec<String> = found.iter().take(16).map(text).collect();
        let more = if found.len() > 16 { format!("; and {} more", found.len() - 16) } else { String::new() };
        format!("; closest is branch {at}{label}: {}{more}", texts.join("; "))
    }

    /// The subschemas that apply to the same value through `$ref` and `allOf`.
    fn parts<'s>(&'s self, schema: &'s Json) -> Vec<&'s Object> {
        let Some(object) = self.resolve(schema).as_object() else { return Vec::new() };
        std::iter::once(object).chain(list(object, "allOf").iter().flat_map(|part| self.parts(part))).collect()
    }

    fn types(&self, schema: &Json) -> Vec<&'static str> {
        let object = match self.resolve(schema) {
            Json::Bool(false) => return Vec::new(),
            Json::Object(object) => object,
            _ => return TYPES.to_vec(),
        };
        let mut types = TYPES.to_vec();
        match object.get("type") {
            Some(Json::String(name)) => types.retain(|ty| is(ty, name)),
            Some(Json::Array(names)) => {
                types.retain(|ty| names.iter().filter_map(Json::as_str).any(|name| is(ty, name)));
            }
            _ => {}
        }
        let enum_values = object.get("enum").and_then(Json::as_array);
        let const_value = object.get("const").map(std::slice::from_ref);
        for values in [enum_values, const_value].into_iter().flatten() {
            types.retain(|ty| values.iter().any(|value| is(ty, value.type_of().name())));
        }
        for part in list(object, "allOf") {
            let part = self.types(part);
            types.retain(|ty| part.contains(ty));
        }
        for keyword in ["anyOf", "oneOf"] {
            if object.get(keyword).is_some() {
                let any: Vec<&str> = list(object, keyword).iter().flat_map(|branch| self.types(branch)).collect();
                types.retain(|ty| any.contains(ty));
            }
        }
        types
    }

    fn resolve<'s>(&'s self, schema: &'s Json) -> &'s Json {
        match schema.as_object().and_then(|object| object.get("$ref")).and_then(Json::as_str) {
            Some(target) => self.named(target).map_or(schema, |(_, target)| self.resolve(target)),
            None => schema,
        }
    }

    /// The name of the definition to which a chain of references leads.
    fn last_name<'s>(&'s self, target: &'s str) -> &'s str {
        let Some((name, schema)) = self.named(target) else { return target };
        let next = schema.as_object().and_then(|object| object.get("$ref")).and_then(Json::as_str);
        next.map_or(name, |next| self.last_name(next))
    }

    fn named(&self, target: &str) -> Option<(&str, &Json)> {
        let definitions = self.root.as_object()?.get("definitions")?.as_object()?;
        let matches = |name: &&str| crate::random::reference(name) == target;
        let name = definitions.iter().map(|(name, _)| name.as_str()).find(|name| matches(name))?;
        Some((name, definitions.get(name)?))
    }

    /// Whether a value matches a subschema of this schema.
    fn accepts(&self, schema: &Json, value: &Value) -> bool {
        let mut validators = self.validators.borrow_mut();
        let validator = validators.entry(schema.canonical()).or_insert_with(|| self.validator(schema));
        validator.as_ref().is_some_and(|validator| validator.is_valid(value))
    }

    fn validator(&self, schema: &Json) -> Option<Validator> {
        let mut schema = schema.clone();
        let definitions = self.root.as_object().and_then(|root| root.get("definitions"));
        if let (Json::Object(object), Some(definitions)) = (&mut schema, definitions)
            && object.get("definitions").is_none()
        {
            object.push("definitions".to_owned(), definitions.clone());
        }
        Schema::parse(&schema).ok().map(|schema| Validator::new(&schema))
    }
}

fn missing_at(below: &mut BTreeMap<Token, Vec<(Json, bool)>>, token: &Token, message: Option<String>) {
    below.insert(token.clone(), message.map(|message| (Json::String(message), false)).into_iter().collect());
}

/// The violations of a value under a schema without subschemas: the name if a property is missing, the keyword and the
/// message.
fn messages(schema: &Json, value: &Value) -> Vec<(Option<String>, &'static str, String)> {
    let Ok(schema) = Schema::parse(schema) else { return Vec::new() };
    let violations = Validator::new(&schema).validate(value).into_iter();
    let name = |path: &str| path.strip_prefix('/').map(|name| name.replace("~1", "/").replace("~0", "~"));
    violations.map(|v| (name(&v.path), v.keyword.as_str(), v.message)).collect()
}

fn of_schema(keyword: &'static str, operand: Json, value: &Value) -> Option<(&'static str, String)> {
    let schema = Json::Object([(keyword.to_owned(), operand)].into_iter().collect());
    messages(&schema, value).into_iter().map(|(_, keyword, message)| (keyword, message)).next()
}

/// The values that all present lists contain; `None` if no list is present.
fn in_all(lists: impl Iterator<Item = Option<Vec<Json>>>) -> Option<Vec<Json>> {
    let lists: Vec<Vec<Json>> = lists.flatten().collect();
    let (first, others) = lists.split_first()?;
    Some(first.iter().filter(|value| others.iter().all(|list| list.contains(value))).cloned().collect())
}

/// The values of all lists, each once.
fn any(lists: Vec<Vec<Json>>) -> Vec<Json> {
    let mut all: Vec<Json> = Vec::new();
    for value in lists.into_iter().flatten() {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

fn are_distinct(lists: &[Vec<Json>]) -> bool {
    let shared = |a: usize, b: usize| lists[a].iter().any(|value| lists[b].contains(value));
    !(0..lists.len()).any(|a| (0..a).any(|b| shared(a, b)))
}

fn list<'s>(object: &'s Object, keyword: &str) -> &'s [Json] {
    object.get(keyword).and_then(Json::as_array).unwrap_or_default()
}

fn texts(names: &[&str]) -> Json {
    Json::Array(names.iter().map(|name| Json::String((*name).to_owned())).collect())
}

fn is(ty: &str, name: &str) -> bool {
    ty == name || (ty == "integer" && name == "number")
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|float| float.fract() == 0.0) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn quote(text: &str) -> String {
    let shown = cut(text);
    let quoted = Json::String(text.chars().take(64).collect()).canonical();
    if shown == text { quoted } else { quoted + "..." }
}

fn cut(text: &str) -> String {
    let short: String = text.chars().take(64).collect();
    if short == text { short } else { short + "..." }
}

fn pointer(path: &[Token]) -> String {
    let token = |token: &Token| match token {
        Token::Index(index) => format!("/{index}"),
        Token::Name(name) => format!("/{}", String::from_utf16_lossy(name).replace('~', "~0").replace('/', "~1")),
    };
    path.iter().map(token).collect()
}
