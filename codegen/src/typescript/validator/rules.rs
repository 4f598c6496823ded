//! Checks as data, from which `parse` lists violations.
//!
//! The format is documented at the helper that reads it, `helpers/parse.ts`.

use std::collections::{HashSet, VecDeque};

use capgen_schema::analysis::selection::{Condition, Selection};
use capgen_schema::{Json, Number, TypeSet};

use super::Helper;
use super::internal::{Internals, array, value};
use super::scalar;
use crate::model::check::{Bound, Branch, CheckId, CheckKind, Rest, Rules, Union, Validator};
use crate::typescript::syntax::Expression;

/// How deeply definitions are written into each other. Deeper ones are referred to by name.
const MAX_NESTING: usize = 24;
/// How many code points of a value, and how many members of an `enum`, a message shows. The interpreter has the same limits.
const QUOTED: usize = 64;
const LISTED: usize = 16;

/// The rules of a validator: an array of the root, the definitions that are referred to by name, and, if a rule lists
/// arrays or objects, the helper that compares them.
pub(super) fn rules<'m>(validator: &'m Validator<'m>, internals: &mut Internals<'m>) -> Expression {
    let (queue, named) = (VecDeque::new(), HashSet::new());
    let mut data = Data { validator, queue, named, nesting: 0, internals, is_structured: false };
    let root = data.rule(validator.root);
    let mut definitions = Vec::new();
    while let Some((name, id)) = data.queue.pop_front() {
        definitions.push((name, data.content(id)));
    }
    let mut parts = vec![root];
    if !definitions.is_empty() || data.is_structured {
        parts.push(Expression::Object(definitions));
    }
    if data.is_structured {
        parts.push(Helper::Among.value());
    }
    Expression::Array(parts)
}

struct Data<'m, 'i> {
    validator: &'m Validator<'m>,
    /// Definitions that are referred to but not written yet.
    queue: VecDeque<(String, CheckId)>,
    named: HashSet<CheckId>,
    /// How deeply definitions are written into each other at this point.
    nesting: usize,
    internals: &'i mut Internals<'m>,
    /// Whether an array or object is listed in `enum` or `const`.
    is_structured: bool,
}

/// The members of a rule, and the texts for values that JavaScript would print differently.
#[derive(Default)]
struct Keywords {
    members: Vec<(&'static str, Expression)>,
    texts: Vec<(String, Expression)>,
}

impl Keywords {
    fn push(&mut self, name: &'static str, value: Expression) {
        self.members.push((name, value));
    }

