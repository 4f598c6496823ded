//! Payloads that violate one assertion of a schema.

use std::collections::BTreeSet;

use super::negated::{Negated, Reported, negations, selects};
use super::place::{Place, Step, places};
use super::{Counterexample, Counterexamples, ExampleSettings, Found, Search, payload};
use crate::containment::term::{Literal, Term, TermId};
use crate::pointer::tokens;
use crate::{Assertions, Json, Keyword, NodeId, ReportBudget, Type, TypeSet, Violation};

/// How much of the schema is kept beside the negated assertion. If no value can violate one assertion alone, fewer are
/// kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// All other assertions.
    All,
    /// Those of other places.
    Elsewhere,
    /// Only the way to the place.
    Way,
}

/// The assertions that are kept, and whether the unions around the place have to be about the branch with the place, so
/// that they report its violation.
type Conditions = (Kept, bool);

const CONDITIONS: [Conditions; 6] = [
    (Kept::All, false),
    (Kept::All, true),
    (Kept::Elsewhere, false),
    (Kept::Elsewhere, true),
    (Kept::Way, false),
    (Kept::Way, true),
];

/// How many values are tried for one condition. A value can violate the assertion without a violation that shows it: a
/// union around it may be about another branch.
const TRIES: usize = 4;

pub(super) fn find(mut search: Search<'_>) -> Counterexamples {
    let wanted = search.settings.count.unwrap_or(ExampleSettings::MAX_COUNT);
    let places = places(&search);
    let mut result = Counterexamples::default();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (index, place) in places.iter().enumerate().filter(|(_, place)| !place.is_left_out) {
        for negated in negations(&mut search, place.node) {
            if result.found.len() >= wanted {
                return result;
            }
            match example(&mut search, &places, index, &negated) {
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
    let is_in_union = !unions_around(places, index).is_empty();
    for conditions in CONDITIONS.into_iter().filter(|(_, selected)| is_in_union || !selected) {
        if conditions.0 == Kept::Way && of_union.is_some() {
            break;
        }
        for term in &negated.terms {
            let whole = whole(search, places, index, (*term, &negated.others), conditions);
            let mut goal = BTreeSet::from([Literal::is(whole)]);
            for _ in 0..TRIES {
                let value = match search.solve(&goal, search.part()) {
                    Found::Value(value) => value,
                    Found::Nothing => break,
                    Found::Unknown(_) => {
                        is_undecided = true;
                        break;
                    }
                };
                let excluded = search.solver.terms.one_of_values([&value]);
                match confirmed(search, places, index, negated, value) {
                    Some((example, true)) => return Ok(Some(example)),
                    Some((example, false)) => of_union = of_union.or(Some(example)),
                    None => {}
                }
                goal.insert(Literal::is_not(excluded));
            }
        }
    }
    match of_union {
        None if is_undecided => Err(()),
        found => Ok(found),
    }
}

/// The payload with its violations, if one of them shows that the assertion is violated: that of the assertion itself
/// (`true`), or that of a union around the place (`false`).
fn confirmed(
    search: &Search<'_>,
    places: &[Place],
    index: usize,
    negated: &Negated,
    value: Json,
) -> Option<(Counterexample, bool)> {
    let exact = payload(&value)?;
    let violations = search.validator.validate_exact(&exact);
    let own = violations.iter().find(|violation| shows(search, places, index, &negated.reported, violation));
    let of_union = || {
        let unions = unions_around(places, index);
        let reports = |violation: &&Violation| {
            unions
                .iter()
                .any(|(place, keyword)| shows(search, places, *place, &Reported::Here(vec![*keyword]), violation))
        };
        violations.iter().find(reports)
    };
    let expected = own.or_else(of_union)?.clone();
    let pointer = search.schema.node(places.get(index)?.node).pointer.clone();
    let is_own = own.is_some();
    let violations = search.validator.clone().budget(ReportBudget::DEFAULT).validate_exact(&exact);
    Some((Counterexample { payload: value, pointer, keyword: negated.keyword, expected, violations }, is_own))
}

/// Whether a violation is one of those that an assertion at a place causes.
fn shows(search: &Search<'_>, places: &[Place], index: usize, reported: &Reported, violation: &Violation) -> bool {
    let tokens: Vec<String> = tokens(&violation.path).collect();
    let Some(below) = below(search, places, index, &tokens) else { return false };
    match (reported, below) {
        (Reported::Here(keywords), []) => keywords.contains(&violation.keyword),
        (Reported::Missing(name), [last]) => violation.keyword == Keyword::Required && last == name,
        (Reported::Dependent(name), [last]) => violation.keyword == Keyword::DependentRequired && last == name,
        (Reported::UnknownTag(name), [last]) => violation.keyword == Keyword::Enum && last == name,
        (Reported::Undeclared, [last]) => {
            let is_declared = search.group(places.get(index).map_or(NodeId(0), |place| place.node));
            let is_declared = is_declared.is_some_and(|group| is_described(group, last));
            violation.keyword == Keyword::AdditionalProperties && !is_declared
        }
        (Reported::Name, [_]) => violation.keyword == Keyword::PropertyNames,
        (Reported::Within, _) => true,
        _ => false,
    }
}

/// Whether `properties` or `patternProperties` have a schema for a property.
fn is_described(group: &Assertions, name: &str) -> bool {
    group.properties.iter().any(|(other, _)| other == name) || group.patterns_of(name).next().is_some()
}

/// The part of a path that is below a place; `None` if the path does not lead there.
fn below<'t>(search: &Search<'_>, places: &[Place], index: usize, tokens: &'t [String]) -> Option<&'t [String]> {
    let Some((parent, step)) = places.get(index)?.from.as_ref() else { return Some(tokens) };
    let rest = below(search, places, *parent, tokens)?;
    if matches!(step, Step::AllOf(_) | Step::Branch(..) | Step::Then(_) | Step::Else(_)) {
        return Some(rest);
    }
    let (first, rest) = rest.split_first()?;
    let leads_on = match step {
        Step::Property(name) => first == name,
        Step::Rest => {
            let group = search.group(places.get(*parent)?.node)?;
            !is_described(group, first)
        }
        Step::Pattern(at) => {
            let group = search.group(places.get(*parent)?.node)?;
            group.pattern_properties.get(*at).is_some_and(|(pattern, _)| pattern.is_match(first) == Ok(true))
        }
        Step::Item(index) => *first == index.to_string(),
        Step::RestItems(least) => first.parse().is_ok_and(|index: usize| index >= *least),
        _ => first.bytes().all(|byte| byte.is_ascii_digit()),
    };
    leads_on.then_some(rest)
}

/// The unions that a place is in a branch of, the nearest first: the place of each union, and its keyword.
fn unions_around(places: &[Place], index: usize) -> Vec<(usize, Keyword)> {
    let mut unions = Vec::new();
    let mut next = places.get(index).and_then(|place| place.from.as_ref());
    while let Some((parent, step)) = next {
        if let Step::Branch(keyword, _) = step {
            unions.extend(keyword.parse().ok().map(|keyword| (*parent, keyword)));
        }
        next = places.get(*parent).and_then(|place| place.from.as_ref());
    }
    unions
}

/// The condition on the whole value that the one at a place conforms to a term, and to the other assertions there.
fn whole(
    search: &mut Search<'_>,
    places: &[Place],
    index: usize,
    (negated, others): (TermId, &[TermId]),
    (kept, selected): Conditions,
) -> TermId {
    let mut term = match kept {
        Kept::All => search.all(std::iter::once(negated).chain(others.iter().copied())),
        Kept::Elsewhere => negated,
        Kept::Way => return search.reached(places, index, negated, selected),
    };
    let mut next = places.get(index).and_then(|place| place.from.as_ref());
    while let Some((parent, step)) = next {
        let Some(place) = places.get(*parent) else { break };
        term = around(search, place.node, step, term, selected);
        next = place.from.as_ref();
    }
    term
}

/// The term of a subschema in which the one that a step leads to is replaced. Other properties and items conform to the
/// schema.
fn around(search: &mut Search<'_>, node: NodeId, step: &Step, term: TermId, selected: bool) -> TermId {
    let mut parts: Vec<TermId> = Vec::new();
    let mut in_all_of = 0;
    for part in search.parts(node) {
        let is_replaced = match (step, part.keyword) {
            (Step::AllOf(index), "allOf") => {
                in_all_of += 1;
                in_all_of == index + 1
            }
            (Step::Branch(keyword, _), other) => *keyword == other,
            (Step::Then(_), "then") | (Step::Else(_), "else") => true,
            (Step::Items | Step::Item(_) | Step::RestItems(_), "items") => true,
            (
                Step::Property(_) | Step::Pattern(_) | Step::Rest,
                "additionalProperties" | "patternProperties" | "properties",
            ) => true,
            _ => false,
        };
        if !is_replaced {
            parts.push(part.term);
            continue;
        }
        match (step, search.solver.terms.get(part.term).clone()) {
            (Step::Property(name), Term::Members { mut declared, patterns, rest }) => {
                declared.iter_mut().filter(|(other, _)| other == name).for_each(|(_, old)| *old = term);
                let object = TypeSet::EMPTY.with(Type::Object).bits();
                let all =
                    [Term::Members { declared, patterns, rest }, Term::Required(name.clone()), Term::Types(object)];
                parts.extend(all.map(|term| search.add(term)));
            }
            (Step::Pattern(at), Term::Members { declared, mut patterns, rest }) => {
                if let Some((_, value)) = patterns.get_mut(*at) {
                    *value = search.add(Term::AnyOf(vec![*value, term]));
                }
                parts.push(search.add(Term::Members { declared, patterns, rest }));
                parts.push(search.with_matching(node, *at, term));
            }
            (Step::Rest, Term::Members { declared, patterns, rest }) => {
                let rest = search.add(Term::AnyOf(vec![rest, term]));
                parts.push(search.add(Term::Members { declared, patterns, rest }));
                parts.push(search.with_undeclared(node, term));
            }
            (Step::Items, Term::Items(items)) => {
                let either = search.add(Term::AnyOf(vec![items, term]));
                parts.push(search.add(Term::Items(either)));
                parts.push(search.with_item(term));
            }
            (Step::Item(index), Term::Tuple { mut positions, rest }) => {
                positions.get_mut(*index).into_iter().for_each(|old| *old = term);
                parts.push(search.add(Term::Tuple { positions, rest }));
                let anything = search.solver.terms.anything();
                parts.push(search.with_item_at(*index, anything));
            }
            (Step::RestItems(first), Term::Tuple { positions, rest }) => {
                let rest = search.add(Term::AnyOf(vec![rest, term]));
                parts.push(search.add(Term::Tuple { positions, rest }));
                parts.push(search.with_item_from(*first, term));
            }
            (Step::Branch(keyword, index), _) => {
                let others = search.branches(node, keyword).into_iter().enumerate();
                let others: Vec<TermId> = others.filter(|(other, _)| other != index).map(|(_, term)| term).collect();
                parts.extend(others.into_iter().map(|other| search.not(other)).collect::<Vec<_>>());
                if selected {
                    parts.extend(selects(search, node, keyword, *index));
                }
                parts.push(term);
            }
            (Step::Then(_) | Step::Else(_), _) => {
                parts.extend(search.condition(step));
                parts.push(term);
            }
            _ => parts.push(term),
        }
    }
    search.add(Term::All(parts))
}
