//! The names under which an export keeps the parts of a contract that its format cannot express, and an import finds
//! them again.

/// The key in `_meta` of an MCP tool.
pub const MCP_META_KEY: &str = "io.github.capgen/contract";

/// The key of an operation and of a document of OpenAPI.
pub const OPENAPI_KEY: &str = "x-capgen";

/// The key of a component of OpenAPI: the name of its definition in the contract.
pub const OPENAPI_DEFINITION_KEY: &str = "x-capgen-definition";

/// The URI of the extension of A2A agent cards.
pub const A2A_EXTENSION: &str = "https://github.com/capgen/capgen/extensions/contract/v1";

/// The property that contains a request whose schema is not an object's, if the format allows only objects.
pub const REQUEST_MEMBER: &str = "value";

/// The property that contains a response whose schema is not an object's, if the format allows only objects.
pub const RESPONSE_MEMBER: &str = "result";

/// The file of an exported folder of JSON Schema that has the other keys of the capabilities.
pub const CONTRACT_FILE: &str = "contract.json";

/// The key in [`CONTRACT_FILE`] that has the version of its format.
pub const CONTRACT_FORMAT: &str = "capgenContract";
