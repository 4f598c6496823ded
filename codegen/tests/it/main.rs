//! The integration tests of this package, as one program: linking a program for each file would take longer than the tests.

mod constructors;
mod internal_names;
mod output;
mod surface;
