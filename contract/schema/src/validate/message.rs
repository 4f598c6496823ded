//! The messages of violations. Generated TypeScript has the same texts.

use serde_json::Value;

use super::budget::ReportBudget;
use super::check::Failure;
use super::literal::Literals;
use super::program::Bound;
use super::value::canonical;
use super::violation::{Keyword, Violation};
use crate::exact::Digits;
use crate::instance::exact_type_of;
use crate::{Json, Type, message_text};

/// How messages quote values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wording<'v> {
    pub(super) digits: Digits<'v>,
    pub(super) redact: bool,
    pub(super) quote_limit: usize,
    pub(super) budget: ReportBudget,
}

impl Failure<'_> {
    pub(super) fn keyword(&self) -> Keyword {
        match self {
            Failure::Type(_) => Keyword::Type,
            Failure::Enum(_) => Keyword::Enum,
            Failure::Const(_) => Keyword::Const,
            Failure::Bound(Bound::Minimum, _) => Keyword::Minimum,
            Failure::Bound(Bound::Maximum, _) => Keyword::Maximum,
            Failure::Bound(Bound::ExclusiveMinimum, _) => Keyword::ExclusiveMinimum,
            Failure::Bound(Bound::ExclusiveMaximum, _) => Keyword::ExclusiveMaximum,
            Failure::MultipleOf(_) => Keyword::MultipleOf,
            Failure::MinLength(_) => Keyword::MinLength,
            Failure::MaxLength(_) => Keyword::MaxLength,
            Failure::Pattern(_) | Failure::StepLimit(_) => Keyword::Pattern,
            Failure::Format(_) => Keyword::Format,
            Failure::MinItems(_) => Keyword::MinItems,
            Failure::MaxItems(_) => Keyword::MaxItems,
            Failure::UniqueItems(..) => Keyword::UniqueItems,
            Failure::MinProperties(_) => Keyword::MinProperties,
            Failure::MaxProperties(_) => Keyword::MaxProperties,
            Failure::Required(_) | Failure::RequiredTag(..) => Keyword::Required,
            Failure::DependentRequired(..) => Keyword::DependentRequired,
        }
    }
}

impl Default for Wording<'_> {
    fn default() -> Self {
        Self {
            digits: Digits::OF_TREE,
            redact: false,
            quote_limit: message_text::MAX_QUOTED,
            budget: ReportBudget::DEFAULT,
        }
    }
}

