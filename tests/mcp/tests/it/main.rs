//! The integration tests of this package, as one program: linking a program for each file would take longer than the tests.

mod clients;
mod servers;

/// The scripts that Node runs, which the whole-system tests have.
#[path = "../../../src/npm.rs"]
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest")]
mod npm;
