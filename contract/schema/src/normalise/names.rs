//! Names of properties that have a form, such as a pattern, instead of a list: `propertyNames` of the subset.

use super::array::{applies_in_place, is_trivial};
use super::dialect::takes_subschemas;
use super::object::{accepts_every_string, assertions, listed};
use super::pattern::{SYNTAX, remove_needless_escapes};
use super::target::TargetId;
use super::tree::{Body, Node, Origin, Value};
use super::walk::{Draft, Walk};
use crate::parse::MAX_SCHEMA_DEPTH;
use crate::{Json, Object, Pattern};

/// The most references and branches of `allOf` in one `propertyNames`. Usual ones have one or two; a reference that
/// leads back to itself ends here, too.
const MAX_PARTS: usize = 64;

/// A schema of names with more values is not inlined. Each place that refers to it gets a copy; usual schemas of names
/// have a few values.
const MAX_VALUES: usize = 256;

/// Matching a name takes compiling the pattern. So many bytes of a compiled pattern count as one copied subschema.
/// `tools/benches/containment/src/bin/weights.rs` measures 1,400 bytes for a pattern that is compiled and matched once.
const BYTES_PER_COPY: u64 = 8 << 10;

/// So many bytes of a pattern that lists names count as one copied subschema. Many places may refer to one list.
const PATTERN_BYTES_PER_COPY: usize = 16;

impl<'a> Walk<'a> {
    /// `propertyNames` that lists names whose properties cannot be declared one by one: the names as a pattern.
    pub(super) fn names_of_a_list(&mut self, draft: &mut Draft<'a>, names: &[&str]) {
        self.names_of_a_pattern(draft, pattern_of_names(names));
    }

    fn names_of_a_pattern(&mut self, draft: &mut Draft<'a>, pattern: String) {
        let left = self.copies.checked_sub(1 + pattern.len() / PATTERN_BYTES_PER_COPY);
        let Some(left) = left.filter(|_| Pattern::new(&pattern).is_ok()) else {
            return self.reject_names(draft, "propertyNames");
        };
        self.copies = left;
        let origin = draft.origin.join("propertyNames");
        let node = Node::keyword(&origin, "pattern", Value::Plain(Json::String(pattern)));
        draft.push("propertyNames", Value::Node(Box::new(node)));
    }

    /// The pattern of a union of lists and patterns.
    fn pattern_of_union(&mut self, schema: &'a Json) -> Option<String> {
        let mut union = None;
        for (name, value) in assertions(self.listing(schema).as_object()?) {
            match (name, value) {
                ("type", Json::String(name)) if name == "string" => {}
                ("anyOf", Json::Array(branches)) if !branches.is_empty() && branches.len() <= MAX_PARTS => {
                    union = Some(branches);
                }
                _ => return None,
            }
        }
        let mut patterns = Vec::new();
        for branch in union? {
            let branch = self.listing(branch);
            patterns.push(match listed(branch) {
                Some(names) if names.is_empty() => continue,
                Some(names) => pattern_of_names(&names),
                None => own_pattern(branch)?,
            });
        }
        // A group keeps the alternatives of a pattern together.
        (!patterns.is_empty()).then(|| format!("(?:{})", patterns.join(")|(?:")))
    }

    /// `propertyNames` that has only assertions about strings, perhaps through `allOf` and references.
    pub(super) fn names_of_a_form(&mut self, draft: &mut Draft<'a>, value: &'a Json) {
        if let Some(pattern) = self.pattern_of_union(value) {
            return self.names_of_a_pattern(draft, pattern);
        }
        let whole = self.schema(value, draft.origin.join("propertyNames"), draft.depth + 1);
        let mut parts = Vec::new();
        let mut open = vec![whole];
        let mut left = MAX_PARTS;
        while let Some(node) = open.pop() {
            left = left.saturating_sub(1);
            if left == 0 || !self.add_part(node, draft.depth + 1, &mut parts, &mut open) {
                return self.reject_names(draft, "propertyNames");
            }
        }
        let name = "propertyNames";
        let mut parts = parts.into_iter().map(|node| Value::Node(Box::new(node)));
        parts.next().into_iter().for_each(|first| draft.push(name, first));
        draft.conjuncts.extend(parts.map(|part| Node::keyword(&draft.origin, name, part)));
    }

    /// Adds a schema's own assertions to `parts`, and those that it refers to or combines to `open`; returns whether
    /// all of them are about strings.
    fn add_part(&mut self, node: Node<'a>, depth: usize, parts: &mut Vec<Node<'a>>, open: &mut Vec<Node<'a>>) -> bool {
        let members = match node.body {
            Body::Plain(value) => return value == Json::Bool(true),
            Body::Members(members) => members,
        };
        let mut own = Vec::new();
        for (name, value) in members {
            match (name.as_str(), &value) {
                ("allOf", Value::List(nodes)) => open.extend(nodes.iter().rev().cloned()),
                ("$ref", Value::Ref(target, _)) => match self.referenced(*target, depth) {
                    Some(node) => open.push(node),
                    None => return false,
                },
                ("type", Value::Plain(types)) => {
                    let string = Json::Object([("type".to_owned(), types.clone())].into_iter().collect());
                    if !accepts_every_string(&string) {
                        return false;
                    }
                    own.push((name, value));
                }
                (
                    "minLength" | "maxLength" | "pattern" | "format" | "x-format" | "title" | "description"
                    | "$comment",
                    Value::Plain(_),
                ) => own.push((name, value)),
                (
                    "default" | "examples" | "deprecated" | "readOnly" | "writeOnly" | "definitions" | "$schema"
                    | "$id",
                    _,
                ) => {}
                _ => return false,
            }
        }
        let plain = |(name, value): &(String, Value<'a>)| match value {
            Value::Plain(value) => Some((name.clone(), value.clone())),
            _ => None,
        };
        // Normalising the result again must not change it.
        if !accepts_every_string(&Json::Object(own.iter().filter_map(plain).collect())) {
            parts.push(Node { origin: node.origin, source: node.source, body: Body::Members(own) });
        }
        true
    }

