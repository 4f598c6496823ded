//! Unions whose branches are unions of objects with tags or keys.

use capgen_schema::{Json, Object};

use super::Random;
use super::schema::{object, text};

const KINDS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
const KEYS: [&str; 6] = ["p", "q", "r", "s", "t", "u"];
const UNIONS: [&str; 2] = ["anyOf", "oneOf"];

impl Random {
    /// A schema whose unions are nested, directly and through `allOf` and references.
    pub fn nested_unions(&mut self) -> Json {
        let style = self.below(4);
        let mut definitions = Object::new();
        for level in 0..3 {
            definitions.push(format!("d{level}"), self.branches(style, 2, level));
        }
        let mut root = self.branches(style, 2, 3);
        if let Json::Object(members) = &mut root {
            members.push("definitions".to_owned(), Json::Object(definitions));
        }
        root
    }

    /// Objects that are near the branches of such a schema.
    pub fn objects_of_unions(&mut self, count: usize) -> Vec<String> {
        let object = |random: &mut Self| {
            let kind =
                random.pick(&["\"a\"", "\"b\"", "\"c\"", "\"d\"", "\"e\"", "\"f\"", "\"g\"", "\"h\"", "\"z\"", "1"]);
            let mut members = vec![format!("\"kind\":{kind}")];
            if random.one_in(4) {
                members.clear();
            }
            let values = ["1", "\"x\"", "null"];
            let names = KEYS.iter().filter(|_| random.one_in(4)).collect::<Vec<_>>();
            members.extend(names.into_iter().map(|name| format!("\"{name}\":{}", random.pick(&values))));
            format!("{{{}}}", members.join(","))
        };
        (0..count).map(|_| object(self)).collect()
    }

    /// `level` is how many definitions may be used: they refer only to earlier ones.
    fn branches(&mut self, style: usize, depth: usize, level: usize) -> Json {
        let branches = (0..2 + self.below(3)).map(|_| self.branch(style, depth, level)).collect();
        let mut union = object([(self.pick(&UNIONS), Json::Array(branches))]);
        if let (Json::Object(members), true) = (&mut union, self.one_in(6)) {
            self.beside(members);
        }
        union
    }

    /// Assertions beside a union.
    fn beside(&mut self, members: &mut Object) {
        if self.one_in(2) {
            members.push("required".to_owned(), Json::Array(vec![text(self.pick(&["kind", "p", "q"]))]));
        } else {
            let property = if self.one_in(2) { self.kinds() } else { object([("type", text("string"))]) };
            members.push("properties".to_owned(), object([(self.pick(&["kind", "p"]), property)]));
        }
    }

    fn branch(&mut self, style: usize, depth: usize, level: usize) -> Json {
        match self.below(10) {
            0 => object([("type", text(self.pick(&["null", "string"])))]),
            1 if self.one_in(4) => Json::Bool(false),
            1..=3 if depth > 0 => self.branches(style, depth - 1, level),
            4 if depth > 0 => {
                let part = self.branch(style, depth - 1, level);
                let mut members = Object::new();
                self.beside(&mut members);
                object([("allOf", Json::Array(vec![Json::Object(members), part]))])
            }
            5 | 6 if level > 0 => {
                let name = format!("d{}", self.below(level));
                reference(&name)
            }
            _ if style == 0 || (style == 1 && self.one_in(2)) => self.keyed_leaf(),
            _ => self.tagged_leaf(),
        }
    }

    fn tagged_leaf(&mut self) -> Json {
        let mut properties = Object::new();
        let name = self.pick(&KEYS);
        if !self.one_in(12) {
            properties.push("kind".to_owned(), self.kinds());
        }
        properties.push(name.to_owned(), object([("type", text(self.pick(&["string", "integer"])))]));
        let mut leaf = object([("properties", Json::Object(properties))]);
        if let Json::Object(members) = &mut leaf {
            let required = match self.below(6) {
                0 => vec!["kind"],
                1 => vec![name],
                _ => vec!["kind", name],
            };
            members.push("required".to_owned(), Json::Array(required.into_iter().map(text).collect()));
            if !self.one_in(4) {
                members.push("type".to_owned(), text("object"));
            }
            if self.one_in(5) {
                members.push("additionalProperties".to_owned(), Json::Bool(false));
            }
        }
        leaf
    }

    fn keyed_leaf(&mut self) -> Json {
        let name = self.pick(&KEYS);
        let mut leaf = object([
            ("type", text("object")),
            ("properties", object([(name, object([("type", text("string"))]))])),
            ("required", Json::Array(vec![text(name)])),
        ]);
        if let Json::Object(members) = &mut leaf {
            match self.below(8) {
                0 => {}
                1 => {
                    let absent = Json::Array(vec![text(self.pick(&KEYS))]);
                    members.push("not".to_owned(), object([("required", absent)]));
                }
                _ => members.push("additionalProperties".to_owned(), Json::Bool(false)),
            }
        }
        leaf
    }

    /// A subschema that lists some kinds.
    fn kinds(&mut self) -> Json {
        let first = self.below(KINDS.len());
        let kind = text(KINDS[first]);
        let kinds = || vec![kind.clone(), text(KINDS[(first + 1) % KINDS.len()])];
        match self.below(6) {
            0 => object([("enum", Json::Array(kinds()))]),
            1 => {
                let branches = kinds().into_iter().map(|kind| object([("const", kind)])).collect();
                object([(self.pick(&UNIONS), Json::Array(branches))])
            }
            2 => object([("allOf", Json::Array(vec![object([("enum", Json::Array(kinds()))])]))]),
            _ => object([("const", kind)]),
        }
    }
}

fn reference(name: &str) -> Json {
    object([("$ref", text(&format!("#/definitions/{name}")))])
}
