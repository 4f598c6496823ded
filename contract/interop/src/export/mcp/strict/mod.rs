//! Schemas for hosts that pass them to a model's API which rejects unions, or which reads only a part of JSON Schema.
//!
//! The rewritten schema accepts every value that the contract accepts. It has the same meaning where the rules allow
//! that, and otherwise it is wider, which is reported. Its rules, with an example of a host that needs each:
//!
//! | rule | because |
//! |---|---|
//! | no `anyOf`, `oneOf`, `allOf`, `not` or `enum` at the root | the APIs of Claude and OpenAI reject the tool, and with it the request ([notion-mcp-server#340](https://github.com/makenotion/notion-mcp-server/issues/340), [langchainjs#9804](https://github.com/langchain-ai/langchainjs/issues/9804)) |
//! | the root has `properties` | OpenAI's API requires it ([openai-agents-python#449](https://github.com/openai/openai-agents-python/issues/449)) |
//! | no `oneOf`, `allOf` or `not` anywhere | OpenAI's API rejects `allOf` inside, too ([notion-mcp-server#102](https://github.com/makenotion/notion-mcp-server/issues/102)); Gemini's schemas have none of them |
//! | `type` is one name | Cursor rejects every value for a list of types ([cursor#3778](https://github.com/cursor/cursor/issues/3778), [cursor#3540](https://github.com/cursor/cursor/issues/3540)), and Gemini's API rejects the tool ([wave-agent#284](https://github.com/netease-lcap/wave-agent/pull/284)) |
//! | `anyOf` has no other keyword next to it, and its branches have a type | Gemini's API on Vertex ([opencode#14788](https://github.com/anomalyco/opencode/issues/14788)) and Moonshot's ([GitNexus#2703](https://github.com/abhigyanpatwari/GitNexus/issues/2703)) |
//! | an array has `items` | Gemini's API ([backstage#34038](https://github.com/backstage/backstage/issues/34038)), VS Code ([vscode#244467](https://github.com/microsoft/vscode/issues/244467)) |
//! | no `const`, and only strings in `enum` | Gemini's API ([LibreChat#11784](https://github.com/danny-avila/LibreChat/pull/11784), [gemini-cli#4415](https://github.com/google-gemini/gemini-cli/issues/4415)) |
//! | no schema is a boolean, except for `additionalProperties: false` | Gemini's schemas are objects |
//!
//! Keywords that hosts drop or translate by themselves, such as `additionalProperties`, `pattern`, `$ref` and
//! `propertyNames`, stay.

mod alternatives;
mod conjunction;
mod object;
mod root;
mod scalar;
mod types;

use std::collections::HashSet;

use capgen_schema::{Json, Object, Schema, pointer};

use super::super::definitions::{Definitions, Unions};
use crate::root::wrap;
use alternatives::alternatives;
use conjunction::{Conjunction, Part, Union, asserts};

/// The most levels of references that are replaced by their definitions inside each other. Usual schemas have a few; a
/// schema that contains itself would otherwise be copied without end.
const MAX_LEVELS: usize = 32;

/// The most levels of rewritten schemas and of unions inside each other. Only combinations have so many. A contract has
/// at most 64 levels. It bounds the recursion.
const MAX_DEPTH: usize = 150;

/// The schema of a side of a tool that keeps the rules: the root is that of an object. With `member`, the payload is
/// the value of that property. `report` gets the JSON Pointer and the message of each difference from the contract.
///
/// Takes time linear in the schema, and in the combinations of schemas that apply to one value, which are bounded by a
/// multiple of the size of the schema.
pub(super) fn strict(schema: &Schema, member: Option<&str>, report: &mut dyn FnMut(&str, String)) -> Json {
    let only_objects = typed("object");
    let mut simplifier = Simplifier {
        definitions: Definitions::of(schema),
        unions: Unions::of(schema),
        report,
        reported: HashSet::new(),
        active: Vec::new(),
        depth: 0,
        steps: 20 * schema.nodes().count() + 10_000,
    };
    let source = Part::new(schema.source(), String::new());
    let mut root = match member {
        Some(member) => {
            let inner = simplifier.simplify(source);
            let inner = inner.unwrap_or_else(|| simplifier.nothing(""));
            wrap(inner, member, "$defs")
        }
        None => simplifier.root(source, &only_objects),
    };
    let definitions = simplifier.definitions();
    if let (Json::Object(members), false) = (&mut root, definitions.is_empty()) {
        members.push("$defs".to_owned(), Json::Object(definitions));
    }
    root
}

/// Rewrites one schema.
pub(super) struct Simplifier<'s> {
    definitions: Definitions<'s>,
    unions: Unions<'s>,
    report: &'s mut dyn FnMut(&str, String),
    /// The differences that are reported already: branches can have the same subschemas.
    reported: HashSet<(String, String)>,
    /// The conjunctions with references that are being rewritten, to find schemas that contain themselves.
    active: Vec<Vec<String>>,
    depth: usize,
    /// How many more subschemas are visited. Only combinations visit one more than once.
    steps: usize,
}

