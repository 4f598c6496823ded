use capgen_schema::{Format, Json, Object, Type};

use super::{NAMES, NUMBERS, ODD_NUMBERS, Random, TEXTS};

const PATTERNS: [&str; 9] = ["^a+$", "b", "^.$", "^[^a]*$", r"\d", r"^\p{L}*$", "/", "", r"^(?:x|😀)+"];
const DEFINITIONS: [&str; 3] = ["node", "__proto__", "a/b~c"];

impl Random {
    /// A schema of the subset. It may still be refused, for a cycle of references or for a warning's worth of nonsense.
    pub fn schema(&mut self) -> Json {
        let defined = self.below(DEFINITIONS.len() + 1);
        let names = &DEFINITIONS[..defined];
        let mut root = self.place(4, names);
        if let (Json::Object(members), true) = (&mut root, defined > 0) {
            let definitions = names.iter().map(|name| ((*name).to_owned(), self.place(3, names))).collect();
            members.push("definitions".to_owned(), Json::Object(definitions));
        }
        root
    }

    fn place(&mut self, depth: usize, names: &[&str]) -> Json {
        let mut members = Object::new();
        let mut add = |name: &str, value: Json| members.push(name.to_owned(), value);
        match self.below(if depth == 0 { 7 } else { 12 }) {
            0 if self.one_in(4) => return Json::Bool(!self.one_in(4)),
            0 | 1 if !names.is_empty() => {
                let name = self.pick(names).replace('~', "~0").replace('/', "~1");
                add("$ref", Json::String(format!("#/definitions/{name}")));
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
            _ => self.tagged(&mut add, depth, names),
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
        for name in ["minLength", "maxLength"] {
            if self.one_in(4) {
                add(name, number(&self.below(5).to_string()));
            }
        }
        if self.one_in(6) {
            add("pattern", text(self.pick(&PATTERNS)));
        }
        if self.one_in(5) {
            add("format", text(self.pick(&Format::ALL).name()));
        }
    }

    fn object_keywords(&mut self, add: &mut impl FnMut(&str, Json), depth: usize, names: &[&str]) {
        let mut properties = Object::new();
        let mut required = Vec::new();
        for name in NAMES {
            if self.one_in(4) {
                properties.push(name.to_owned(), self.place(depth - 1, names));
            }
            if self.one_in(8) {
                required.push(text(name));
            }
        }
        add("properties", Json::Object(properties));
        add("required", Json::Array(required));
        match self.below(4) {
            0 | 1 => add("additionalProperties", Json::Bool(false)),
            2 => add("additionalProperties", self.place(depth - 1, names)),
            _ => {}
        }
    }

    fn array_keywords(&mut self, add: &mut impl FnMut(&str, Json), depth: usize, names: &[&str]) {
        if !self.one_in(4) {
            add("items", self.place(depth - 1, names));
        }
        for name in ["minItems", "maxItems"] {
            if self.one_in(4) {
                add(name, number(&self.below(4).to_string()));
            }
        }
        if self.one_in(3) {
            add("uniqueItems", Json::Bool(true));
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
    }

    /// A union of objects that a property tells apart.
    fn tagged(&mut self, add: &mut impl FnMut(&str, Json), depth: usize, names: &[&str]) {
        let branches = (0..2 + self.below(3)).map(|index| {
            let tag = Json::Object([("const".to_owned(), text(["x", "y", "z", "w"][index]))].into_iter().collect());
            let mut properties = Object::new();
            properties.push("kind".to_owned(), tag);
            properties.push("value".to_owned(), self.place(depth - 1, names));
            let mut branch = Object::new();
            branch.push("type".to_owned(), text("object"));
            branch.push("properties".to_owned(), Json::Object(properties));
            branch.push("required".to_owned(), Json::Array(vec![text("kind")]));
            if self.one_in(2) {
                branch.push("additionalProperties".to_owned(), Json::Bool(false));
            }
            Json::Object(branch)
        });
        let branches = branches.collect();
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
                let start = self.below(NAMES.len() - 2);
                let names = &NAMES[start..start + self.below(3)];
                Json::Object(names.iter().map(|name| ((*name).to_owned(), self.value(depth - 1))).collect())
            }
        }
    }
}

fn text(text: &str) -> Json {
    Json::String(text.to_owned())
}

fn number(text: &str) -> Json {
    Json::Number(text.parse().expect("a number"))
}
