//! Rules as data, from which `parse` lists violations.
//!
//! The format is documented at the helper that reads it, `helpers/parse.ts`.

use std::collections::BTreeSet;

use capgen_schema::message_text::{self, MAX_LISTED, MAX_QUOTED};
use capgen_schema::{Json, Number, TypeSet};

use super::Helper;
use super::internal::{array, value};
use super::test::{Tests, divisor, helper_of};
use crate::model::check::Bound;
use crate::plan::report::{
    ConditionRule, ConditionalRule, Keywords, Listed, RestRule, Rule, RuleSet, TagRule, UnionRule,
};
use crate::typescript::syntax::Expression;

/// The rules of a validator: an array of the root, the definitions that are referred to by name, and, if a rule lists
/// arrays or objects, the helper that compares them, and if a rule has unions, the helper that explains them. The names
/// of all keywords in them are added to `keywords`.
pub(super) fn data(report: &RuleSet<'_>, tests: &Tests<'_, '_>, keywords: &mut BTreeSet<&'static str>) -> Expression {
    let mut data = Data { tests, keywords, has_unions: false };
    let root = data.rule(&report.root);
    let definitions: Vec<_> =
        report.definitions.iter().map(|(name, rule)| ((*name).to_owned(), data.rule(rule))).collect();
    let mut parts = vec![root];
    if !definitions.is_empty() || report.lists_structures || data.has_unions {
        parts.push(Expression::Object(definitions));
    }
    if report.lists_structures || data.has_unions {
        parts.push(if report.lists_structures { Helper::Among.value() } else { Expression::Undefined });
    }
    if data.has_unions {
        parts.push(Helper::ExplainUnion.value());
    }
    Expression::Array(parts)
}

struct Data<'t> {
    tests: &'t Tests<'t, 't>,
    keywords: &'t mut BTreeSet<&'static str>,
    /// Whether a rule has unions.
    has_unions: bool,
}

/// The members of a rule, and the texts for values that JavaScript would print differently.
#[derive(Default)]
struct Members {
    members: Vec<(&'static str, Expression)>,
    texts: Vec<(String, Expression)>,
}

impl Members {
    fn push(&mut self, name: &'static str, value: Expression) {
        self.members.push((name, value));
    }

    fn text(&mut self, name: &str, text: &str) {
        self.texts.push((name.to_owned(), Expression::string(text)));
    }

    fn constant(&mut self, only: &Json) {
        self.push("const", value(&sorted(only)));
        if !is_printed_alike(only) {
            self.text("const", &literal(only));
        }
    }

    /// The limits on numbers and sizes.
    fn limits(&mut self, keywords: &Keywords<'_>) {
        for limit in &keywords.limits {
            let name = match limit.bound {
                Bound::Minimum => "minimum",
                Bound::Maximum => "maximum",
                Bound::ExclusiveMinimum => "exclusiveMinimum",
                Bound::ExclusiveMaximum => "exclusiveMaximum",
            };
            let is_exact = limit.exact.as_f64() == limit.nearest;
            self.push(name, shown(Expression::number(limit.nearest), limit.exact, is_exact));
        }
        if let Some(number) = keywords.multiple_of {
            self.push("multipleOf", Expression::Array(vec![divisor(number), Helper::Multiple.value()]));
            if !is_number_printed_alike(number) {
                self.text("multipleOf", &self::number(number));
            }
        }
        for (name, limit) in [
            ("minLength", keywords.min_length),
            ("maxLength", keywords.max_length),
            ("minItems", keywords.min_items),
            ("maxItems", keywords.max_items),
            ("minProperties", keywords.min_properties),
            ("maxProperties", keywords.max_properties),
        ] {
            let Some(limit) = limit else { continue };
            self.push(name, shown(Expression::count(limit), &Number::from(limit), true));
        }
    }
}

impl Data<'_> {
    fn rule(&mut self, planned: &Rule<'_>) -> Expression {
        match planned {
            Rule::Anything => Expression::Object(Vec::new()),
            Rule::Nothing => object(vec![("false", Expression::count(1))]),
            Rule::Definition(name) => object(vec![("ref", Expression::string(name))]),
            // `parse` makes the same rule for an undeclared member.
            Rule::Undeclared(name) => object(vec![("additionalProperties", Expression::string(name))]),
            Rule::Keywords(keywords) => self.keywords(keywords),
        }
    }

    fn keywords(&mut self, keywords: &Keywords<'_>) -> Expression {
        let members = self.members(keywords);
        self.printed(members, keywords.types.unwrap_or(TypeSet::ALL))
    }

