//! The places of the provider's schema.

use std::collections::{BTreeMap, BTreeSet};

use capgen_schema::{Json, Kind, NodeId, Schema};

use super::walk::{below, in_place, walk};

/// The places of the provider's schema, by path.
pub(super) struct Offered<'s> {
    pub(super) schema: &'s Schema,
    pub(super) properties: BTreeSet<String>,
    /// The subschemas of each path. Several, if branches of a union or of `allOf` declare the same property.
    places: BTreeMap<String, Vec<NodeId>>,
    /// The branches of the unions of each path.
    branches: BTreeMap<String, Vec<NodeId>>,
    /// The texts of the values of each `enum`.
    values: BTreeMap<NodeId, BTreeSet<String>>,
}

impl<'s> Offered<'s> {
    /// `None` if there are too many places.
    pub(super) fn of(schema: &'s Schema) -> Option<Self> {
        let (places, branches) = (BTreeMap::from([(String::new(), vec![schema.root()])]), BTreeMap::new());
        let mut offered = Self { schema, properties: BTreeSet::new(), places, branches, values: BTreeMap::new() };
        walk(schema, |id, group, path| {
            if let Some(values) = &group.enum_values {
                offered.values.entry(id).or_insert_with(|| values.iter().map(Json::canonical).collect());
            }
            let mut next = Vec::new();
            for (child, path, is_property) in below(schema, group, path) {
                if is_property {
                    offered.properties.insert(path.clone());
                }
                offered.places.entry(path.clone()).or_default().push(child);
                next.push((child, path));
            }
            let unions = [&group.any_of, &group.one_of].into_iter().flatten().flatten().copied();
            offered.branches.entry(path.to_owned()).or_default().extend(unions);
            next.extend(in_place(schema, id, group).map(|child| (child, path.to_owned())));
            next
        })?;
        Some(offered)
    }

    /// The subschemas at a path.
    pub(super) fn places(&self, path: &str) -> &[NodeId] {
        self.places.get(path).map_or(&[], Vec::as_slice)
    }

    /// The branches of the unions at a path; the subschemas at the path if it has no union.
    pub(super) fn branches(&self, path: &str) -> &[NodeId] {
        self.branches.get(path).filter(|branches| !branches.is_empty()).map_or(self.places(path), Vec::as_slice)
    }

    /// Whether one of the places may accept a value, as far as types, `enum` and `const` show.
    pub(super) fn admits(&self, places: &[NodeId], value: &Json) -> bool {
        let mut checked = Checked { value, text: value.canonical(), answers: BTreeMap::new() };
        places.iter().any(|id| self.admits_at(*id, &mut checked))
    }

    /// The recursion is as deep as schemas are nested, because references cannot lead back to the same place.
    fn admits_at(&self, id: NodeId, checked: &mut Checked<'_>) -> bool {
        let id = self.schema.resolve(id);
        if let Some(answer) = checked.answers.get(&id) {
            return *answer;
        }
        let answer = match &self.schema.node(id).kind {
            Kind::Bool(accepts) => *accepts,
            Kind::Ref(_) => true,
            Kind::Assertions(group) => {
                group.types.is_none_or(|types| types.contains(checked.value.type_of()))
                    && group.const_value.as_ref().is_none_or(|other| other == checked.value)
                    && self.values.get(&id).is_none_or(|values| values.contains(&checked.text))
                    && group.all_of.iter().flatten().all(|id| self.admits_at(*id, checked))
                    && [&group.any_of, &group.one_of]
                        .into_iter()
                        .flatten()
                        .all(|list| list.iter().any(|id| self.admits_at(*id, checked)))
            }
        };
        checked.answers.insert(id, answer);
        answer
    }
}

/// A value, its text, and the answers for the subschemas that were visited.
struct Checked<'v> {
    value: &'v Json,
    text: String,
    answers: BTreeMap<NodeId, bool>,
}
