//! The rules from which the violations of an invalid value are listed.
//!
//! Most payloads are valid, so rules are data, which a function that is written by hand reads: this keeps generated
//! files small. The rules state every keyword in the order in which violations are listed.

use std::collections::{HashSet, VecDeque};

use capgen_schema::analysis::selection::{Condition, Selection};
use capgen_schema::{Format, Json, Number, Pattern, TypeSet};

use super::FEW_VALUES;
use super::shared::Shared;
use super::test::ConstantId;
use super::value::{Limit, is_scalar, limits};
use crate::model::check::{Branch, CheckId, CheckKind, Rest, Rules, Union, Validator};

/// How deeply definitions are written into each other. Deeper ones are referred to by name.
const MAX_NESTING: usize = 24;

/// The rules of a validator.
#[derive(Debug)]
pub(crate) struct RuleSet<'m> {
    pub(crate) root: Rule<'m>,
    /// The definitions to which rules refer, by name.
    pub(crate) definitions: Vec<(&'m str, Rule<'m>)>,
    /// Whether `enum` or `const` list an array or object.
    pub(crate) lists_structures: bool,
}

/// The rule of a value.
#[derive(Debug)]
pub(crate) enum Rule<'m> {
    Anything,
    Nothing,
    /// That of the definition with this name.
    Definition(&'m str),
    /// Of a required property that `additionalProperties` forbids; the same as for an undeclared member with this name.
    Undeclared(&'m str),
    Keywords(Box<Keywords<'m>>),
}

/// Rules by the names of properties.
pub(crate) type Properties<'m> = Vec<(&'m str, Rule<'m>)>;

/// The keywords of a rule; at least one.
#[derive(Debug, Default)]
pub(crate) struct Keywords<'m> {
    /// `None` if every type is allowed.
    pub(crate) types: Option<TypeSet>,
    pub(crate) enum_values: Option<Listed<'m>>,
    pub(crate) const_value: Option<&'m Json>,
    pub(crate) limits: Vec<Limit<'m>>,
    pub(crate) multiple_of: Option<&'m Number>,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
    pub(crate) min_properties: Option<u64>,
    pub(crate) max_properties: Option<u64>,
    /// `dependentRequired`.
    pub(crate) dependent: &'m [(String, Vec<String>)],
    pub(crate) pattern: Option<(&'m Pattern, ConstantId)>,
    pub(crate) format: Option<Format>,
    pub(crate) unique_items: bool,
    /// Properties that must be present, those that are not declared last.
    pub(crate) required: Properties<'m>,
    pub(crate) optional: Properties<'m>,
    /// `patternProperties`.
    pub(crate) patterns: Vec<(&'m Pattern, ConstantId, Rule<'m>)>,
    /// Of names of members.
    pub(crate) names: Option<Box<Keywords<'m>>>,
    pub(crate) rest: RestRule<'m>,
    /// `items` as a list.
    pub(crate) positions: Vec<Rule<'m>>,
    /// `items`, or `additionalItems` next to a list.
    pub(crate) items: Option<Rule<'m>>,
    pub(crate) contains: Option<Rule<'m>>,
    pub(crate) all_of: Vec<Rule<'m>>,
    pub(crate) unions: Vec<UnionRule<'m>>,
    pub(crate) not: Option<Rule<'m>>,
    pub(crate) conditional: Option<ConditionalRule<'m>>,
}

/// `if`, `then` and `else`.
#[derive(Debug)]
pub(crate) struct ConditionalRule<'m> {
    pub(crate) condition: Rule<'m>,
    pub(crate) then: Option<Rule<'m>>,
    pub(crate) otherwise: Option<Rule<'m>>,
}

/// Values of `enum`, or of a tag.
#[derive(Debug)]
pub(crate) struct Listed<'m> {
    pub(crate) values: &'m [Json],
    /// The constant set of the same values, if there are many.
    pub(crate) set: Option<ConstantId>,
}

/// The rule of undeclared members.
#[derive(Debug, Default)]
pub(crate) enum RestRule<'m> {
    #[default]
    Open,
    Closed,
    Checked(Rule<'m>),
}

