//! The integration tests of this package, as one program: linking a program for each file would take longer than the tests.

mod agent;
mod budget;
mod calls;
mod envelope;
mod fixture;
mod memory;
mod peers;
mod security;
mod serving;
mod skew;
mod spans;
mod tower;
