//! The integration tests of this package, as one program: linking a program for each file would take longer than the tests.

#[cfg(feature = "derive")]
mod derived;
mod numbers;
mod payload;
mod stack;
mod wire;
