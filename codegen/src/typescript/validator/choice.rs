//! Unions: conditions of which one must be true.

use super::condition::{all, any, begins_by_comparing, factor};
use super::test::{INHERITED, access};
use crate::plan::Choice;
use crate::typescript::syntax::{Expression, Local};

/// That one of the branches of a union matches. The tests with which all of them begin are written once, and the tag is
/// read once.
pub(super) fn one_of(union: &Choice<'_>, branches: Vec<Expression>) -> Expression {
    let (mut common, mut branches) = factor(branches);
    let tag = Local::Tag(union.place.level() + 1);
    let name = union.tags.iter().find(|name| !INHERITED.contains(name)).filter(|_| !common.is_empty());
    // A union inside a branch may use the variable for a tag of its own.
    if let Some(name) = name.filter(|_| !branches.iter().any(|branch| branch.mentions(tag))) {
        let access = access(union.place, name);
        // The first comparison stores the tag in a variable, which the others read.
        let mut replacement = Expression::Assign(tag, Box::new(access.clone()));
        if !branches.first().is_some_and(|branch| begins_by_comparing(branch, &access)) {
            common.push(replacement.differs(Expression::Undefined));
            replacement = tag.into();
        }
        for branch in &mut branches {
            branch.replace_at_start(&access, &replacement);
            replacement = tag.into();
        }
    }
    all(common.into_iter().chain([any(branches)]))
}
