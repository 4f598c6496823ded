//! Translates one schema object of the input to one of the output, keyword by keyword.
//!
//! A keyword that needs a schema of its own in the output (because its name is taken, or because it becomes `anyOf`) is
//! collected in `conjuncts`, which become `allOf` at the end.

use capgen_diagnostic::quoted;

use super::dialect::Dialect;
use super::forms::Forms;
use super::lossy::{Loss, Reading};
use super::number::Bounds;
use super::places::is_container;
use super::target::{Targets, Unresolved};
use super::tree::{Body, Node, Origin, Value};
use super::version::{self, Version};
use super::{annotation, pattern, pattern_syntax};
use crate::parse::{MAX_SCHEMA_DEPTH, advice, depth_is_within_limit, is_annotation, is_assertion, quote};
use crate::{Json, Object, Problem, codes, pointer};

/// At most this many problems are reported. More than a user reads; a hostile schema can cause one per keyword.
pub(super) const MAX_PROBLEMS: usize = 1000;

pub(super) struct Walk<'a> {
    pub(super) targets: Targets<'a>,
    pub(super) dialect: Dialect,
    /// The draft that `$schema` declares.
    pub(super) version: Option<Version>,
    /// The name of the dialect that `$schema` declares.
    pub(super) declared: Option<&'static str>,
    pub(super) forms: Forms,
    pub(super) problems: Vec<Problem>,
    /// Parts that are read in another way than they are written.
    pub(super) notes: Vec<Loss>,
    /// How many more subschemas may be copied.
    pub(super) copies: usize,
    /// How many more bytes of names `unevaluatedProperties` may read.
    pub(super) name_bytes: usize,
}

/// A schema object whose keywords are being translated.
pub(super) struct Draft<'a> {
    pub(super) object: &'a Object,
    version: Option<Version>,
    pub(super) origin: Origin,
    pub(super) depth: usize,
    pub(super) bounds: Bounds<'a>,
    pub(super) out: Vec<(String, Value<'a>)>,
    /// Additional assertions, which become branches of `allOf`.
    pub(super) conjuncts: Vec<Node<'a>>,
    /// Properties that come from keywords other than `properties`.
    pub(super) properties: Vec<(String, Node<'a>)>,
    /// The new value of `additionalProperties`, if another keyword determines it.
    pub(super) additional: Option<Node<'a>>,
}

impl<'a> Draft<'a> {
    pub(super) fn at(&self, keyword: &str) -> String {
        pointer::join(&self.origin.pointer(), keyword)
    }

    /// The value of a keyword, unless the declared draft ignores it.
    pub(super) fn get(&self, keyword: &str) -> Option<&'a Json> {
        version::get(self.object, keyword, self.version)
    }

    pub(super) fn push(&mut self, keyword: &str, value: Value<'a>) {
        self.out.push((keyword.to_owned(), value));
    }

    pub(super) fn push_json(&mut self, keyword: &str, value: Json) {
        self.push(keyword, Value::Plain(value));
    }

    /// Adds a keyword to the output, or to a conjunct if the object already has it.
    pub(super) fn push_or_conjoin(&mut self, keyword: &str, value: Value<'a>) {
        if self.out.iter().any(|(name, _)| name == keyword) || self.object.get(keyword).is_some() {
            self.conjuncts.push(Node::keyword(&self.origin, keyword, value));
        } else {
            self.push(keyword, value);
        }
    }
}

impl<'a> Walk<'a> {
    fn is_full(&self) -> bool {
        self.problems.len() >= MAX_PROBLEMS
    }

    pub(super) fn report(&mut self, problem: Problem) {
        if !self.is_full() {
            self.problems.push(problem);
        }
    }

    /// Records a keyword that is read in another way than it is written. `name` is the format or keyword in question.
    pub(super) fn note(&mut self, reading: Reading, pointer: String, reason: String, name: &str) {
        if self.notes.len() < MAX_PROBLEMS {
            self.notes.push(Loss { pointer, keyword: String::new(), reason, reading, name: name.to_owned() });
        }
    }

    /// Rejects a keyword, with the loader's message.
    pub(super) fn reject(&mut self, draft: &Draft<'a>, keyword: &str) {
        // Searching for a suggestion takes time, so don't if the result is discarded.
        if !self.is_full() {
            let value = draft.object.get(keyword).unwrap_or(&Json::Null);
            self.report(advice::unknown_keyword(draft.object, keyword, value, draft.at(keyword)));
        }
    }

