//! The integration tests of this package, as one program: linking a program for each file would take longer than the tests.

mod allocations;
mod answers;
mod appendix_a;
mod bridges;
mod budget;
mod bundle;
mod carriers;
mod contract;
mod decode;
mod envelope;
mod exchanges;
mod json;
mod keys;
mod known_answer;
mod lifecycle;
mod order;
mod properties;
mod queries;
mod support;
