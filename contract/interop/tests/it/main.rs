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

mod about;
mod annotations;
mod conditions;
mod declared_errors;
mod drafts;
mod formats;
mod hostile_import;
mod json_schema_files;
mod json_schema_import;
mod manifest_import;
mod mcp_import;
mod openapi_http;
mod openapi_import;
mod openapi_readings;
mod openapi_rules;
mod openapi_versions;
mod other_documents;
mod pruning;
mod references;
mod schema_readings;
mod tool_lists;
mod tuples;
