//! The ways from the bytes of a payload to a typed value that keeps its schema.

pub mod generated;
mod ways;

pub use ways::{Run, Subject, WAYS, subjects};
