//! The options of `capgen import`.

use std::path::PathBuf;

use capgen_interop::import::json_schema::Naming;
use capgen_interop::import::{AnnotatedFormats, ImportSettings};
use capgen_manifest::{AgentId, Capability};
use clap::{Args, Subcommand, ValueEnum};

use crate::arguments::Format as Findings;

const IMPORT_EXAMPLES: &str = "\
Examples:
  capgen import mcp tools.json --out agents/files/capabilities.yaml
  capgen import mcp --out memory.yaml --stdio npx -y my-mcp-server
  capgen import openapi openapi.yaml --skip --out agents/shop/capabilities.yaml
  capgen import json-schema schemas/ --agent shop --out capabilities.yaml
  capgen import a2a agent-card.json
  my-program | capgen import manifest - --out agents/shop/capabilities.yaml";

const MCP_EXAMPLES: &str = "\
Examples:
  capgen import mcp tools.json --out agents/files/capabilities.yaml
  capgen import mcp tools.json --lossy --skip
  capgen import mcp --out memory.yaml --stdio npx -y my-mcp-server
  capgen import mcp --http http://localhost:3000/mcp --token-file token.txt
  capgen import mcp tools.json --out capabilities.yaml --check --diff";

const JSON_SCHEMA_EXAMPLES: &str = "\
Examples:
  capgen import json-schema schemas/ --agent shop --out capabilities.yaml
  capgen import json-schema find.request.schema.json find.response.schema.json --agent shop
  capgen import json-schema models.json --each --side response --agent shop
  my-generator | capgen import json-schema - --capability find --agent shop";

const OPENAPI_EXAMPLES: &str = "\
Examples:
  capgen import openapi openapi.yaml --out agents/shop/capabilities.yaml
  capgen import openapi openapi.json --skip --lossy --agent shop
  capgen import openapi schemas.yaml --each --side response
  capgen import openapi openapi.yaml --out capabilities.yaml --check --diff";

const MANIFEST_EXAMPLES: &str = "\
Examples:
  capgen import manifest agent.json --out agents/shop/capabilities.yaml
  my-program | capgen import manifest - --made-from src/agent.ts --out capabilities.yaml --check --diff

The document has the keys of capabilities.yaml. Without `transports`, the agent has one of the kind memory.";

const A2A_EXAMPLES: &str = "\
Examples:
  capgen import a2a agent-card.json --out agents/search/capabilities.yaml
  curl -s https://search.example.com/.well-known/agent-card.json | capgen import a2a - --agent search";

#[derive(Args, Debug)]
#[command(after_help = IMPORT_EXAMPLES)]
pub(crate) struct Import {
    #[command(subcommand)]
    pub(crate) format: Format,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Format {
    /// The tools of an MCP server
    #[command(after_help = MCP_EXAMPLES)]
    Mcp(Mcp),
    /// Files of JSON Schema
    #[command(after_help = JSON_SCHEMA_EXAMPLES)]
    JsonSchema(JsonSchema),
    /// The operations of an OpenAPI document, version 3.0, 3.1 or 3.2, in JSON or YAML
    #[command(after_help = OPENAPI_EXAMPLES)]
    Openapi(Openapi),
    /// The skills of an A2A agent card that has schemas
    #[command(after_help = A2A_EXAMPLES)]
    A2a(OneFile),
    /// A manifest whose schemas are JSON Schema of any draft, as programs make them from their types
    #[command(after_help = MANIFEST_EXAMPLES)]
    Manifest(Definition),
}

impl Format {
    pub(super) fn output(&self) -> &Output {
        match self {
            Format::Mcp(arguments) => &arguments.output,
            Format::JsonSchema(arguments) => &arguments.output,
            Format::Openapi(arguments) => &arguments.one.output,
            Format::A2a(arguments) => &arguments.output,
            Format::Manifest(arguments) => &arguments.output,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct Mcp {
    /// File with the tools: the result of `tools/list`, several of them, or an array of tools; `-` means standard input
    #[cfg_attr(feature = "mcp", arg(value_name = "TOOLS", required_unless_present_any = ["stdio", "http"]))]
    #[cfg_attr(not(feature = "mcp"), arg(value_name = "TOOLS", required = true))]
    pub(crate) file: Option<PathBuf>,
    #[cfg(feature = "mcp")]
    #[command(flatten)]
    pub(crate) server: super::server::Server,
    #[command(flatten)]
    pub(crate) conversion: Conversion,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Args, Debug)]
pub(crate) struct JsonSchema {
    /// Files, and folders whose JSON files are read. `<name>.request.schema.json` and `<name>.response.schema.json` are
    /// the sides of a capability; any other file is the request of the capability with its name. `-` means standard
    /// input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// The name of the capability, instead of the one in the names of the files; standard input needs it, or `--each`
    #[arg(long, value_name = "NAME", value_parser = capability_name)]
    pub(crate) capability: Option<String>,
    /// The side that the schemas are, instead of the one in the names of the files
    #[arg(long, value_enum)]
    pub(crate) side: Option<Side>,
    /// Import each member of `$defs` and `definitions` as a capability with its name
    #[arg(long, conflicts_with = "capability")]
    pub(crate) each: bool,
    /// The folder with the files that references may lead to [default: the folder of each file]
    #[arg(long, value_name = "DIR")]
    pub(crate) root_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) conversion: Conversion,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// A side of a capability.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Side {
    Request,
    Response,
}

impl From<Side> for capgen_manifest::Side {
    fn from(side: Side) -> Self {
        match side {
            Side::Request => Self::Request,
            Side::Response => Self::Response,
        }
    }
}

impl JsonSchema {
    /// The options that name the capabilities.
    pub(super) fn naming(&self) -> Naming {
        let side = self.side.map(capgen_manifest::Side::from);
        Naming { capability: self.capability.clone(), side, each: self.each }
    }

