//! Rewriting an object that loses keywords.

use std::collections::{BTreeSet, HashSet};

use super::array::is_trivial;
use super::dialect::Dialect;
use super::lossy::Record;
use super::places::is_container;
use super::walk::asserts;
use super::widen::Widener;
use crate::{Json, Object, pointer};

/// An object that is being widened.
pub(super) struct Draft<'a, 'd> {
    pub(super) object: &'a Object,
    pub(super) at: &'d str,
    pub(super) out: Object,
    /// The keywords that are lost.
    pub(super) lost: BTreeSet<&'a str>,
    /// The members of `patternProperties` whose patterns cannot be expressed. If there are none, and the keyword is
    /// lost, it is lost as a whole.
    pub(super) unusable: BTreeSet<&'a str>,
    /// Whether a subschema changed.
    pub(super) is_changed: bool,
}

impl<'a> Widener<'a, '_> {
    /// Whether a reference leads to this place or below it.
    fn is_referenced(&self, at: &str) -> bool {
        let below = format!("{at}/");
        self.pointers.contains(at) || self.pointers.range(below.clone()..).next().is_some_and(|p| p.starts_with(&below))
    }

    /// Removes the lost keywords of an object in a positive place, and those that would have another meaning without
    /// them.
    pub(super) fn finish(&self, mut draft: Draft<'a, '_>, record: &mut Record) -> Json {
        let lost = std::mem::take(&mut draft.lost);
        if lost.contains("oneOf") && draft.is_changed {
            draft.any_of(record);
        }
        if lost.contains("patternProperties") {
            self.pattern_properties(&mut draft, &lost, record);
        }
        let mut removed: HashSet<&str> = lost.iter().copied().collect();
        for name in &lost {
            removed.extend(dependents(name));
            // In draft-04, one is a flag of the other.
            let other = match *name {
                "minimum" => "exclusiveMinimum",
                "maximum" => "exclusiveMaximum",
                "exclusiveMinimum" => "minimum",
                "exclusiveMaximum" => "maximum",
                _ => continue,
            };
            let is_flag = |name: &str| matches!(draft.get(name), Some(Json::Bool(_)));
            if is_flag(name) || is_flag(other) {
                removed.insert(other);
            }
        }
        if lost.contains("patternProperties") && !lost.contains("properties") {
            // It has been replaced, or is absent.
            removed.remove("additionalProperties");
        }
        if !draft.unusable.is_empty() {
            // The other patterns are left.
            removed.remove("patternProperties");
        }
        // Draft-07 ignores keywords next to `$ref`. Without the reference, they would apply.
        let ignored = |name: &str| self.dialect == Dialect::Legacy && lost.contains("$ref") && asserts(name);
        draft.keep(|name| !removed.contains(name) && !ignored(name));
        if lost.contains("nullable") && draft.get("nullable") == Some(&Json::Bool(true)) {
            let is_referenced = self.is_referenced(&pointer::join(draft.at, "anyOf"));
            draft.nullable(is_referenced, record);
        }
        Json::Object(draft.out)
    }

    /// Properties with names that match a pattern become additional properties, which match one of the schemas.
    fn pattern_properties(&self, draft: &mut Draft<'_, '_>, lost: &BTreeSet<&str>, record: &mut Record) {
        let patterns = draft.out.get("patternProperties").cloned();
        let additional = draft.out.get("additionalProperties").cloned();
        let is_open = |others: &Json| lost.contains("additionalProperties") || is_trivial(others);
        let additional = additional.filter(|others| !is_open(others));
        draft.out.set("patternProperties", None);
        draft.out.set("additionalProperties", None);
        let Some(Json::Object(patterns)) = patterns else { return };
        let is_kept = |pattern: &str| !draft.unusable.is_empty() && !draft.unusable.contains(pattern);
        let (kept, patterns): (Vec<_>, Vec<_>) = patterns.iter().cloned().partition(|(pattern, _)| is_kept(pattern));
        if !kept.is_empty() {
            draft.out.push("patternProperties".to_owned(), Json::Object(kept.into_iter().collect()));
        }
        let (Some(additional), false) =
            (additional, self.is_referenced(&pointer::join(draft.at, "additionalProperties")))
        else {
            return;
        };
        let to = pointer::join(draft.at, "additionalProperties");
        let from = pointer::join(draft.at, "patternProperties");
        if let ([(pattern, schema)], Json::Bool(false)) = (patterns.as_slice(), &additional) {
            record.moved(to, pointer::join(&from, pattern));
            return draft.out.push("additionalProperties".to_owned(), schema.clone());
        }
        let to = pointer::join(&to, "anyOf");
        let mut branches = Vec::new();
        for (pattern, schema) in &patterns {
            record.moved(pointer::join(&to, &branches.len().to_string()), pointer::join(&from, pattern));
            branches.push(schema.clone());
        }
        if additional != Json::Bool(false) {
            let from = pointer::join(draft.at, "additionalProperties");
            record.moved(pointer::join(&to, &branches.len().to_string()), from);
            branches.push(additional);
        }
        if !branches.is_empty() {
            let any_of = [("anyOf".to_owned(), Json::Array(branches))].into_iter().collect();
            draft.out.push("additionalProperties".to_owned(), Json::Object(any_of));
        }
    }
}

