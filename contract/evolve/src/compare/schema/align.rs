//! Changes of `anyOf`, `oneOf` and `allOf`: which branches of the two versions belong together.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use capgen_schema::{Assertions, Json, NodeId, Schema, pointer};

use super::super::change::{Change, Kind, Value};
use super::{MAX_VALUE, Walk, brief};

impl Walk<'_> {
    pub(super) fn unions(&mut self, place: (NodeId, NodeId), old: &Assertions, new: &Assertions) {
        let lists = [
            ("allOf", &old.all_of, &new.all_of),
            ("anyOf", &old.any_of, &new.any_of),
            ("oneOf", &old.one_of, &new.one_of),
        ];
        let has = |is_old: bool, keyword: &str| {
            lists.iter().any(|(name, old, new)| *name == keyword && if is_old { old.is_some() } else { new.is_some() })
        };
        // `anyOf` became `oneOf`, or the converse: one change, not an addition and a removal.
        let converted = [("anyOf", "oneOf"), ("oneOf", "anyOf")]
            .into_iter()
            .find(|(from, to)| has(true, from) && !has(true, to) && has(false, to) && !has(false, from));
        if let Some((from, to)) = converted {
            let text = format!("`{from}` became `{to}`");
            let change = Change::of(Kind::Branches, place, to, text);
            let change = self.copying(change, &[from, to]);
            self.changes.push(change);
        }
        for (keyword, old, new) in lists {
            match (old, new) {
                (Some(old), Some(new)) => self.branches(place, keyword, old, new),
                (None, None) => {}
                _ if converted.is_some_and(|(from, to)| keyword == from || keyword == to) => {}
                (old, _) => {
                    let verb = if old.is_some() { "removed" } else { "added" };
                    let change = Change::of(Kind::Branches, place, keyword, format!("`{keyword}` {verb}"));
                    let change = self.copying(change, &[keyword]);
                    self.changes.push(change);
                }
            }
        }
    }

    fn branches(&mut self, place: (NodeId, NodeId), keyword: &str, old: &[NodeId], new: &[NodeId]) {
        for (before, after) in align((self.old, old), (self.new, new)) {
            let before = before.and_then(|index| Some((index, *old.get(index)?)));
            let after = after.and_then(|index| new.get(index).copied());
            let (schema, id, verb) = match (before, after) {
                (Some((_, old)), Some(new)) => {
                    self.pair(old, new);
                    continue;
                }
                (Some((_, id)), None) => (self.old, id, "removed"),
                (None, Some(id)) => (self.new, id, "added"),
                (None, None) => continue,
            };
            let branch = self.text_of(schema, id);
            let text = format!("branch {} of `{keyword}` {verb}", name(schema, id));
            let edit = match (before, keyword) {
                (None, _) => branch.cloned().map_or(Value::Remove, Value::Insert),
                (Some((index, _)), _) if old.len() > 1 => Value::Delete(index),
                // A list of branches must not be empty. Without conditions, everything is accepted; without
                // alternatives, nothing.
                (_, "allOf") => Value::Remove,
                _ => Value::Set(Json::Array(vec![Json::Bool(false)])),
            };
            self.changes.push(Change::of(Kind::Branches, place, keyword, text).edit_with(&[keyword], edit));
        }
    }
}

/// A branch in words: its title, the name of its definition, its tag, or its text.
pub(crate) fn name(schema: &Schema, id: NodeId) -> String {
    let target = schema.resolve(id);
    if let Some(title) = &schema.node(target).annotations.title {
        return format!("{title:?}");
    }
    if let Some(name) = definition(schema, id) {
        return format!("`{name}`");
    }
    match tag(schema, id).filter(|tag| tag.chars().count() <= MAX_VALUE) {
        Some(tag) => format!("with {tag}"),
        None => schema.source().pointer(&schema.node(id).pointer).map(brief).unwrap_or_default(),
    }
}

/// A rule of [`align`]: what two branches have in common that belong together; `None` if a branch has nothing of the
/// kind.
type Trait = fn(&Schema, NodeId) -> Option<String>;

