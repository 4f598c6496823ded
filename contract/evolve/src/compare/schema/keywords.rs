//! Changes of keywords without subschemas, of `items`, `contains`, `not` and `if`.

use std::collections::BTreeSet;

use capgen_schema::{Assertions, Json, NodeId, Pattern, Type, TypeSet};

use super::super::change::{Change, Kind};
use super::{Walk, brief};

impl Walk<'_> {
    pub(super) fn keywords(&mut self, place: (NodeId, NodeId), old: &Assertions, new: &Assertions) {
        self.types(place, old, new);
        self.members(place, old, new);
        self.values(place, old, new);
        self.items(place, old, new);
        self.below(place, "contains", old.contains, new.contains);
        self.below(place, "not", old.not, new.not);
        self.condition(place, old, new);
    }

    /// `if`, `then` and `else`, which have a meaning only together.
    fn condition(&mut self, place: (NodeId, NodeId), old: &Assertions, new: &Assertions) {
        let parts = |group: &Assertions| [group.if_, group.then, group.else_];
        let (before, after) = (parts(old), parts(new));
        let differs = (0..).zip(before.iter().zip(&after)).find(|(_, (old, new))| old.is_some() != new.is_some());
        let Some((index, (_, new))) = differs else {
            let pairs = before.into_iter().flatten().zip(after.into_iter().flatten());
            return pairs.for_each(|(old, new)| self.pair(old, new));
        };
        let keyword = ["if", "then", "else"].get::<usize>(index).copied().unwrap_or("if");
        let verb = if new.is_some() { "added" } else { "removed" };
        let change = Change::of(Kind::Replaced, place, keyword, format!("`{keyword}` {verb}"));
        let change = self.copying(change, &["if", "then", "else"]);
        self.changes.push(change);
    }

    fn types(&mut self, place: (NodeId, NodeId), old: &Assertions, new: &Assertions) {
        if old.types == new.types {
            return;
        }
        let names = |types: &Option<TypeSet>| match types {
            None => "any type".to_owned(),
            Some(types) => types.iter().map(Type::name).collect::<Vec<_>>().join(" or "),
        };
        let text = format!("the type changed from {} to {}", names(&old.types), names(&new.types));
        let is_widened = matches!((old.types, new.types), (Some(before), Some(after))
            if before.contains(Type::Integer) && !before.contains(Type::Number)
                && before.without(Type::Integer).with(Type::Number) == after.without(Type::Integer));
        let kind = if is_widened { Kind::Widened } else { Kind::Type };
        let change = Change::of(kind, place, "type", text);
        let change = self.copying(change, &["type"]);
        self.changes.push(change);
    }

    /// The values that `enum` and `const` allow.
    fn members(&mut self, place: (NodeId, NodeId), old: &Assertions, new: &Assertions) {
        let (before, after) = (allowed(old), allowed(new));
        let keyword = if new.const_value.is_some() || new.enum_values.is_none() && old.const_value.is_some() {
            "const"
        } else {
            "enum"
        };
        let whole = |walk: &Self, text: String| {
            let change = Change::of(Kind::Members, place, keyword, text);
            walk.copying(change, &["enum", "const"])
        };
        let (before, after) = match (before, after) {
            (None, None) => return,
            (None, Some(_)) => return self.changes.push(whole(self, format!("`{keyword}` added"))),
            (Some(_), None) => return self.changes.push(whole(self, format!("`{keyword}` removed"))),
            (Some(before), Some(after)) => (before, after),
        };
        let texts = |values: &[&Json]| values.iter().map(|value| value.canonical()).collect::<BTreeSet<_>>();
        let (old_texts, new_texts) = (texts(&before), texts(&after));
        let removed: Vec<&Json> =
            before.iter().copied().filter(|value| !new_texts.contains(&value.canonical())).collect();
        let added: Vec<&Json> = after.iter().copied().filter(|value| !old_texts.contains(&value.canonical())).collect();
        // Each direction is a change of its own: one of them may break callers, the other one not.
        let kept = before.iter().copied().filter(|value| new_texts.contains(&value.canonical()));
        let lists = [
            ("removed", &removed, kept.collect::<Vec<_>>()),
            ("added", &added, before.iter().chain(&added).copied().collect()),
        ];
        for (verb, values, result) in lists {
            if values.is_empty() {
                continue;
            }
            let list = Json::Array(result.into_iter().cloned().collect());
            let text = match (keyword, values.as_slice()) {
                (_, [value]) => format!("value {} {verb}", brief(value)),
                _ => format!("{} values {verb}: {}", values.len(), listed(values)),
            };
            let change = Change::of(Kind::Members, place, keyword, text);
            // An empty `enum` is allowed, and accepts nothing.
            self.changes.push(change.edit(&["const"], None).edit(&["enum"], Some(list)));
        }
    }

    /// The keywords with one number, text or flag.
    fn values(&mut self, place: (NodeId, NodeId), old: &Assertions, new: &Assertions) {
        let known: BTreeSet<&str> = old.keywords().chain(new.keywords()).collect();
        for (keyword, kind) in SIMPLE {
            // Finding a keyword in the text takes time linear in the number of properties around it.
            if !known.contains(keyword) || is_equal(keyword, old, new) {
                continue;
            }
            let before = self.keyword_of(self.old, place.0, keyword).filter(|value| asserts(keyword, value));
            let after = self.keyword_of(self.new, place.1, keyword).filter(|value| asserts(keyword, value));
            let text = match (&before, &after) {
                (Some(before), Some(after)) if before == after => continue,
                (None, None) => continue,
                (Some(before), Some(after)) => {
                    format!("`{keyword}` changed from {} to {}", brief(before), brief(after))
                }
                (None, Some(after)) => format!("`{keyword}: {}` added", brief(after)),
                (Some(before), None) => format!("`{keyword}: {}` removed", brief(before)),
            };
            let change = Change::of(*kind, place, keyword, text);
            let change = self.copying(change, &[keyword]);
            self.changes.push(change);
        }
    }

    /// `items` and `additionalItems`.
    fn items(&mut self, place: (NodeId, NodeId), old: &Assertions, new: &Assertions) {
        if old.tuple.is_empty() && new.tuple.is_empty() {
            return self.below(place, "items", old.items, new.items);
        }
        if old.items.is_some() || new.items.is_some() {
            let text = "`items` changed between a schema and a list of schemas";
            let change = Change::of(Kind::Replaced, place, "items", text.to_owned());
            let change = self.copying(change, &["items", "additionalItems"]);
            return self.changes.push(change);
        }
        old.tuple.iter().zip(&new.tuple).for_each(|(old, new)| self.pair(*old, *new));
        let text = match (old.tuple.len(), new.tuple.len()) {
            (before, after) if before == after => {
                return self.below(place, "additionalItems", old.additional_items, new.additional_items);
            }
            (0, _) => "`items` added".to_owned(),
            (_, 0) => "`items` removed".to_owned(),
            (before, after) => format!("`items` changed from {before} to {after} schemas"),
        };
        let change = Change::of(Kind::Replaced, place, "items", text);
        let change = self.copying(change, &["items", "additionalItems"]);
        self.changes.push(change);
    }

    /// A keyword with one subschema, where an absent one accepts everything.
    fn below(&mut self, place: (NodeId, NodeId), keyword: &str, old: Option<NodeId>, new: Option<NodeId>) {
        let verb = match (old, new) {
            (Some(old), Some(new)) => return self.pair(old, new),
            (None, None) => return,
            (None, Some(_)) => "added",
            (Some(_), None) => "removed",
        };
        let change = Change::of(Kind::Replaced, place, keyword, format!("`{keyword}` {verb}"));
        let change = self.copying(change, &[keyword]);
        self.changes.push(change);
    }
}

