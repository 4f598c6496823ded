//! Several schemas that hold for the same place, and what they say together.

use std::collections::HashMap;

use capgen_schema::{Assertions, Json, Kind, NodeId, Schema, Type, TypeSet};

/// One schema that holds for a place, perhaps with a union that was already distributed over its branches.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Atom {
    pub(crate) node: NodeId,
    pub(crate) without_one_of: bool,
    pub(crate) without_any_of: bool,
}

/// The schemas that all hold for one place, and the properties that it must not have.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Conj {
    pub(crate) atoms: Vec<Atom>,
    pub(crate) forbidden: Vec<String>,
}

/// Schemas that mean the same, whichever references lead to them, have the same key.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Key(std::collections::BTreeSet<Atom>, Vec<String>);

/// A `oneOf` or `anyOf` that is not distributed yet.
#[derive(Clone, Debug)]
pub(crate) struct Branches<'a> {
    pub(crate) holder: NodeId,
    pub(crate) keyword: &'static str,
    pub(crate) nodes: &'a [NodeId],
}

/// What a [`Conj`] says, references and `allOf` followed.
#[derive(Debug)]
pub(crate) struct Facets<'a> {
    pub(crate) types: TypeSet,
    /// The only values, where `enum` or `const` lists them.
    pub(crate) values: Option<Vec<&'a Json>>,
    /// Every schema object that holds, in source order.
    pub(crate) groups: Vec<&'a Assertions>,
    pub(crate) unions: Vec<Branches<'a>>,
    pub(crate) forbidden: Vec<String>,
    pub(crate) description: Option<&'a str>,
    /// Some schema is `false`.
    pub(crate) never: bool,
    /// How many schemas were looked at.
    pub(crate) cost: usize,
}

impl Atom {
    pub(crate) fn new(node: NodeId) -> Self {
        Self { node, without_one_of: false, without_any_of: false }
    }
}

impl Conj {
    pub(crate) fn of(nodes: impl IntoIterator<Item = NodeId>) -> Self {
        Self { atoms: nodes.into_iter().map(Atom::new).collect(), forbidden: Vec::new() }
    }

    pub(crate) fn key(&self, schema: &Schema) -> Key {
        let target = |atom: &Atom| {
            let mut atom = atom.clone();
            while let Kind::Ref(target) = schema.node(atom.node).kind {
                atom = Atom::new(target);
            }
            atom
        };
        Key(self.atoms.iter().map(target).collect(), self.forbidden.clone())
    }

    /// The same place where a union is replaced by one of its branches.
    pub(crate) fn distribute(&self, facets: &Facets<'_>, union: &Branches<'_>, branch: NodeId) -> Self {
        let mut conj = self.clone();
        let one_of = union.keyword == "oneOf";
        match conj.atoms.iter_mut().find(|atom| atom.node == union.holder) {
            Some(atom) if one_of => atom.without_one_of = true,
            Some(atom) => atom.without_any_of = true,
            None => conj.atoms.push(Atom { node: union.holder, without_one_of: one_of, without_any_of: !one_of }),
        }
        conj.atoms.push(Atom::new(branch));
        conj.forbidden.clone_from(&facets.forbidden);
        conj
    }
}

