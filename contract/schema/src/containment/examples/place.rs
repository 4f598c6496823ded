//! The places of a schema, and conditions on values at a place.

use std::collections::{BTreeSet, VecDeque};

use super::Search;
use super::negated::selects;
use crate::analysis::selection::Selection;
use crate::containment::formats;
use crate::containment::term::{Term, TermId};
use crate::{Kind, NodeId, Type, TypeSet};

/// A subschema, and the way to it from the root.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Never a reference.
    pub(super) node: NodeId,
    /// The index of the place around it, and how it leads here; `None` for the root.
    pub(super) from: Option<(usize, Step)>,
    /// How many steps it is away from the root.
    depth: usize,
    /// Whether it is around itself, or another place has the same subschema and there are many places. The places below
    /// it are left out.
    pub(super) is_repeated: bool,
    /// Whether the place is repeated because there are many places, so that its own assertions are left out, too.
    pub(super) is_left_out: bool,
}

/// How a subschema leads to another.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Property(String),
    /// A member of `patternProperties`, by its index.
    Pattern(usize),
    /// `additionalProperties`.
    Rest,
    Items,
    /// A list in `items`, by the index.
    Item(usize),
    /// `additionalItems`, with the length of the list in `items`.
    RestItems(usize),
    /// The index of a branch of `allOf`.
    AllOf(usize),
    /// A branch of `anyOf` or of `oneOf`: the keyword, and the index.
    Branch(&'static str, usize),
    /// `then` of a value that matches this subschema, that of `if`.
    Then(NodeId),
    /// `else` of a value that does not match this subschema, that of `if`.
    Else(NodeId),
}

/// The most places. Usual schemas have hundreds; each place takes searches.
const MAX_PLACES: usize = 5_000;
/// A definition that is reached in several ways counts as several places while there are fewer places than this: all of
/// those of a usual schema. In a larger one, repetitions would leave no room for places that are found later.
const REPEATED: usize = 500;

/// The most steps from the root to a place. Examples of deeper places are too large to be read.
const MAX_DEPTH: usize = 40;

/// The places of a schema, the nearest to the root first.
pub(super) fn places(search: &Search<'_>) -> Vec<Place> {
    let schema = search.schema;
    let root = schema.resolve(schema.root());
    let mut places = vec![Place { node: root, from: None, depth: 0, is_repeated: false, is_left_out: false }];
    let mut seen = BTreeSet::from([root]);
    let mut open = VecDeque::from([0_usize]);
    while let Some(index) = open.pop_front() {
        let Some(Place { node, depth, .. }) = places.get(index).cloned() else { continue };
        for (step, child) in steps(search, node) {
            let child = schema.resolve(child);
            let is_new = seen.insert(child);
            let is_left_out = !is_new && places.len() >= REPEATED;
            let is_repeated = is_left_out || !is_new && is_within(&places, index, child);
            if places.len() >= MAX_PLACES || depth >= MAX_DEPTH {
                return places;
            }
            if !is_repeated {
                open.push_back(places.len());
            }
            places.push(Place { node: child, from: Some((index, step)), depth: depth + 1, is_repeated, is_left_out });
        }
    }
    places
}

/// Whether the way to a place passes the node.
fn is_within(places: &[Place], index: usize, node: NodeId) -> bool {
    let mut next = Some(index);
    while let Some(place) = next.and_then(|index| places.get(index)) {
        if place.node == node {
            return true;
        }
        next = place.from.as_ref().map(|(parent, _)| *parent);
    }
    false
}

