//! The integration tests of this package, as one program: linking a program for each file would take longer than the tests.

mod chain;
mod common;
mod documentation;
mod faults;
mod limits;
