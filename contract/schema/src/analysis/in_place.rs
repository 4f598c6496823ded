//! The subschemas that apply to the same value through `$ref`, `allOf` and unions, as far as the explanation of failed
//! unions reads them.
//!
//! Schemas are untrusted: through references, there can be exponentially many ways from one subschema to others. So
//! each subschema has an extent, which is computed once from the extents of its operands, and operands that exceed a
//! limit are not read. The limit depends on nothing but the subschema, so every engine reads the same operands.
//! Recursion through operands is shallow, since a schema with long chains does not load.

use crate::{Assertions, Json, Kind, NodeId, Schema, TypeSet};

/// How many subschemas are read, each as often as it is reached. Usual schemas have a few dozen at one place;
/// definitions that refer to each other can have exponentially many.
const MAX_PARTS: u32 = 1000;

/// The extents of the subschemas of a schema.
#[derive(Debug)]
pub(super) struct InPlace<'s> {
    schema: &'s Schema,
    /// For each node.
    extents: Vec<Extent>,
}

/// How much is read of a subschema.
#[derive(Clone, Copy, Debug)]
struct Extent {
    /// The JSON types that values can have which the subschema accepts, as far as `type`, `enum`, `const`, references
    /// and the combination of subschemas show.
    types: TypeSet,
    parts: u32,
    /// The number of names in `properties` and `required`.
    names: u32,
}

/// An operand of `allOf`, or all operands of a union.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand<'s> {
    Part(NodeId),
    Union(&'s [NodeId]),
}

impl<'s> InPlace<'s> {
    /// Linear in the size of the schema.
    pub(super) fn new(schema: &'s Schema) -> Self {
        let unknown = Extent { types: TypeSet::ALL, parts: 0, names: 0 };
        let mut in_place = Self { schema, extents: vec![unknown; schema.nodes().count()] };
        for (start, _) in schema.nodes() {
            // Chains of references may be long, so this does not recurse.
            let mut open = vec![(start, false)];
            while let Some((id, is_ready)) = open.pop() {
                let node = &schema.node(id).kind;
                if is_ready {
                    let extent = in_place.compute(node);
                    in_place.extents.get_mut(id.0 as usize).into_iter().for_each(|slot| *slot = extent);
                } else if in_place.extent(id).parts == 0 {
                    open.push((id, true));
                    open.extend(node.in_place().map(|part| (part, false)));
                }
            }
        }
        in_place
    }

    pub(super) fn schema(&self) -> &'s Schema {
        self.schema
    }

    /// The types of the values that a subschema can accept.
    pub(super) fn types(&self, node: NodeId) -> TypeSet {
        self.extent(node).types
    }

    /// How many names a subschema has, with those of everything that is read of it.
    pub(super) fn names(&self, node: NodeId) -> usize {
        self.extent(node).names as usize
    }

    /// The node at the end of the references, and its assertions; `None` for a boolean.
    pub(super) fn group(&self, node: NodeId) -> Option<(NodeId, &'s Assertions)> {
        let target = self.schema.resolve(node);
        match &self.schema.node(target).kind {
            Kind::Assertions(group) => Some((target, group)),
            _ => None,
        }
    }

    /// The operands that are read, in order.
    pub(super) fn operands(&self, group: &'s Assertions) -> impl Iterator<Item = Operand<'s>> {
        let mut parts = 1;
        all_operands(group).filter(move |operand| {
            let extent = self.extent_of(*operand);
            let is_read = parts + extent.parts <= MAX_PARTS;
            parts += if is_read { extent.parts } else { 0 };
            is_read
        })
    }

    fn extent(&self, node: NodeId) -> Extent {
        self.extents.get(node.0 as usize).copied().unwrap_or(Extent { types: TypeSet::ALL, parts: 1, names: 0 })
    }

    fn extent_of(&self, operand: Operand<'_>) -> Extent {
        let branches = match operand {
            Operand::Part(node) => return self.extent(node),
            Operand::Union(branches) => branches.iter().map(|branch| self.extent(*branch)),
        };
        let none = Extent { types: TypeSet::EMPTY, parts: 0, names: 0 };
        branches.fold(none, |all, branch| Extent {
            types: all.types.union(branch.types),
            parts: all.parts.saturating_add(branch.parts),
            names: all.names.saturating_add(branch.names),
        })
    }

    /// The extent of a node; those of its operands are known.
    fn compute(&self, kind: &Kind) -> Extent {
        let group = match kind {
            Kind::Bool(accepts) => {
                let types = if *accepts { TypeSet::ALL } else { TypeSet::EMPTY };
                return Extent { types, parts: 1, names: 0 };
            }
            Kind::Ref(target) => return self.extent(*target),
            Kind::Assertions(group) => group,
        };
        let listed = lists(group).map(|values| values.iter().map(Json::type_of).collect());
        let operands = all_operands(group).map(|operand| self.extent_of(operand).types);
        let types = group.types.into_iter().chain(listed).chain(operands).fold(TypeSet::ALL, TypeSet::intersection);
        let names = u32::try_from(group.properties.len() + group.required.len()).unwrap_or(u32::MAX);
        let own = Extent { types, parts: 1, names };
        self.operands(group).map(|operand| self.extent_of(operand)).fold(own, |all, operand| Extent {
            types,
            parts: all.parts + operand.parts,
            names: all.names.saturating_add(operand.names),
        })
    }
}

fn all_operands(group: &Assertions) -> impl Iterator<Item = Operand<'_>> {
    let parts = group.all_of.iter().flatten().map(|part| Operand::Part(*part));
    let unions = [&group.any_of, &group.one_of].into_iter().flatten();
    parts.chain(unions.map(|branches| Operand::Union(branches)))
}

/// The values of `enum` and of `const`.
pub(super) fn lists(group: &Assertions) -> impl Iterator<Item = &[Json]> {
    group.enum_values.as_deref().into_iter().chain(group.const_value.as_ref().map(std::slice::from_ref))
}