impl Draft<'_, '_> {
    fn get(&self, name: &str) -> Option<&Json> {
        self.object.get(name)
    }

    fn keep(&mut self, stays: impl Fn(&str) -> bool) {
        let kept: Object = self.out.iter().filter(|(name, _)| stays(name)).cloned().collect();
        self.out = kept;
    }

    /// `oneOf` becomes `anyOf`.
    fn any_of(&mut self, record: &mut Record) {
        let Some(branches) = self.out.get("oneOf").cloned() else { return };
        self.out.set("oneOf", None);
        let from = pointer::join(self.at, "oneOf");
        if self.out.get("anyOf").is_none() && self.get("anyOf").is_none() {
            record.moved(pointer::join(self.at, "anyOf"), from);
            return self.out.push("anyOf".to_owned(), branches);
        }
        let conjunct = Json::Object([("anyOf".to_owned(), branches)].into_iter().collect());
        let all_of = pointer::join(self.at, "allOf");
        let index = match self.out.get_mut("allOf") {
            Some(Json::Array(conjuncts)) => {
                conjuncts.push(conjunct);
                conjuncts.len() - 1
            }
            Some(_) => return,
            None => {
                self.out.push("allOf".to_owned(), Json::Array(vec![conjunct]));
                0
            }
        };
        record.moved(pointer::join(&pointer::join(&all_of, &index.to_string()), "anyOf"), from);
    }

    /// `nullable: true` becomes `anyOf` with the type null.
    fn nullable(&mut self, is_referenced: bool, record: &mut Record) {
        self.out.set("nullable", None);
        let is_outer = |name: &str| is_container(name) || ["$schema", "$id"].contains(&name) || !asserts(name);
        let inner: Object = self.out.iter().filter(|(name, _)| !is_outer(name)).cloned().collect();
        self.keep(is_outer);
        // A reference to a branch of the present `anyOf` would find another schema.
        if is_referenced {
            return;
        }
        record.moved(pointer::join(&pointer::join(self.at, "anyOf"), "0"), self.at.to_owned());
        let null = [("type".to_owned(), Json::String("null".to_owned()))].into_iter().collect();
        self.out.push("anyOf".to_owned(), Json::Array(vec![Json::Object(inner), Json::Object(null)]));
    }
}

/// Keywords whose meaning depends on another one, which is removed with them.
fn dependents(name: &str) -> &'static [&'static str] {
    match name {
        "contains" | "minContains" | "maxContains" => &["contains", "minContains", "maxContains", "unevaluatedItems"],
        "if" | "then" | "else" => &["if", "then", "else", "unevaluatedProperties", "unevaluatedItems"],
        "properties" => &["additionalProperties", "unevaluatedProperties"],
        "patternProperties" | "additionalProperties" => &["unevaluatedProperties"],
        "prefixItems" => &["items", "unevaluatedItems"],
        "items" | "additionalItems" => &["unevaluatedItems"],
        "allOf" | "anyOf" | "oneOf" | "not" | "$ref" | "dependentSchemas" | "dependencies" => {
            &["unevaluatedProperties", "unevaluatedItems"]
        }
        _ => &[],
    }
}
