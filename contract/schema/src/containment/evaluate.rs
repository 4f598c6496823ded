//! Whether a value conforms to a term. The interpreter decides about whole schemas; terms are also parts of schemas,
//! and schemas that the comparison makes.

use super::budget::Budget;
use super::term::{Literal, Term, TermId, Terms, bit_of};
use crate::Json;

/// Lists of at most this many values are searched one by one: the canonical text of a value takes longer.
const FEW: usize = 16;

/// Whether a value conforms to a literal; `None` if the budget is used up or a pattern cannot be decided.
pub(super) fn conforms(terms: &Terms, literal: Literal, value: &Json, budget: &mut Budget) -> Option<bool> {
    Some(accepts(terms, literal.term, value, budget)? == literal.positive)
}

fn accepts(terms: &Terms, id: TermId, value: &Json, budget: &mut Budget) -> Option<bool> {
    if !budget.spend(1) {
        return None;
    }
    Some(match terms.get(id) {
        Term::All(parts) => {
            for part in parts {
                if !accepts(terms, *part, value, budget)? {
                    return Some(false);
                }
            }
            true
        }
        Term::AnyOf(parts) => {
            for part in parts {
                if accepts(terms, *part, value, budget)? {
                    return Some(true);
                }
            }
            false
        }
        Term::OneOf(parts) => {
            let mut count = 0;
            for part in parts {
                count += u32::from(accepts(terms, *part, value, budget)?);
            }
            count == 1
        }
        Term::Not(part) => !accepts(terms, *part, value, budget)?,
        Term::Types(types) => types & bit_of(value) != 0,
        Term::Values(ids) if ids.len() <= FEW => ids.iter().any(|id| terms.value(*id) == value),
        Term::Values(ids) => terms.known_value(value).is_some_and(|id| ids.binary_search(&id).is_ok()),
        other => return accepts_by_kind(terms, other, value, budget),
    })
}

/// The assertions that concern one type.
fn accepts_by_kind(terms: &Terms, term: &Term, value: &Json, budget: &mut Budget) -> Option<bool> {
    Some(match (term, value) {
        (Term::Minimum { limit, exclusive }, Json::Number(number)) => number > limit || !exclusive && number == limit,
        (Term::Maximum { limit, exclusive }, Json::Number(number)) => number < limit || !exclusive && number == limit,
        (Term::MultipleOf(divisor), Json::Number(number)) => {
            if !budget.spend(number.work_to_divide_by(divisor)) {
                return None;
            }
            number.is_multiple_of(divisor)
        }
        (Term::MinLength(least), Json::String(text)) => text.chars().count() as u64 >= *least,
        (Term::MaxLength(most), Json::String(text)) => text.chars().count() as u64 <= *most,
        (Term::Pattern(source), Json::String(text)) => return terms.pattern(source)?.pattern.is_match(text).ok(),
        (Term::Format(format), Json::String(text)) => format.accepts(text),
        (Term::MinItems(least), Json::Array(items)) => items.len() as u64 >= *least,
        (Term::MaxItems(most), Json::Array(items)) => items.len() as u64 <= *most,
        (Term::UniqueItems, Json::Array(items)) => {
            let mut texts: Vec<String> = items.iter().map(Json::canonical).collect();
            texts.sort_unstable();
            texts.windows(2).all(|pair| pair.first() != pair.last())
        }
        (Term::Items(item), Json::Array(items)) => {
            for value in items {
                if !accepts(terms, *item, value, budget)? {
                    return Some(false);
                }
            }
            true
        }
        (Term::Tuple { positions, rest }, Json::Array(items)) => {
            for (index, value) in items.iter().enumerate() {
                if !accepts(terms, *positions.get(index).unwrap_or(rest), value, budget)? {
                    return Some(false);
                }
            }
            true
        }
        (Term::MinProperties(least), Json::Object(members)) => members.len() as u64 >= *least,
        (Term::MaxProperties(most), Json::Object(members)) => members.len() as u64 <= *most,
        (Term::Required(name), Json::Object(members)) => members.get(name).is_some(),
        (Term::Members { .. }, Json::Object(members)) => {
            for (name, value) in members {
                for term in applied(terms, term, name, budget)? {
                    if !accepts(terms, term, value, budget)? {
                        return Some(false);
                    }
                }
            }
            true
        }
        (Term::Names(name), Json::Object(members)) => {
            for (member, _) in members {
                if !accepts(terms, *name, &Json::String(member.clone()), budget)? {
                    return Some(false);
                }
            }
            true
        }
        _ => true,
    })
}

/// The terms that [`Term::Members`] has for a member of an object; `None` as for [`conforms`].
pub(super) fn applied(terms: &Terms, members: &Term, name: &str, budget: &mut Budget) -> Option<Vec<TermId>> {
    let Term::Members { declared, patterns, rest } = members else { return Some(Vec::new()) };
    let found = declared.binary_search_by(|(declared, _)| declared.as_str().cmp(name));
    let mut all: Vec<TermId> =
        found.ok().and_then(|index| declared.get(index)).map(|(_, term)| *term).into_iter().collect();
    if !patterns.is_empty() {
        let name = Json::String(name.to_owned());
        for (pattern, value) in patterns {
            if accepts(terms, *pattern, &name, budget)? {
                all.push(*value);
            }
        }
    }
    if all.is_empty() {
        all.push(*rest);
    }
    Some(all)
}