/// Follows references and `allOf`, in source order; each schema counts once.
pub(crate) fn flatten<'a>(schema: &'a Schema, conj: &Conj) -> Facets<'a> {
    let mut facets = Facets {
        types: TypeSet::ALL,
        values: None,
        groups: Vec::new(),
        unions: Vec::new(),
        forbidden: conj.forbidden.clone(),
        description: None,
        never: false,
        cost: 0,
    };
    let mut without: HashMap<NodeId, (bool, bool)> = HashMap::new();
    for atom in &conj.atoms {
        let flags = without.entry(atom.node).or_default();
        flags.0 |= atom.without_one_of;
        flags.1 |= atom.without_any_of;
    }
    let mut seen = std::collections::HashSet::new();
    let mut excluded: Vec<&Json> = Vec::new();
    let mut stack: Vec<NodeId> = conj.atoms.iter().rev().map(|atom| atom.node).collect();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        facets.cost += 1;
        let node = schema.node(id);
        if !without.get(&id).is_some_and(|(one_of, any_of)| *one_of || *any_of) {
            // What is said of a union is not said of each of its branches.
            facets.description = facets.description.or(node.annotations.description.as_deref());
        }
        match &node.kind {
            Kind::Bool(accepts) => facets.never |= !accepts,
            Kind::Ref(target) => stack.push(*target),
            Kind::Assertions(group) => {
                let (without_one_of, without_any_of) = without.get(&id).copied().unwrap_or_default();
                facets.add(schema, id, group, without_one_of, without_any_of, &mut excluded);
                stack.extend(group.all_of.iter().flatten().rev());
            }
        }
    }
    let types = facets.types;
    if let Some(values) = &mut facets.values {
        values.retain(|value| types.contains(value.type_of()) && !excluded.contains(value));
    }
    facets
}

impl<'a> Facets<'a> {
    fn add(
        &mut self,
        schema: &'a Schema,
        id: NodeId,
        group: &'a Assertions,
        without_one_of: bool,
        without_any_of: bool,
        excluded: &mut Vec<&'a Json>,
    ) {
        self.groups.push(group);
        if let Some(types) = group.types {
            self.types = self.types.intersection(types);
        }
        if let Some(values) = &group.enum_values {
            self.restrict(values.iter().collect());
        }
        if let Some(value) = &group.const_value {
            self.restrict(vec![value]);
        }
        for (keyword, nodes, without) in
            [("oneOf", &group.one_of, without_one_of), ("anyOf", &group.any_of, without_any_of)]
        {
            if let (Some(nodes), false) = (nodes, without) {
                self.unions.push(Branches { holder: id, keyword, nodes });
            }
        }
        if let Some(not) = group.not {
            self.exclude(schema, not, excluded);
        }
    }

    fn restrict(&mut self, values: Vec<&'a Json>) {
        self.values = Some(match self.values.take() {
            None => values,
            Some(before) => before.into_iter().filter(|value| values.contains(value)).collect(),
        });
    }

    fn forbid(&mut self, name: &str) {
        if !self.forbidden.iter().any(|forbidden| forbidden == name) {
            self.forbidden.push(name.to_owned());
        }
    }

    /// Takes from a `not` what a type can say: a type, a value or a property that must not be.
    fn exclude(&mut self, schema: &'a Schema, not: NodeId, excluded: &mut Vec<&'a Json>) {
        let Kind::Assertions(group) = &schema.node(not).kind else {
            self.never |= matches!(schema.node(not).kind, Kind::Bool(true));
            return;
        };
        match sole_assertion(group) {
            Some(Sole::Nothing) => self.never = true,
            Some(Sole::Types(types)) => {
                let keep = Type::ALL
                    .into_iter()
                    .filter(|&t| !(types.contains(t) || (t == Type::Integer && types.contains(Type::Number))))
                    .collect();
                self.types = self.types.intersection(keep);
            }
            Some(Sole::Values(values)) => excluded.extend(values),
            Some(Sole::Required(name)) => self.forbid(name),
            None => {}
        }
    }

    /// Whether no value at all can be at the place, as far as types tell.
    pub(crate) fn is_never(&self) -> bool {
        self.never || self.types.is_empty() || self.values.as_ref().is_some_and(Vec::is_empty)
    }
}

