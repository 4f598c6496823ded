//! `discriminator`: the property that distinguishes the branches of a union becomes required in each branch, with the
//! values of that branch.
//!
//! OpenAPI demands that the property is required, and validators need its values: without them, an object matches
//! several branches, and `oneOf` rejects it. A schema that only such unions refer to is changed itself, so that types
//! have its name. A schema that is used elsewhere as well stays, and the branch adds the property.

use std::collections::HashMap;

use capgen_diagnostic::quoted;

use super::super::dialect::{Dialect, is_beside_reference};
use super::super::lossy::{Loss, Reading};
use super::super::places::subschemas;
use super::super::tree::Origin;
use super::facts::Reader;
use super::lookup::{Lookup, definition};
use super::union::{Narrowing, Union};
use super::{MAX_NOTES, Moves};
use crate::{Json, MAX_WALK_DEPTH, Object};

/// The branches of a union that get the property themselves.
struct Changes {
    /// `anyOf` or `oneOf`.
    keyword: &'static str,
    /// The indexes of the branches.
    branches: Vec<(usize, Narrowing)>,
}

/// The unions of a schema that have a discriminator.
#[derive(Default)]
pub(super) struct Discriminators {
    /// The branches that get the property themselves, by the addresses of the unions.
    branches: HashMap<usize, Changes>,
    /// The schemas that get the property, by their addresses.
    schemas: HashMap<usize, Narrowing>,
    pub(super) notes: Vec<Loss>,
}

impl Discriminators {
    /// `references` has the pointer of each reference of the schema.
    pub(super) fn of(root: &Json, references: &[String]) -> Self {
        let mut found = Self::default();
        let dialect = Dialect::of(root);
        let mut reader = Reader::of(root, dialect == Dialect::Legacy);
        let mut unions = Vec::new();
        let mut open = vec![(root, Origin::default(), 0)];
        while let Some((schema, origin, depth)) = open.pop() {
            let Some(object) = schema.as_object().filter(|_| depth <= MAX_WALK_DEPTH) else { continue };
            let applies = |name: &str| object.get(name).is_some() && !is_beside_reference(dialect, object, name);
            let discriminator = object.get("discriminator").filter(|_| applies("discriminator"));
            if let Some(tag) = discriminator.and_then(Json::as_str) {
                // The form of OpenAPI 2.0, in which the values are the names of schemas that inherit from this one.
                let reason = "it must be an object with `propertyName`, so it asserts nothing";
                found.note(Reading::Overlap, &origin, tag, reason.to_owned());
            }
            match discriminator.and_then(|_| Union::of(&mut reader, object)) {
                Some(Ok(union)) => unions.push((schema, origin.clone(), union)),
                Some(Err((tag, reason))) => found.note(Reading::Overlap, &origin, &tag, reason),
                None => {}
            }
            for (name, value) in object.iter().filter(|(name, _)| applies(name)) {
                let below = subschemas(name, value, depth == 0).into_iter().map(|(tokens, child)| {
                    let below = tokens.iter().fold(origin.join(name), |origin, token| origin.join(token));
                    (child, below, depth + 1)
                });
                open.extend(below);
            }
        }
        let all = unions.iter().map(|(_, _, union)| union);
        found.schemas = exclusive(&reader.lookup, all, references);
        for (schema, origin, union) in unions {
            found.union(&reader.lookup, schema, &origin, union);
        }
        found
    }

    fn union(&mut self, lookup: &Lookup<'_>, schema: &Json, origin: &Origin, union: Union) {
        let changed: Vec<_> = union.branches.into_iter().filter(|branch| !branch.narrowing.is_empty()).collect();
        if changed.is_empty() {
            return;
        }
        let reason = match union.default {
            None => "the property is required in each branch, with the value of the branch".to_owned(),
            Some(default) => format!(
                "the property is required in each branch but {default}, with the value of the branch; {default} is for \
                 all other values"
            ),
        };
        self.note(Reading::Discriminator, origin, &union.tag, reason);
        let target = |at: &String| lookup.get(at).map(address);
        let is_own = |at: &Option<String>| {
            at.as_ref().and_then(target).is_some_and(|address| self.schemas.contains_key(&address))
        };
        let rest: Vec<_> = changed.into_iter().filter(|branch| !is_own(&branch.target)).collect();
        if !rest.is_empty() {
            let branches = rest.into_iter().map(|branch| (branch.index, branch.narrowing)).collect();
            self.branches.insert(address(schema), Changes { keyword: union.keyword, branches });
        }
    }

    fn note(&mut self, reading: Reading, origin: &Origin, tag: &str, reason: String) {
        if self.notes.len() < MAX_NOTES {
            let reason = format!("the discriminator {}: {reason}", quoted(tag));
            let (pointer, keyword) = (origin.join("discriminator").pointer(), String::new());
            self.notes.push(Loss { pointer, keyword, reason, reading, name: tag.to_owned() });
        }
    }

    /// A schema with the property, if it or its branches get one. `out` is the object of `schema` so far.
    pub(super) fn rewritten(&self, mut out: Object, schema: &Json, origin: &Origin, moves: &mut Moves) -> Object {
        if let Some(Changes { keyword, branches }) = self.branches.get(&address(schema)) {
            for (index, narrowing) in branches {
                let branch = match out.get_mut(keyword) {
                    Some(Json::Array(branches)) => branches.get_mut(*index),
                    _ => None,
                };
                let Some(branch) = branch else { continue };
                if moves.push(&origin.join(keyword).join(&index.to_string()), "/allOf/0") {
                    let parts = vec![branch.clone(), assertion(narrowing)];
                    *branch = Json::Object([("allOf".to_owned(), Json::Array(parts))].into_iter().collect());
                }
            }
        }
        match self.schemas.get(&address(schema)) {
            Some(narrowing) => narrowed(out, narrowing),
            None => out,
        }
    }
}

