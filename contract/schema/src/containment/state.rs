//! The assumptions about one value of one type, as a branch of the search has made them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::budget::Budget;
use super::evaluate::{applied, conforms};
use super::number::{ONE, Range};
use super::size::Size;
use super::term::{ALL_TYPES, Literal, Term, TermId, Terms, bit_of};
use super::tuple;
use crate::Json;

/// The type of a value, where every number has one type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ValueType {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl ValueType {
    pub(super) const ALL: [Self; 6] =
        [Self::Null, Self::Boolean, Self::Number, Self::String, Self::Array, Self::Object];

    pub(super) fn bits(self) -> u8 {
        match self {
            Self::Null => 1,
            Self::Boolean => 2,
            Self::Number => 12,
            Self::String => 16,
            Self::Array => 32,
            Self::Object => 64,
        }
    }
}

/// An assumption about the value.
#[derive(Clone, Debug)]
pub(super) enum Fact {
    Literal(Literal),
    /// It conforms to one of the terms.
    AnyOf(Rc<[TermId]>),
    /// It has the property, whose value conforms to the literal.
    Present(Rc<str>, Literal),
    /// It has a property that is not one of the names, whose value conforms to the literal.
    Undeclared(Rc<[String]>, Literal),
    /// The same, and the name of the property conforms to the literals.
    Matching(Rc<[String]>, Rc<[Literal]>, Literal),
    /// It has an item at the index, which conforms to the literal.
    ItemAt(usize, Literal),
    /// It has an item at the index or after it, which conforms to the literal.
    ItemFrom(usize, Literal),
}

/// The alternatives of which one holds; each is a list of facts.
pub(super) type Choice = Vec<Vec<Fact>>;

/// A property that the value has, and whose name is not known yet.
#[derive(Clone, Debug)]
pub(super) enum Other {
    /// Its name is not one of the names, and conforms to the first literals; its value conforms to the last one.
    Undeclared(Rc<[String]>, Rc<[Literal]>, Literal),
    /// Its name conforms to the literal.
    Named(Literal),
}

/// The assumptions contradict each other.
pub(super) struct Contradiction;

#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) value_type: ValueType,
    literals: BTreeSet<Literal>,
    /// If a literal lists values: those of this type, sorted.
    pub(super) finite: Option<Vec<u32>>,
    pub(super) excluded_booleans: Vec<bool>,
    pub(super) range: Range,
    pub(super) min_length: u64,
    pub(super) max_length: Option<u64>,
    /// Patterns and formats, and whether the string has to match.
    pub(super) text: Vec<Literal>,
    pub(super) excluded_strings: Vec<String>,
    pub(super) min_items: u64,
    pub(super) max_items: Option<u64>,
    pub(super) unique: Option<bool>,
    /// Every item conforms to these.
    pub(super) items: BTreeSet<Literal>,
    /// For each of these, an item conforms to it.
    pub(super) some_item: BTreeSet<Literal>,
    /// The `Tuple` terms that hold.
    pub(super) tuples: Vec<TermId>,
    /// The item at the index exists, and conforms to these.
    pub(super) item_at: BTreeMap<usize, BTreeSet<Literal>>,
    /// For each of these, an item at the index or after it conforms to the literal.
    pub(super) item_from: BTreeSet<(usize, Literal)>,
    pub(super) excluded_arrays: Vec<u32>,
    pub(super) min_properties: u64,
    pub(super) max_properties: Option<u64>,
    pub(super) required: BTreeSet<String>,
    pub(super) absent: BTreeSet<String>,
    pub(super) present: BTreeMap<Rc<str>, BTreeSet<Literal>>,
    /// The `Members` terms that hold.
    pub(super) members: Vec<TermId>,
    /// Every name conforms to these.
    pub(super) names: BTreeSet<Literal>,
    /// Which properties these are is chosen last.
    pub(super) others: Vec<Other>,
    pub(super) choices: Vec<Choice>,
}