/// What a schema asserts, where that is little.
pub(crate) enum Sole<'a> {
    /// There is none.
    Nothing,
    Types(TypeSet),
    Values(&'a [Json]),
    /// `required` with one name.
    Required(&'a str),
}

/// What a schema asserts, where that is one thing only, or nothing.
pub(crate) fn sole_assertion(group: &Assertions) -> Option<Sole<'_>> {
    let bounds = [
        group.minimum.is_some(),
        group.maximum.is_some(),
        group.exclusive_minimum.is_some(),
        group.exclusive_maximum.is_some(),
        group.min_length.is_some(),
        group.max_length.is_some(),
        group.pattern.is_some(),
        group.format.is_some(),
        group.min_items.is_some(),
        group.max_items.is_some(),
        group.unique_items,
    ];
    let count = shapes(group).into_iter().chain(bounds).filter(|asserts| *asserts).count();
    if count != 1 {
        return (count == 0).then_some(Sole::Nothing);
    }
    if let Some(types) = group.types {
        Some(Sole::Types(types))
    } else if let Some(values) = &group.enum_values {
        Some(Sole::Values(values))
    } else if let Some(value) = &group.const_value {
        Some(Sole::Values(std::slice::from_ref(value)))
    } else if let [name] = group.required.as_slice() {
        Some(Sole::Required(name))
    } else {
        None
    }
}

/// Which of the keywords that shape a type are there.
fn shapes(group: &Assertions) -> [bool; 11] {
    [
        group.types.is_some(),
        group.enum_values.is_some(),
        group.const_value.is_some(),
        !group.properties.is_empty(),
        !group.required.is_empty(),
        group.additional_properties.is_some(),
        group.items.is_some(),
        group.one_of.is_some(),
        group.any_of.is_some(),
        group.all_of.is_some(),
        group.not.is_some(),
    ]
}

/// Whether a schema object changes a type other than by `type` and `allOf`.
fn shapes_beside_types(schema: &Schema, group: &Assertions, atom: &Atom) -> bool {
    let [_, enum_, const_, properties, required, additional, items, one_of, any_of, _, _] = shapes(group);
    let excludes = group.not.is_some_and(|not| match &schema.node(not).kind {
        Kind::Bool(accepts) => *accepts,
        Kind::Ref(_) => false,
        Kind::Assertions(group) => sole_assertion(group).is_some(),
    });
    enum_
        || const_
        || properties
        || required
        || additional
        || items
        || (one_of && !atom.without_one_of)
        || (any_of && !atom.without_any_of)
        || excludes
}

/// A place that is just another schema's, with nothing to add.
pub(crate) enum Pure {
    /// Nothing is asserted.
    Anything,
    /// `false`.
    Nothing,
    /// A `$ref` to that node.
    Ref(NodeId),
}

/// Whether the schemas of a place come down to one reference, to anything or to nothing.
pub(crate) fn pure(schema: &Schema, conj: &Conj) -> Option<Pure> {
    if !conj.forbidden.is_empty() {
        return None;
    }
    let mut types = TypeSet::ALL;
    let mut target: Option<NodeId> = None;
    let mut stack = conj.atoms.clone();
    let mut seen = std::collections::HashSet::new();
    while let Some(atom) = stack.pop() {
        if !seen.insert(atom.node) {
            continue;
        }
        match &schema.node(atom.node).kind {
            Kind::Bool(true) => {}
            Kind::Bool(false) => return Some(Pure::Nothing),
            Kind::Ref(to) => {
                if target.is_some_and(|target| target != *to) {
                    return None;
                }
                target = Some(*to);
            }
            Kind::Assertions(group) => {
                if shapes_beside_types(schema, group, &atom) {
                    return None;
                }
                stack.extend(group.all_of.iter().flatten().copied().map(Atom::new));
                types = types.intersection(group.types.unwrap_or(TypeSet::ALL));
            }
        }
    }
    match target {
        Some(target) => {
            let own = flatten(schema, &Conj::of([target])).types;
            (own.intersection(types) == own).then_some(Pure::Ref(target))
        }
        None => (types == TypeSet::ALL).then_some(Pure::Anything),
    }
}