/// The identity of a schema in the input. A place has many pointers, and long ones would be copied often.
fn address(schema: &Json) -> usize {
    std::ptr::from_ref(schema).addr()
}

/// The definitions that only branches of unions refer to, all with the same values.
fn exclusive<'u>(
    lookup: &Lookup<'_>,
    unions: impl Iterator<Item = &'u Union>,
    references: &[String],
) -> HashMap<usize, Narrowing> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut narrowings: HashMap<&str, (&Narrowing, usize)> = HashMap::new();
    for branch in unions.flat_map(|union| &union.branches) {
        let Some(target) = branch.target.as_deref() else { continue };
        let known = narrowings.entry(target).or_insert((&branch.narrowing, 0));
        // One that differs counts as another use.
        known.1 += usize::from(*known.0 == branch.narrowing);
    }
    for reference in references {
        // A reference into a definition is a use of it, too.
        let definition = definition(reference);
        *counts.entry(definition.unwrap_or(reference)).or_default() += 1;
    }
    let used_once = |(target, (narrowing, count)): (&str, (&Narrowing, usize))| {
        let schema = lookup.get(target).filter(|_| definition(target) == Some(target))?;
        let is_own = schema.as_object().is_some_and(|object| object.get("$ref").is_none());
        let is_exclusive = is_own && counts.get(target) == Some(&count) && !narrowing.is_empty();
        is_exclusive.then(|| (address(schema), narrowing.clone()))
    };
    narrowings.into_iter().filter_map(used_once).collect()
}

/// A schema with the property; its declaration is replaced if it only lists values.
fn narrowed(mut out: Object, narrowing: &Narrowing) -> Object {
    let declared = out.get("properties").and_then(|properties| properties.get(&narrowing.tag));
    let is_plain = declared.is_none_or(|declared| declared.as_object().is_some_and(has_only_values));
    // Keywords beside a reference may have no meaning.
    let is_plain = is_plain && (narrowing.excluded.is_empty() || declared.is_none_or(|one| one.get("$ref").is_none()));
    let is_combined = out.get("allOf").is_some() && declared.is_none();
    if is_combined || !is_plain {
        match out.get_mut("allOf") {
            Some(Json::Array(parts)) => parts.push(assertion(narrowing)),
            _ => out.push("allOf".to_owned(), Json::Array(vec![assertion(narrowing)])),
        }
        return out;
    }
    let declared = declared.and_then(Json::as_object).cloned().unwrap_or_default();
    let property = match &narrowing.values {
        Some(values) => Some(property(&declared, values)),
        None => (!narrowing.excluded.is_empty()).then(|| excluding(declared, &narrowing.excluded)),
    };
    if let Some(property) = property {
        if out.get("properties").is_none() {
            out.push("properties".to_owned(), Json::Object(Object::new()));
        }
        if let Some(Json::Object(properties)) = out.get_mut("properties") {
            properties.set(&narrowing.tag, Some(property));
        }
    }
    if narrowing.is_required {
        let name = Json::from(narrowing.tag.as_str());
        match out.get_mut("required") {
            Some(Json::Array(names)) => names.push(name),
            _ => out.set("required", Some(Json::Array(vec![name]))),
        }
    }
    out
}

/// Keywords that constants make superfluous.
const VALUES: [&str; 5] = ["$ref", "const", "enum", "format", "type"];

fn has_only_values(declared: &Object) -> bool {
    declared.iter().all(|(name, _)| VALUES.contains(&name.as_str()) || !super::super::walk::asserts(name))
}

/// The values that canonical texts of JSON have.
fn parsed(values: &[String]) -> Vec<Json> {
    values.iter().filter_map(|value| value.parse().ok()).collect()
}

/// The declaration of a property without some values.
fn excluding(mut declared: Object, values: &[String]) -> Json {
    let values = [("enum".to_owned(), Json::Array(parsed(values)))].into_iter().collect();
    declared.set("not", Some(Json::Object(values)));
    Json::Object(declared)
}

/// The declaration of a property with other values.
fn property(declared: &Object, values: &[String]) -> Json {
    let mut property: Object = declared.iter().filter(|(name, _)| !VALUES.contains(&name.as_str())).cloned().collect();
    let mut values = parsed(values);
    match (values.pop(), values.is_empty()) {
        (Some(value), true) => property.push("const".to_owned(), value),
        (last, _) => {
            values.extend(last);
            property.push("enum".to_owned(), Json::Array(values));
        }
    }
    Json::Object(property)
}

/// A schema that has only the property.
fn assertion(narrowing: &Narrowing) -> Json {
    let mut out = Object::new();
    let property = match &narrowing.values {
        Some(values) => Some(property(&Object::new(), values)),
        None => (!narrowing.excluded.is_empty()).then(|| excluding(Object::new(), &narrowing.excluded)),
    };
    if let Some(property) = property {
        let properties = [(narrowing.tag.clone(), property)].into_iter().collect();
        out.push("properties".to_owned(), Json::Object(properties));
    }
    if narrowing.is_required {
        out.push("required".to_owned(), Json::Array(vec![Json::from(narrowing.tag.as_str())]));
    }
    Json::Object(out)
}
