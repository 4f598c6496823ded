//! Checks as data, from which `parse` lists violations.
//!
//! The format is documented at the helper that reads it, `helpers/parse.ts`.

use std::collections::{BTreeSet, HashSet, VecDeque};

use capgen_schema::{Json, Number, TypeSet};

use super::helper::Feature;
use super::internal::{Internals, value};
use super::scalar;
use crate::model::check::{Bound, Branch, CheckId, CheckKind, Rest, Rules, Union, Validator};
use crate::typescript::syntax::{Expression, Name};

/// Definitions are written into each other no deeper.
const MAX_NESTING: usize = 24;
/// How many code points of a value a message shows, and how many members of an `enum`; the interpreter's limits.
const QUOTED: usize = 64;
const LISTED: usize = 16;

/// The rules of a validator: the root, and the definitions that are referred to by name. Notes the features that occur.
pub(super) fn rules(
    validator: &Validator<'_>,
    internals: &mut Internals,
    features: &mut BTreeSet<Feature>,
) -> Expression {
    if validator.checks.iter().any(|check| check.is_shared) {
        features.insert(Feature::Shared);
    }
    let mut data = Data { validator, queue: VecDeque::new(), named: HashSet::new(), nesting: 0, internals, features };
    let mut parts = vec![data.rule(validator.root)];
    let mut definitions = Vec::new();
    while let Some((name, id)) = data.queue.pop_front() {
        definitions.push((name, data.content(id)));
    }
    if !definitions.is_empty() {
        parts.push(Expression::Object(definitions));
    }
    Expression::Array(parts)
}

struct Data<'m, 'i> {
    validator: &'m Validator<'m>,
    /// Definitions that are referred to and not yet written.
    queue: VecDeque<(String, CheckId)>,
    named: HashSet<CheckId>,
    /// How many definitions are written into each other here.
    nesting: usize,
    internals: &'i mut Internals,
    features: &'i mut BTreeSet<Feature>,
}

/// The members of a rule, and the texts that replace what JavaScript would print.
#[derive(Default)]
struct Keywords {
    members: Vec<(String, Expression)>,
    texts: Vec<(String, Expression)>,
}

impl Keywords {
    fn push(&mut self, name: &str, value: Expression) {
        self.members.push((name.to_owned(), value));
    }

    fn text(&mut self, name: &str, text: &str) {
        self.texts.push((name.to_owned(), Expression::string(text)));
    }
}