    /// The rule with these members.
    fn printed(&mut self, members: Members, types: TypeSet) -> Expression {
        let Members { mut members, texts } = members;
        self.keywords.extend(members.iter().map(|(name, _)| *name));
        if !texts.is_empty() {
            members.push(("text", Expression::Object(texts)));
        }
        rule(members, types)
    }

    fn members(&mut self, keywords: &Keywords<'_>) -> Members {
        let mut members = Members::default();
        if let Some(types) = keywords.types {
            members.push("type", self::types(types));
        }
        if let Some(listed) = &keywords.enum_values {
            self.enumeration(listed, &mut members);
        }
        if let Some(only) = keywords.const_value {
            members.constant(only);
        }
        members.limits(keywords);
        if let Some((pattern, constant)) = keywords.pattern {
            members.push("pattern", self.tests.constant(constant));
            // JavaScript shows the pattern as it is written between slashes.
            if pattern.escaped_for_js_literal() != pattern.source() {
                members.text("pattern", &message_text::quote(pattern.source(), MAX_QUOTED));
            }
        }
        if let Some(format) = keywords.format {
            let accepts = helper_of(format).value();
            members.push("format", Expression::Array(vec![Expression::string(format.name()), accepts]));
        }
        if keywords.unique_items {
            members.push("uniqueItems", Helper::Repeated.value());
        }
        self.properties(keywords, &mut members);
        if !keywords.positions.is_empty() {
            self.keywords.insert("positions");
            let positions = array(keywords.positions.iter().map(|rule| self.rule(rule)).collect());
            let further = keywords.items.as_ref().map(|rule| ("further", self.rule(rule)));
            members.push("items", object([("positions", positions)].into_iter().chain(further).collect()));
        } else if let Some(items) = &keywords.items {
            members.push("items", self.rule(items));
        }
        if let Some(contained) = &keywords.contains {
            members.push("contains", self.rule(contained));
        }
        self.applied(keywords, &mut members);
        members
    }

    fn enumeration(&self, listed: &Listed<'_>, members: &mut Members) {
        members.push("enum", self.listed(listed));
        if listed.values.len() > MAX_LISTED || !listed.values.iter().all(is_printed_alike) {
            members.text("enum", &list(listed.values));
        }
    }

    fn listed(&self, listed: &Listed<'_>) -> Expression {
        match listed.set {
            Some(set) => Expression::Array(vec![Expression::Spread(Box::new(self.tests.constant(set)))]),
            None => array(listed.values.iter().map(|json| value(&sorted(json))).collect()),
        }
    }

    /// `properties` are required, `optional` ones are not.
    fn properties(&mut self, keywords: &Keywords<'_>, members: &mut Members) {
        for (keyword, properties) in [("properties", &keywords.required), ("optional", &keywords.optional)] {
            if !properties.is_empty() {
                let rules = properties.iter().map(|(name, rule)| ((*name).to_owned(), self.rule(rule))).collect();
                members.push(keyword, Expression::Object(rules));
            }
        }
        if !keywords.dependent.is_empty() {
            let names = |names: &[String]| array(names.iter().map(|name| Expression::string(name)).collect());
            let lists = keywords.dependent.iter().map(|(name, required)| (name.clone(), names(required)));
            members.push("dependent", Expression::Object(lists.collect()));
        }
        if let Some(names) = &keywords.names {
            let of_name = self.members(names);
            members.push("names", self.printed(of_name, TypeSet::ALL));
        }
        if !keywords.patterns.is_empty() {
            let patterns = keywords.patterns.iter();
            let pairs =
                patterns.map(|(_, id, rule)| Expression::Array(vec![self.tests.constant(*id), self.rule(rule)]));
            members.push("patterns", Expression::Array(pairs.collect()));
        }
        match &keywords.rest {
            RestRule::Open => {}
            RestRule::Closed => members.push("rest", Expression::FALSE),
            RestRule::Checked(rule) => members.push("rest", self.rule(rule)),
        }
    }

    fn applied(&mut self, keywords: &Keywords<'_>, members: &mut Members) {
        if !keywords.all_of.is_empty() {
            members.push("allOf", array(keywords.all_of.iter().map(|part| self.rule(part)).collect()));
        }
        if !keywords.unions.is_empty() {
            self.has_unions = true;
            let unions = keywords.unions.iter().map(|union| self.union(union)).collect();
            members.push("unions", Expression::Array(unions));
        }
        if let Some(not) = &keywords.not {
            members.push("not", self.rule(not));
        }
        if let Some(ConditionalRule { condition, then, otherwise }) = &keywords.conditional {
            members.push("if", self.rule(condition));
            for (keyword, rule) in [("then", then), ("else", otherwise)] {
                if let Some(rule) = rule {
                    members.push(keyword, self.rule(rule));
                }
            }
        }
    }