    /// The same options in a command line, each after a space.
    pub(super) fn naming_words(&self) -> String {
        let mut words = String::new();
        words.extend(self.capability.iter().map(|name| format!(" --capability {name}")));
        let side = self.naming().side;
        words.extend(side.iter().map(|side| format!(" --side {}", side.name())));
        words.push_str(if self.each { " --each" } else { "" });
        words
    }
}

#[derive(Args, Debug)]
pub(crate) struct OneFile {
    /// The document; `-` means standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) conversion: Conversion,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Args, Debug)]
pub(crate) struct Definition {
    /// The document, in JSON or YAML; `-` means standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The program that makes the document, for the comment at the start of the manifest; it is not read
    #[arg(long, value_name = "FILE")]
    pub(crate) made_from: Option<PathBuf>,
    /// Widen schemas that a contract cannot express, and list each loss, instead of rejecting them
    #[arg(long)]
    pub(crate) lossy: bool,
    /// Leave out capabilities whose schemas have errors, and list them, instead of failing
    #[arg(long)]
    pub(crate) skip: bool,
    /// Keep formats as annotations instead of checking them: `annotate` for all, or `annotate=date-time,time` for the
    /// named ones
    #[arg(long, value_name = "READING", value_parser = formats)]
    pub(crate) formats: Option<AnnotatedFormats>,
    #[command(flatten)]
    pub(crate) output: Output,
}

impl Definition {
    /// The document has the id of the agent, so that there is no option for it.
    pub(super) fn conversion(&self) -> Conversion {
        Conversion { agent: None, lossy: self.lossy, skip: self.skip, formats: self.formats }
    }
}

#[derive(Args, Debug)]
pub(crate) struct Openapi {
    #[command(flatten)]
    pub(crate) one: OneFile,
    /// Import each schema in `components.schemas` as a capability with its name, too
    #[arg(long)]
    pub(crate) each: bool,
    /// With `--each`: the side that the schemas are [default: request]
    #[arg(long, value_enum, requires = "each")]
    pub(crate) side: Option<Side>,
    /// The folder with the files that references may lead to [default: the folder of the document]
    #[arg(long, value_name = "DIR")]
    pub(crate) root_dir: Option<PathBuf>,
}

impl Openapi {
    /// The side that each schema among the components becomes.
    pub(super) fn each(&self) -> Option<capgen_manifest::Side> {
        self.each.then(|| self.side.unwrap_or(Side::Request).into())
    }

