//! The ways to violate the assertions of one subschema, and the violations that the interpreter reports for them.

use super::Search;
use crate::analysis::selection::Condition;
use crate::containment::build::Part;
use crate::containment::term::{Term, TermId, bit_of};
use crate::{Json, Keyword, Kind, NodeId, Type, TypeSet};

/// A way to violate an assertion.
pub(super) struct Negated {
    /// The assertion.
    pub(super) keyword: Keyword,
    /// Conditions on the value, the preferred one first.
    pub(super) terms: Vec<TermId>,
    /// The other assertions of the subschema.
    pub(super) others: Vec<TermId>,
    pub(super) reported: Reported,
}

/// The violation that shows that an assertion is violated.
#[derive(Clone, Debug)]
pub(super) enum Reported {
    /// At the path of the value, with one of these keywords.
    Here(Vec<Keyword>),
    /// `required`, at the path of the property.
    Missing(String),
    /// `dependentRequired`, at the path of the property.
    Dependent(String),
    /// `enum`, at the path of the property.
    UnknownTag(String),
    /// `additionalProperties`, at the path of an undeclared property.
    Undeclared,
    /// `propertyNames`, at the path of a property.
    Name,
    /// At the path of the value or below it: the violations of the branch that a failed union is about.
    Within,
}

/// The bits of every type.
const ALL: u8 = TypeSet::ALL.bits();

/// The assertions of a subschema, negated. Those of other subschemas are at the places of these.
pub(super) fn negations(search: &mut Search<'_>, node: NodeId) -> Vec<Negated> {
    if matches!(search.schema.node(node).kind, Kind::Bool(false)) {
        let terms = vec![search.solver.terms.anything()];
        return vec![Negated {
            keyword: Keyword::False,
            terms,
            others: Vec::new(),
            reported: Reported::Here(vec![Keyword::False]),
        }];
    }
    let parts = search.parts(node);
    let mut negated = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let others = parts.iter().enumerate().filter(|(other, _)| *other != index);
        let others: Vec<TermId> = others.map(|(_, part)| part.term).collect();
        match part.keyword {
            "additionalProperties" | "patternProperties" | "properties" => {
                negated.extend(closed(search, node, part.term, others))
            }
            keyword => {
                let Ok(keyword) = keyword.parse() else { continue };
                negated.extend(of_keyword(search, node, keyword, *part, others));
            }
        }
    }
    negated
}

fn of_keyword(
    search: &mut Search<'_>,
    node: NodeId,
    keyword: Keyword,
    part: Part,
    others: Vec<TermId>,
) -> Vec<Negated> {
    let violated = search.not(part.term);
    let here = || Reported::Here(vec![keyword]);
    match keyword {
        Keyword::AnyOf | Keyword::OneOf => of_union(search, node, keyword, violated, &others),
        Keyword::Enum | Keyword::Const => {
            // A union reports an unknown tag as `enum`.
            let reported = Reported::Here(vec![Keyword::Enum, Keyword::Const]);
            let similar = similar(search, node, keyword);
            let same_type = search.all([violated, similar]);
            vec![Negated { keyword, terms: vec![same_type, violated], others, reported }]
        }
        _ => {
            let reported = match search.solver.terms.get(part.term) {
                Term::Required(name) => Reported::Missing(name.clone()),
                Term::Names(_) => Reported::Name,
                Term::AnyOf(parts) if keyword == Keyword::DependentRequired => {
                    match parts.last().map(|part| search.solver.terms.get(*part)) {
                        Some(Term::Required(name)) => Reported::Dependent(name.clone()),
                        _ => here(),
                    }
                }
                _ => here(),
            };
            vec![Negated { keyword, terms: vec![violated], others, reported }]
        }
    }
}

/// The types of the values that `enum` or `const` allows: a value of another type could also violate a `type`.
fn similar(search: &mut Search<'_>, node: NodeId, keyword: Keyword) -> TermId {
    let group = search.group(node);
    let values: Vec<&Json> = match keyword {
        Keyword::Enum => group.and_then(|group| group.enum_values.as_ref()).into_iter().flatten().collect(),
        _ => group.and_then(|group| group.const_value.as_ref()).into_iter().collect(),
    };
    let types = values.iter().fold(0, |types, value| types | bit_of(value));
    search.add(Term::Types(types))
}