    /// The subschema at a place of the input, or a reference if it has moved to `definitions`.
    pub(super) fn node(&mut self, json: &'a Json, origin: Origin, depth: usize) -> Node<'a> {
        match self.targets.at(json) {
            Some(target) => {
                let body = Body::Members(vec![("$ref".to_owned(), Value::Ref(target, None))]);
                Node { origin, source: Some(json), body }
            }
            None => self.schema(json, origin, depth),
        }
    }

    /// Translates the subschema at a place of the input. [`MAX_SCHEMA_DEPTH`] bounds the recursion.
    pub(super) fn schema(&mut self, json: &'a Json, origin: Origin, depth: usize) -> Node<'a> {
        let body = match json {
            _ if depth > MAX_SCHEMA_DEPTH => {
                self.report(advice::schema_too_deep(origin.pointer()));
                Body::Plain(Json::Bool(true))
            }
            Json::Object(object) => Body::Members(self.object(object, origin.clone(), depth)),
            // Not a schema. The loader reports its type only, so there is no need to copy a large array.
            Json::Array(_) => Body::Plain(Json::Array(Vec::new())),
            other => Body::Plain(other.clone()),
        };
        Node { origin, source: Some(json), body }
    }

    pub(super) fn child(&mut self, draft: &Draft<'a>, keyword: &str, json: &'a Json) -> Node<'a> {
        self.note_boolean(draft, keyword, None, json);
        self.node(json, draft.origin.join(keyword), draft.depth + 1)
    }

    pub(super) fn list(&mut self, draft: &Draft<'a>, keyword: &str, items: &'a [Json]) -> Vec<Node<'a>> {
        let origin = draft.origin.join(keyword);
        let node = |(index, item): (usize, &'a Json)| {
            let index = index.to_string();
            self.note_boolean(draft, keyword, Some(&index), item);
            self.node(item, origin.join(&index), draft.depth + 1)
        };
        items.iter().enumerate().map(node).collect()
    }

