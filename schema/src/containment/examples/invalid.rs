//! Payloads that violate one assertion of a schema.

use std::collections::BTreeSet;

use super::place::{Place, Step, places};
use super::{Counterexample, Counterexamples, ExampleSettings, Found, Search, payload};
use crate::containment::build::Part;
use crate::containment::term::{Literal, Term, TermId};
use crate::{Json, Keyword, Kind, NodeId, Type, TypeSet};

/// How much of the schema is kept beside the negated assertion. If no value can violate one assertion alone, fewer are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// All other assertions.
    All,
    /// Those of other places.
    Elsewhere,
    /// Only the way to the place.
    Way,
}

pub(super) fn find(mut search: Search<'_>) -> Counterexamples {
    let wanted = search.settings.count.unwrap_or(ExampleSettings::MOST);
    let places = places(&search);
    let mut result = Counterexamples::default();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (index, place) in places.iter().enumerate().filter(|(_, place)| !place.is_repeated) {
        for violation in violations(&mut search, place.node) {
            if result.found.len() >= wanted {
                return result;
            }
            match example(&mut search, &places, index, &violation) {
                Ok(Some(example)) => {
                    if seen.insert(example.payload.canonical()) {
                        result.found.push(example);
                    }
                }
                Ok(None) => {}
                Err(()) => result.undecided += 1,
            }
        }
    }
    result
}

/// A way to violate an assertion.
struct Negated {
    keyword: Keyword,
    /// The condition on the value.
    term: TermId,
    /// The other assertions of the subschema.
    others: Vec<TermId>,
}

/// The assertions of a subschema, negated. Those of other subschemas are at the places of these.
fn violations(search: &mut Search<'_>, node: NodeId) -> Vec<Negated> {
    if matches!(search.schema.node(node).kind, Kind::Bool(false)) {
        let term = search.solver.terms.anything();
        return vec![Negated { keyword: Keyword::False, term, others: Vec::new() }];
    }
    let parts = search.parts(node);
    let mut negated = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let others = |parts: &[Part]| {
            let others = parts.iter().enumerate().filter(|(other, _)| *other != index);
            others.map(|(_, part)| part.term).collect::<Vec<_>>()
        };
        match part.keyword {
            "properties" | "additionalProperties" => negated.extend(closed(search, node, part.term, others(&parts))),
            keyword => {
                let Ok(keyword) = keyword.parse() else { continue };
                let term = search.not(part.term);
                negated.push(Negated { keyword, term, others: others(&parts) });
                if keyword == Keyword::OneOf {
                    // The negation above may be that no branch matches; this one is that several do.
                    let branches = search.branches(node, "oneOf");
                    let some = search.add(Term::AnyOf(branches));
                    let term = search.add(Term::All(vec![some, term]));
                    negated.push(Negated { keyword, term, others: others(&parts) });
                }
            }
        }
    }
    negated
}

/// The negation of `additionalProperties: false`.
fn closed(search: &mut Search<'_>, node: NodeId, members: TermId, mut others: Vec<TermId>) -> Option<Negated> {
    let rest = search.group(node)?.additional_properties?;
    let is_closed = matches!(search.schema.node(search.schema.resolve(rest)).kind, Kind::Bool(false));
    if !is_closed {
        return None;
    }
    let anything = search.solver.terms.anything();
    if let Term::Members { declared, .. } = search.solver.terms.get(members) {
        let declared = declared.clone();
        others.push(search.add(Term::Members { declared, rest: anything }));
    }
    let term = search.with_undeclared(node, anything);
    Some(Negated { keyword: Keyword::AdditionalProperties, term, others })
}

/// The smallest payload that violates the assertion; an error if the search was given up.
fn example(
    search: &mut Search<'_>,
    places: &[Place],
    index: usize,
    negated: &Negated,
) -> Result<Option<Counterexample>, ()> {
    let mut is_undecided = false;
    // In a branch of a union, the violation may be that of the union.
    let mut of_union = None;
    for kept in [Kept::All, Kept::Elsewhere, Kept::Way] {
        let goal = BTreeSet::from([Literal::is(whole(search, places, index, negated, kept))]);
        match search.solve(&goal, search.part()) {
            Found::Value(value) => {
                let found = confirmed(search, places, index, negated, value);
                match found {
                    Some(example) if is_union(example.keyword) && !is_union(negated.keyword) => {
                        of_union = of_union.or(Some(example));
                    }
                    Some(example) => return Ok(Some(example)),
                    None => {}
                }
            }
            Found::Nothing => {}
            Found::Unknown(_) => is_undecided = true,
        }
    }
    match of_union {
        None if is_undecided => Err(()),
        found => Ok(found),
    }
}

