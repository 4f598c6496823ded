//! Changes of `properties`, `required` and `additionalProperties`.

use capgen_diagnostic::nearest;
use capgen_schema::{Assertions, Json, Kind as Shape, NodeId, Object};

use super::super::change::{Change, Kind};
use super::{Walk, difference};

impl Walk<'_> {
    pub(super) fn object(&mut self, place: (NodeId, NodeId), old: &Assertions, new: &Assertions) {
        self.properties(place, old, new);
        self.required(place, old, new);
        self.rest(place, old, new);
    }

    fn properties(&mut self, place: (NodeId, NodeId), old: &Assertions, new: &Assertions) {
        let before: Vec<&str> = old.properties.iter().map(|(name, _)| name.as_str()).collect();
        let after: Vec<&str> = new.properties.iter().map(|(name, _)| name.as_str()).collect();
        let (removed, added) = difference(&before, &after);
        for (name, id) in &old.properties {
            if let Some((_, other)) = new.properties.iter().find(|(other, _)| other == name) {
                self.pair(*id, *other);
            }
        }
        for name in &removed {
            let renamed = self.renamed(place, old, new, name, &added);
            let text = format!("property `{name}` removed");
            let help = renamed
                .map(|new| format!("if `{name}` was renamed to `{new}`, keep both until no caller uses `{name}`"));
            let change = Change::of(Kind::PropertyRemoved, place, "properties", text).below(name).help(help);
            self.changes.push(change.edit(&["properties", name], None));
        }
        for name in &added {
            let value = self.property(place.1, name);
            let change =
                Change::of(Kind::PropertyAdded, place, "properties", format!("property `{name}` added")).below(name);
            self.changes.push(change.edit(&["properties", name], value));
        }
    }

    /// The schema of a property of the new version, as it was written.
    fn property(&self, id: NodeId, name: &str) -> Option<Json> {
        self.keyword_of(self.new, id, "properties")?.get(name).cloned()
    }

    /// The added property that a removed one was probably renamed to: the only one with the same schema, or one with a similar name.
    fn renamed<'n>(
        &self,
        place: (NodeId, NodeId),
        old: &Assertions,
        new: &Assertions,
        name: &str,
        added: &[&'n str],
    ) -> Option<&'n str> {
        if let Some(near) = nearest(name, added.iter().copied()) {
            return Some(near);
        }
        let before = self.keyword_of(self.old, place.0, "properties")?.get(name)?.clone();
        let is_required = |group: &Assertions, name: &str| group.required.iter().any(|other| other == name);
        let is_same = |other: &&&'n str| {
            self.property(place.1, other).is_some_and(|after| after == before)
                && is_required(old, name) == is_required(new, other)
        };
        let mut same = added.iter().filter(is_same);
        same.next().copied().filter(|_| same.next().is_none())
    }

    fn required(&mut self, place: (NodeId, NodeId), old: &Assertions, new: &Assertions) {
        let before: Vec<&str> = old.required.iter().map(String::as_str).collect();
        let after: Vec<&str> = new.required.iter().map(String::as_str).collect();
        let (removed, added) = difference(&before, &after);
        let list = |names: &mut dyn Iterator<Item = &str>| {
            Some(Json::Array(names.map(|name| Json::String(name.to_owned())).collect()))
        };
        for name in removed {
            let text = format!("property `{name}` is no longer required");
            let rest = list(&mut before.iter().copied().filter(|other| *other != name));
            self.changes.push(Change::of(Kind::Optional, place, "required", text).edit(&["required"], rest));
        }
        for name in added {
            let text = format!("property `{name}` is now required");
            let all = list(&mut before.iter().copied().chain([name]));
            self.changes.push(Change::of(Kind::Required, place, "required", text).edit(&["required"], all));
        }
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
        // Names that only one version declares are changes of their own: here they stay declared, as in the old version.
        if let (Rest::Closed, _) = (&after, &before) {
            let added =
                new.properties.iter().filter(|(name, _)| !old.properties.iter().any(|(other, _)| other == name));
            let added: Vec<String> = added.map(|(name, _)| name.clone()).collect();
            for name in added {
                change = change.edit(&["properties", &name], Some(Json::Object(Object::new())));
            }
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
