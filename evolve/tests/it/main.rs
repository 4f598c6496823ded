//! The integration tests of this package, as one program: linking a program for each file would take longer than the tests.

mod acceptance;
mod budget;
mod call;
mod missing;
mod pairs;
mod properties;
mod property_names;
mod renames;
