//! The normal form of a conjunction: the combined assertions of its subschemas, with unions and negations left
//! explicit.

use std::collections::{HashMap, HashSet};

use crate::{Assertions, Format, Json, Kind, NodeId, Number, Schema, Type, TypeSet};

use super::conjunction::Conjunction;

/// How many listed values count as one subschema. A single list is only referred to, value by value. If two lists are
/// compared, `tools/benches/containment/src/bin/weights.rs` measures that one value takes as long as five subschemas.
const VALUES_PER_SUBSCHEMA: usize = 16;

/// Fewer values are compared one by one. The canonical text of a value, which a search needs, takes longer.
const FEW_VALUES: usize = 16;

/// The assertions of a [`Conjunction`], with references and `allOf` resolved.
///
/// A value is accepted if and only if its type is in `types`; it is one of `values`, if there are any; every group
/// accepts it, apart from the keywords for types, values, unions and negations (but with its condition, if it has one);
/// it has none of the `forbidden`
/// properties; it matches every union; and it matches none of the `negations`.
///
/// The methods give the assertions about one JSON type.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Facets<'a> {
    /// The JSON types that are allowed.
    pub types: TypeSet,
    /// The only values that are allowed, if `enum` or `const` lists them; their types are in `types`.
    pub values: Option<Vec<&'a Json>>,
    /// The assertions of every subschema, in source order.
    pub groups: Vec<&'a Assertions>,
    /// The node of each group.
    pub nodes: Vec<NodeId>,
    /// Each `anyOf` and `oneOf` that is not left out.
    pub unions: Vec<Union<'a>>,
    /// Properties that an object must not have.
    pub forbidden: Vec<String>,
    /// The subschemas of `not` that the other fields do not express completely.
    pub negations: Vec<NodeId>,
    /// The first description in source order.
    pub description: Option<&'a str>,
    /// Whether some subschema is `false`, or is a `not` of everything.
    pub never: bool,
    /// How many subschemas were visited; long lists of values count as several.
    pub cost: usize,
}

/// An `anyOf` or `oneOf` of a conjunction.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Union<'a> {
    /// The subschema that has the keyword.
    pub holder: NodeId,
    /// `anyOf` or `oneOf`.
    pub keyword: &'static str,
    /// The branches.
    pub branches: &'a [NodeId],
}

/// The only assertion of a schema.
#[derive(Clone, Copy, Debug)]
pub enum SingleAssertion<'a> {
    /// The schema asserts nothing.
    None,
    /// `type`.
    Types(TypeSet),
    /// `enum` or `const`.
    Values(&'a [Json]),
    /// `required` with one name.
    Required(&'a str),
}

/// A limit of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Bound<'a> {
    /// The limit.
    pub limit: &'a Number,
    /// Whether it is a lower limit.
    pub is_lower: bool,
    /// Whether the limit itself is excluded.
    pub is_exclusive: bool,
}

/// Limits of a length or of a number of items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// The least number that is allowed.
    pub min: u64,
    /// The greatest number that is allowed, if there is a limit.
    pub max: Option<u64>,
}

/// A property and the subschemas that apply to it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Property<'a> {
    /// Its name.
    pub name: &'a str,
    /// The subschemas that its value must match: those of `properties`, and for groups that do not declare it, those of
    /// `additionalProperties`.
    pub nodes: Vec<NodeId>,
}

impl<'a> Property<'a> {
    /// A property to which no subschema applies.
    pub fn undeclared(name: &'a str) -> Self {
        Self { name, nodes: Vec::new() }
    }
}

impl<'a> Facets<'a> {
    /// The facets of the conjunction of nothing, which accepts every value.
    pub fn everything() -> Self {
        Self {
            types: TypeSet::ALL,
            values: None,
            groups: Vec::new(),
            nodes: Vec::new(),
            unions: Vec::new(),
            forbidden: Vec::new(),
            negations: Vec::new(),
            description: None,
            never: false,
            cost: 0,
        }
    }

    pub(super) fn add(
        &mut self,
        schema: &'a Schema,
        id: NodeId,
        group: &'a Assertions,
        (without_one_of, without_any_of): (bool, bool),
        max_values: usize,
        excluded: &mut Vec<&'a Json>,
    ) {
        self.groups.push(group);
        self.nodes.push(id);
        if let Some(types) = group.types {
            self.types = self.types.intersection(types);
        }
        if let Some(values) = group.enum_values.as_ref().filter(|values| values.len() <= max_values) {
            self.cost += values.len() / VALUES_PER_SUBSCHEMA;
            self.restrict(values.iter().collect());
        }
        if let Some(value) = &group.const_value {
            self.restrict(vec![value]);
        }
        let unions = [("oneOf", &group.one_of, without_one_of), ("anyOf", &group.any_of, without_any_of)];
        for (keyword, branches, is_left_out) in unions {
            if let (Some(branches), false) = (branches, is_left_out) {
                self.unions.push(Union { holder: id, keyword, branches });
            }
        }
        if let Some(not) = group.not {
            self.exclude(schema, not, excluded);
        }
    }

