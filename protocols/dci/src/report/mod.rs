//! The explanation of a run: its report, and changes with which a run without a result has one.

mod run;
mod suggest;

pub use run::{Circumstances, Counts, Report};
pub use suggest::{Change, Suggestion, suggest};
