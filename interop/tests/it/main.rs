//! The integration tests of this package, as one program: linking a program for each file would take longer than the tests.

mod hostile_import;
mod json_schema_import;
mod mcp_import;
mod openapi_import;
mod other_documents;
