//! Keywords other than `properties` that constrain an object's properties: by patterns of names, by lists of names, or
//! by number.

use std::collections::HashSet;

use super::array::{applies_in_place, is_trivial};
use super::pattern;
use super::tree::{Body, Node, Value};
use super::walk::{Draft, Walk};
use crate::parse::is_annotation;
use crate::{Json, Number, Object, Problem, codes};

/// Patterns that match every name.
const EVERY_NAME: [&str; 6] = ["", "^", "$", ".*", "^.*", ".*$"];

/// A pattern or list of names becomes `properties` if it has at most this many names. Each name gets a copy of the
/// schema; usual ones have a few names.
const MAX_NAMES: usize = 64;

/// The longest chain of references to a list of names that is followed. Usual ones have one; a cycle ends here, too.
const MAX_REFERENCES: usize = 16;

impl<'a> Walk<'a> {
    /// `properties`; a property that `propertyNames` does not list becomes `false`.
    pub(super) fn properties(&mut self, draft: &Draft<'a>, members: &'a Object) -> Vec<(String, Node<'a>)> {
        let listed = draft.get("propertyNames").and_then(|names| listed(self.listing(names)));
        let listed: Option<HashSet<&str>> = listed.map(|names| names.into_iter().collect());
        let mut properties = self.map(draft, "properties", members);
        for (name, node) in &mut properties {
            if listed.as_ref().is_some_and(|names| !names.contains(name.as_str())) {
                *node = Node::plain(node.origin.clone(), Json::Bool(false));
            }
        }
        properties
    }

    /// `additionalProperties`, and `unevaluatedProperties` if it is equivalent to `additionalProperties`.
    pub(super) fn additional(&mut self, draft: &mut Draft<'a>, name: &str, value: &'a Json) {
        if name == "unevaluatedProperties" {
            // With `additionalProperties`, every property is evaluated, so `unevaluatedProperties` has no effect. Other
            // schemas for the same value are read after all keywords.
            if draft.get("additionalProperties").is_some() || applies_in_place(draft) {
                return;
            }
        }
        if draft.additional.is_none() {
            let node = self.child(draft, name, value);
            draft.push("additionalProperties", Value::Node(Box::new(node)));
        }
    }

    /// `propertyNames`: if it lists the allowed names, they become `properties`.
    pub(super) fn closed_names(&mut self, draft: &mut Draft<'a>) {
        let Some(value) = draft.get("propertyNames") else { return };
        if accepts_every_string(value) {
            return;
        }
        let Some(names) = listed(self.listing(value)) else { return self.names_of_a_form(draft, value) };
        if draft.get("patternProperties").is_some() {
            return self.reject_names(draft, "propertyNames");
        }
        let declared: HashSet<&str> = match draft.get("properties") {
            Some(Json::Object(members)) => members.iter().map(|(name, _)| name.as_str()).collect(),
            _ => HashSet::new(),
        };
        let mut seen = HashSet::new();
        let new: Vec<&str> = names.into_iter().filter(|name| !declared.contains(name) && seen.insert(*name)).collect();
        // The listed names that `properties` does not declare get the schema of additional properties.
        let of_others = ["additionalProperties", "unevaluatedProperties"]
            .into_iter()
            .find_map(|keyword| Some((keyword, draft.get(keyword)?)))
            .filter(|(keyword, _)| *keyword == "additionalProperties" || !applies_in_place(draft));
        let node = match of_others {
            Some((keyword, schema)) => self.child(draft, keyword, schema),
            None => Node::plain(draft.origin.join("propertyNames"), Json::Bool(true)),
        };
        if !of_others.is_some_and(|(_, schema)| *schema == Json::Bool(false))
            && !self.add_properties(draft, &new, &node)
        {
            return self.reject_names(draft, "propertyNames");
        }
        // All allowed names are properties now, so any other name is rejected.
        draft.additional = Some(Node::plain(draft.origin.join("propertyNames"), Json::Bool(false)));
    }