/// How deeply [`State::truth`] looks into a literal. It returns that deeper ones are not known, and the search decides
/// them; without a limit, one look could take exponential time.
const MAX_DEPTH: u32 = 12;

impl State {
    pub(super) fn new(value_type: ValueType) -> Self {
        Self {
            value_type,
            literals: BTreeSet::new(),
            finite: None,
            excluded_booleans: Vec::new(),
            range: Range::default(),
            min_length: 0,
            max_length: None,
            text: Vec::new(),
            excluded_strings: Vec::new(),
            min_items: 0,
            max_items: None,
            unique: None,
            items: BTreeSet::new(),
            some_item: BTreeSet::new(),
            tuples: Vec::new(),
            item_at: BTreeMap::new(),
            item_from: BTreeSet::new(),
            excluded_arrays: Vec::new(),
            min_properties: 0,
            max_properties: None,
            required: BTreeSet::new(),
            absent: BTreeSet::new(),
            present: BTreeMap::new(),
            members: Vec::new(),
            names: BTreeSet::new(),
            others: Vec::new(),
            choices: Vec::new(),
        }
    }

    /// Adds facts, and everything that follows from them without a choice.
    pub(super) fn assume(&mut self, terms: &Terms, facts: Vec<Fact>) -> Result<(), Contradiction> {
        let mut open = facts;
        while let Some(fact) = open.pop() {
            match fact {
                Fact::Literal(literal) => self.add(terms, literal, &mut open)?,
                Fact::AnyOf(ids) => {
                    self.choices.push(ids.iter().map(|id| vec![Fact::Literal(Literal::is(*id))]).collect());
                }
                Fact::Present(name, literal) => {
                    let literals = self.present.entry(name.clone()).or_default();
                    literals.insert(literal);
                    if literals.contains(&literal.negated()) || self.absent.contains(&*name) {
                        return Err(Contradiction);
                    }
                }
                Fact::Undeclared(names, literal) => {
                    self.others.push(Other::Undeclared(names, Rc::default(), literal));
                }
                Fact::Matching(names, of_name, literal) => self.others.push(Other::Undeclared(names, of_name, literal)),
                Fact::ItemAt(index, literal) => self.require_item_at(index, literal)?,
                Fact::ItemFrom(index, literal) => self.require_item_from(index, literal),
            }
        }
        let lengths = self.max_length.is_some_and(|max| max < self.min_length);
        let items = self.max_items.is_some_and(|max| max < self.min_items);
        let properties = self.max_properties.is_some_and(|max| max < self.min_properties.max(self.known_properties()));
        if lengths || items || properties || self.range.is_empty() { Err(Contradiction) } else { Ok(()) }
    }

