//! Changes of `properties`, `required` and `additionalProperties`.

use std::collections::{BTreeMap, BTreeSet};

use capgen_schema::{Assertions, Json, Kind as Shape, NodeId};

use super::super::change::{Change, Kind, Value};
use super::rename::Renames;
use super::{Walk, brief, difference};

impl Walk<'_> {
    pub(super) fn object(&mut self, place: (NodeId, NodeId), old: &Assertions, new: &Assertions) {
        let renames = self.renames(place, old, new);
        self.properties(place, (old, new), &renames);
        self.required(place, (old, new), &renames);
        self.rest(place, old, new);
    }

    fn properties(&mut self, place: (NodeId, NodeId), (old, new): (&Assertions, &Assertions), renames: &Renames<'_>) {
        let before: Vec<&str> = old.properties.iter().map(|(name, _)| name.as_str()).collect();
        let after: Vec<&str> = new.properties.iter().map(|(name, _)| name.as_str()).collect();
        let (removed, added) = difference(&before, &after);
        let others: BTreeMap<&str, NodeId> = new.properties.iter().map(|(name, id)| (name.as_str(), *id)).collect();
        for (name, id) in &old.properties {
            if let Some(other) = others.get(name.as_str()) {
                self.pair(*id, *other);
            }
        }
        for name in &removed {
            let text = format!("property `{name}` removed");
            let change = Change::of(Kind::PropertyRemoved, place, "properties", text).below(name).of_property(name);
            self.changes.push(change.help(renames.help(name)).edit(&["properties", name], None));
        }
        let properties = self.keyword_of(self.new, place.1, "properties").and_then(Json::as_object);
        let values: BTreeMap<&str, &Json> =
            properties.into_iter().flatten().map(|(name, value)| (name.as_str(), value)).collect();
        for name in &added {
            let value = values.get(name).copied().cloned();
            let change = Change::of(Kind::PropertyAdded, place, "properties", format!("property `{name}` added"))
                .below(name)
                .of_property(name);
            self.changes.push(change.help(renames.help(name)).edit(&["properties", name], value));
        }
    }

    fn required(&mut self, place: (NodeId, NodeId), (old, new): (&Assertions, &Assertions), renames: &Renames<'_>) {
        let before: Vec<&str> = old.required.iter().map(String::as_str).collect();
        let after: Vec<&str> = new.required.iter().map(String::as_str).collect();
        let (removed, added) = difference(&before, &after);
        let indexes: BTreeMap<&str, usize> = before.iter().enumerate().map(|(index, name)| (*name, index)).collect();
        for name in removed {
            let text = format!("property `{name}` is no longer required");
            let change = Change::of(Kind::Optional, place, "required", text).help(renames.help(name));
            let edit = indexes.get(name).copied().map_or(Value::Remove, Value::Delete);
            self.changes.push(change.of_property(name).edit_with(&["required"], edit));
        }
        for name in added {
            let text = format!("property `{name}` is now required");
            let change = Change::of(Kind::Required, place, "required", text).help(renames.help(name));
            self.changes
                .push(change.of_property(name).edit_with(&["required"], Value::Insert(Json::String(name.to_owned()))));
        }
    }

    /// `patternProperties`: other patterns are one change, and the schemas of a pattern that both have are compared.
    pub(super) fn patterns(&mut self, place: (NodeId, NodeId), old: &Assertions, new: &Assertions) {
        let by_source = |group: &Assertions| -> BTreeMap<String, NodeId> {
            group.pattern_properties.iter().map(|(pattern, id)| (pattern.source().to_owned(), *id)).collect()
        };
        let (before, after) = (by_source(old), by_source(new));
        for (source, old) in &before {
            if let Some(new) = after.get(source) {
                self.pair(*old, *new);
            }
        }
        let one_sided = |these: &BTreeMap<String, NodeId>, others: &BTreeMap<String, NodeId>| {
            these.keys().find(|source| !others.contains_key(*source)).map(|source| brief(&Json::from(source.as_str())))
        };
        let text = match (one_sided(&before, &after), one_sided(&after, &before)) {
            (None, None) => return,
            (Some(old), Some(new)) => format!("the pattern {old} of `patternProperties` changed to {new}"),
            (Some(old), None) => format!("the pattern {old} of `patternProperties` removed"),
            (None, Some(new)) => format!("the pattern {new} of `patternProperties` added"),
        };
        let change = Change::of(Kind::Text, place, "patternProperties", text);
        let change = self.copying(change, &["patternProperties"]);
        self.changes.push(change);
    }

    fn rest(&mut self, place: (NodeId, NodeId), old: &Assertions, new: &Assertions) {
        let shape = |schema: &capgen_schema::Schema, id: Option<NodeId>| match id {
            None => Rest::Open,
            Some(id) => match &schema.node(schema.resolve(id)).kind {
                Shape::Bool(true) => Rest::Open,
                Shape::Bool(false) => Rest::Closed,
                _ => Rest::Schema(id),
            },
        };
        let (before, after) = (shape(self.old, old.additional_properties), shape(self.new, new.additional_properties));
        let text = match (&before, &after) {
            (Rest::Open, Rest::Open) | (Rest::Closed, Rest::Closed) => return,
            (Rest::Schema(old), Rest::Schema(new)) => return self.pair(*old, *new),
            (_, Rest::Closed) => "undeclared properties are no longer allowed",
            (Rest::Closed, _) => "undeclared properties are now allowed",
            (_, Rest::Open) => "undeclared properties may now have any value",
            (_, Rest::Schema(_)) => "undeclared properties must now conform to a schema",
        };
        let change = Change::of(Kind::Rest, place, "additionalProperties", text.to_owned());
        let mut change = self.copying(change, &["additionalProperties"]);
        // Names that only one version declares are changes of their own: here they stay declared, as in the old
        // version.
        if let (Rest::Closed, _) = (&after, &before) {
            let declared: BTreeSet<&str> = old.properties.iter().map(|(name, _)| name.as_str()).collect();
            let names = new.properties.iter().map(|(name, _)| name);
            let added = names.filter(|name| !declared.contains(name.as_str())).cloned().collect();
            change = change.edit_with(&["properties"], Value::Declare(added));
        }
        self.changes.push(change);
    }
}

/// The forms of `additionalProperties`.
enum Rest {
    Open,
    Closed,
    Schema(NodeId),
}