impl Wording<'_> {
    pub(super) fn failure(self, failure: Failure<'_>, value: &Value) -> String {
        let got = || self.got(value);
        match failure {
            Failure::Type(types) => {
                format!("expected {}, got {}", any_of(types.iter()), exact_type_of(value, self.digits).name())
            }
            Failure::Enum(literals) => format!("value not in enum {}", self.literals(literals)),
            Failure::Const(literal) => format!("value is not {}", self.literal(literal)),
            Failure::Bound(bound, limit) => {
                let relation = match bound {
                    Bound::Minimum => "at least",
                    Bound::Maximum => "at most",
                    Bound::ExclusiveMinimum => "greater than",
                    Bound::ExclusiveMaximum => "less than",
                };
                format!("must be {relation} {}{}", self.cut(limit.to_string()), got())
            }
            Failure::MultipleOf(divisor) => {
                format!("must be a multiple of {}{}", self.cut(divisor.to_string()), got())
            }
            Failure::MinLength(limit) => format!("must have at least {}{}", count(limit, "character"), got()),
            Failure::MaxLength(limit) => format!("must have at most {}{}", count(limit, "character"), got()),
            Failure::Pattern(pattern) => format!("must match the pattern {}{}", self.quote(pattern.source()), got()),
            Failure::StepLimit(pattern) => {
                format!("takes too long to match the pattern {}", self.quote(pattern.source()))
            }
            Failure::Format(format) => format!("must be a valid {}{}", format.name(), got()),
            Failure::MinItems(limit) => format!("must have at least {}, got {}", count(limit, "item"), size(value)),
            Failure::MaxItems(limit) => format!("must have at most {}, got {}", count(limit, "item"), size(value)),
            Failure::UniqueItems(first, second) => format!("items {first} and {second} are equal"),
            Failure::MinProperties(limit) => {
                format!("must have at least {}, got {}", properties(limit), size(value))
            }
            Failure::MaxProperties(limit) => format!("must have at most {}, got {}", properties(limit), size(value)),
            Failure::Required(name) => format!("missing required property {}", self.name(name)),
            Failure::DependentRequired(name, other) => {
                format!("missing property {}, which {} requires", self.name(name), self.name(other))
            }
            Failure::RequiredTag(name, literals) => {
                format!("missing required property {}, one of {}", self.name(name), self.literals(literals))
            }
        }
    }

    /// The message for the name of a property.
    pub(super) fn failure_of_name(self, failure: Failure<'_>, name: &str) -> String {
        format!("property name {}", self.failure(failure, &Value::String(name.to_owned())))
    }

    fn got(self, value: &Value) -> String {
        match value {
            _ if self.redact => String::new(),
            Value::String(text) => format!(", got {}", self.quote(text)),
            Value::Number(number) => format!(", got {}", self.cut(number_text(number, self.digits))),
            other => format!(", got {}", self.cut(canonical(other, self.digits))),
        }
    }

    /// The name of a property as JSON, cut as in paths.
    pub(super) fn name(self, name: &str) -> String {
        Json::String(self.budget.cut_name(name).into_owned()).canonical()
    }

    /// A text as JSON, truncated.
    pub(super) fn quote(self, text: &str) -> String {
        message_text::quote(text, self.quote_limit)
    }

    /// A value of the schema as JSON, truncated.
    pub(super) fn literal(self, literal: &Json) -> String {
        message_text::literal(literal, self.quote_limit)
    }

    fn literals(self, literals: &Literals) -> String {
        message_text::list(literals.values().iter().map(|literal| self.literal(literal)))
    }

    pub(super) fn cut(self, text: String) -> String {
        message_text::cut(text, self.quote_limit)
    }
}

/// A number as JavaScript prints it, so that messages are the same in both languages. Our canonical form writes all
/// digits of an integer, but JavaScript uses an exponent from 1e21 on. A number that JavaScript would round keeps its
/// digits.
fn number_text(number: &serde_json::Number, digits: Digits<'_>) -> String {
    if let Some(exact) = digits.of(number) {
        return exact.to_string();
    }
    // Not the number's own text, which has all digits of the payload with serde_json's feature `arbitrary_precision`.
    let float = number.as_f64().filter(|float| float.abs() >= 1e21).and_then(serde_json::Number::from_f64);
    match float {
        Some(float) => float.to_string().replace("e+", "e").replace('e', "e+"),
        None => canonical(&Value::Number(number.clone()), Digits::OF_TREE),
    }
}

fn any_of(types: impl IntoIterator<Item = Type>) -> String {
    let mut names: Vec<&str> = types.into_iter().map(Type::name).collect();
    match (names.pop(), names.is_empty()) {
        (None, _) => "nothing".to_owned(),
        (Some(only), true) => only.to_owned(),
        (Some(last), false) => format!("{} or {last}", names.join(", ")),
    }
}

fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn properties(number: u64) -> String {
    format!("{number} {}", if number == 1 { "property" } else { "properties" })
}

/// The number of items of an array, or of properties of an object.
fn size(value: &Value) -> usize {
    value.as_array().map_or_else(|| value.as_object().map_or(0, serde_json::Map::len), Vec::len)
}

impl Violation {
    /// The violation of a payload that has more levels of arrays and objects than `levels`.
    pub fn too_deep(levels: usize) -> Self {
        let message = format!("nested deeper than {}", count(levels as u64, "level"));
        Self { path: String::new(), message, keyword: Keyword::Depth }
    }
}