/// The keywords that [`Walk::values`] compares.
const SIMPLE: &[(&str, Kind)] = &[
    ("minimum", Kind::Bound),
    ("maximum", Kind::Bound),
    ("exclusiveMinimum", Kind::Bound),
    ("exclusiveMaximum", Kind::Bound),
    ("multipleOf", Kind::Bound),
    ("minLength", Kind::Bound),
    ("maxLength", Kind::Bound),
    ("minItems", Kind::Bound),
    ("maxItems", Kind::Bound),
    ("uniqueItems", Kind::Bound),
    ("minProperties", Kind::Bound),
    ("maxProperties", Kind::Bound),
    ("dependentRequired", Kind::Text),
    ("pattern", Kind::Text),
    ("format", Kind::Text),
    ("propertyNames", Kind::Text),
];

/// Whether both have the same value for a keyword, for most keywords; an answer `false` may be wrong.
fn is_equal(keyword: &str, old: &Assertions, new: &Assertions) -> bool {
    match keyword {
        "minimum" => old.minimum == new.minimum,
        "maximum" => old.maximum == new.maximum,
        "exclusiveMinimum" => old.exclusive_minimum == new.exclusive_minimum,
        "exclusiveMaximum" => old.exclusive_maximum == new.exclusive_maximum,
        "minLength" => old.min_length == new.min_length,
        "maxLength" => old.max_length == new.max_length,
        "minItems" => old.min_items == new.min_items,
        "maxItems" => old.max_items == new.max_items,
        "minProperties" => old.min_properties == new.min_properties,
        "maxProperties" => old.max_properties == new.max_properties,
        "dependentRequired" => old.dependent_required == new.dependent_required,
        "multipleOf" => old.multiple_of == new.multiple_of,
        "uniqueItems" => old.unique_items == new.unique_items,
        "format" => old.format == new.format,
        "propertyNames" => match (&old.property_names, &new.property_names) {
            (Some(old), Some(new)) => {
                ["minLength", "maxLength", "pattern", "format"].iter().all(|keyword| is_equal(keyword, old, new))
            }
            (old, new) => old.is_none() && new.is_none(),
        },
        "pattern" => old.pattern.as_ref().map(Pattern::source) == new.pattern.as_ref().map(Pattern::source),
        _ => false,
    }
}

/// Whether a value of a keyword asserts anything.
fn asserts(keyword: &str, value: &Json) -> bool {
    match value {
        Json::Bool(false) => keyword != "uniqueItems",
        Json::Number(number) => {
            !matches!(keyword, "minLength" | "minItems" | "minProperties") || *number != capgen_schema::Number::ZERO
        }
        _ => true,
    }
}

/// The values that `enum` and `const` allow together; `None` if neither is present.
fn allowed(group: &Assertions) -> Option<Vec<&Json>> {
    match (&group.enum_values, &group.const_value) {
        (None, None) => None,
        (Some(values), None) => Some(values.iter().collect()),
        (None, Some(value)) => Some(vec![value]),
        (Some(values), Some(value)) => Some(values.iter().filter(|other| *other == value).collect()),
    }
}

/// The most values of an `enum` in a message. They fit on a line, and further ones are counted.
const FEW: usize = 5;

/// The first values, and how many more there are.
pub(crate) fn listed(values: &[&Json]) -> String {
    let mut list = values.iter().take(FEW).map(|value| brief(value)).collect::<Vec<_>>().join(", ");
    if let Some(more) = values.len().checked_sub(FEW).filter(|more| *more > 0) {
        list.push_str(&format!(" and {more} more"));
    }
    list
}
