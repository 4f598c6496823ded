//! Keywords other than `properties` that constrain an object's properties: by patterns of names, by lists of names, or
//! by number.

use std::collections::HashSet;

use super::array::{applies_in_place, is_trivial};
use super::lossy::Reading;
use super::pattern;
use super::tree::{Body, Node, Value};
use super::walk::{Draft, Walk};
use crate::parse::is_annotation;
use crate::{Json, MAX_WALK_DEPTH, Number, Object, Problem, Subschemas, codes};

/// Patterns that match every name.
const EVERY_NAME: [&str; 9] = ["", "^", "$", ".*", "^.*", ".*$", "(.*)", "[\\s\\S]*", "^[\\s\\S]*$"];

/// Patterns that match every name without a line break. Libraries and authors write them for every name.
const EVERY_LINE: [&str; 3] = ["^.*$", "^(.*)$", "^(?:.*)$"];

/// A pattern or list of names becomes `properties` if it has at most this many names. Each name gets a copy of the
/// schema; usual ones have a few names.
const MAX_NAMES: usize = 64;

/// The longest chain of references to a list of names that is followed. Usual ones have one; a cycle ends here, too.
const MAX_REFERENCES: usize = 16;

impl<'a> Walk<'a> {
    /// `properties`; a property that `propertyNames` does not list, or that it excludes, becomes `false`.
    pub(super) fn properties(&mut self, draft: &Draft<'a>, members: &'a Object) -> Vec<(String, Node<'a>)> {
        let set = |names: Vec<&'a str>| names.into_iter().collect::<HashSet<&str>>();
        let names = draft.get("propertyNames");
        let listed = names.and_then(|names| listed(self.listing(names))).map(set);
        let excluded = names.and_then(|names| self.excluded(names)).map(set);
        let is_allowed = |name: &str| {
            listed.as_ref().is_none_or(|names| names.contains(name))
                && excluded.as_ref().is_none_or(|names| !names.contains(name))
        };
        let mut properties = self.map(draft, "properties", members);
        for (name, node) in &mut properties {
            if !is_allowed(name) {
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
        if let Some(names) = self.excluded(value) {
            let node = Node::plain(draft.origin.join("propertyNames"), Json::Bool(false));
            let new = undeclared(draft, &names);
            if !self.add_properties(draft, &new, &node) {
                self.reject_names(draft, "propertyNames");
            }
            return;
        }
        let Some(names) = listed(self.listing(value)) else { return self.names_of_a_form(draft, value) };
        let new = undeclared(draft, &names);
        let Some(node) = self.schema_of_others(draft, &names) else { return self.names_of_a_list(draft, &names) };
        if !node.is_false() && !self.add_properties(draft, &new, &node) {
            return self.names_of_a_list(draft, &names);
        }
        // All allowed names are properties now, so any other name is rejected.
        draft.additional = Some(Node::plain(draft.origin.join("propertyNames"), Json::Bool(false)));
    }

    /// The schema of the listed names that `properties` does not declare; `None` if it depends on the name.
    fn schema_of_others(&mut self, draft: &Draft<'a>, names: &[&str]) -> Option<Node<'a>> {
        let names_at = draft.origin.join("propertyNames");
        if let Some(patterns) = draft.get("patternProperties").filter(|_| !names.is_empty()) {
            let declares = draft.get("properties").and_then(Json::as_object).is_some_and(|members| !members.is_empty());
            let (pattern, schema) = whole(patterns).filter(|(_, schema)| !declares || is_trivial(schema))?;
            let has_line_break = |name: &&str| name.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
            if EVERY_LINE.contains(&pattern) && names.iter().any(has_line_break) {
                return None;
            }
            let origin = draft.origin.join("patternProperties").join(pattern);
            return Some(self.node(schema, origin, draft.depth + 1));
        }
        let of_others = ["additionalProperties", "unevaluatedProperties"]
            .into_iter()
            .find_map(|keyword| Some((keyword, draft.get(keyword)?)))
            .filter(|(keyword, _)| *keyword == "additionalProperties" || !applies_in_place(draft));
        Some(match of_others {
            Some((keyword, schema)) => self.child(draft, keyword, schema),
            None => Node::plain(names_at, Json::Bool(true)),
        })
    }

    /// The names that `propertyNames` excludes, if that is all it does: `not` with a list, or with `anyOf` of lists.
    fn excluded(&mut self, value: &'a Json) -> Option<Vec<&'a str>> {
        let mut not = None;
        for (name, value) in assertions(self.listing(value).as_object()?) {
            match (name, value) {
                ("type", Json::String(name)) if name == "string" => {}
                ("not", value) => not = Some(value),
                _ => return None,
            }
        }
        let not = self.listing(not?);
        if let Some(names) = listed(not) {
            return Some(names);
        }
        let mut members = assertions(not.as_object()?);
        let ("anyOf", Json::Array(branches)) = members.next()? else { return None };
        if members.next().is_some() {
            return None;
        }
        let lists: Option<Vec<_>> = branches.iter().map(|branch| listed(self.listing(branch))).collect();
        Some(lists?.concat())
    }

    /// The schema that lists names: a schema itself, or the one that it only refers to.
    pub(super) fn listing(&mut self, schema: &'a Json) -> &'a Json {
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
        // `propertyNames` lists all names, and the properties have the schemas of the patterns.
        if draft.additional.is_some() {
            return;
        }
        let Some(patterns) = value.as_object() else { return self.malformed(draft, "patternProperties", "an object") };
        let is_open = |name| draft.get(name).is_none_or(is_trivial);
        let is_open = is_open("additionalProperties") && is_open("unevaluatedProperties");
        if is_open && patterns.iter().all(|(_, schema)| is_trivial(schema)) {
            return;
        }
        // A pattern for every name also applies to declared properties, whose schemas would have to be combined with
        // it.
        let declares = draft.get("properties").and_then(Json::as_object).is_some_and(|members| !members.is_empty());
        let whole = whole(value).filter(|(_, schema)| !declares || is_trivial(schema));
        if let Some((pattern, schema)) = whole.filter(|(pattern, _)| is_open || !EVERY_LINE.contains(pattern)) {
            let origin = draft.origin.join("patternProperties").join(pattern);
            if EVERY_LINE.contains(&pattern) {
                let reason = format!("`{pattern}` matches only names without line breaks, and is read as every name");
                self.note(Reading::EveryName, origin.pointer(), reason, "");
            }
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
        let mut taken = declared(draft);
        let excluded: Vec<String> = draft.properties.iter().map(|(name, _)| name.clone()).collect();
        taken.extend(excluded.iter().map(String::as_str));
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
    let matches_every_name = EVERY_NAME.iter().chain(&EVERY_LINE).any(|every| pattern == every);
    (members.next().is_none() && matches_every_name).then_some((pattern, schema))
}

/// The names in `properties`.
fn declared<'a>(draft: &Draft<'a>) -> HashSet<&'a str> {
    let members = draft.get("properties").and_then(Json::as_object);
    members.into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

/// The distinct names that are not in `properties`.
fn undeclared<'a>(draft: &Draft<'a>, names: &[&'a str]) -> Vec<&'a str> {
    let (declared, mut seen) = (declared(draft), HashSet::new());
    names.iter().copied().filter(|name| !declared.contains(name) && seen.insert(*name)).collect()
}

/// Whether a keyword of a schema has patterns that [`normalise`](super::normalise()) reads as every name, although they
/// do not match names with line breaks. Takes time linear in the schema.
///
/// ```
/// use capgen_schema::{Json, has_patterns_of_lines};
/// let schema: Json = r#"{"items": {"patternProperties": {"^(.*)$": {"type": "string"}}}}"#.parse()?;
/// assert!(has_patterns_of_lines(&schema));
/// # Ok::<(), capgen_schema::JsonTextError>(())
/// ```
#[must_use]
pub fn has_patterns_of_lines(schema: &Json) -> bool {
    fn at(schema: &Json, depth: usize) -> bool {
        let Some(object) = schema.as_object().filter(|_| depth <= MAX_WALK_DEPTH) else { return false };
        let patterns = object.get("patternProperties").and_then(whole);
        patterns.is_some_and(|(pattern, _)| EVERY_LINE.contains(&pattern))
            || object.iter().any(|(name, value)| Subschemas::of(name, value).iter().any(|below| at(below, depth + 1)))
    }
    at(schema, 0)
}

/// The keywords of a schema without its annotations.
pub(super) fn assertions(schema: &Object) -> impl Iterator<Item = (&str, &Json)> {
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
pub(super) fn listed(schema: &Json) -> Option<Vec<&str>> {
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
