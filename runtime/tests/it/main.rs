//! The integration tests of this package, as one program: linking a program for each file would take longer than the tests.

#[cfg(feature = "derive")]
mod derived;
#[cfg(feature = "derive")]
mod field_types;
mod numbers;
mod payload;
mod stack;
mod wire;
