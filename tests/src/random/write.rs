//! Different spellings of the same payload.

use capgen_schema::{Json, Number};

use super::Random;
use crate::agreement::tree::Tree;

impl Random {
    /// The value with its members in a random order and its numbers in a random notation that keeps their value.
    pub(super) fn write(&mut self, value: &Json) -> Tree {
        match value {
            Json::Array(items) => Tree::Array(items.iter().map(|item| self.write(item)).collect()),
            Json::Object(members) => {
                let mut members: Vec<_> = members.iter().map(|(name, v)| (name.clone(), self.write(v))).collect();
                if self.one_in(2) {
                    for at in (1..members.len()).rev() {
                        members.swap(at, self.below(at + 1));
                    }
                }
                Tree::Object(members)
            }
            Json::Number(number) => Tree::Leaf(self.write_number(number)),
            scalar => Tree::Leaf(scalar.canonical()),
        }
    }

    fn write_number(&mut self, number: &Number) -> String {
        let text = number.to_string();
        if *number == Number::ZERO {
            return self.pick(&["0", "0", "-0", "0.0", "-0.0", "0e5"]).to_owned();
        }
        let binary = Number::from_f64(number.as_f64()).as_ref() == Some(number);
        let is_exact_both_ways =
            number.as_i64().is_none_or(|n| n.unsigned_abs() < 1 << 53) && number.as_u64().is_none_or(|n| n < 1 << 53);
        // Parsers read a number with a point or an exponent as a binary64, so only numbers that survive that may have
        // one.
        if !binary || !is_exact_both_ways || !self.one_in(5) {
            return if binary && text.len() > 25 { format!("{:e}", number.as_f64()) } else { text };
        }
        match self.below(3) {
            0 if number.is_integer() && text.len() < 25 => format!("{text}.0"),
            1 => format!("{:E}", number.as_f64()),
            _ => format!("{:e}", number.as_f64()),
        }
    }
}
