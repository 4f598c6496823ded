//! The ways from the bytes of a payload to a validated, typed value.

pub mod generated;
mod ways;

pub use ways::{Run, Subject, WAYS, subjects};