/// What distinguishes a branch from the others of its union, in several ways: its text, tag, definition and title. Two
/// branches that have one of these in common belong together.
pub(crate) fn identities(schema: &Schema, id: NodeId) -> impl Iterator<Item = (usize, String)> {
    let traits = [same_text as Trait, tag, definition, title].into_iter().enumerate();
    traits.filter_map(move |(index, of)| Some((index, of(schema, id)?)))
}

/// Which branches belong together, by index: equal ones, then those with equal tags, names, property names or types,
/// then those at the same position if as many are left on both sides.
fn align(
    (old_schema, old): (&Schema, &[NodeId]),
    (new_schema, new): (&Schema, &[NodeId]),
) -> Vec<(Option<usize>, Option<usize>)> {
    let mut partner: Vec<Option<usize>> = vec![None; old.len()];
    let mut left: Vec<usize> = (0..new.len()).collect();
    for common in [same_text as Trait, tag, definition, title, properties, types] {
        let mut known: BTreeMap<String, VecDeque<usize>> = BTreeMap::new();
        for index in &left {
            if let Some(key) = new.get(*index).and_then(|id| common(new_schema, *id)) {
                known.entry(key).or_default().push_back(*index);
            }
        }
        for (id, place) in old.iter().zip(&mut partner) {
            if place.is_some() {
                continue;
            }
            let same = common(old_schema, *id).and_then(|key| known.get_mut(&key));
            *place = same.and_then(VecDeque::pop_front);
        }
        let used: BTreeSet<usize> = partner.iter().flatten().copied().collect();
        left.retain(|index| !used.contains(index));
    }
    let unmatched = partner.iter().filter(|place| place.is_none()).count();
    if unmatched == left.len() {
        for (place, index) in partner.iter_mut().filter(|place| place.is_none()).zip(left.drain(..)) {
            *place = Some(index);
        }
    }
    let pairs = partner.into_iter().enumerate().map(|(index, place)| (Some(index), place));
    pairs.chain(left.into_iter().map(|index| (None, Some(index)))).collect()
}

fn same_text(schema: &Schema, id: NodeId) -> Option<String> {
    schema.source().pointer(&schema.node(schema.resolve(id)).pointer).map(Json::canonical)
}

/// The constants of its properties: of the required ones, if they have any.
pub(in super::super) fn tag(schema: &Schema, id: NodeId) -> Option<String> {
    let texts = constants(schema, id).into_iter().map(|(name, value)| format!("{name:?}:{value}"));
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.join(","))
}

/// The properties that can have only one value, with these values: the required ones, if there are any.
pub(crate) fn constants(schema: &Schema, id: NodeId) -> BTreeMap<&str, String> {
    let Some(group) = schema.assertions(id) else { return BTreeMap::new() };
    let constant = |(name, id): &'_ (String, NodeId)| {
        let property = schema.assertions(*id)?;
        match (&property.const_value, property.enum_values.as_deref()) {
            (Some(value), _) | (None, Some([value])) => Some((group.required.contains(name), value.canonical())),
            _ => None,
        }
    };
    let constants = group.properties.iter().filter_map(|entry| Some((entry.0.as_str(), constant(entry)?)));
    let constants: Vec<(&str, (bool, String))> = constants.collect();
    let has_required = constants.iter().any(|(_, (is_required, _))| *is_required);
    let kept = constants.into_iter().filter(|(_, (is_required, _))| *is_required || !has_required);
    kept.map(|(name, (_, value))| (name, value)).collect()
}

/// The name of the definition that it refers to.
pub(in super::super) fn definition(schema: &Schema, id: NodeId) -> Option<String> {
    let mut place = pointer::tokens(&schema.node(schema.resolve(id)).pointer);
    let name = place.next().filter(|key| key == "definitions").and_then(|_| place.next());
    name.filter(|_| place.next().is_none())
}

fn title(schema: &Schema, id: NodeId) -> Option<String> {
    schema.node(schema.resolve(id)).annotations.title.clone()
}

fn properties(schema: &Schema, id: NodeId) -> Option<String> {
    let group = schema.assertions(id)?;
    let mut names: Vec<&str> = group.properties.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    (!names.is_empty()).then(|| format!("{names:?}"))
}

fn types(schema: &Schema, id: NodeId) -> Option<String> {
    let group = schema.assertions(id)?;
    group.types.map(|types| format!("{types:?}"))
}