/// The subschemas that a subschema leads to. Those in `not` are left out: no valid payload shows them. Those in `if`
/// and `contains` are left out, too: a value that does not match them need not be invalid.
fn steps(search: &Search<'_>, node: NodeId) -> Vec<(Step, NodeId)> {
    let Kind::Assertions(group) = &search.schema.node(node).kind else { return Vec::new() };
    let properties = group.properties.iter().map(|(name, id)| (Step::Property(name.clone()), *id));
    let mut steps: Vec<(Step, NodeId)> = properties.collect();
    let patterns = group.pattern_properties.iter().enumerate();
    steps.extend(patterns.map(|(index, (_, id))| (Step::Pattern(index), *id)));
    // A closed object has no undeclared properties.
    let is_closed = |id: &NodeId| matches!(search.schema.node(search.schema.resolve(*id)).kind, Kind::Bool(false));
    steps.extend(group.additional_properties.filter(|id| !is_closed(id)).map(|id| (Step::Rest, id)));
    steps.extend(group.items.map(|id| (Step::Items, id)));
    steps.extend(group.tuple.iter().enumerate().map(|(index, id)| (Step::Item(index), *id)));
    steps.extend(group.additional_items.map(|id| (Step::RestItems(group.tuple.len()), id)));
    let numbered = |ids: &Option<Vec<NodeId>>| ids.iter().flatten().copied().enumerate().collect::<Vec<_>>();
    steps.extend(numbered(&group.all_of).into_iter().map(|(index, id)| (Step::AllOf(index), id)));
    for (keyword, branches) in [("anyOf", &group.any_of), ("oneOf", &group.one_of)] {
        steps.extend(numbered(branches).into_iter().map(|(index, id)| (Step::Branch(keyword, index), id)));
    }
    if let Some(condition) = group.if_ {
        steps.extend(group.then.map(|id| (Step::Then(condition), id)));
        steps.extend(group.else_.map(|id| (Step::Else(condition), id)));
    }
    steps
}

impl<'s> Search<'s> {
    /// The condition on the whole value that it has a value at the place, and that this value conforms to a term. In
    /// unions, it conforms to the branch or, if the branch is only `selected`, to the conditions under which a failed
    /// union is about the branch.
    pub(super) fn reached(&mut self, places: &[Place], index: usize, term: TermId, selected: bool) -> TermId {
        let mut term = term;
        let mut next = places.get(index).and_then(|place| place.from.as_ref());
        while let Some((parent, step)) = next {
            let Some(place) = places.get(*parent) else { break };
            self.spend(1);
            term = match step {
                Step::Property(name) => self.with_property(name, term),
                Step::Pattern(at) => self.with_matching(place.node, *at, term),
                Step::Rest => self.with_undeclared(place.node, term),
                Step::Items => self.with_item(term),
                Step::Item(index) => self.with_item_at(*index, term),
                Step::RestItems(first) => self.with_item_from(*first, term),
                Step::AllOf(_) => term,
                Step::Then(_) | Step::Else(_) => {
                    let condition = self.condition(step);
                    self.all(condition.into_iter().chain([term]))
                }
                Step::Branch(keyword, index) if selected => {
                    let conditions = selects(self, place.node, keyword, *index);
                    self.all(conditions.into_iter().chain([term]))
                }
                Step::Branch(keyword, index) => {
                    let branch = self.branch(place.node, keyword, *index);
                    self.add(Term::All(vec![branch, term]))
                }
            };
            next = place.from.as_ref();
        }
        term
    }

    /// The condition under which `then` or `else` applies; `None` for other steps.
    pub(super) fn condition(&mut self, step: &Step) -> Option<TermId> {
        match step {
            Step::Then(condition) => Some(self.term(*condition)),
            Step::Else(condition) => {
                let condition = self.term(*condition);
                Some(self.not(condition))
            }
            _ => None,
        }
    }

    /// An object with the property, whose value conforms to the term.
    pub(super) fn with_property(&mut self, name: &str, term: TermId) -> TermId {
        let rest = self.solver.terms.anything();
        let declared = vec![(name.to_owned(), term)];
        let parts = [
            Term::Types(TypeSet::EMPTY.with(Type::Object).bits()),
            Term::Required(name.to_owned()),
            Term::Members { declared, patterns: Vec::new(), rest },
        ];
        let parts = parts.map(|part| self.add(part)).to_vec();
        self.add(Term::All(parts))
    }