impl<'s> Simplifier<'s> {
    fn lose(&mut self, at: &str, message: impl Into<String>) {
        let message = message.into();
        if self.reported.insert((at.to_owned(), message.clone())) {
            (self.report)(at, message);
        }
    }

    /// The schema for a place where no value is valid and none can be prevented.
    fn nothing(&mut self, at: &str) -> Json {
        self.lose(at, "no value is valid here, which hosts cannot read: any value is valid");
        Json::Object(Object::new())
    }

    /// The definitions that the result refers to.
    fn definitions(&mut self) -> Object {
        let mut definitions = Object::new();
        while let Some((name, schema, at)) = self.definitions.next() {
            let schema = self.simplify(Part::new(schema, at.clone())).unwrap_or_else(|| self.nothing(&at));
            definitions.push(name, schema);
        }
        definitions
    }

    /// A schema that keeps the rules; `None` if no value is valid.
    fn simplify(&mut self, part: Part<'s>) -> Option<Json> {
        self.simplify_all([part])
    }

    /// A schema for the values that all of the schemas accept; `None` if there is none.
    fn simplify_all(&mut self, parts: impl IntoIterator<Item = Part<'s>>) -> Option<Json> {
        let mut all = Conjunction::default();
        if parts.into_iter().all(|part| all.add(part)) { self.conjunction(all) } else { None }
    }

    fn conjunction(&mut self, all: Conjunction<'s>) -> Option<Json> {
        self.depth += 1;
        let schema = self.conjunction_within_limits(all);
        self.depth -= 1;
        schema
    }

    fn conjunction_within_limits(&mut self, mut all: Conjunction<'s>) -> Option<Json> {
        if let Some((name, reference)) = all.lone_reference() {
            let schema = self.definitions.reference(name);
            return Some(annotated(schema, std::slice::from_ref(reference)));
        }
        let at = all.at().to_owned();
        self.steps = self.steps.saturating_sub(all.cost());
        if self.steps == 0 || self.depth > MAX_DEPTH {
            self.lose(&at, "too many schemas apply to one value: any value is valid");
            return Some(Json::Object(Object::new()));
        }
        let Some((name, reference)) = all.references.first().cloned() else { return self.resolved(all) };
        let key = all.key();
        if self.active.contains(&key) || self.active.len() >= MAX_LEVELS {
            let message = "dropped: the schema repeats itself inside this reference and the keywords next to it";
            self.lose(&reference.at, message);
            return Some(self.definitions.reference(&name));
        }
        let mut is_possible = true;
        while let Some((name, _)) = all.references.pop() {
            let at = pointer::join("/definitions", &name);
            is_possible &= self.definitions.get(&name).is_none_or(|schema| all.add(Part::new(schema, at)));
        }
        if !is_possible {
            return None;
        }
        self.active.push(key);
        let result = self.resolved(all);
        self.active.pop();
        result
    }

    /// A conjunction without references.
    fn resolved(&mut self, mut all: Conjunction<'s>) -> Option<Json> {
        match all.unions.pop() {
            Some(union) => self.union(&all, &union),
            None => self.plain(&all.plain),
        }
    }

    /// A union, whose branches get the assertions next to it.
    fn union(&mut self, rest: &Conjunction<'s>, union: &Union<'s>) -> Option<Json> {
        if union.is_one_of && !self.unions.are_exclusive(&union.at) {
            self.lose(&union.at, "several branches may match: `oneOf` becomes `anyOf`");
        }
        let is_alone = rest.unions.is_empty() && !rest.plain.iter().any(|part| part.members().is_some_and(asserts));
        let mut branches = Vec::new();
        for (index, schema) in union.branches.iter().enumerate() {
            let branch = Part::new(schema, pointer::join(&union.at, &index.to_string()));
            let mut together = if is_alone { Conjunction::default() } else { rest.clone() };
            branches.extend(if together.add(branch) { self.conjunction(together) } else { None });
        }
        Some(annotated(alternatives(branches)?, &rest.plain))
    }
}

/// The schema with the annotations of other ones, unless it has its own. Next to `anyOf` there is no place for them, so
/// its first branch gets them.
fn annotated(schema: Json, parts: &[Part<'_>]) -> Json {
    let Json::Object(mut members) = schema else { return schema };
    if let Some(Json::Array(branches)) = members.get_mut("anyOf") {
        if let Some(first) = branches.first_mut() {
            let annotated = annotated(std::mem::replace(first, Json::Null), parts);
            *first = annotated;
        }
        return Json::Object(members);
    }
    for key in ["title", "description", "default", "examples"] {
        let value = parts.iter().find_map(|part| part.members()?.get(key));
        if let (None, Some(value)) = (members.get(key), value) {
            members.push(key.to_owned(), value.clone());
        }
    }
    Json::Object(members)
}

/// The schema of one type.
fn typed(name: &str) -> Json {
    Json::Object([("type".to_owned(), Json::from(name))].into_iter().collect())
}