    pub(super) fn map(&mut self, draft: &Draft<'a>, keyword: &str, members: &'a Object) -> Vec<(String, Node<'a>)> {
        let origin = draft.origin.join(keyword);
        let node = |(name, member): &'a (String, Json)| {
            self.note_boolean(draft, keyword, Some(name), member);
            (name.clone(), self.node(member, origin.join(name), draft.depth + 1))
        };
        members.iter().map(node).collect()
    }

    fn object(&mut self, object: &'a Object, origin: Origin, depth: usize) -> Vec<(String, Value<'a>)> {
        let mut draft = Draft {
            object,
            version: self.version,
            origin,
            depth,
            bounds: Bounds::of(object),
            out: Vec::with_capacity(object.len()),
            conjuncts: Vec::new(),
            properties: Vec::new(),
            additional: None,
        };
        let ignores_siblings = self.ignores_siblings(&draft);
        if !ignores_siblings {
            self.closed_names(&mut draft);
        }
        for (name, value) in object {
            let version = self.version.filter(|_| version::ignores(self.version, object, name));
            if let Some(version) = version {
                self.note(Reading::Ignored, draft.at(name), version.reason(name), name);
            } else if name == "$ref" {
                self.reference(&mut draft, value);
            } else if ignores_siblings && (asserts(name) || self.is_unsound(depth, name, value)) {
                self.beside_reference(&draft, name);
            } else {
                self.keyword(&mut draft, name, value);
            }
        }
        if !ignores_siblings {
            self.unevaluated_properties(&mut draft);
        }
        finish(draft)
    }

    /// Whether the dialect ignores the other keywords of a schema, because it is a reference.
    pub(super) fn ignores_siblings(&self, draft: &Draft<'_>) -> bool {
        self.dialect == Dialect::Legacy && matches!(draft.get("$ref"), Some(Json::String(_)))
    }

    /// Whether the value of an annotation next to `$ref` is one that the loader rejects. A declared dialect ignores it
    /// there, whatever it is.
    fn is_unsound(&self, depth: usize, name: &str, value: &Json) -> bool {
        let is_sound = match name {
            "title" | "description" | "$comment" | "$id" | "id" => value.as_str().is_some(),
            "$schema" => depth == 0,
            "deprecated" | "readOnly" | "writeOnly" => matches!(value, Json::Bool(_)),
            "definitions" | "$defs" => value.as_object().is_some(),
            "default" => depth_is_within_limit(value),
            "examples" => value.as_array().is_some_and(|values| values.iter().all(depth_is_within_limit)),
            _ => true,
        };
        self.declared.is_some() && !is_sound
    }

    /// A pattern in the syntax of ECMA-262, if it has one.
    fn pattern(&mut self, draft: &Draft<'a>, source: &str) -> String {
        let pattern = pattern::remove_needless_escapes(source);
        let Some(translated) = pattern_syntax::of_other_languages(&pattern) else { return pattern };
        let reason =
            format!("the pattern has syntax that ECMA-262 lacks: it is read as {}", quoted(&advice::cut(&translated)));
        self.note(Reading::PatternSyntax, draft.at("pattern"), reason, "");
        translated
    }

    fn keyword(&mut self, draft: &mut Draft<'a>, name: &str, value: &'a Json) {
        match (name, value) {
            ("type", _) => self.types(draft, value),
            ("nullable", _) => self.nullable(draft, value),
            ("format", _) => self.format(draft, value),
            ("pattern", Json::String(source)) => {
                let pattern = self.pattern(draft, source);
                draft.push_json(name, Json::String(pattern));
            }
            ("required", Json::Array(names)) if names.iter().all(|name| name.as_str().is_some()) => {
                draft.push_json(name, Json::Array(distinct(names)))
            }
            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", _) => self.bound(draft, name, value),
            ("multipleOf", _) => self.multiple(draft, value),
            ("properties", Json::Object(members)) => {
                let members = self.properties(draft, members);
                draft.push(name, Value::Map(members));
            }
            ("additionalProperties" | "unevaluatedProperties", _) => self.additional(draft, name, value),
            ("patternProperties", _) => self.pattern_properties(draft, value),
            // Already read by `closed_names`, because it affects all other keywords about properties.
            ("propertyNames", _) => {}
            ("dependencies" | "dependentRequired" | "dependentSchemas", _) => self.dependencies(draft, name, value),
            ("if" | "then" | "else", _) => self.condition(draft, name, value),
            ("items" | "prefixItems" | "additionalItems" | "unevaluatedItems", _) => self.items(draft, name, value),
            ("contains" | "minContains" | "maxContains", _) => self.contains(draft, name, value),
            ("not", _) => {
                let node = self.child(draft, name, value);
                draft.push(name, Value::Node(Box::new(node)));
            }
            ("oneOf" | "anyOf" | "allOf", Json::Array(items)) => {
                let nodes = self.list(draft, name, items);
                draft.push(name, Value::List(nodes));
            }
            ("definitions" | "$defs", Json::Object(_)) => self.container(draft),
            ("components", Json::Object(_)) if draft.depth == 0 => self.container(draft),
            _ if is_assertion(name) => self.copy(draft, name, value),
            _ => self.annotation(draft, name, value),
        }
    }

    /// A container of definitions. Its members are written to the root's `definitions` if they are referenced, so here
    /// only the position of that keyword matters.
    fn container(&mut self, draft: &mut Draft<'a>) {
        let is_first = !draft.out.iter().any(|(_, value)| matches!(value, Value::Definitions));
        if draft.depth == 0 && is_first {
            draft.push("definitions", Value::Definitions);
        }
    }

    /// Copies a keyword. The loader checks its value.
    pub(super) fn copy(&mut self, draft: &mut Draft<'a>, name: &str, value: &'a Json) {
        let values = value.as_array().filter(|_| ["enum", "examples"].contains(&name));
        // The keyword's own array is not part of any value, so it does not count as a level.
        if values.map_or_else(|| depth_is_within_limit(value), |values| values.iter().all(depth_is_within_limit)) {
            return draft.push_json(name, value.clone());
        }
        let message = format!("a value in `{name}` is nested too deeply");
        self.report(Problem::new(codes::VALUE_TOO_DEEP, draft.at(name), message).label("too deep"));
    }

    fn reference(&mut self, draft: &mut Draft<'a>, value: &'a Json) {
        let Json::String(text) = value else { return self.copy(draft, "$ref", value) };
        match self.targets.resolve(text) {
            Ok(target) => {
                // The definition keeps its name, so the reference can keep its spelling (such as its percent-encoding).
                let is_definition = self.targets.get(target).is_some_and(|target| target.is_definition);
                let spelling = text.starts_with("#/definitions/") && is_definition;
                draft.push("$ref", Value::Ref(target, spelling.then_some(text.as_str())));
            }
            Err(_) if self.is_full() => {}
            Err(Unresolved::NotLocal) => self.report(advice::not_local(text, draft.at("$ref"))),
            Err(Unresolved::Missing(name)) => {
                let problem = advice::no_target(self.targets.candidates(), text, &name, draft.at("$ref"));
                self.report(problem);
            }
        }
    }

    /// An assertion next to `$ref` in a dialect that ignores it. Without `$schema`, its author may mean a later draft.
    fn beside_reference(&mut self, draft: &Draft<'a>, name: &str) {
        let Some(dialect) = self.declared else {
            return self.report(advice::ref_sibling(name, draft.at(name)));
        };
        let reason = format!("{} next to `$ref` is ignored, as {dialect} says", quoted(name));
        self.note(Reading::Ignored, draft.at(name), reason, name);
    }

    /// Reports a keyword whose value JSON Schema itself does not allow.
    pub(super) fn malformed(&mut self, draft: &Draft<'a>, name: &str, expected: &str) {
        let message = format!("`{}` must be {expected}", quote(name).trim_matches('"'));
        let problem = Problem::new(codes::WRONG_TYPE, draft.at(name), message);
        self.report(problem.label(format!("expected {expected}")));
    }
}

