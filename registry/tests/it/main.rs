//! The integration tests of this package, as one program: linking a program for each file would take longer than the tests.

mod announce;
mod checks;
mod laws;
mod logs;
mod memory;
mod rfc_0005;
mod security;
mod states;
mod support;