    /// The same options in a command line, each after a space.
    pub(super) fn each_words(&self) -> String {
        let side = self.side.map(capgen_manifest::Side::from);
        let side = side.map_or(String::new(), |side| format!(" --side {}", side.name()));
        format!("{}{side}", if self.each { " --each" } else { "" })
    }
}

/// How entries become capabilities.
#[derive(Args, Clone, Debug)]
pub(crate) struct Conversion {
    /// The id of the agent [default: from the name in the source, or of the file]
    #[arg(long, value_name = "ID", value_parser = agent_id)]
    pub(crate) agent: Option<AgentId>,
    /// Widen schemas that a contract cannot express, and list each loss, instead of rejecting them
    #[arg(long)]
    pub(crate) lossy: bool,
    /// Leave out entries with errors, and list them, instead of failing
    #[arg(long)]
    pub(crate) skip: bool,
    /// Keep formats as annotations instead of checking them: `annotate` for all, or `annotate=date-time,time` for the
    /// named ones
    #[arg(long, value_name = "READING", value_parser = formats)]
    pub(crate) formats: Option<AnnotatedFormats>,
}

/// Where the manifest is written.
#[derive(Args, Debug)]
pub(crate) struct Output {
    /// File to write; `-` means standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(crate) out: PathBuf,
    /// Write nothing; fail if the file of `--out` is out of date or missing
    #[arg(long)]
    pub(crate) check: bool,
    /// Write nothing; print the changes to the file of `--out` as a unified diff
    #[arg(long)]
    pub(crate) diff: bool,
    /// Overwrite the file even if it was not imported
    #[arg(long)]
    pub(crate) force: bool,
    /// How to print errors, warnings and a file that is out of date: `human` prints to standard error, the other
    /// formats to standard output, so that the manifest needs `--out`
    #[arg(long, value_enum, default_value_t = Findings::Human, conflicts_with = "diff")]
    pub(crate) format: Findings,
    /// Print {"manifest", "path", "status", "diff", "diagnostics"} to standard output
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// An import that code is generated from.
#[derive(Args, Clone, Default, Debug)]
pub(crate) struct Imported {
    /// Import the tools of an MCP server from this JSON file, and generate code from them
    #[arg(long, value_name = "TOOLS", conflicts_with_all = ["peer", "all", "capabilities"])]
    pub(crate) mcp: Option<PathBuf>,
    /// With an import: the id of the agent [default: from the name in the source, or of the file]
    #[arg(long, value_name = "ID", value_parser = agent_id, requires = "mcp", conflicts_with_all = ["peer", "all", "capabilities"])]
    pub(crate) agent: Option<AgentId>,
    /// With an import: widen schemas that a contract cannot express, and list each loss, instead of rejecting them
    #[arg(long, requires = "mcp", conflicts_with_all = ["peer", "all", "capabilities"])]
    pub(crate) lossy: bool,
    /// With an import: leave out entries with errors, and list them, instead of failing
    #[arg(long, requires = "mcp", conflicts_with_all = ["peer", "all", "capabilities"])]
    pub(crate) skip: bool,
    /// With an import: keep formats as annotations instead of checking them: `annotate` for all, or
    /// `annotate=date-time,time` for the named ones
    #[arg(long, value_name = "READING", value_parser = formats, requires = "mcp", conflicts_with_all = ["peer", "all", "capabilities"])]
    pub(crate) formats: Option<AnnotatedFormats>,
}

impl Imported {
    pub(crate) fn conversion(&self) -> Conversion {
        Conversion { agent: self.agent.clone(), lossy: self.lossy, skip: self.skip, formats: self.formats }
    }
}

impl Conversion {
    /// The options in a command line, each after a space.
    pub(crate) fn words(&self) -> String {
        let mut words = String::new();
        for (is_set, flag) in [(self.lossy, " --lossy"), (self.skip, " --skip")] {
            words.push_str(if is_set { flag } else { "" });
        }
        words.extend(self.formats.iter().map(|formats| match *formats == AnnotatedFormats::all() {
            true => format!(" --formats {ANNOTATE}"),
            false => format!(" --formats {ANNOTATE}={}", formats.names().collect::<Vec<_>>().join(",")),
        }));
        words.extend(self.agent.iter().map(|agent| format!(" --agent {agent}")));
        words
    }

    pub(crate) fn settings(&self) -> ImportSettings {
        ImportSettings { lossy: self.lossy, annotated_formats: self.formats.unwrap_or_default() }
    }
}

/// The value of `--formats` that keeps formats as annotations.
const ANNOTATE: &str = "annotate";

fn formats(text: &str) -> Result<AnnotatedFormats, String> {
    match text.strip_prefix(ANNOTATE) {
        Some("") => Ok(AnnotatedFormats::all()),
        Some(names) if names.starts_with('=') => {
            let names = names.split(['=', ',']).skip(1);
            AnnotatedFormats::named(names).map_err(|name| {
                let known = AnnotatedFormats::all().names().collect::<Vec<_>>().join(", ");
                format!("`{name}` is not a format that a contract checks; these are: {known}")
            })
        }
        _ => Err(format!("write `{ANNOTATE}`, or `{ANNOTATE}=` and names of formats, separated by commas")),
    }
}

pub(crate) fn agent_id(text: &str) -> Result<AgentId, &'static str> {
    AgentId::new(text).ok_or(AgentId::RULE)
}

fn capability_name(text: &str) -> Result<String, &'static str> {
    Capability::is_name(text).then(|| text.to_owned()).ok_or(Capability::NAME_RULE)
}