    /// Applies types and negations to the list of values, once every group is known.
    pub(super) fn finish(&mut self, schema: &Schema, excluded: &[&Json]) {
        let types = self.types;
        if let Some(values) = &mut self.values {
            let excluded = ValueSet::new(excluded);
            values.retain(|value| types.contains(value.type_of()) && !excluded.contains(value));
            // The list of values has absorbed every `not` that lists values.
            self.negations.retain(|not| {
                let Kind::Assertions(group) = &schema.node(*not).kind else { return true };
                !matches!(single_assertion(group), Some(SingleAssertion::Values(_)))
            });
        }
    }

    fn restrict(&mut self, values: Vec<&'a Json>) {
        self.values = Some(match self.values.take() {
            None => values,
            Some(before) => {
                let others = ValueSet::new(&values);
                before.into_iter().filter(|value| others.contains(value)).collect()
            }
        });
    }

    /// Moves a `not` into the other fields as far as they can express it: a type, a value or a property that is not
    /// allowed.
    fn exclude(&mut self, schema: &'a Schema, not: NodeId, excluded: &mut Vec<&'a Json>) {
        let group = match &schema.node(not).kind {
            Kind::Bool(accepts) => {
                self.never |= accepts;
                return;
            }
            Kind::Ref(_) => return self.negations.push(not),
            Kind::Assertions(group) => group,
        };
        match single_assertion(group) {
            Some(SingleAssertion::None) => self.never = true,
            Some(SingleAssertion::Types(types)) => {
                self.types = self.types.intersection(complement(types));
                // No set of types contains exactly the numbers with a fractional part.
                if types.contains(Type::Integer) && !types.contains(Type::Number) {
                    self.negations.push(not);
                }
            }
            Some(SingleAssertion::Values(values)) => {
                excluded.extend(values);
                self.negations.push(not);
            }
            Some(SingleAssertion::Required(name)) => {
                if !self.forbidden.iter().any(|forbidden| forbidden == name) {
                    self.forbidden.push(name.to_owned());
                }
            }
            None => self.negations.push(not),
        }
    }

    /// The facets of the values of some types, of a conjunction without unions and listed values.
    #[must_use]
    pub fn of_types(&self, types: TypeSet) -> Self {
        Self { types: self.types.intersection(types), description: None, never: false, cost: 0, ..self.clone() }
    }

    /// Whether no value is accepted, as far as types and values show.
    pub fn is_never(&self) -> bool {
        self.never || self.types.is_empty() || self.values.as_ref().is_some_and(Vec::is_empty)
    }