    fn union(&mut self, union: &UnionRule<'_>) -> Expression {
        let mut members = vec![("keyword", Expression::string(union.keyword))];
        if let Some(any) = &union.any {
            let text = any.tag.as_ref().map(|tag| ("required", format!(", one of {}", list(tag.values.values))));
            members.push(("any", self.condition(any, text)));
        }
        if !union.when.is_empty() {
            let conditions = union.when.iter().map(|condition| self.condition(condition, None)).collect();
            members.push(("when", array(conditions)));
        }
        members.push(("branches", array(union.branches.iter().map(|branch| self.rule(branch)).collect())));
        object(members)
    }

    /// A condition as a rule, with a text about the tag.
    fn condition(&mut self, condition: &ConditionRule<'_>, text: Option<(&'static str, String)>) -> Expression {
        let mut members = Vec::new();
        if condition.types != TypeSet::ALL {
            members.push(("type", types(condition.types)));
        }
        let (mut required, mut optional) = (Vec::new(), Vec::new());
        if let Some(tag) = &condition.tag {
            let properties = if tag.is_required { &mut required } else { &mut optional };
            properties.push((tag.name.to_owned(), self.tag(tag, text)));
        }
        let present = |key: &String| (key.clone(), Expression::Object(Vec::new()));
        if let [key] = condition.keys {
            required.push(present(key));
        }
        for (name, properties) in [("properties", required), ("optional", optional)] {
            if !properties.is_empty() {
                members.push((name, Expression::Object(properties)));
            }
        }
        if condition.keys.len() > 1 {
            let with = |key| object(vec![("properties", Expression::Object(vec![present(key)]))]);
            let branches = Expression::Array(condition.keys.iter().map(with).collect());
            let union = object(vec![("keyword", Expression::string("anyOf")), ("branches", branches)]);
            members.push(("unions", Expression::Array(vec![union])));
        }
        rule(members, condition.types)
    }

    /// The rule of the values of a tag.
    fn tag(&mut self, tag: &TagRule<'_>, text: Option<(&'static str, String)>) -> Expression {
        let mut members = Members::default();
        match tag.values.values {
            [only] if text.is_none() => members.constant(only),
            _ => self.enumeration(&tag.values, &mut members),
        }
        if let Some((keyword, text)) = text {
            members.text(keyword, &text);
        }
        self.printed(members, TypeSet::ALL)
    }
}

/// A rule with these members: only the name of the type if there is nothing else.
fn rule(members: Vec<(&str, Expression)>, types: TypeSet) -> Expression {
    match (members.as_slice(), only_name(types)) {
        ([("type", _)], Some(only)) => Expression::string(only),
        _ => object(members),
    }
}

fn object(members: Vec<(&str, Expression)>) -> Expression {
    Expression::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// The name of the only type, or a list of names.
fn types(types: TypeSet) -> Expression {
    let names = || types.iter().map(|ty| Expression::string(ty.name()));
    only_name(types).map_or_else(|| Expression::Array(names().collect()), Expression::string)
}

/// The name of the type if there is only one.
fn only_name(types: TypeSet) -> Option<&'static str> {
    let mut names = types.iter().map(|ty| ty.name());
    names.next().filter(|_| names.next().is_none())
}

/// The value with its members in canonical order, which messages use.
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

/// A limit. If JavaScript would print it differently, an object that compares as the number and prints as in the
/// schema.
fn shown(nearest: Expression, exact: &Number, is_exact: bool) -> Expression {
    if is_exact && is_number_printed_alike(exact) {
        return nearest;
    }
    let method = |name: &str, value| (name.to_owned(), Expression::Arrow(Vec::new(), Box::new(value)));
    let text = Expression::string(&number(exact));
    Expression::Object(vec![method("valueOf", nearest), method("toString", text)])
}

/// Values as messages show them.
fn list(values: &[Json]) -> String {
    message_text::list(values.iter().map(literal))
}

/// A value as messages show it.
fn literal(json: &Json) -> String {
    message_text::literal(json, MAX_QUOTED)
}

/// A number as messages show it.
fn number(number: &Number) -> String {
    message_text::cut(number.to_string(), MAX_QUOTED)
}
