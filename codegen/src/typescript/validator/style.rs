//! The decisions of TypeScript on which the plan of a validator depends.

use capgen_schema::Number;

use super::test::Tests;
use crate::name;
use crate::plan::test::Test;
use crate::plan::{Shared, Stem, Style};
use crate::typescript::names::lower_first;
use crate::typescript::printer;

/// A condition that is wider, in characters, and used more than once becomes a function.
const MAX_REPEATED: usize = 60;

/// Names contain at most this many characters of the subject: they occur often, and the contract limits no property's
/// name.
const MAX_SUBJECT: usize = 40;

pub(super) struct TypeScriptStyle;

impl Style for TypeScriptStyle {
    fn name(&self, stem: Stem, subject: &str) -> String {
        internal_name(prefix(stem), subject)
    }

    fn is_short(&self, test: &Test<'_>, shared: &Shared<'_>) -> bool {
        printer::width_of_expression(&Tests::new(shared).expression(test)) <= MAX_REPEATED
    }

    fn has_number(&self, number: &Number) -> bool {
        number.is_representable()
    }
}

/// The name of an internal function or constant, such as `check_lineItems`. No exported name has an underscore between
/// letters.
pub(super) fn internal_name(prefix: &str, subject: &str) -> String {
    let words: String = name::camel(subject).chars().take(MAX_SUBJECT).collect();
    format!("{prefix}_{}", lower_first(&words))
}

const fn prefix(stem: Stem) -> &'static str {
    match stem {
        Stem::Check => "check",
        Stem::Decide => "decide",
        Stem::Pattern => "pattern",
        Stem::Set => "set",
        Stem::Names => "names",
        Stem::Literals => "literals",
        Stem::Memory => "memory",
    }
}