/// `anyOf` or `oneOf`.
#[derive(Debug)]
pub(crate) struct UnionRule<'m> {
    pub(crate) keyword: &'static str,
    /// A condition of all branches, if there is one.
    pub(crate) any: Option<ConditionRule<'m>>,
    /// The condition of each branch; empty if every value satisfies all of them.
    pub(crate) when: Vec<ConditionRule<'m>>,
    pub(crate) branches: Vec<Rule<'m>>,
}

/// A condition that shows which branches the violations of a failed union can be about.
#[derive(Debug)]
pub(crate) struct ConditionRule<'m> {
    pub(crate) types: TypeSet,
    pub(crate) tag: Option<TagRule<'m>>,
    /// Properties of which an object must have at least one.
    pub(crate) keys: &'m [String],
}

/// The values of a union's tag.
#[derive(Debug)]
pub(crate) struct TagRule<'m> {
    pub(crate) name: &'m str,
    pub(crate) is_required: bool,
    pub(crate) values: Listed<'m>,
}

/// Plans the rules of a validator.
pub(super) fn report<'m>(validator: &'m Validator<'m>, shared: &mut Shared<'m>) -> RuleSet<'m> {
    let (queue, named) = (VecDeque::new(), HashSet::new());
    let mut reports = Reports { validator, shared, queue, named, nesting: 0, lists_structures: false };
    let root = reports.rule(validator.root);
    let mut definitions = Vec::new();
    while let Some((name, id)) = reports.queue.pop_front() {
        definitions.push((name, reports.content(id)));
    }
    RuleSet { root, definitions, lists_structures: reports.lists_structures }
}

