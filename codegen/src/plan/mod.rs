//! The plan of the validators of a file: the tests, their order, and the functions that contain them.
//!
//! A plan lies between the [checks](crate::model::check) of a contract and the printer of a language. It decides which
//! checks become functions and loops, which of them share one, how long functions may be, which lists of values become
//! constants, how nesting is limited, and which [rules](report) list the violations. A printer decides the notation of
//! each [`Test`]; it may also read a member once that two tests use, but it never decides whether something is tested.
//!
//! Reading order: `test.rs` has the tests, `shared.rs` the functions and constants, `verdict.rs` plans a check, with
//! `scalar.rs` and `structure.rs` for the assertions about each type, `combine.rs` those that apply to the same value,
//! and `report.rs` the rules. `tests.rs` runs plans: they accept the same payloads as the interpreter of
//! schemas.

mod combine;
pub(crate) mod report;
mod scalar;
mod shared;
mod structure;
pub(crate) mod test;
#[cfg(test)]
mod tests;
mod value;
mod verdict;

use capgen_schema::Number;

use crate::model::{Model, TypeId};
use report::RuleSet;
pub(crate) use shared::{Body, Constant, Declared, Function, Namer, Shared, Stem};
use test::Test;
pub(crate) use test::{Call, Choice, ConstantId, Count, Depth, NumberTest, Place, PropertyTest, TextTest};
pub(crate) use value::Limit;
use verdict::Verdicts;

/// Values of longer lists are looked up in a set. For eight values, comparing one by one is about as fast.
pub(crate) const FEW_VALUES: usize = 8;

/// The decisions of a language that a plan depends on.
pub(crate) trait Style {
    /// The name of a function or constant for a purpose, which belongs to the type, definition or property `subject`.
    /// The plan adds a number if the name is taken.
    fn name(&self, stem: Stem, subject: &str) -> String;

    /// Whether a test is so short that it is written again instead of calling a function.
    fn is_short(&self, test: &Test<'_>, shared: &Shared<'_>) -> bool;

    /// Whether a payload can have this number. If not, nothing equals it.
    fn has_number(&self, number: &Number) -> bool;
}

/// The validators of a file.
pub(crate) struct Plan<'m> {
    /// In the order of [`Model::validators`].
    pub(crate) sides: Vec<SidePlan<'m>>,
    /// The functions and constants that they use.
    pub(crate) shared: Shared<'m>,
}

/// The validator of one side of a capability.
pub(crate) struct SidePlan<'m> {
    /// The type of the payloads that it accepts.
    pub(crate) ty: TypeId,
    /// That [`Place::Value`] is valid.
    pub(crate) verdict: Test<'m>,
    /// The memories to clear after each verdict: they must not outlive it, because they would keep values alive, and
    /// the caller may change values.
    pub(crate) memories: Vec<ConstantId>,
    /// The rules from which the violations of an invalid value are listed.
    pub(crate) report: RuleSet<'m>,
}

/// Plans all validators of a model. The time is linear in the size of the checks.
pub(crate) fn plan<'m>(model: &'m Model<'_>, style: &'m dyn Style) -> Plan<'m> {
    let mut shared = Shared::new(style);
    let mut sides = Vec::with_capacity(model.validators.len());
    for validator in &model.validators {
        shared.enter(&model[validator.ty].name);
        let (verdict, memories) = Verdicts::new(validator, &mut shared).run();
        let report = report::report(validator, &mut shared);
        sides.push(SidePlan { ty: validator.ty, verdict, memories, report });
    }
    Plan { sides, shared }
}