impl<'m> Data<'m, '_> {
    /// A definition by its name if it is used more than once, and any other check by its content.
    fn rule(&mut self, id: CheckId) -> Expression {
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

    fn reference(&mut self, name: &str, id: CheckId) -> Expression {
        if self.named.insert(id) {
            self.queue.push_back((name.to_owned(), id));
        }
        Expression::Object(vec![("ref".to_owned(), Expression::string(name))])
    }

    fn content(&mut self, id: CheckId) -> Expression {
        let validator = self.validator;
        match &validator.check(id).kind {
            CheckKind::Anything => Expression::TRUE,
            CheckKind::Nothing => {
                self.features.insert(Feature::Nothing);
                Expression::FALSE
            }
            CheckKind::Rules(rules) => {
                let Keywords { mut members, texts } = self.keywords(rules);
                if !texts.is_empty() {
                    members.push(("text".to_owned(), Expression::Object(texts)));
                }
                match (members.as_slice(), rules.types.and_then(only_name)) {
                    ([], _) => Expression::TRUE,
                    ([(name, _)], Some(only)) if name == "type" => Expression::string(only),
                    _ => Expression::Object(members),
                }
            }
        }
    }

    fn keywords(&mut self, rules: &Rules<'m>) -> Keywords {
        let mut keywords = Keywords::default();
        if let Some(types) = rules.types.filter(|types| *types != TypeSet::ALL) {
            let names = types.iter().map(|ty| Expression::string(ty.name())).collect();
            keywords.push("type", Expression::Array(names));
        }
        self.values(rules, &mut keywords);
        self.limits(rules, &mut keywords);
        if let Some(pattern) = rules.pattern {
            self.features.insert(Feature::Pattern);
            keywords.push("pattern", self.internals.pattern(pattern));
            // JavaScript shows the pattern as it is written between slashes.
            if pattern.escaped_for_js_literal() != pattern.source() {
                keywords.text("pattern", &quote(pattern.source()));
            }
        }
        if let Some(format) = rules.format {
            self.features.insert(Feature::Format);
            let accepts = Expression::Name(Name::Helper(scalar::helper_of(format)));
            keywords.push("format", Expression::Array(vec![Expression::string(format.name()), accepts]));
        }
        if rules.unique_items {
            self.features.insert(Feature::UniqueItems);
            keywords.push("uniqueItems", Expression::TRUE);
        }
        self.members(rules, &mut keywords);
        if let Some(items) = rules.items {
            let rule = self.rule(items);
            keywords.push("items", rule);
        }
        self.applied(rules, &mut keywords);
        keywords
    }

    fn values(&mut self, rules: &Rules<'m>, keywords: &mut Keywords) {
        if let Some(values) = rules.enum_values {
            self.features.insert(Feature::Enum);
            keywords.push("enum", self.listed(values));
            if !values.iter().take(LISTED).all(is_printed_alike) {
                let shown: Vec<String> = values.iter().take(LISTED).map(literal).collect();
                let more = if values.len() > LISTED { ",..." } else { "" };
                keywords.text("enum", &format!("[{}{more}]", shown.join(",")));
            }
        }
        if let Some(only) = rules.const_value {
            self.features.insert(Feature::Const);
            self.note(only);
            keywords.push("const", value(&sorted(only)));
        }
        // The only allowed value also tells branches of a union apart, whichever keyword lists it.
        let only = rules.const_value.or(match rules.enum_values {
            Some([only]) => Some(only),
            _ => None,
        });
        if let Some(only) = only.filter(|only| !is_printed_alike(only)) {
            keywords.text("const", &literal(only));
        }
    }

    fn limits(&mut self, rules: &Rules<'m>, keywords: &mut Keywords) {
        for limit in scalar::limits(rules) {
            let (name, feature) = match limit.bound {
                Bound::Minimum => ("minimum", Feature::Minimum),
                Bound::Maximum => ("maximum", Feature::Maximum),
                Bound::ExclusiveMinimum => ("exclusiveMinimum", Feature::ExclusiveMinimum),
                Bound::ExclusiveMaximum => ("exclusiveMaximum", Feature::ExclusiveMaximum),
            };
            self.features.insert(feature);
            keywords.push(name, Expression::number(limit.nearest));
            if !is_number_printed_alike(limit.exact) || limit.exact.as_f64() != limit.nearest {
                keywords.text(name, &cut(&limit.exact.to_string()));
            }
        }
        for (name, feature, limit) in [
            ("minLength", Feature::MinLength, rules.min_length),
            ("maxLength", Feature::MaxLength, rules.max_length),
            ("minItems", Feature::MinItems, rules.min_items),
            ("maxItems", Feature::MaxItems, rules.max_items),
        ] {
            let Some(limit) = limit else { continue };
            self.features.insert(feature);
            keywords.push(name, Expression::count(limit));
            if !is_number_printed_alike(&Number::from(limit)) {
                keywords.text(name, &limit.to_string());
            }
        }
    }

    /// `properties` are required, `optional` ones are not.
    fn members(&mut self, rules: &Rules<'m>, keywords: &mut Keywords) {
        for (keyword, is_required) in [("properties", true), ("optional", false)] {
            let chosen = rules.properties.iter().filter(|property| property.is_required == is_required);
            let chosen: Vec<_> = chosen.map(|p| (p.name.to_owned(), self.rule(p.check))).collect();
            if !chosen.is_empty() {
                keywords.push(keyword, Expression::Object(chosen));
            }
        }
        if !rules.undeclared.is_empty() {
            let names = rules.undeclared.iter().map(|name| Expression::string(name)).collect();
            keywords.push("undeclared", Expression::Array(names));
        }
        match rules.rest {
            Rest::Open => {}
            Rest::Closed => keywords.push("rest", Expression::FALSE),
            Rest::Checked(id) => {
                let rule = self.rule(id);
                keywords.push("rest", rule);
            }
        }
    }

    fn applied(&mut self, rules: &Rules<'m>, keywords: &mut Keywords) {
        if !rules.all_of.is_empty() {
            let parts = rules.all_of.iter().map(|part| self.rule(part.check)).collect();
            keywords.push("allOf", Expression::Array(parts));
        }
        for (name, feature, union) in
            [("anyOf", Feature::AnyOf, &rules.any_of), ("oneOf", Feature::OneOf, &rules.one_of)]
        {
            let Some(union) = union else { continue };
            self.features.insert(feature);
            let branches = self.branches(union);
            keywords.push(name, branches);
        }
        if let Some(not) = rules.not {
            self.features.insert(Feature::Not);
            let rule = self.rule(not);
            keywords.push("not", rule);
        }
    }

    /// Messages name the branches that are definitions, so these are never written in place.
    fn branches(&mut self, union: &Union<'m>) -> Expression {
        let branch = |branch: &Branch| match self.validator.check(branch.check) {
            check if branch.is_reference && matches!(check.kind, CheckKind::Rules(_)) => {
                self.reference(check.definition.unwrap_or_default(), branch.check)
            }
            _ => self.content(branch.check),
        };
        Expression::Array(union.branches.iter().map(branch).collect())
    }

    fn listed(&mut self, values: &[Json]) -> Expression {
        values.iter().for_each(|value| self.note(value));
        let is_plain =
            |value: &Json| scalar::is_scalar(value) && value.as_number().is_none_or(Number::is_representable);
        if values.len() > scalar::FEW && values.iter().all(is_plain) {
            // The set that the verdict uses has the same values.
            let set = self.internals.set(&values.iter().collect::<Vec<_>>());
            return Expression::Array(vec![Expression::Spread(Box::new(set))]);
        }
        Expression::Array(values.iter().map(|json| value(&sorted(json))).collect())
    }

    fn note(&mut self, value: &Json) {
        if !scalar::is_scalar(value) {
            self.features.insert(Feature::Structured);
        }
    }
}