    /// Of a number: its limits, one for each keyword.
    pub fn bounds(&self) -> impl Iterator<Item = Bound<'a>> {
        let of = |group: &'a Assertions| {
            let bound = |limit: &'a Option<Number>, is_lower, is_exclusive| {
                limit.as_ref().map(|limit| Bound { limit, is_lower, is_exclusive })
            };
            [
                bound(&group.minimum, true, false),
                bound(&group.maximum, false, false),
                bound(&group.exclusive_minimum, true, true),
                bound(&group.exclusive_maximum, false, true),
            ]
        };
        self.groups.iter().copied().flat_map(of).flatten()
    }

    /// Of a number: the numbers of which it is a multiple.
    pub fn divisors(&self) -> impl Iterator<Item = &'a Number> {
        self.groups.iter().filter_map(|group| group.multiple_of.as_ref())
    }

    /// Of a string: its length in code points.
    pub fn lengths(&self) -> Limits {
        self.limits(|group| group.min_length, |group| group.max_length)
    }

    /// Of a string: the sources of the patterns that it must match.
    pub fn patterns(&self) -> impl Iterator<Item = &'a str> {
        self.groups.iter().filter_map(|group| group.pattern.as_ref()).map(|pattern| pattern.source())
    }

    /// Of a string: its formats.
    pub fn formats(&self) -> impl Iterator<Item = Format> {
        self.groups.iter().filter_map(|group| group.format)
    }

    /// Of an array: how many items it has.
    pub fn item_counts(&self) -> Limits {
        self.limits(|group| group.min_items, |group| group.max_items)
    }

    /// Of an array: whether its items are distinct.
    pub fn has_unique_items(&self) -> bool {
        self.groups.iter().any(|group| group.unique_items)
    }

    /// Of an array: whether some of its items are described by their position.
    pub fn has_tuples(&self) -> bool {
        self.groups.iter().any(|group| !group.tuple.is_empty())
    }

    /// Of an array: whether it must have an item that matches a subschema.
    pub fn has_contains(&self) -> bool {
        self.groups.iter().any(|group| group.contains.is_some())
    }

    /// Whether the assertions about a value depend on a condition: `if`.
    pub fn has_conditions(&self) -> bool {
        self.groups.iter().any(|group| group.if_.is_some())
    }

    /// Of an array: the conjunction that each item must match, or less if [some are described by their
    /// position](Self::has_tuples).
    pub fn items(&self) -> Conjunction {
        Conjunction::of(self.groups.iter().filter_map(|group| group.items))
    }

    /// Of an object: the properties that it must have. A name may occur more than once.
    pub fn required(&self) -> impl Iterator<Item = &'a str> {
        self.groups.iter().copied().flat_map(|group| &group.required).map(String::as_str)
    }

    /// Of an object: how many properties it has, declared or not.
    pub fn property_counts(&self) -> Limits {
        self.limits(|group| group.min_properties, |group| group.max_properties)
    }

    /// Of an object: names of properties, each with the names of those that an object with it must have. A name may
    /// occur more than once.
    pub fn dependent_required(&self) -> impl Iterator<Item = (&'a str, &'a [String])> {
        let all = self.groups.iter().copied().flat_map(|group| &group.dependent_required);
        all.map(|(name, required)| (name.as_str(), required.as_slice()))
    }

    /// Of an object: the facets of the names of its members, as strings.
    #[must_use]
    pub fn names(&self) -> Self {
        let groups = self.groups.iter().filter_map(|group| group.property_names.as_deref());
        Self { groups: groups.collect(), ..Self::everything() }
    }

    /// Of an object: the properties that are named by `properties` or `required`, in the order in which they are first
    /// named, each with all subschemas that apply to it.
    pub fn properties(&self) -> Vec<Property<'a>> {
        let mut index: HashMap<&str, usize> = HashMap::new();
        let mut properties: Vec<Property<'a>> = Vec::new();
        for group in self.groups.iter().copied() {
            let declared = group.properties.iter().map(|(name, node)| (name.as_str(), Some(*node)));
            for (name, node) in declared.chain(group.required.iter().map(|name| (name.as_str(), None))) {
                let at = *index.entry(name).or_insert_with(|| {
                    properties.push(Property { name, nodes: Vec::new() });
                    properties.len() - 1
                });
                if let (Some(property), Some(node)) = (properties.get_mut(at), node) {
                    property.nodes.push(node);
                }
            }
        }
        properties
    }

    /// Adds to each property the `patternProperties` that match its name, and the `additionalProperties` of the groups
    /// that do not declare it and have no such pattern.
    pub fn apply_additional_properties(&self, properties: &mut [Property<'_>]) {
        for group in &self.groups {
            if group.additional_properties.is_none() && group.pattern_properties.is_empty() {
                continue;
            }
            let own: HashSet<&str> = group.properties.iter().map(|(name, _)| name.as_str()).collect();
            for property in properties.iter_mut() {
                let before = property.nodes.len();
                property.nodes.extend(group.patterns_of(property.name));
                if property.nodes.len() == before && !own.contains(property.name) {
                    property.nodes.extend(group.additional_properties);
                }
            }
        }
    }

    /// Of an object: whether some of its properties are described by patterns of their names.
    pub fn has_patterns(&self) -> bool {
        self.groups.iter().any(|group| !group.pattern_properties.is_empty())
    }

    fn limits(&self, min: impl Fn(&Assertions) -> Option<u64>, max: impl Fn(&Assertions) -> Option<u64>) -> Limits {
        Limits {
            min: self.groups.iter().filter_map(|group| min(group)).max().unwrap_or(0),
            max: self.groups.iter().filter_map(|group| max(group)).min(),
        }
    }
}

/// Values to compare others with, in constant time.
enum ValueSet<'v> {
    Few(&'v [&'v Json]),
    /// In canonical form, which is the same for equal values only.
    Many(HashSet<String>),
}

impl<'v> ValueSet<'v> {
    fn new(values: &'v [&'v Json]) -> Self {
        if values.len() <= FEW_VALUES {
            return Self::Few(values);
        }
        Self::Many(values.iter().map(|value| value.canonical()).collect())
    }

    fn contains(&self, value: &Json) -> bool {
        match self {
            Self::Few(values) => values.contains(&value),
            Self::Many(values) => values.contains(&value.canonical()),
        }
    }
}

/// The types that are not in the set. `number` remains if the set contains only `integer`.
fn complement(types: TypeSet) -> TypeSet {
    let excludes = |t: Type| types.contains(t) || (t == Type::Integer && types.contains(Type::Number));
    Type::ALL.into_iter().filter(|t| !excludes(*t)).collect()
}

/// The assertion of a schema that has at most one; `None` if it has several, or one of another kind.
pub fn single_assertion(group: &Assertions) -> Option<SingleAssertion<'_>> {
    let mut keywords = group.keywords();
    let keyword = keywords.next();
    if keywords.next().is_some() {
        return None;
    }
    match (keyword, &group.types, &group.enum_values, &group.const_value, group.required.as_slice()) {
        (None, ..) => Some(SingleAssertion::None),
        (_, Some(types), ..) => Some(SingleAssertion::Types(*types)),
        (_, _, Some(values), ..) => Some(SingleAssertion::Values(values)),
        (_, _, _, Some(value), _) => Some(SingleAssertion::Values(std::slice::from_ref(value))),
        (.., [name]) => Some(SingleAssertion::Required(name)),
        _ => None,
    }
}
