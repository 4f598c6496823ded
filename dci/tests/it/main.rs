//! The integration tests of this package, as one program: linking a program for each file would take longer than the tests.

mod common;
mod contract;
mod contract_properties;
mod discovery;
mod hostile;
mod programs;
mod properties;
mod real_skills;
mod resolution;
mod rulings;
mod schemas;
mod state;
mod verified;
