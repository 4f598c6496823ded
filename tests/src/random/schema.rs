//! Schemas of the subset, of every keyword and with names that are hard for some language.

use std::collections::BTreeSet;

use capgen_schema::{Format, Json, Object, Type};

use super::Random;
use super::pools::{DIVISORS, NAMES, NUMBERS, ODD_NAMES, ODD_NUMBERS, PATTERNS, TEXTS};

const DEFINITIONS: [&str; 4] = ["node", "__proto__", "a/b~c", "100% \"x\""];

impl Random {
    /// A schema of the subset. Loading can still reject it, for example because of a cycle of references.
    pub fn schema(&mut self) -> Json {
        let names = &DEFINITIONS[..self.below(DEFINITIONS.len() + 1)];
        let depth = 1 + self.below(4);
        let mut root = self.place(depth, names);
        let all: Vec<(String, Json)> = names.iter().map(|name| ((*name).to_owned(), self.place(2, names))).collect();
        let mut used = BTreeSet::new();
        let mut stack = vec![root.clone()];
        while let Some(value) = stack.pop() {
            for name in names.iter().filter(|name| has_reference(&value, &reference(name))) {
                if used.insert(*name) {
                    stack.extend(all.iter().filter(|(n, _)| n == name).map(|(_, schema)| schema.clone()));
                }
            }
        }
        if let (Json::Object(members), false) = (&mut root, used.is_empty()) {
            let used = all.into_iter().filter(|(name, _)| used.contains(name.as_str())).collect();
            members.push("definitions".to_owned(), Json::Object(used));
        }
        root
    }

    pub(super) fn place(&mut self, depth: usize, names: &[&str]) -> Json {
        let mut members = Object::new();
        let mut add = |name: &str, value: Json| members.push(name.to_owned(), value);
        match self.below(if depth == 0 { 7 } else { 18 }) {
            0 if self.one_in(4) => return Json::Bool(!self.one_in(4)),
            0 | 1 if !names.is_empty() => {
                let name = self.pick(names);
                add("$ref", Json::String(reference(name)));
            }
            0..=2 => {
                add("type", text(self.pick(&["string", "string", "number", "integer", "boolean", "null"])));
                self.scalar_keywords(&mut add);
            }
            3 => add("enum", Json::Array(self.values())),
            4 => add("const", self.value(1)),
            5 => {
                let types = Type::ALL.map(Type::name);
                let start = self.below(6);
                let end = start + 1 + self.below(7 - start);
                add("type", Json::Array(types[start..end].iter().map(|name| text(name)).collect()));
                self.some_keywords(&mut add, depth, names);
            }
            6 => self.scalar_keywords(&mut add),
            7 | 8 => {
                add("type", text("object"));
                self.object_keywords(&mut add, depth, names);
                if self.one_in(6) {
                    self.applicators(&mut add, depth, names);
                }
            }
            9 => {
                add("type", text("array"));
                self.array_keywords(&mut add, depth, names);
            }
            10 => self.applicators(&mut add, depth, names),
            11 => return self.merged(depth, names),
            16 => return self.map(depth, names),
            12 | 13 => self.tagged(&mut add, depth, names),
            14 => self.alternatives(&mut add, depth, names),
            15 => self.opposed(&mut add),
            _ => self.keyed(&mut add, depth, names),
        }
        Json::Object(members)
    }

    fn some_keywords(&mut self, add: &mut impl FnMut(&str, Json), depth: usize, names: &[&str]) {
        if self.one_in(2) {
            self.scalar_keywords(add);
        }
        if depth > 0 && self.one_in(2) {
            self.object_keywords(add, depth, names);
        }
        if depth > 0 && self.one_in(2) {
            self.array_keywords(add, depth, names);
        }
        if depth > 0 && self.one_in(4) {
            self.applicators(add, depth, names);
        }
        if self.one_in(6) {
            add("enum", Json::Array(self.values()));
        }
    }