/// The name of a set of one type.
fn only_name(types: TypeSet) -> Option<&'static str> {
    let mut names = types.iter().map(|ty| ty.name());
    names.next().filter(|_| names.next().is_none())
}

/// The same value with members in canonical order, in which messages show them.
fn sorted(json: &Json) -> Json {
    match json {
        Json::Array(items) => Json::Array(items.iter().map(sorted).collect()),
        Json::Object(members) => {
            let mut members: Vec<(String, Json)> =
                members.iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
            members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            Json::Object(members.into_iter().collect())
        }
        scalar => scalar.clone(),
    }
}

/// Whether JavaScript's `JSON.stringify` gives the canonical text of a [sorted] value.
fn is_printed_alike(json: &Json) -> bool {
    match json {
        Json::Null | Json::Bool(_) | Json::String(_) => true,
        Json::Number(number) => is_number_printed_alike(number),
        Json::Array(items) => items.iter().all(is_printed_alike),
        Json::Object(members) => members.iter().all(|(name, value)| {
            // Names that are array indexes come first, whatever the order in the literal.
            !name.starts_with(|c: char| c.is_ascii_digit()) && is_printed_alike(value)
        }),
    }
}

fn is_number_printed_alike(number: &Number) -> bool {
    let float = number.as_f64();
    let size = float.abs();
    // From 1e21 on JavaScript writes an exponent, where the canonical form keeps the digits of an integer.
    size < 1e21
        && number.is_representable()
        && Number::from_f64(float).is_some_and(|n| n.to_string() == number.to_string())
}

/// A value in a message, as the interpreter shows it.
fn literal(json: &Json) -> String {
    json.as_str().map_or_else(|| cut(&json.canonical()), quote)
}

fn quote(text: &str) -> String {
    let mut chars = text.chars();
    let shown = Json::String(chars.by_ref().take(QUOTED).collect()).canonical();
    if chars.next().is_none() { shown } else { shown + "..." }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