    /// The target of a reference, if it is small and consists of keywords that constrain a string.
    fn referenced(&mut self, target: TargetId, depth: usize) -> Option<Node<'a>> {
        let target = self.targets.get(target)?;
        let (json, origin) = (target.json, Origin::at(target.pointer.clone()));
        self.copies = self.copies.checked_sub(1)?;
        let mut left = MAX_VALUES;
        // A target with another `propertyNames` is not translated: that would replace its references by their targets
        // as well, which has no end if they form a cycle.
        (is_small(json, &mut left) && is_flat(json, depth)).then(|| self.schema(json, origin, depth))
    }

    /// `patternProperties` next to which no other properties are allowed, and that has one schema for all patterns.
    /// Every name matches a pattern, and all properties have the schema. Returns whether that is so.
    pub(super) fn only_names_of_patterns(&mut self, draft: &mut Draft<'a>, patterns: &'a Object) -> bool {
        let is_false = |keyword: &str| draft.get(keyword) == Some(&Json::Bool(false));
        let is_closed = is_false("additionalProperties")
            || (draft.get("additionalProperties").is_none()
                && is_false("unevaluatedProperties")
                && !applies_in_place(draft));
        let mut members = patterns.iter();
        let Some((first, schema)) = members.next() else { return false };
        // Those that `propertyNames` excludes are `false`, whatever patterns they match.
        let are_excluded = draft.properties.iter().all(|(_, node)| node.is_false());
        if !is_closed || draft.additional.is_some() || !are_excluded {
            return false;
        }
        if !members.all(|(_, other)| other == schema) {
            return false;
        }
        let sources: Vec<String> = patterns.iter().map(|(source, _)| remove_needless_escapes(source)).collect();
        let pattern = sources.join("|");
        let Ok(parsed) = Pattern::new(&pattern) else { return false };
        let declared = draft.get("properties").and_then(Json::as_object).filter(|members| !members.is_empty());
        if declared.is_some_and(|declared| !self.all_match(&parsed, declared)) {
            return false;
        }
        let origin = draft.origin.join("patternProperties").join(first);
        let node = self.node(schema, origin, draft.depth + 1);
        if declared.is_some() && !is_trivial(schema) {
            let size = node.size();
            if size > self.copies {
                return false;
            }
            self.copies -= size;
            // The schema also applies to the declared properties.
            let also = Node::keyword(&draft.origin, "additionalProperties", Value::Node(Box::new(node.clone())));
            draft.conjuncts.push(also);
        }
        let names =
            Node::keyword(&draft.origin.join("patternProperties"), "pattern", Value::Plain(Json::String(pattern)));
        draft.push_or_conjoin("propertyNames", Value::Node(Box::new(names)));
        draft.out.retain(|(name, _)| name != "additionalProperties");
        draft.additional = Some(node);
        true
    }

    /// Whether every name of an object matches the pattern; `false` if that would take too long to decide.
    fn all_match(&mut self, pattern: &Pattern, members: &Object) -> bool {
        let cost = usize::try_from(pattern.compiled_bytes() / BYTES_PER_COPY).unwrap_or(usize::MAX);
        let cost = cost.saturating_add(1);
        if cost > self.copies {
            return false;
        }
        self.copies -= cost;
        members.iter().all(|(name, _)| pattern.is_match(name) == Ok(true))
    }
}

/// A pattern that matches exactly these names.
fn pattern_of_names(names: &[&str]) -> String {
    let mut pattern = "^(?:".to_owned();
    for (index, name) in names.iter().enumerate() {
        pattern.push_str(if index == 0 { "" } else { "|" });
        for c in name.chars() {
            pattern.extend(SYNTAX.contains(c).then_some('\\').into_iter().chain([c]));
        }
    }
    pattern + ")$"
}

/// The pattern of a schema that asserts nothing else about a string.
fn own_pattern(schema: &Json) -> Option<String> {
    let mut pattern = None;
    for (name, value) in assertions(schema.as_object()?) {
        match (name, value) {
            ("type", Json::String(name)) if name == "string" => {}
            ("pattern", Json::String(source)) => pattern = Some(remove_needless_escapes(source)),
            _ => return None,
        }
    }
    pattern
}

/// Whether a schema has no subschemas other than branches of `allOf`, and can be translated at this depth.
fn is_flat(schema: &Json, depth: usize) -> bool {
    let Some(object) = schema.as_object() else { return true };
    let is_flat = |(name, value): &(String, Json)| match (name.as_str(), value) {
        ("allOf", Json::Array(branches)) => branches.iter().all(|branch| is_flat(branch, depth + 1)),
        (name, _) => !takes_subschemas(name),
    };
    depth <= MAX_SCHEMA_DEPTH && object.iter().all(is_flat)
}

/// Whether a value consists of at most `left` values.
fn is_small(value: &Json, left: &mut usize) -> bool {
    let Some(rest) = left.checked_sub(1) else { return false };
    *left = rest;
    match value {
        Json::Array(items) => items.iter().all(|item| is_small(item, left)),
        Json::Object(members) => members.iter().all(|(_, member)| is_small(member, left)),
        _ => true,
    }
}