struct Reports<'m, 's> {
    validator: &'m Validator<'m>,
    shared: &'s mut Shared<'m>,
    /// Definitions that are referred to but not planned yet.
    queue: VecDeque<(&'m str, CheckId)>,
    named: HashSet<CheckId>,
    /// How deeply definitions are written into each other at this point.
    nesting: usize,
    lists_structures: bool,
}

impl<'m> Reports<'m, '_> {
    /// The name of a definition that is used more than once; otherwise the rule itself.
    fn rule(&mut self, id: CheckId) -> Rule<'m> {
        let check = self.validator.check(id);
        let Some(name) = check.definition else { return self.content(id) };
        if check.is_reused || self.nesting >= MAX_NESTING {
            return self.reference(name, id);
        }
        self.nesting += 1;
        let rule = self.content(id);
        self.nesting -= 1;
        rule
    }

    fn reference(&mut self, name: &'m str, id: CheckId) -> Rule<'m> {
        if self.named.insert(id) {
            self.queue.push_back((name, id));
        }
        Rule::Definition(name)
    }

    fn content(&mut self, id: CheckId) -> Rule<'m> {
        let validator = self.validator;
        match &validator.check(id).kind {
            CheckKind::Anything => Rule::Anything,
            CheckKind::Nothing => Rule::Nothing,
            CheckKind::Rules(rules) => Rule::Keywords(Box::new(self.keywords(rules))),
        }
    }

    fn keywords(&mut self, rules: &'m Rules<'m>) -> Keywords<'m> {
        let enum_values = rules.enum_values.map(|values| self.listed(values));
        if let Some(only) = rules.const_value {
            self.note(only);
        }
        let pattern = rules.pattern.map(|pattern| (pattern, self.shared.pattern(pattern)));
        let (required, optional) = self.members(rules);
        let names = rules.names.as_deref().map(|names| Box::new(self.keywords(names)));
        let pattern_rule =
            |(pattern, id): &(&'m Pattern, CheckId)| (*pattern, self.shared.pattern(pattern), self.rule(*id));
        let patterns = rules.patterns.iter().map(pattern_rule).collect();
        let rest = match rules.rest {
            Rest::Open => RestRule::Open,
            Rest::Closed => RestRule::Closed,
            Rest::Checked(id) => RestRule::Checked(self.rule(id)),
        };
        let positions = rules.positions.iter().map(|item| self.rule(*item)).collect();
        let items = rules.items.map(|items| self.rule(items));
        let all_of = rules.all_of.iter().map(|part| self.rule(part.check)).collect();
        let unions = [("anyOf", &rules.any_of), ("oneOf", &rules.one_of)];
        let unions = unions.into_iter().filter_map(|(name, union)| Some(self.union(name, union.as_ref()?))).collect();
        let not = rules.not.map(|not| self.rule(not));
        let contains = rules.contains.map(|contained| self.rule(contained));
        let conditional = rules.condition.map(|it| ConditionalRule {
            condition: self.rule(it.condition),
            then: it.then.map(|then| self.rule(then)),
            otherwise: it.otherwise.map(|otherwise| self.rule(otherwise)),
        });
        Keywords {
            types: rules.types.filter(|types| *types != TypeSet::ALL),
            enum_values,
            const_value: rules.const_value,
            limits: limits(rules).collect(),
            multiple_of: rules.multiple_of,
            min_length: rules.min_length,
            max_length: rules.max_length,
            min_items: rules.min_items,
            max_items: rules.max_items,
            min_properties: rules.min_properties,
            max_properties: rules.max_properties,
            dependent: rules.dependent,
            pattern,
            format: rules.format,
            unique_items: rules.unique_items,
            required,
            optional,
            patterns,
            names,
            rest,
            positions,
            items,
            contains,
            all_of,
            unions,
            not,
            conditional,
        }
    }

    /// The required and the optional properties.
    fn members(&mut self, rules: &Rules<'m>) -> (Properties<'m>, Properties<'m>) {
        let (required, optional): (Vec<_>, Vec<_>) = rules.properties.iter().partition(|property| property.is_required);
        let mut required: Vec<_> = required.into_iter().map(|p| (p.name, self.rule(p.check))).collect();
        // The rules of patterns apply to declared members, too.
        let is_matched = |name: &str| rules.patterns.iter().any(|(pattern, _)| pattern.is_match(name) == Ok(true));
        required.extend(rules.undeclared.iter().map(|name| match is_matched(name) {
            true => (*name, Rule::Anything),
            false => (*name, self.undeclared(rules.rest, name)),
        }));
        let optional = optional.into_iter().map(|p| (p.name, self.rule(p.check))).collect();
        (required, optional)
    }

    /// The rule of a required property that is not declared.
    fn undeclared(&mut self, rest: Rest, name: &'m str) -> Rule<'m> {
        match rest {
            Rest::Open => Rule::Anything,
            Rest::Closed => Rule::Undeclared(name),
            Rest::Checked(id) => self.rule(id),
        }
    }

    fn union(&mut self, keyword: &'static str, union: &'m Union<'m>) -> UnionRule<'m> {
        let Selection { any, branches: conditions, .. } = &union.selection;
        let any = (!is_trivial(any)).then(|| self.condition(any));
        let when = match conditions.iter().all(is_trivial) {
            true => Vec::new(),
            false => conditions.iter().map(|condition| self.condition(condition)).collect(),
        };
        UnionRule { keyword, any, when, branches: self.branches(union) }
    }

    fn condition(&mut self, condition: &'m Condition) -> ConditionRule<'m> {
        let tag = condition.tag.as_ref().map(|tag| TagRule {
            name: &tag.name,
            is_required: tag.is_required,
            values: self.listed(&tag.values),
        });
        ConditionRule { types: condition.types, tag, keys: &condition.keys }
    }

    /// Branches that are definitions are always referred to by name, which messages show.
    fn branches(&mut self, union: &Union<'m>) -> Vec<Rule<'m>> {
        let branch = |branch: &Branch| match self.validator.check(branch.check) {
            check if branch.is_reference && matches!(check.kind, CheckKind::Rules(_)) => {
                self.reference(check.definition.unwrap_or_default(), branch.check)
            }
            _ => self.content(branch.check),
        };
        union.branches.iter().map(branch).collect()
    }

    fn listed(&mut self, values: &'m [Json]) -> Listed<'m> {
        values.iter().for_each(|value| self.note(value));
        let style = self.shared.style();
        let is_plain =
            |value: &Json| is_scalar(value) && value.as_number().is_none_or(|number| style.has_number(number));
        let is_set = values.len() > FEW_VALUES && values.iter().all(is_plain);
        // The set that the verdict uses has the same values.
        let set = is_set.then(|| self.shared.set(values.iter().collect()));
        Listed { values, set }
    }

    fn note(&mut self, value: &Json) {
        self.lists_structures |= !is_scalar(value);
    }
}

/// Whether every value satisfies the condition.
fn is_trivial(condition: &Condition) -> bool {
    condition.types == TypeSet::ALL && condition.tag.is_none() && condition.keys.is_empty()
}