/// The negation of `additionalProperties: false`.
fn closed(search: &mut Search<'_>, node: NodeId, members: TermId, mut others: Vec<TermId>) -> Option<Negated> {
    let rest = search.group(node)?.additional_properties?;
    let is_closed = matches!(search.schema.node(search.schema.resolve(rest)).kind, Kind::Bool(false));
    if !is_closed {
        return None;
    }
    let anything = search.solver.terms.anything();
    if let Term::Members { declared, patterns, .. } = search.solver.terms.get(members) {
        let (declared, patterns) = (declared.clone(), patterns.clone());
        others.push(search.add(Term::Members { declared, patterns, rest: anything }));
    }
    let terms = vec![search.with_undeclared(node, anything)];
    Some(Negated { keyword: Keyword::AdditionalProperties, terms, others, reported: Reported::Undeclared })
}

/// The ways in which a union fails.
fn of_union(
    search: &mut Search<'_>,
    node: NodeId,
    keyword: Keyword,
    violated: TermId,
    others: &[TermId],
) -> Vec<Negated> {
    let negated = |terms: Vec<TermId>, reported| Negated { keyword, terms, others: others.to_vec(), reported };
    let branches = search.branches(node, keyword.as_str());
    let some = search.add(Term::AnyOf(branches));
    let no_branch = search.not(some);
    let selection = search.selection(node, keyword.as_str());
    let any = selection.any.types.bits();
    let mut ways = Vec::new();
    if any != ALL {
        let other_type = search.add(Term::Types(ALL & !any));
        let terms = vec![search.all([no_branch, other_type])];
        ways.push(negated(terms, Reported::Here(vec![Keyword::Type])));
    }
    if let Some(tag) = &selection.any.tag {
        if tag.is_required {
            let without = search.add(Term::Required(tag.name.clone()));
            let without = search.not(without);
            let object = search.add(Term::Types(TypeSet::EMPTY.with(Type::Object).bits()));
            ways.push(negated(vec![search.all([no_branch, object, without])], Reported::Missing(tag.name.clone())));
        }
        let values = search.solver.terms.one_of_values(&tag.values);
        let types = tag.values.iter().fold(0, |types, value| types | bit_of(value));
        let (other, of_type) = (search.not(values), search.add(Term::Types(types)));
        let terms = [search.all([other, of_type]), other].map(|value| {
            let unknown = search.with_property(&tag.name, value);
            search.all([no_branch, unknown])
        });
        ways.push(negated(terms.to_vec(), Reported::UnknownTag(tag.name.clone())));
    }
    // The interpreter reports the union itself, unless the type, a tag or the keys leave one branch.
    let allowed = condition(search, &selection.any);
    let conditions: Vec<TermId> = selection.branches.iter().map(|branch| condition(search, branch)).collect();
    let only_one = search.add(Term::OneOf(conditions));
    let several = search.not(only_one);
    let terms = vec![search.all([no_branch, allowed, several])];
    ways.push(negated(terms, Reported::Here(vec![keyword])));
    if keyword == Keyword::OneOf {
        let terms = vec![search.all([violated, some])];
        ways.push(negated(terms, Reported::Here(vec![keyword])));
    }
    if any == ALL {
        // Otherwise, a value of another type has shown that the union can fail.
        ways.push(negated(vec![no_branch], Reported::Within));
    }
    ways
}

/// The conditions under which a failed union is about one branch, as far as its type, its tag and its keys show.
pub(super) fn selects(search: &mut Search<'_>, node: NodeId, keyword: &str, index: usize) -> Vec<TermId> {
    let selection = search.selection(node, keyword);
    let conditions: Vec<TermId> = selection.branches.iter().map(|branch| condition(search, branch)).collect();
    let numbered = conditions.into_iter().enumerate();
    numbered.map(|(other, condition)| if other == index { condition } else { search.not(condition) }).collect()
}

/// The condition under which a failed union can be about a branch.
fn condition(search: &mut Search<'_>, condition: &Condition) -> TermId {
    let object = search.add(Term::Types(TypeSet::EMPTY.with(Type::Object).bits()));
    let no_object = search.not(object);
    let mut parts = vec![search.add(Term::Types(condition.types.bits()))];
    if let Some(tag) = &condition.tag {
        let values = search.solver.terms.one_of_values(&tag.values);
        let rest = search.solver.terms.anything();
        parts.push(search.add(Term::Members {
            declared: vec![(tag.name.clone(), values)],
            patterns: Vec::new(),
            rest,
        }));
        if tag.is_required {
            parts.push(search.add(Term::Required(tag.name.clone())));
        }
    }
    if !condition.keys.is_empty() {
        let mut keys: Vec<TermId> = condition.keys.iter().map(|key| search.add(Term::Required(key.clone()))).collect();
        keys.push(no_object);
        parts.push(search.add(Term::AnyOf(keys)));
    }
    search.all(parts)
}
