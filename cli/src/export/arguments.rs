//! The options of `capgen export`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::one_contract::OneContract;

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Export {
    #[command(subcommand)]
    pub(crate) format: Format,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Format {
    /// The tools of an MCP server: the result of `tools/list`
    #[command(after_help = MCP_EXAMPLES)]
    Mcp(Tools),
    /// An OpenAPI 3.1 document with one operation for each capability
    #[command(after_help = OPENAPI_EXAMPLES)]
    Openapi(Document),
    /// Tools for OpenAI's API with strict schemas
    #[command(after_help = OPENAI_EXAMPLES)]
    Openai(Functions),
    /// An agent card of the A2A protocol
    #[command(after_help = A2A_EXAMPLES)]
    A2a(Card),
    /// A folder with one JSON Schema file for each schema
    #[command(after_help = "Examples:\n  capgen export json-schema --peer search --out schemas/search")]
    JsonSchema(Folder),
    /// A JSON Schema with which editors complete and check capabilities.yaml or fleet.yaml
    #[command(after_help = MANIFESTSCHEMA_EXAMPLES)]
    ManifestSchema(ManifestSchema),
}

impl Format {
    /// Whether the result is a JSON document about the export, in which errors have a place.
    pub(super) fn is_json(&self) -> bool {
        match self {
            Format::Mcp(tools) => tools.output.json,
            Format::Openapi(document) => document.output.json,
            Format::Openai(functions) => functions.output.json,
            Format::A2a(card) => card.output.json,
            Format::JsonSchema(folder) => folder.json,
            Format::ManifestSchema(_) => false,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct ManifestSchema {
    /// The file that the schema is about
    #[arg(value_enum, default_value_t = ManifestFile::Capabilities)]
    pub(crate) file: ManifestFile,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum ManifestFile {
    /// capabilities.yaml
    Capabilities,
    /// fleet.yaml
    Fleet,
}

#[derive(Args, Debug)]
pub(crate) struct Document {
    #[command(flatten)]
    pub(crate) contract: OneContract,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Args, Debug)]
pub(crate) struct Tools {
    #[command(flatten)]
    pub(crate) contract: OneContract,
    /// Write schemas without unions at the root, lists of types and other forms that the APIs of some hosts reject;
    /// they may be wider than the contract, and each difference is listed
    #[arg(long)]
    pub(crate) strict_clients: bool,
    /// Write a tool for each version of a capability, not only for the highest one; the others are named
    /// `<name>_v1`, or with further parts of the version
    #[arg(long)]
    pub(crate) all_versions: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Args, Debug)]
pub(crate) struct Output {
    /// Print {"document": ..., "losses": [...]} instead of the document alone
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Functions {
    #[command(flatten)]
    pub(crate) contract: OneContract,
    /// Write tools of the Chat Completions API instead of the Responses API
    #[arg(long)]
    pub(crate) chat: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Args, Debug)]
pub(crate) struct Card {
    #[command(flatten)]
    pub(crate) contract: OneContract,
    /// The endpoint of the agent, which the card must have
    #[arg(long, value_name = "URL")]
    pub(crate) url: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Args, Debug)]
pub(crate) struct Folder {
    #[command(flatten)]
    pub(crate) contract: OneContract,
    /// The folder to write, which is new, empty, or written by this command
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Print {"files": [{"path", "status"}]} to standard output
    #[arg(long)]
    pub(crate) json: bool,
}

const MCP_EXAMPLES: &str = "\
Examples:
  capgen export mcp --peer search > tools.json
  capgen export mcp --peer search --strict-clients > tools.json";

const OPENAPI_EXAMPLES: &str = "\
Examples:
  capgen export openapi --peer search > openapi.json
  capgen export openapi --capabilities vendor/search.yaml --json";

const OPENAI_EXAMPLES: &str = "\
Examples:
  capgen export openai --peer search > tools.json
  capgen export openai --peer search --chat --json";

const A2A_EXAMPLES: &str = "\
Examples:
  capgen export a2a --peer search --url https://search.example.com/a2a > agent-card.json";

const MANIFESTSCHEMA_EXAMPLES: &str = "\
Examples:
  capgen export manifest-schema > capabilities.schema.json
  capgen export manifest-schema fleet > fleet.schema.json";

const EXAMPLES: &str = "\
Examples:
  capgen export mcp --peer search > tools.json
  capgen export mcp --peer search --strict-clients > tools.json
  capgen export openapi --capabilities vendor/search.yaml > openapi.json
  capgen export openai --peer search --json
  capgen export a2a --peer search --url https://search.example.com/a2a > agent-card.json
  capgen export json-schema --peer search --out schemas/search
  capgen export manifest-schema > capabilities.schema.json

The document is printed to standard output as JSON. `capgen import` of it gives a contract with the same hash, except for `openai` and \
`manifest-schema`, which needs no contract. \
The parts of a contract that a format cannot express are listed on standard error, and with --json as data: \
{\"document\": ..., \"losses\": [{\"capability\", \"side\", \"pointer\", \"message\"}]}. If the contract cannot be read, --json \
prints {\"errors\": [...]}.";