    /// An object with a property that the subschema does not declare, whose value conforms to the term.
    pub(super) fn with_undeclared(&mut self, node: NodeId, term: TermId) -> TermId {
        let anything = self.solver.terms.anything();
        let rest = self.not(term);
        let names = self.group(node).into_iter().flat_map(|group| &group.properties);
        let mut declared: Vec<_> = names.map(|(name, _)| (name.clone(), anything)).collect();
        declared.sort();
        let patterns = self.patterns(node).into_iter().map(|pattern| (pattern, anything)).collect();
        let without = self.add(Term::Members { declared, patterns, rest });
        let parts = vec![self.add(Term::Types(TypeSet::EMPTY.with(Type::Object).bits())), self.not(without)];
        self.add(Term::All(parts))
    }

    /// The conditions on names of `patternProperties`.
    fn patterns(&mut self, node: NodeId) -> Vec<TermId> {
        let patterns = self.group(node).into_iter().flat_map(|group| &group.pattern_properties);
        patterns.map(|(pattern, _)| formats::pattern(&mut self.solver.terms, pattern.source())).collect()
    }

    /// An object with a property whose name matches a pattern of the subschema, and whose value conforms to the term.
    pub(super) fn with_matching(&mut self, node: NodeId, index: usize, term: TermId) -> TermId {
        let Some(pattern) = self.patterns(node).get(index).copied() else { return self.solver.terms.nothing() };
        let rest = self.solver.terms.anything();
        let other = self.not(term);
        let without = self.add(Term::Members { declared: Vec::new(), patterns: vec![(pattern, other)], rest });
        let parts = vec![self.add(Term::Types(TypeSet::EMPTY.with(Type::Object).bits())), self.not(without)];
        self.add(Term::All(parts))
    }

    /// An array with an item that conforms to the term.
    pub(super) fn with_item(&mut self, term: TermId) -> TermId {
        let other = self.not(term);
        let without = self.add(Term::Items(other));
        let parts = vec![self.add(Term::Types(TypeSet::EMPTY.with(Type::Array).bits())), self.not(without)];
        self.add(Term::All(parts))
    }

    /// An array with an item at the index that conforms to the term.
    pub(super) fn with_item_at(&mut self, index: usize, term: TermId) -> TermId {
        let anything = self.solver.terms.anything();
        let positions = std::iter::repeat_n(anything, index).chain([term]).collect();
        let parts = [
            Term::Types(TypeSet::EMPTY.with(Type::Array).bits()),
            Term::MinItems((index as u64).saturating_add(1)),
            Term::Tuple { positions, rest: anything },
        ];
        let parts = parts.map(|part| self.add(part)).to_vec();
        self.add(Term::All(parts))
    }

    /// An array with an item at the index or after it that conforms to the term.
    pub(super) fn with_item_from(&mut self, index: usize, term: TermId) -> TermId {
        let anything = self.solver.terms.anything();
        let positions = std::iter::repeat_n(anything, index).collect();
        let rest = self.not(term);
        let without = self.add(Term::Tuple { positions, rest });
        let parts = vec![self.add(Term::Types(TypeSet::EMPTY.with(Type::Array).bits())), self.not(without)];
        self.add(Term::All(parts))
    }

    /// The branches of a union of a subschema.
    pub(super) fn branches(&mut self, node: NodeId, keyword: &str) -> Vec<TermId> {
        self.branch_nodes(node, keyword).iter().map(|branch| self.term(*branch)).collect()
    }

    /// Which branches of a union its violations can be about.
    pub(super) fn selection(&mut self, node: NodeId, keyword: &str) -> Selection {
        let nodes = self.branch_nodes(node, keyword);
        self.spend(nodes.len() as u64);
        self.selector.select(nodes)
    }

    fn branch_nodes(&self, node: NodeId, keyword: &str) -> &'s [NodeId] {
        let group = self.group(node);
        let nodes = match keyword {
            "anyOf" => group.and_then(|group| group.any_of.as_ref()),
            _ => group.and_then(|group| group.one_of.as_ref()),
        };
        nodes.map(Vec::as_slice).unwrap_or_default()
    }

    fn branch(&mut self, node: NodeId, keyword: &str, index: usize) -> TermId {
        let branch = self.branches(node, keyword).get(index).copied();
        branch.unwrap_or_else(|| self.solver.terms.nothing())
    }
}
