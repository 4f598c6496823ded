//! The integration tests of this package, as one program: linking a program for each file would take longer than the
//! tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and prints why it was skipped"
)]

mod allocations;
mod analysis;
mod applicators;
mod brute_force;
mod budget;
mod canonical;
mod capability_schemas;
mod conditions;
mod containment;
mod counterexamples;
mod examples;
mod hostile;
mod json_schema_test_suite;
mod limits;
mod load;
mod lossy;
mod meaning;
mod normalise;
mod normalise_corpora;
mod normalise_format;
mod normalise_forms;
mod normalise_hostile;
mod normalise_openapi;
mod normalise_references;
mod normalise_schemars;
mod normalise_suite;
mod numbers;
mod pattern;
mod pattern_against_node;
mod payload;
mod support;
mod tuples;
mod union_violations;
mod violations;