    fn text(&mut self, name: &str, text: &str) {
        self.texts.push((name.to_owned(), Expression::string(text)));
    }
}

impl<'m> Data<'m, '_> {
    /// The name of a definition that is used more than once; otherwise the rule itself.
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
            CheckKind::Anything => Expression::Object(Vec::new()),
            CheckKind::Nothing => Expression::Object(vec![("false".to_owned(), Expression::count(1))]),
            CheckKind::Rules(rules) => {
                let keywords = self.keywords(rules);
                self.printed(keywords, rules.types.unwrap_or(TypeSet::ALL))
            }
        }
    }

    /// The rule with these keywords.
    fn printed(&mut self, keywords: Keywords, types: TypeSet) -> Expression {
        let Keywords { mut members, texts } = keywords;
        self.internals.keywords.extend(members.iter().map(|(name, _)| *name));
        if !texts.is_empty() {
            members.push(("text", Expression::Object(texts)));
        }
        rule(members, types)
    }

    fn keywords(&mut self, rules: &Rules<'m>) -> Keywords {
        let mut keywords = Keywords::default();
        if let Some(types) = rules.types.filter(|types| *types != TypeSet::ALL) {
            keywords.push("type", self::types(types));
        }
        self.values(rules, &mut keywords);
        self.limits(rules, &mut keywords);
        if let Some(pattern) = rules.pattern {
            keywords.push("pattern", self.internals.pattern(pattern));
            // JavaScript shows the pattern as it is written between slashes.
            if pattern.escaped_for_js_literal() != pattern.source() {
                keywords.text("pattern", &quote(pattern.source()));
            }
        }
        if let Some(format) = rules.format {
            let accepts = scalar::helper_of(format).value();
            keywords.push("format", Expression::Array(vec![Expression::string(format.name()), accepts]));
        }
        if rules.unique_items {
            keywords.push("uniqueItems", Helper::Repeated.value());
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
            self.enumeration(values, keywords);
        }
        if let Some(only) = rules.const_value {
            self.constant(only, keywords);
        }
    }

    fn enumeration(&mut self, values: &[Json], keywords: &mut Keywords) {
        keywords.push("enum", self.listed(values));
        if values.len() > LISTED || !values.iter().all(is_printed_alike) {
            keywords.text("enum", &list(values));
        }
    }

    fn constant(&mut self, only: &Json, keywords: &mut Keywords) {
        self.note(only);
        keywords.push("const", value(&sorted(only)));
        if !is_printed_alike(only) {
            keywords.text("const", &literal(only));
        }
    }

    fn limits(&mut self, rules: &Rules<'m>, keywords: &mut Keywords) {
        for limit in scalar::limits(rules) {
            let name = match limit.bound {
                Bound::Minimum => "minimum",
                Bound::Maximum => "maximum",
                Bound::ExclusiveMinimum => "exclusiveMinimum",
                Bound::ExclusiveMaximum => "exclusiveMaximum",
            };
            let is_exact = limit.exact.as_f64() == limit.nearest;
            keywords.push(name, shown(Expression::number(limit.nearest), limit.exact, is_exact));
        }
        if let Some(divisor) = rules.multiple_of {
            keywords.push("multipleOf", Expression::Array(vec![scalar::divisor(divisor), Helper::Multiple.value()]));
            if !is_number_printed_alike(divisor) {
                keywords.text("multipleOf", &cut(&divisor.to_string()));
            }
        }
        for (name, limit) in [
            ("minLength", rules.min_length),
            ("maxLength", rules.max_length),
            ("minItems", rules.min_items),
            ("maxItems", rules.max_items),
        ] {
            let Some(limit) = limit else { continue };
            keywords.push(name, shown(Expression::count(limit), &Number::from(limit), true));
        }
    }

    /// `properties` are required, `optional` ones are not.
    fn members(&mut self, rules: &Rules<'m>, keywords: &mut Keywords) {
        for (keyword, is_required) in [("properties", true), ("optional", false)] {
            let chosen = rules.properties.iter().filter(|property| property.is_required == is_required);
            let mut chosen: Vec<_> = chosen.map(|p| (p.name.to_owned(), self.rule(p.check))).collect();
            if is_required {
                chosen.extend(
                    rules.undeclared.iter().map(|name| ((*name).to_owned(), self.undeclared(rules.rest, name))),
                );
            }
            if !chosen.is_empty() {
                keywords.push(keyword, Expression::Object(chosen));
            }
        }
        if let Some(names) = &rules.names {
            let of_name = self.keywords(names);
            let of_name = self.printed(of_name, TypeSet::ALL);
            keywords.push("names", of_name);
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

    /// The rule of a required property that is not declared.
    fn undeclared(&mut self, rest: Rest, name: &str) -> Expression {
        match rest {
            Rest::Open => Expression::Object(Vec::new()),
            // `parse` makes the same rule for an undeclared member.
            Rest::Closed => Expression::Object(vec![("additionalProperties".to_owned(), Expression::string(name))]),
            Rest::Checked(id) => self.rule(id),
        }
    }

    fn applied(&mut self, rules: &Rules<'m>, keywords: &mut Keywords) {
        if !rules.all_of.is_empty() {
            let parts = rules.all_of.iter().map(|part| self.rule(part.check)).collect();
            keywords.push("allOf", array(parts));
        }
        let unions = [("anyOf", &rules.any_of), ("oneOf", &rules.one_of)];
        let unions: Vec<Expression> =
            unions.into_iter().filter_map(|(name, union)| Some(self.union(name, union.as_ref()?))).collect();
        if !unions.is_empty() {
            keywords.push("unions", Expression::Array(unions));
        }
        if let Some(not) = rules.not {
            let rule = self.rule(not);
            keywords.push("not", rule);
        }
    }

    fn union(&mut self, keyword: &str, union: &Union<'m>) -> Expression {
        let mut members = vec![("keyword", Expression::string(keyword))];
        let Selection { any, branches: conditions, .. } = &union.selection;
        if !is_trivial(any) {
            let text = any.tag.as_ref().map(|tag| ("required", format!(", one of {}", list(&tag.values))));
            members.push(("any", self.condition(any, text)));
        }
        if !conditions.iter().all(is_trivial) {
            let conditions = conditions.iter().map(|condition| self.condition(condition, None)).collect();
            members.push(("when", array(conditions)));
        }
        members.push(("branches", self.branches(union)));
        object(members)
    }

    /// A condition as a rule, with a text about the tag.
    fn condition(&mut self, condition: &Condition, text: Option<(&'static str, String)>) -> Expression {
        let mut members = Vec::new();
        if condition.types != TypeSet::ALL {
            members.push(("type", types(condition.types)));
        }
        let (mut required, mut optional) = (Vec::new(), Vec::new());
        if let Some(tag) = &condition.tag {
            let mut keywords = Keywords::default();
            let only = if text.is_none() && tag.values.len() == 1 { tag.values.first() } else { None };
            match only {
                Some(only) => self.constant(only, &mut keywords),
                None => self.enumeration(&tag.values, &mut keywords),
            }
            keywords.texts.extend(text.map(|(keyword, text)| (keyword.to_owned(), Expression::string(&text))));
            let properties = if tag.is_required { &mut required } else { &mut optional };
            properties.push((tag.name.clone(), self.printed(keywords, TypeSet::ALL)));
        }
        let present = |key: &String| (key.clone(), Expression::Object(Vec::new()));
        if let [key] = condition.keys.as_slice() {
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

    /// Branches that are definitions are always referred to by name, which messages show.
    fn branches(&mut self, union: &Union<'m>) -> Expression {
        let branch = |branch: &Branch| match self.validator.check(branch.check) {
            check if branch.is_reference && matches!(check.kind, CheckKind::Rules(_)) => {
                self.reference(check.definition.unwrap_or_default(), branch.check)
            }
            _ => self.content(branch.check),
        };
        array(union.branches.iter().map(branch).collect())
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
        array(values.iter().map(|json| value(&sorted(json))).collect())
    }

    fn note(&mut self, value: &Json) {
        self.is_structured |= !scalar::is_scalar(value);
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

/// Whether every value satisfies the condition.
fn is_trivial(condition: &Condition) -> bool {
    condition.types == TypeSet::ALL && condition.tag.is_none() && condition.keys.is_empty()
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

/// Values as the interpreter's messages show them.
fn list(values: &[Json]) -> String {
    let shown: Vec<String> = values.iter().take(LISTED).map(literal).collect();
    let more = if values.len() > LISTED { ",..." } else { "" };
    format!("[{}{more}]", shown.join(","))
}

/// A value as the interpreter's messages show it.
fn literal(json: &Json) -> String {
    json.as_str().map_or_else(|| cut(&json.canonical()), quote)
}

/// A limit. If JavaScript would print it differently, an object that compares as the number and prints as in the schema.
fn shown(nearest: Expression, exact: &Number, is_exact: bool) -> Expression {
    if is_exact && is_number_printed_alike(exact) {
        return nearest;
    }
    let method = |name: &str, value| (name.to_owned(), Expression::Arrow(Vec::new(), Box::new(value)));
    let text = Expression::string(&cut(&exact.to_string()));
    Expression::Object(vec![method("valueOf", nearest), method("toString", text)])
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
