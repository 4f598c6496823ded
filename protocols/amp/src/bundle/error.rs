//! The faults of a bundle.

use std::fmt;

use crate::Code;
use crate::message::Rejection;
use crate::reader::MAX_ERRORS;

/// The reasons why a bundle, or a schema in it, cannot be used. Nothing of it is used then (decision 16).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundleError {
    problems: Vec<BundleProblem>,
    left_out: usize,
}

/// A fault of one file of a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundleProblem {
    /// The path of the file in the bundle: `bundle.cbor`, or `artifacts/` and a key. It is safe to display.
    pub file: String,
    /// The fault. It contains no contents of the bundle other than names, which are escaped.
    pub message: String,
}

impl BundleError {
    /// [`Code::Unavailable`]: 5002.
    pub const CODE: Code = Code::Unavailable;

    /// An error of one file.
    pub(super) fn of(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { problems: vec![BundleProblem { file: file.into(), message: message.into() }], left_out: 0 }
    }

    /// The faults, at least one. Of more than 100, the first 100.
    #[must_use]
    pub fn problems(&self) -> &[BundleProblem] {
        &self.problems
    }

    /// How many faults are not in [`problems`](Self::problems).
    #[must_use]
    pub const fn left_out(&self) -> usize {
        self.left_out
    }
}

impl From<BundleError> for Rejection {
    fn from(error: BundleError) -> Self {
        Self::new(BundleError::CODE, error.to_string())
    }
}

/// The faults on one line. It does not contain the code.
impl fmt::Display for BundleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            problem.fmt(f)?;
        }
        if self.left_out > 0 {
            write!(f, "; {} more faults are not listed", self.left_out)?;
        }
        Ok(())
    }
}

impl std::error::Error for BundleError {}

impl fmt::Display for BundleProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.message)
    }
}

/// Collects the faults of a bundle.
#[derive(Default)]
pub(super) struct Problems {
    problems: Vec<BundleProblem>,
    left_out: usize,
}

impl Problems {
    pub(super) fn add(&mut self, file: impl Into<String>, message: impl Into<String>) {
        if self.problems.len() < MAX_ERRORS {
            self.problems.push(BundleProblem { file: file.into(), message: message.into() });
        } else {
            self.left_out += 1;
        }
    }

    /// # Errors
    ///
    /// The faults, if there are any.
    pub(super) fn result(self) -> Result<(), BundleError> {
        let Self { problems, left_out } = self;
        if problems.is_empty() { Ok(()) } else { Err(BundleError { problems, left_out }) }
    }
}