fn is_union(keyword: Keyword) -> bool {
    matches!(keyword, Keyword::AnyOf | Keyword::OneOf)
}

/// The payload with its violations, if it has a violation of the keyword or of a union around the place.
fn confirmed(
    search: &Search<'_>,
    places: &[Place],
    index: usize,
    negated: &Negated,
    value: Json,
) -> Option<Counterexample> {
    let violations = search.validator.validate_exact(&payload(&value)?);
    let has = |keyword: Keyword| violations.iter().any(|found| found.keyword == keyword);
    // The violations of a union are those of its closest branch, if one is closest.
    let is_meant = !violations.is_empty() && (is_union(negated.keyword) || has(negated.keyword));
    let keyword = match is_meant {
        true => negated.keyword,
        false => unions_around(places, index).find(|union| has(*union))?,
    };
    let pointer = search.schema.node(places.get(index)?.node).pointer.clone();
    Some(Counterexample { payload: value, pointer, keyword, violations })
}

/// The keywords of the unions that a place is in a branch of.
fn unions_around(places: &[Place], index: usize) -> impl Iterator<Item = Keyword> {
    let around = |(parent, _): &(usize, Step)| places.get(*parent)?.from.as_ref();
    let steps =
        std::iter::successors(places.get(index).and_then(|place| place.from.as_ref()), move |step| around(step));
    steps.filter_map(|(_, step)| match step {
        Step::Branch(keyword, _) => keyword.parse().ok(),
        _ => None,
    })
}

/// The condition on the whole value.
fn whole(search: &mut Search<'_>, places: &[Place], index: usize, negated: &Negated, kept: Kept) -> TermId {
    let mut term = match kept {
        Kept::All => {
            let parts = std::iter::once(negated.term).chain(negated.others.iter().copied()).collect();
            search.add(Term::All(parts))
        }
        Kept::Elsewhere => negated.term,
        Kept::Way => return search.reached(places, index, negated.term),
    };
    let mut next = places.get(index).and_then(|place| place.from.as_ref());
    while let Some((parent, step)) = next {
        let Some(place) = places.get(*parent) else { break };
        term = around(search, place.node, step, term);
        next = place.from.as_ref();
    }
    term
}

/// The term of a subschema in which the one that a step leads to is replaced. Other properties and items conform to the schema.
fn around(search: &mut Search<'_>, node: NodeId, step: &Step, term: TermId) -> TermId {
    let mut parts: Vec<TermId> = Vec::new();
    let mut in_all_of = 0;
    for part in search.parts(node) {
        let is_replaced = match (step, part.keyword) {
            (Step::AllOf(index), "allOf") => {
                in_all_of += 1;
                in_all_of == index + 1
            }
            (Step::Branch(keyword, _), other) => *keyword == other,
            (Step::Items, "items") => true,
            (Step::Property(_) | Step::Rest, "properties" | "additionalProperties") => true,
            _ => false,
        };
        if !is_replaced {
            parts.push(part.term);
            continue;
        }
        match (step, search.solver.terms.get(part.term).clone()) {
            (Step::Property(name), Term::Members { mut declared, rest }) => {
                declared.iter_mut().filter(|(other, _)| other == name).for_each(|(_, old)| *old = term);
                let object = TypeSet::EMPTY.with(Type::Object).bits();
                let all = [Term::Members { declared, rest }, Term::Required(name.clone()), Term::Types(object)];
                parts.extend(all.map(|term| search.add(term)));
            }
            (Step::Rest, Term::Members { declared, rest }) => {
                let rest = search.add(Term::AnyOf(vec![rest, term]));
                parts.push(search.add(Term::Members { declared, rest }));
                parts.push(search.with_undeclared(node, term));
            }
            (Step::Items, Term::Items(items)) => {
                let either = search.add(Term::AnyOf(vec![items, term]));
                parts.push(search.add(Term::Items(either)));
                parts.push(search.with_item(term));
            }
            (Step::Branch(keyword, index), _) => {
                let others = search.branches(node, keyword).into_iter().enumerate();
                let others: Vec<TermId> = others.filter(|(other, _)| other != index).map(|(_, term)| term).collect();
                parts.extend(others.into_iter().map(|other| search.not(other)).collect::<Vec<_>>());
                parts.push(term);
            }
            _ => parts.push(term),
        }
    }
    search.add(Term::All(parts))
}
