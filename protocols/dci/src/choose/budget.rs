//! The limits of a run.

use std::fmt;

/// A limit of a run was reached. No report is written then (decision 35).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Exceeded {
    /// More instances of providers than [`Exceeded::INSTANCES`].
    Instances,
    /// An instance deeper than [`Exceeded::DEPTH`].
    Depth,
    /// More steps of comparisons than [`Exceeded::STEPS`].
    Steps,
    /// More elements of sets of capabilities and of conflicts than [`Exceeded::ELEMENTS`].
    Elements,
}

impl Exceeded {
    /// The maximum number of instances in the graph of a run, leaves included (decision 24).
    pub const INSTANCES: usize = 10_000;
    /// The maximum depth of the graph (decision 24).
    pub const DEPTH: u32 = 32;
    /// The maximum number of comparisons between capabilities, and of elements in sets of capabilities, of a run. A run
    /// over 100,000 usual skills needs a hundredth of it; the limit is about ten seconds of work.
    pub const STEPS: u64 = 500_000_000;
    /// The maximum number of elements that a run keeps: the capabilities in the sets of all paths, and 20 for each
    /// conflict of a path. The limit is a few hundred MB of memory.
    pub const ELEMENTS: u64 = 5_000_000;
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instances => write!(f, "the graph has more than {} instances of providers", Self::INSTANCES),
            Self::Depth => write!(f, "the graph is deeper than {} levels", Self::DEPTH),
            Self::Steps => write!(f, "the run needs more than {} steps of comparisons", Self::STEPS),
            Self::Elements => {
                write!(f, "the paths of the graph have more than {} capabilities and conflicts", Self::ELEMENTS)
            }
        }
    }
}

impl std::error::Error for Exceeded {}

/// Counts the steps of a run.
#[derive(Default)]
pub(crate) struct Budget {
    steps: u64,
    elements: u64,
}

impl Budget {
    pub(crate) fn spend(&mut self, steps: usize) -> Result<(), Exceeded> {
        self.steps = self.steps.saturating_add(steps as u64);
        if self.steps > Exceeded::STEPS { Err(Exceeded::Steps) } else { Ok(()) }
    }

    /// Counts elements that are kept until the end of the run.
    pub(crate) fn keep(&mut self, elements: usize) -> Result<(), Exceeded> {
        self.elements = self.elements.saturating_add(elements as u64);
        if self.elements > Exceeded::ELEMENTS { Err(Exceeded::Elements) } else { Ok(()) }
    }
}