/// Whether a name may be an assertion, or was probably meant as one.
pub(super) fn asserts(name: &str) -> bool {
    let is_other = is_annotation(name) || is_container(name) || annotation::is_dropped(name) || name == "example";
    let is_known = || name == "$ref" || is_assertion(name) || Version::has_keyword(name);
    !is_other && (is_known() || advice::is_probable_mistake(name))
}

/// The distinct strings of an array, in their first order.
pub(super) fn distinct(names: &[Json]) -> Vec<Json> {
    let mut seen = std::collections::HashSet::new();
    names.iter().filter(|name| name.as_str().is_some_and(|text| seen.insert(text))).cloned().collect()
}

/// Assembles the members of the output object.
fn finish(draft: Draft<'_>) -> Vec<(String, Value<'_>)> {
    let Draft { origin, mut out, mut conjuncts, mut properties, additional, .. } = draft;
    if !properties.is_empty() {
        match out.iter_mut().find(|(name, _)| name == "properties") {
            Some((_, Value::Map(members))) => members.append(&mut properties),
            _ => out.push(("properties".to_owned(), Value::Map(properties))),
        }
    }
    if let Some(node) = additional {
        out.push(("additionalProperties".to_owned(), Value::Node(Box::new(node))));
    }
    // Draft-07 ignores assertions next to `$ref`, so the reference becomes a branch of `allOf` as well.
    let asserts_more = !conjuncts.is_empty() || out.iter().any(|(name, _)| is_assertion(name));
    let reference = out.iter().position(|(_, value)| matches!(value, Value::Ref(..)));
    if let Some(index) = reference.filter(|_| asserts_more) {
        let (name, value) = out.remove(index);
        conjuncts.insert(0, Node::keyword(&origin, &name, value));
    }
    if !conjuncts.is_empty() {
        match out.iter_mut().find(|(name, _)| name == "allOf") {
            Some((_, Value::List(nodes))) => nodes.append(&mut conjuncts),
            _ => out.push(("allOf".to_owned(), Value::List(conjuncts))),
        }
    }
    merge_sole_conjunct(&mut out);
    out
}

/// Replaces an `allOf` with one branch, and only annotations next to it, by the branch itself.
fn merge_sole_conjunct(out: &mut Vec<(String, Value<'_>)>) {
    let Some(index) = out.iter().position(|(name, _)| name == "allOf") else { return };
    let is_alone = out.iter().all(|(name, _)| name == "allOf" || is_annotation(name) || name == "definitions");
    let Some((_, Value::List(nodes))) = out.get(index) else { return };
    let [Node { body: Body::Members(inner), .. }] = nodes.as_slice() else { return };
    let clashes = || inner.iter().any(|(name, _)| name != "allOf" && out.iter().any(|(other, _)| other == name));
    if !is_alone || clashes() {
        return;
    }
    if let (_, Value::List(mut nodes)) = out.remove(index)
        && let Some(Node { body: Body::Members(inner), .. }) = nodes.pop()
    {
        out.splice(index..index, inner);
    }
}