    /// The schema that lists names: a schema itself, or the one that it only refers to.
    fn listing(&mut self, schema: &'a Json) -> &'a Json {
        let mut schema = schema;
        for _ in 0..MAX_REFERENCES {
            let Some(object) = schema.as_object() else { break };
            let Some(reference) = object.get("$ref").and_then(Json::as_str) else { break };
            let is_alone = assertions(object).all(|(name, _)| name == "$ref");
            let target = self.targets.resolve(reference).ok().filter(|_| is_alone);
            let Some(target) = target.and_then(|target| self.targets.get(target)) else { break };
            schema = target.json;
        }
        schema
    }

    /// `patternProperties`: without the keyword, if it has no effect, matches every name, or lists the names it
    /// matches.
    pub(super) fn pattern_properties(&mut self, draft: &mut Draft<'a>, value: &'a Json) {
        let Some(patterns) = value.as_object() else { return self.malformed(draft, "patternProperties", "an object") };
        let is_open = |name| draft.get(name).is_none_or(is_trivial);
        let is_open = is_open("additionalProperties") && is_open("unevaluatedProperties");
        if is_open && patterns.iter().all(|(_, schema)| is_trivial(schema)) {
            return;
        }
        // A pattern for every name also applies to declared properties, whose schemas would have to be combined with
        // it.
        let declares = draft.get("properties").and_then(Json::as_object).is_some_and(|members| !members.is_empty());
        if let Some((pattern, schema)) = whole(value).filter(|(_, schema)| !declares || is_trivial(schema)) {
            let origin = draft.origin.join("patternProperties").join(pattern);
            draft.additional = Some(self.node(schema, origin, draft.depth + 1));
            draft.out.retain(|(name, _)| name != "additionalProperties");
            return;
        }
        if !self.finite_names(draft, patterns) && !self.only_names_of_patterns(draft, patterns) {
            self.kept_patterns(draft, patterns, is_open);
        }
    }

    /// `patternProperties` as it is, unless it has no effect. `is_open`: whether other properties may have any value.
    fn kept_patterns(&mut self, draft: &mut Draft<'a>, patterns: &'a Object, is_open: bool) {
        let origin = draft.origin.join("patternProperties");
        let mut seen = HashSet::new();
        let sources: Vec<String> =
            patterns.iter().map(|(source, _)| pattern::remove_needless_escapes(source)).collect();
        if !sources.iter().all(|source| seen.insert(source)) {
            // Two patterns differ only in their escapes.
            return self.reject_names(draft, "patternProperties");
        }
        let node = |((source, schema), name): (&'a (String, Json), String)| {
            (name, self.node(schema, origin.join(source), draft.depth + 1))
        };
        let members: Vec<_> = patterns.iter().zip(sources.iter().cloned()).map(node).collect();
        // Schemas that accept everything once keywords are removed from them assert nothing.
        if is_open && members.iter().all(|(_, node)| asserts_nothing(node)) {
            return;
        }
        draft.push("patternProperties", Value::Map(members));
    }

    /// Translates patterns that list names to properties; returns whether that is possible. A name that several
    /// patterns or `properties` list would need the conjunction of their schemas, so it is not.
    fn finite_names(&mut self, draft: &mut Draft<'a>, patterns: &'a Object) -> bool {
        let Some(lists) = patterns.iter().map(|(pattern, _)| alternatives(pattern)).collect::<Option<Vec<_>>>() else {
            return false;
        };
        let mut taken: HashSet<&str> = match draft.get("properties") {
            Some(Json::Object(members)) => members.iter().map(|(name, _)| name.as_str()).collect(),
            _ => HashSet::new(),
        };
        if !lists.iter().flatten().all(|name| taken.insert(name)) {
            return false;
        }
        let origin = draft.origin.join("patternProperties");
        patterns.iter().zip(lists).all(|((pattern, schema), names)| {
            let node = self.node(schema, origin.join(pattern), draft.depth + 1);
            self.add_properties(draft, &names, &node)
        })
    }

    /// Adds a property with this schema for each name; returns whether the limits on names and copies allow it.
    fn add_properties(&mut self, draft: &mut Draft<'a>, names: &[&str], node: &Node<'a>) -> bool {
        let cost = node.size().saturating_mul(names.len());
        if names.len() > MAX_NAMES || cost > self.copies {
            return false;
        }
        self.copies -= cost;
        draft.properties.extend(names.iter().map(|name| ((*name).to_owned(), node.clone())));
        true
    }

    pub(super) fn reject_names(&mut self, draft: &Draft<'a>, keyword: &str) {
        let message =
            format!("`{keyword}` constrains the names of properties in a way that is not part of the schema subset");
        let problem = Problem::new(codes::UNKNOWN_KEYWORD, draft.at(keyword), message).at_key().label("not enforced");
        let help = "write `propertyNames` with a `pattern` for all names, or use an array of objects with a `key` and a `value`";
        self.report(problem.help(help));
    }
}

/// Whether a translated schema accepts every value, as far as its own keywords show.
fn asserts_nothing(node: &Node<'_>) -> bool {
    match &node.body {
        Body::Plain(value) => *value == Json::Bool(true),
        Body::Members(members) => members.iter().all(|(name, _)| is_annotation(name)),
    }
}

/// The single pattern and its schema, if every name matches it.
fn whole(patterns: &Json) -> Option<(&str, &Json)> {
    let mut members = patterns.as_object()?.iter();
    let (pattern, schema) = members.next()?;
    let matches_every_name = EVERY_NAME.iter().any(|every| pattern == every);
    (members.next().is_none() && matches_every_name).then_some((pattern, schema))
}

/// The keywords of a schema without its annotations.
fn assertions(schema: &Object) -> impl Iterator<Item = (&str, &Json)> {
    schema.iter().map(|(name, value)| (name.as_str(), value)).filter(|(name, _)| !is_annotation(name))
}

/// Whether a schema obviously accepts every string.
pub(super) fn accepts_every_string(schema: &Json) -> bool {
    let is_string = |value: &Json| match value {
        Json::Array(names) => names.iter().any(|name| name.as_str() == Some("string")),
        name => name.as_str() == Some("string"),
    };
    match schema {
        Json::Object(object) => assertions(object).all(|(name, value)| match name {
            "type" => is_string(value),
            "pattern" => value.as_str().is_some_and(|pattern| EVERY_NAME.contains(&pattern)),
            "minLength" => value.as_number() == Some(&Number::ZERO),
            _ => false,
        }),
        other => *other == Json::Bool(true),
    }
}

/// The strings that a schema accepts, if it is `false` or consists of `enum` or `const`.
fn listed(schema: &Json) -> Option<Vec<&str>> {
    if *schema == Json::Bool(false) {
        return Some(Vec::new());
    }
    let object = schema.as_object()?;
    let mut names = None;
    for (name, value) in assertions(object) {
        match (name, value) {
            ("type", Json::String(name)) if name == "string" => {}
            ("enum", Json::Array(values)) if names.is_none() => {
                names = Some(values.iter().filter_map(Json::as_str).collect());
            }
            ("const", Json::String(value)) if names.is_none() => names = Some(vec![value.as_str()]),
            _ => return None,
        }
    }
    names
}

/// The strings that a pattern of the form `^(a|b)$` matches. Only literal characters without a meaning in patterns are
/// allowed.
fn alternatives(pattern: &str) -> Option<Vec<&str>> {
    let inner = pattern.strip_prefix('^')?.strip_suffix('$')?;
    let grouped = inner.strip_prefix("(?:").or_else(|| inner.strip_prefix('(')).and_then(|rest| rest.strip_suffix(')'));
    let list: Vec<&str> = grouped.map_or_else(|| vec![inner], |list| list.split('|').collect());
    let is_literal = |text: &&str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_-:/ @#".contains(c));
    list.iter().all(is_literal).then_some(list)
}
