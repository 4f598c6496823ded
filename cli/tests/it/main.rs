//! The integration tests of this package, as one program: linking a program for each file would take longer than the
//! tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and prints why it was skipped"
)]

mod accepted_warnings;
mod action;
mod amp;
mod audit;
mod codes;
mod commands;
mod common;
mod dci;
mod dci_conformance;
mod diff;
mod docs;
mod example;
mod export;
mod fix;
mod foreign_files;
mod gen_check;
mod gen_history;
mod generate;
mod growth;
mod hostile_paths;
mod import;
mod import_documents;
mod import_server;
mod index_files;
mod init;
mod interrupted;
mod json_documents;
mod json_schema_test_suite;
mod lock;
mod matrix;
mod meaning;
mod npm;
mod options_on_pages;
mod outputs;
mod precision;
mod regenerate;
mod registry;
mod report_schemas;
mod run_time_codes;
mod secrets;
mod shared_files;
mod site;
mod validate;
mod watch;