    fn add(&mut self, terms: &Terms, literal: Literal, open: &mut Vec<Fact>) -> Result<(), Contradiction> {
        if self.literals.contains(&literal.negated()) {
            return Err(Contradiction);
        }
        if !self.literals.insert(literal) {
            return Ok(());
        }
        let positive = literal.positive;
        let same = |id: &TermId| Fact::Literal(Literal { term: *id, positive });
        let bits = self.value_type.bits();
        match terms.get(literal.term) {
            Term::All(parts) if positive => open.extend(parts.iter().map(same)),
            Term::AnyOf(parts) if !positive => open.extend(parts.iter().map(same)),
            Term::All(parts) | Term::AnyOf(parts) => self.choices.push(parts.iter().map(|id| vec![same(id)]).collect()),
            Term::OneOf(parts) => self.choices.push(one_of(parts, positive)),
            Term::Not(part) => open.push(Fact::Literal(Literal { term: *part, positive: !positive })),
            Term::Types(types) => {
                let allowed = if positive { types & bits } else { bits & !types };
                match allowed {
                    0 => return Err(Contradiction),
                    4 | 8 => self.only_integers(allowed == 4)?,
                    _ => {}
                }
            }
            Term::Values(ids) => self.add_values(terms, ids, positive, open)?,
            _ if terms.types(literal) & bits == 0 => return Err(Contradiction),
            // An assertion about another type.
            _ if terms.types(literal.negated()) & bits == 0 => {}
            _ => self.add_by_type(terms, literal),
        }
        match terms.get(literal.term) {
            Term::Required(name) => self.require(name, positive),
            Term::UniqueItems if self.value_type == ValueType::Array => match self.unique.replace(positive) {
                Some(before) if before != positive => Err(Contradiction),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn only_integers(&mut self, integer: bool) -> Result<(), Contradiction> {
        match self.range.integer.replace(integer) {
            Some(before) if before != integer => Err(Contradiction),
            _ => Ok(()),
        }
    }

    fn require(&mut self, name: &str, positive: bool) -> Result<(), Contradiction> {
        if self.value_type != ValueType::Object {
            return Ok(());
        }
        let (wanted, other) =
            if positive { (&mut self.required, &self.absent) } else { (&mut self.absent, &self.required) };
        wanted.insert(name.to_owned());
        let is_contradiction = other.contains(name) || !positive && self.present.contains_key(name);
        if is_contradiction { Err(Contradiction) } else { Ok(()) }
    }

    fn add_values(
        &mut self,
        terms: &Terms,
        ids: &[u32],
        positive: bool,
        open: &mut Vec<Fact>,
    ) -> Result<(), Contradiction> {
        let of_type = ids.iter().copied().filter(|id| bit_of(terms.value(*id)) & self.value_type.bits() != 0);
        if positive {
            let known = self.finite.take();
            let finite: Vec<u32> =
                of_type.filter(|id| known.as_ref().is_none_or(|known| known.binary_search(id).is_ok())).collect();
            let is_empty = finite.is_empty();
            self.finite = Some(finite);
            return if is_empty { Err(Contradiction) } else { Ok(()) };
        }
        for id in of_type {
            match terms.value(id) {
                Json::Null => return Err(Contradiction),
                Json::Bool(value) => self.excluded_booleans.push(*value),
                Json::Number(number) => _ = self.range.excluded.insert(number.clone()),
                Json::String(text) => self.excluded_strings.push(text.clone()),
                Json::Array(_) => self.excluded_arrays.push(id),
                Json::Object(_) => open.extend(terms.object(id).map(|term| Fact::Literal(Literal::is_not(term)))),
            }
        }
        Ok(())
    }

    /// Adds an assertion about the type of this state.
    fn add_by_type(&mut self, terms: &Terms, literal: Literal) {
        let positive = literal.positive;
        match terms.get(literal.term) {
            Term::Minimum { limit, exclusive } if positive => self.range.at_least(limit, *exclusive),
            Term::Minimum { limit, exclusive } => self.range.at_most(limit, !exclusive),
            Term::Maximum { limit, exclusive } if positive => self.range.at_most(limit, *exclusive),
            Term::Maximum { limit, exclusive } => self.range.at_least(limit, !exclusive),
            Term::MultipleOf(divisor) => self.range.multiple_of(divisor, positive),
            Term::MinLength(least) if positive => self.min_length = self.min_length.max(*least),
            Term::MinLength(least) => at_most(&mut self.max_length, least.saturating_sub(1)),
            Term::MaxLength(most) if positive => at_most(&mut self.max_length, *most),
            Term::MaxLength(most) => self.min_length = self.min_length.max(most.saturating_add(1)),
            Term::Pattern(_) | Term::Format(_) => self.text.push(literal),
            Term::MinItems(least) if positive => self.min_items = self.min_items.max(*least),
            Term::MinItems(least) => at_most(&mut self.max_items, least.saturating_sub(1)),
            Term::MaxItems(most) if positive => at_most(&mut self.max_items, *most),
            Term::MaxItems(most) => self.min_items = self.min_items.max(most.saturating_add(1)),
            Term::Items(item) if positive => {
                self.items.insert(Literal::is(*item));
            }
            Term::Items(item) => {
                self.some_item.insert(Literal::is_not(*item));
                self.min_items = self.min_items.max(1);
            }
            Term::Tuple { .. } if positive => self.tuples.push(literal.term),
            Term::Tuple { positions, rest } => self.choices.push(tuple::violations(positions, *rest)),
            Term::MinProperties(least) if positive => self.min_properties = self.min_properties.max(*least),
            Term::MinProperties(least) => at_most(&mut self.max_properties, least.saturating_sub(1)),
            Term::MaxProperties(most) if positive => at_most(&mut self.max_properties, *most),
            Term::MaxProperties(most) => self.min_properties = self.min_properties.max(most.saturating_add(1)),
            Term::Members { .. } if positive => self.members.push(literal.term),
            Term::Members { declared, patterns, rest } => {
                let one =
                    |(name, term): &(String, TermId)| vec![Fact::Present(name.as_str().into(), Literal::is_not(*term))];
                let mut choice: Choice = declared.iter().map(one).collect();
                let names = declared.iter().map(|(name, _)| name.clone()).collect();
                choice.push(match patterns.is_empty() {
                    true => vec![Fact::Undeclared(names, Literal::is_not(*rest))],
                    false => {
                        let no_pattern = patterns.iter().map(|(pattern, _)| Literal::is_not(*pattern)).collect();
                        vec![Fact::Matching(names, no_pattern, Literal::is_not(*rest))]
                    }
                });
                choice.extend(patterns.iter().map(|(pattern, value)| {
                    let of_name = Rc::from([Literal::is(*pattern)]);
                    vec![Fact::Matching(Rc::default(), of_name, Literal::is_not(*value))]
                }));
                self.choices.push(choice);
            }
            Term::Names(name) if positive => _ = self.names.insert(Literal::is(*name)),
            Term::Names(name) => self.others.push(Other::Named(Literal::is_not(*name))),
            _ => {}
        }
    }

    /// The literals of a property, if it is present; `None` if a pattern cannot be decided.
    pub(super) fn property(&self, terms: &Terms, name: &str, budget: &mut Budget) -> Option<BTreeSet<Literal>> {
        let mut literals = BTreeSet::new();
        for id in &self.members {
            literals.extend(applied(terms, terms.get(*id), name, budget)?.into_iter().map(Literal::is));
        }
        literals.extend(self.present.get(name).into_iter().flatten());
        Some(literals)
    }

    /// The conditions on names of the `patternProperties` that hold.
    pub(super) fn patterns(&self, terms: &Terms) -> BTreeSet<TermId> {
        let patterns = self.members.iter().filter_map(|id| match terms.get(*id) {
            Term::Members { patterns, .. } => Some(patterns),
            _ => None,
        });
        patterns.flatten().map(|(pattern, _)| *pattern).collect()
    }

    /// The literals of a property that no assertion mentions, and whose name conforms to the given literals: to each of
    /// [`patterns`](Self::patterns) or its negation.
    pub(super) fn undeclared(&self, terms: &Terms, of_name: &BTreeSet<Literal>) -> BTreeSet<Literal> {
        let mut literals = BTreeSet::new();
        for id in &self.members {
            let Term::Members { patterns, rest, .. } = terms.get(*id) else { continue };
            let matching = patterns.iter().filter(|(pattern, _)| of_name.contains(&Literal::is(*pattern)));
            let values: Vec<TermId> = matching.map(|(_, value)| *value).collect();
            let values = if values.is_empty() { vec![*rest] } else { values };
            literals.extend(values.into_iter().map(Literal::is));
        }
        literals
    }

    /// How many properties certainly exist.
    fn known_properties(&self) -> u64 {
        let others = self.present.keys().filter(|name| !self.required.contains(&***name)).count();
        (self.required.len() + others) as u64
    }

    pub(super) fn is_present(&self, name: &str) -> bool {
        self.required.contains(name) || self.present.contains_key(name)
    }

    /// Every name that an assertion mentions.
    pub(super) fn mentioned(&self, terms: &Terms) -> BTreeSet<String> {
        let declared = self.members.iter().filter_map(|id| match terms.get(*id) {
            Term::Members { declared, .. } => Some(declared),
            _ => None,
        });
        let mut names: BTreeSet<String> = declared.flatten().map(|(name, _)| name.clone()).collect();
        names.extend(self.required.iter().cloned());
        names.extend(self.present.keys().map(|name| name.to_string()));
        names
    }

    /// The number of facts, as a measure of the work that a copy of the state takes.
    pub(super) fn weight(&self) -> u64 {
        let facts = self.choices.iter().map(Vec::len).sum::<usize>() + self.present.len() + self.required.len();
        let items = self.item_at.len() + self.item_from.len() + self.tuples.len();
        (1 + facts + items + self.literals.len() + self.members.len()) as u64
    }

    /// The size of any value of this state, or less.
    pub(super) fn least_size(&self) -> Size {
        let (values, characters) = match self.value_type {
            ValueType::Array => (self.min_items.saturating_add(1), 0),
            ValueType::Object => (self.known_properties().max(self.min_properties).saturating_add(1), 0),
            ValueType::String => (1, self.min_length),
            _ => (1, 0),
        };
        Size { values, characters, ..Size::default() }
    }

    /// Whether the facts are true or false of every value of this state; `None` if that is not obvious.
    pub(super) fn truth(&self, terms: &Terms, facts: &[Fact], budget: &mut Budget) -> Option<bool> {
        let mut result = Some(true);
        for fact in facts {
            match self.truth_of(terms, fact, budget) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => result = None,
            }
        }
        result
    }

    fn truth_of(&self, terms: &Terms, fact: &Fact, budget: &mut Budget) -> Option<bool> {
        match fact {
            Fact::Literal(literal) => self.truth_of_literal(terms, *literal, MAX_DEPTH, budget),
            Fact::AnyOf(ids) => {
                any(ids.iter().map(|id| self.truth_of_literal(terms, Literal::is(*id), MAX_DEPTH, budget)))
            }
            Fact::Present(name, literal) => {
                if self.absent.contains(&**name) {
                    return Some(false);
                }
                let truth = truth_at(terms, &self.property(terms, name, budget)?, *literal, budget);
                if truth == Some(true) && !self.is_present(name) { None } else { truth }
            }
            Fact::ItemAt(index, literal) => self.truth_of_item_at(terms, *index, *literal, budget),
            Fact::ItemFrom(index, literal) => self.truth_of_item_from(terms, *index, *literal),
            Fact::Matching(_, _, literal) => (terms.types(*literal) == 0).then_some(false),
            Fact::Undeclared(names, literal) => {
                // No closed object has a property that another object does not declare, if it declares no other.
                let is_closed = self.members.iter().any(|id| match terms.get(*id) {
                    Term::Members { declared, patterns, rest } if patterns.is_empty() => {
                        let outside = declared.iter().filter(|(name, _)| !names.contains(name));
                        let mut outside = outside.filter(|(name, _)| !self.absent.contains(name));
                        terms.types(Literal::is(*rest)) == 0
                            && outside.all(|(name, _)| {
                                let known = self.property(terms, name, budget);
                                known.is_some_and(|known| truth_at(terms, &known, *literal, budget) == Some(false))
                            })
                    }
                    _ => false,
                });
                let is_impossible = is_closed || terms.types(*literal) == 0;
                is_impossible.then_some(false)
            }
        }
    }

    fn truth_of_literal(&self, terms: &Terms, literal: Literal, depth: u32, budget: &mut Budget) -> Option<bool> {
        if self.literals.contains(&literal) {
            return Some(true);
        }
        let bits = self.value_type.bits();
        if self.literals.contains(&literal.negated()) || terms.types(literal) & bits == 0 {
            return Some(false);
        }
        if terms.types(literal.negated()) & bits == 0 {
            return Some(true);
        }
        if depth == 0 || !budget.spend(1) {
            return None;
        }
        let mut of = |id: &TermId| self.truth_of_literal(terms, Literal::is(*id), depth - 1, budget);
        let truth = match terms.get(literal.term) {
            Term::All(parts) => any(parts.iter().map(|id| of(id).map(|truth| !truth))).map(|truth| !truth),
            Term::AnyOf(parts) => any(parts.iter().map(of)),
            Term::OneOf(parts) => exactly_one(parts.iter().map(of)),
            Term::Not(part) => of(part).map(|truth| !truth),
            members @ Term::Members { .. } => self.truth_of_members(terms, members, budget),
            other => self.truth_of_assertion(terms, other, budget),
        };
        truth.map(|truth| truth == literal.positive)
    }

    fn truth_of_members(&self, terms: &Terms, members: &Term, budget: &mut Budget) -> Option<bool> {
        let Term::Members { declared, patterns, rest } = members else { return None };
        let mut result = Some(true);
        let names = self.mentioned(terms);
        if !budget.spend(names.len() as u64) {
            return None;
        }
        for name in &names {
            if self.absent.contains(name) {
                continue;
            }
            let known = self.property(terms, name, budget)?;
            for term in applied(terms, members, name, budget)? {
                match truth_at(terms, &known, Literal::is(term), budget) {
                    Some(true) => {}
                    Some(false) if self.is_present(name) => return Some(false),
                    _ => result = None,
                }
            }
        }
        let is_closed = |id: &TermId| matches!(terms.get(*id), Term::Members { patterns, rest, .. } if patterns.is_empty() && terms.types(Literal::is(*rest)) == 0);
        let closed = self.members.iter().any(is_closed);
        let others = closed || patterns.is_empty() && terms.types(Literal::is_not(*rest)) == 0;
        let undeclared = closed
            || declared.iter().all(|(name, term)| names.contains(name) || terms.types(Literal::is_not(*term)) == 0);
        if others && undeclared { result } else { None }
    }

    fn truth_of_assertion(&self, terms: &Terms, term: &Term, budget: &mut Budget) -> Option<bool> {
        match term {
            Term::Types(_) if self.value_type == ValueType::Number => self.range.is_multiple_of(&ONE, budget),
            Term::MultipleOf(divisor) => self.range.is_multiple_of(divisor, budget),
            Term::Values(ids) => {
                let is_of_type = |id: &&u32| bit_of(terms.value(**id)) & self.value_type.bits() != 0;
                let count = ids.iter().filter(is_of_type).count();
                if let Some(finite) = &self.finite {
                    let known = finite.iter().filter(|id| ids.binary_search(id).is_ok()).count();
                    return if known == finite.len() { Some(true) } else { (known == 0).then_some(false) };
                }
                (count == 0).then_some(false)
            }
            Term::Minimum { limit, exclusive } if self.range.is_at_least(limit, *exclusive) => Some(true),
            Term::Minimum { limit, exclusive } if self.range.is_at_most(limit, !exclusive) => Some(false),
            Term::Maximum { limit, exclusive } if self.range.is_at_most(limit, *exclusive) => Some(true),
            Term::Maximum { limit, exclusive } if self.range.is_at_least(limit, !exclusive) => Some(false),
            Term::MinLength(least) => between(*least, self.min_length, self.max_length),
            Term::MaxLength(most) => {
                between(most.saturating_add(1), self.min_length, self.max_length).map(|more| !more)
            }
            Term::MinItems(least) => between(*least, self.min_items, self.max_items),
            Term::MaxItems(most) => between(most.saturating_add(1), self.min_items, self.max_items).map(|more| !more),
            Term::MinProperties(least) => {
                between(*least, self.min_properties.max(self.known_properties()), self.max_properties)
            }
            Term::MaxProperties(most) => {
                let known = self.min_properties.max(self.known_properties());
                between(most.saturating_add(1), known, self.max_properties).map(|more| !more)
            }
            Term::UniqueItems => self.unique.or((self.max_items.is_some_and(|max| max < 2)).then_some(true)),
            Term::Tuple { positions, rest } => self.truth_of_items(terms, positions, *rest, budget),
            Term::Items(item) if !self.tuples.is_empty() => self.truth_of_items(terms, &[], *item, budget),
            Term::Items(item) => {
                let is_empty = self.max_items == Some(0);
                (is_empty || self.items.contains(&Literal::is(*item))).then_some(true)
            }
            Term::Names(name) => self.names.contains(&Literal::is(*name)).then_some(true),
            Term::Required(name) if self.is_present(name) => Some(true),
            Term::Required(name) if self.absent.contains(name) => Some(false),
            _ => None,
        }
    }
}

/// Whether a value that conforms to some literals conforms to another one; `None` if that is not obvious.
pub(super) fn truth_at(
    terms: &Terms,
    literals: &BTreeSet<Literal>,
    literal: Literal,
    budget: &mut Budget,
) -> Option<bool> {
    if literals.contains(&literal) {
        return Some(true);
    }
    if !budget.spend(literals.len() as u64) {
        return None;
    }
    let types = literals.iter().fold(ALL_TYPES, |types, literal| types & terms.types(*literal));
    if literals.contains(&literal.negated()) || types & terms.types(literal) == 0 {
        return Some(false);
    }
    if types & terms.types(literal.negated()) == 0 {
        return Some(true);
    }
    let values = literals.iter().find_map(|literal| listed(terms, *literal))?;
    let mut seen = (false, false);
    for value in values {
        let value = terms.value(*value);
        let mut is_possible = true;
        for known in literals {
            is_possible = is_possible && conforms(terms, *known, value, budget)?;
        }
        if is_possible {
            let conforms = conforms(terms, literal, value, budget)?;
            seen = (seen.0 | conforms, seen.1 | !conforms);
        }
    }
    match seen {
        (true, true) => None,
        (is_true, _) => Some(is_true),
    }
}

/// The values to which a literal limits a value, if it lists them itself.
fn listed(terms: &Terms, literal: Literal) -> Option<&[u32]> {
    match terms.get(literal.term) {
        Term::Values(ids) if literal.positive => Some(ids),
        Term::All(parts) if literal.positive => parts.iter().find_map(|part| match terms.get(*part) {
            Term::Values(ids) => Some(ids.as_slice()),
            _ => None,
        }),
        _ => None,
    }
}

fn at_most(limit: &mut Option<u64>, most: u64) {
    *limit = Some(limit.map_or(most, |limit| limit.min(most)));
}

/// Whether every number from `min` to `max` is at least `least`.
fn between(least: u64, min: u64, max: Option<u64>) -> Option<bool> {
    if min >= least { Some(true) } else { max.filter(|max| *max < least).map(|_| false) }
}

fn any(truths: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(false);
    for truth in truths {
        match truth {
            Some(true) => return Some(true),
            Some(false) => {}
            None => result = None,
        }
    }
    result
}

fn exactly_one(truths: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let (mut count, mut is_open) = (0, false);
    for truth in truths {
        match truth {
            Some(true) => count += 1,
            Some(false) => {}
            None => is_open = true,
        }
    }
    match count {
        2.. => Some(false),
        _ if is_open => None,
        count => Some(count == 1),
    }
}

/// `oneOf`: one of the terms and no other; or no term, or at least two.
fn one_of(parts: &[TermId], positive: bool) -> Choice {
    let only = |index: usize| {
        let literals = parts.iter().enumerate().map(|(at, term)| Literal { term: *term, positive: at == index });
        literals.map(Fact::Literal).collect()
    };
    if positive {
        return (0..parts.len()).map(only).collect();
    }
    let first_of_two = parts.iter().enumerate().map(|(index, term)| {
        let later: Rc<[TermId]> = parts.iter().skip(index + 1).copied().collect();
        vec![Fact::Literal(Literal::is(*term)), Fact::AnyOf(later)]
    });
    let none = parts.iter().map(|term| Fact::Literal(Literal::is_not(*term))).collect();
    std::iter::once(none).chain(first_of_two).collect()
}