    fn scalar_keywords(&mut self, add: &mut impl FnMut(&str, Json)) {
        for name in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
            if self.one_in(5) {
                let odd = self.one_in(4);
                add(name, number(if odd { self.pick(&ODD_NUMBERS) } else { self.pick(&NUMBERS) }));
            }
        }
        if self.one_in(8) {
            add("multipleOf", number(self.pick(&DIVISORS).0));
        }
        for name in ["minLength", "maxLength"] {
            if self.one_in(4) {
                add(name, number(&self.below(5).to_string()));
            }
        }
        if self.one_in(6) {
            add("pattern", text(self.pick(&PATTERNS).0));
        }
        if self.one_in(5) {
            add("format", text(self.pick(&Format::ALL).name()));
        }
    }

    fn object_keywords(&mut self, add: &mut impl FnMut(&str, Json), depth: usize, names: &[&str]) {
        let mut properties = Object::new();
        let mut required: Vec<&str> = Vec::new();
        for _ in 0..self.below(6) {
            let name = if self.one_in(3) { self.pick(&ODD_NAMES) } else { self.pick(&NAMES) };
            let (is_declared, is_required) = (!self.one_in(8), self.one_in(3));
            if is_declared && properties.get(name).is_none() {
                properties.push(name.to_owned(), self.place(depth - 1, names));
            }
            if is_required && !required.contains(&name) {
                required.push(name);
            }
        }
        add("properties", Json::Object(properties));
        add("required", Json::Array(required.into_iter().map(text).collect()));
        match self.below(8) {
            0 | 1 => add("additionalProperties", Json::Bool(false)),
            2 => add("additionalProperties", Json::Bool(true)),
            3 | 4 => add("additionalProperties", self.place(depth - 1, names)),
            _ => {}
        }
        if self.one_in(8) {
            add("propertyNames", self.property_names());
        }
        if self.one_in(7) {
            let mut patterns = Object::new();
            for _ in 0..1 + self.below(2) {
                let source = if self.one_in(3) { self.pick(&PATTERNS).0 } else { self.pick(&["^[a-c]", "e$", "_|o"]) };
                if patterns.get(source).is_none() {
                    patterns.push(source.to_owned(), self.place(depth - 1, names));
                }
            }
            add("patternProperties", Json::Object(patterns));
        }
        if self.one_in(8) {
            let name = |random: &mut Self| if random.one_in(4) { random.pick(&ODD_NAMES) } else { random.pick(&NAMES) };
            let mut lists = Object::new();
            for _ in 0..1 + self.below(2) {
                let (from, to) = (name(self), name(self));
                if lists.get(from).is_none() {
                    lists.push(from.to_owned(), Json::Array(vec![text(to)]));
                }
            }
            add(self.pick(&["dependentRequired", "dependencies"]), Json::Object(lists));
        }
        for name in ["minProperties", "maxProperties"] {
            if self.one_in(7) {
                add(name, number(&self.below(5).to_string()));
            }
        }
    }

    /// A map with assertions about its names.
    fn map(&mut self, depth: usize, names: &[&str]) -> Json {
        let mut members = Object::new();
        members.push("propertyNames".to_owned(), self.property_names());
        if !self.one_in(4) {
            members.push("additionalProperties".to_owned(), self.place(depth - 1, names));
        }
        if !self.one_in(4) {
            members.push("type".to_owned(), text("object"));
        }
        Json::Object(members)
    }

    pub(super) fn property_names(&mut self) -> Json {
        let mut members = Object::new();
        if self.one_in(4) {
            members.push("type".to_owned(), text("string"));
        }
        if !self.one_in(3) {
            members.push("pattern".to_owned(), text(self.pick(&PATTERNS).0));
        }
        for (name, most) in [("minLength", 3), ("maxLength", 8)] {
            if self.one_in(3) {
                members.push(name.to_owned(), number(&self.below(most).to_string()));
            }
        }
        if self.one_in(8) {
            members.push("format".to_owned(), text(self.pick(&Format::ALL).name()));
        }
        Json::Object(members)
    }

    fn array_keywords(&mut self, add: &mut impl FnMut(&str, Json), depth: usize, names: &[&str]) {
        match self.below(8) {
            0 | 1 => {}
            2 => {
                let positions = 1 + self.below(3);
                add("items", Json::Array((0..positions).map(|_| self.place(depth - 1, names)).collect()));
                match self.below(6) {
                    0 => add("additionalItems", Json::Bool(false)),
                    1 => add("additionalItems", self.place(depth - 1, names)),
                    // A tuple of one length has a type of its own in Rust.
                    2 | 3 => {
                        add("minItems", number(&positions.to_string()));
                        add("maxItems", number(&positions.to_string()));
                        return;
                    }
                    _ => {}
                }
            }
            _ => add("items", self.place(depth - 1, names)),
        }
        for name in ["minItems", "maxItems"] {
            if self.one_in(4) {
                add(name, number(&self.below(4).to_string()));
            }
        }
        if self.one_in(3) {
            add("uniqueItems", Json::Bool(true));
        }
        if self.one_in(6) {
            add("contains", self.place(depth - 1, names));
        }
    }

    fn applicators(&mut self, add: &mut impl FnMut(&str, Json), depth: usize, names: &[&str]) {
        for name in ["allOf", "anyOf", "oneOf"] {
            if self.one_in(2) {
                let branches = 1 + self.below(3);
                add(name, Json::Array((0..branches).map(|_| self.place(depth - 1, names)).collect()));
            }
        }
        if self.one_in(4) {
            add("not", self.place(depth - 1, names));
        }
        if self.one_in(4) {
            self.condition(add, depth - 1, names);
        }
    }

    /// `if` with `then`, `else` or both.
    pub(super) fn condition(&mut self, add: &mut impl FnMut(&str, Json), depth: usize, names: &[&str]) {
        add("if", self.place(depth, names));
        let which = self.below(3);
        if which != 0 {
            add("then", self.place(depth, names));
        }
        if which != 1 {
            add("else", self.place(depth, names));
        }
    }

    /// A type beside rules for other types, which can never apply, or make the schema reject every value.
    fn opposed(&mut self, add: &mut impl FnMut(&str, Json)) {
        add("type", text(self.pick(&Type::ALL.map(Type::name))));
        self.scalar_keywords(add);
        for name in ["allOf", "anyOf", "oneOf"] {
            if self.one_in(2) {
                add(name, Json::Array((0..1 + self.below(3)).map(|_| self.typed(1)).collect()));
            }
        }
        if self.one_in(2) {
            add("not", self.typed(1));
        }
    }

    fn typed(&mut self, depth: usize) -> Json {
        let mut members = Object::new();
        let mut add = |name: &str, value: Json| members.push(name.to_owned(), value);
        match self.below(8) {
            0 if depth > 0 => add("not", self.typed(depth - 1)),
            1 if depth > 0 => add("items", self.typed(depth - 1)),
            2 => add("const", self.value(1)),
            3 => add("enum", Json::Array(self.values())),
            _ => {
                if !self.one_in(4) {
                    add("type", text(self.pick(&Type::ALL.map(Type::name))));
                }
                self.scalar_keywords(&mut add);
            }
        }
        Json::Object(members)
    }

    /// An object merged from the branches of an `allOf`.
    fn merged(&mut self, depth: usize, names: &[&str]) -> Json {
        let mut members = Object::new();
        let branches = (0..2 + self.below(2)).map(|_| {
            let mut branch = Object::new();
            branch.push("type".to_owned(), text("object"));
            self.object_keywords(&mut |name, value| branch.push(name.to_owned(), value), depth, names);
            if self.one_in(2) {
                branch = branch.iter().filter(|(name, _)| name != "additionalProperties").cloned().collect()
            }
            Json::Object(branch)
        });
        members.push("allOf".to_owned(), Json::Array(branches.collect()));
        if self.one_in(2) {
            members.push("type".to_owned(), text("object"));
            self.object_keywords(&mut |name, value| members.push(name.to_owned(), value), depth, names);
        }
        Json::Object(members)
    }

    /// A union of objects with a tag, possibly with further branches. Sometimes a value of the tag occurs in two
    /// branches, or the tag is optional or checked by a part of an `allOf`, or one branch lacks it.
    fn tagged(&mut self, add: &mut impl FnMut(&str, Json), depth: usize, names: &[&str]) {
        let name = if self.one_in(4) { self.pick(&ODD_NAMES) } else { "kind" };
        let mut branches: Vec<Json> = (0..2 + self.below(3))
            .map(|index| {
                let tag = match self.below(8) {
                    0 => object([("enum", Json::Array(vec![text(["x", "y", "z", "w"][index]), text("v")]))]),
                    1 => object([("const", self.value(0))]),
                    2 => object([
                        ("type", text("string")),
                        ("enum", Json::Array(vec![text(["x", "y", "z", "w"][index])])),
                    ]),
                    _ => object([("const", text(["x", "y", "z", "w"][index]))]),
                };
                let has_tag = !self.one_in(12);
                let mut properties = Object::new();
                if has_tag {
                    properties.push(name.to_owned(), tag);
                }
                properties.push("value".to_owned(), self.place(depth - 1, names));
                let mut branch = Object::new();
                if !self.one_in(8) {
                    branch.push("type".to_owned(), text("object"));
                }
                branch.push("properties".to_owned(), Json::Object(properties));
                let mut required = vec![text(name)];
                if self.one_in(3) {
                    required.push(text("value"));
                }
                if !self.one_in(10) {
                    branch.push("required".to_owned(), Json::Array(required));
                }
                if self.one_in(2) {
                    branch.push("additionalProperties".to_owned(), Json::Bool(false));
                }
                if self.one_in(6) {
                    let parts = vec![Json::Object(branch), self.place(depth - 1, names)];
                    return object([("allOf", Json::Array(parts))]);
                }
                Json::Object(branch)
            })
            .collect();
        if self.one_in(3) {
            branches.push(if self.one_in(2) { object([("type", text("null"))]) } else { self.place(depth - 1, names) });
        }
        add(if self.one_in(3) { "anyOf" } else { "oneOf" }, Json::Array(branches));
    }

    /// A value that may be `null`, or a union of unions.
    fn alternatives(&mut self, add: &mut impl FnMut(&str, Json), depth: usize, names: &[&str]) {
        let null = if self.one_in(4) { object([("const", Json::Null)]) } else { object([("type", text("null"))]) };
        let branches = if self.one_in(2) {
            vec![self.place(depth - 1, names), null]
        } else {
            let inner = (0..2 + self.below(2)).map(|_| self.place(depth - 1, names)).collect();
            vec![object([(self.pick(&["anyOf", "oneOf"]), Json::Array(inner))]), self.place(depth - 1, names)]
        };
        add(self.pick(&["anyOf", "oneOf"]), Json::Array(branches));
    }

    /// A union of objects, each with its own required key, possibly with strings as further branches. Sometimes a key
    /// is allowed in two branches, or a branch is open, so that the keys do not decide.
    fn keyed(&mut self, add: &mut impl FnMut(&str, Json), depth: usize, names: &[&str]) {
        let mut keys: Vec<&str> = Vec::new();
        for _ in 0..2 + self.below(3) {
            let key = if self.one_in(3) { self.pick(&ODD_NAMES) } else { self.pick(&NAMES) };
            if !keys.contains(&key) || self.one_in(6) {
                keys.push(key);
            }
        }
        let mut branches: Vec<Json> = Vec::new();
        for key in &keys {
            let mut properties = Object::new();
            properties.push((*key).to_owned(), self.place(depth - 1, names));
            let is_shared = self.one_in(4) && properties.get("shared").is_none();
            if is_shared {
                properties.push("shared".to_owned(), self.place(depth - 1, names));
            }
            let is_closed = !self.one_in(4);
            for other in keys.iter().filter(|other| *other != key && !is_closed) {
                if properties.get(other).is_none() {
                    properties.push((*other).to_owned(), Json::Bool(self.one_in(8)));
                }
            }
            let mut branch = Object::new();
            branch.push("type".to_owned(), text("object"));
            branch.push("properties".to_owned(), Json::Object(properties));
            branch.push("required".to_owned(), Json::Array(vec![text(key)]));
            if is_closed {
                branch.push("additionalProperties".to_owned(), Json::Bool(false));
            }
            branches.push(Json::Object(branch));
        }
        for _ in 0..self.below(3) {
            let branch = [("const".to_owned(), text(self.pick(&TEXTS)))];
            branches.push(Json::Object(branch.into_iter().collect()));
        }
        add(if self.one_in(3) { "anyOf" } else { "oneOf" }, Json::Array(branches));
    }

    /// Distinct values.
    fn values(&mut self) -> Vec<Json> {
        let mut values: Vec<Json> = Vec::new();
        for _ in 0..1 + self.below(12) {
            let value = self.value(1);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }

    /// Any value.
    pub(super) fn value(&mut self, depth: usize) -> Json {
        match self.below(if depth == 0 { 5 } else { 7 }) {
            0 => Json::Null,
            1 => Json::Bool(self.one_in(2)),
            2 => number(self.pick(&NUMBERS)),
            3 | 4 => text(self.pick(&TEXTS)),
            5 => Json::Array((0..self.below(3)).map(|_| self.value(depth - 1)).collect()),
            _ => {
                let mut members = Object::new();
                for _ in 0..self.below(3) {
                    let name = if self.one_in(3) { self.pick(&ODD_NAMES) } else { self.pick(&NAMES) };
                    if members.get(name).is_none() {
                        members.push(name.to_owned(), self.value(depth - 1));
                    }
                }
                Json::Object(members)
            }
        }
    }
}

