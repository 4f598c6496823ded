//! The violations of one payload.

use std::ops::Deref;

use super::budget::{ReportBudget, Spent};
use super::violation::Violation;

/// The violations of one payload, in order and within a [`ReportBudget`]. Dereferences to a slice.
///
/// ```
/// use capgen_schema::{Schema, Validator};
/// use serde_json::json;
/// let validator = Validator::new(&Schema::parse_text(r#"{"items": {"type": "string"}}"#)?);
/// let violations = validator.validate(&json!(vec![1; 26_000]));
/// assert_eq!(violations[0].path, "/0");
/// assert_eq!((violations.len(), violations.is_truncated()), (100, true));
/// # Ok::<(), capgen_schema::SchemaTextError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[must_use]
pub struct Violations {
    /// Not a `Vec`, because errors that are returned by value contain a report.
    list: Box<[Violation]>,
    is_truncated: bool,
}

impl Violations {
    /// A report that another program made, or that is known to be small. `is_truncated` if the list leaves violations
    /// out.
    pub fn new(list: Vec<Violation>, is_truncated: bool) -> Self {
        Self { list: list.into(), is_truncated }
    }

    /// The first violations, as many as the budget allows. Takes no more of them than one that it leaves out.
    pub fn within(budget: ReportBudget, violations: impl IntoIterator<Item = Violation>) -> Self {
        let mut spent = Spent::nothing_of(budget);
        let (mut list, mut is_truncated) = (Vec::new(), false);
        for violation in violations {
            if !spent.add(&violation) {
                is_truncated = true;
                break;
            }
            list.push(violation);
        }
        Self::new(list, is_truncated)
    }

    /// A report that a peer made, within [`ReportBudget::DEFAULT`]: the peer may use another one.
    pub fn of_peer(violations: impl IntoIterator<Item = Violation>, is_truncated: bool) -> Self {
        let budget = ReportBudget::DEFAULT;
        let report = Self::within(budget, violations.into_iter().map(|violation| violation.cut(budget)));
        Self { is_truncated: is_truncated || report.is_truncated, ..report }
    }

    /// Whether the payload has more violations than these.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// The violations without the note whether there are more.
    #[must_use]
    pub fn into_vec(self) -> Vec<Violation> {
        self.list.into_vec()
    }
}

impl Deref for Violations {
    type Target = [Violation];

    fn deref(&self) -> &[Violation] {
        &self.list
    }
}

/// A report of one violation.
impl From<Violation> for Violations {
    fn from(violation: Violation) -> Self {
        Self::new(vec![violation], false)
    }
}

impl IntoIterator for Violations {
    type Item = Violation;
    type IntoIter = std::vec::IntoIter<Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_vec().into_iter()
    }
}

impl<'a> IntoIterator for &'a Violations {
    type Item = &'a Violation;
    type IntoIter = std::slice::Iter<'a, Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}