pub(super) fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
}

/// A reference to a definition, escaped first as a JSON Pointer and then as a URI fragment.
pub(crate) fn reference(name: &str) -> String {
    let name = name.replace('~', "~0").replace('/', "~1");
    format!("#/definitions/{}", name.replace('%', "%25").replace('"', "%22").replace(' ', "%20"))
}

fn has_reference(value: &Json, reference: &str) -> bool {
    match value {
        Json::String(text) => text == reference,
        Json::Array(items) => items.iter().any(|item| has_reference(item, reference)),
        Json::Object(members) => members.iter().any(|(_, value)| has_reference(value, reference)),
        _ => false,
    }
}

pub(super) fn text(text: &str) -> Json {
    Json::String(text.to_owned())
}

fn number(text: &str) -> Json {
    Json::Number(text.parse().expect("a number"))
}

/// The keywords about the names and the number of properties that [`without_names_and_counts`] removes.
const NAMES_AND_COUNTS: [&str; 5] =
    ["dependencies", "dependentRequired", "maxProperties", "minProperties", "patternProperties"];

/// A random schema without `patternProperties`, `dependentRequired`, `minProperties` and `maxProperties`. The recursion
/// is bounded, because random schemas are small.
pub fn without_names_and_counts(schema: &Json) -> Json {
    match schema {
        Json::Object(members) => {
            let kept = members.iter().filter(|(name, _)| !NAMES_AND_COUNTS.contains(&name.as_str()));
            Json::Object(kept.map(|(name, value)| (name.clone(), without_names_and_counts(value))).collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(without_names_and_counts).collect()),
        other => other.clone(),
    }
}
