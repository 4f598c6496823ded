//! The subcommands, and the options that several of them have. The others are beside the `run` of each
//! subcommand.

use std::path::PathBuf;

use capgen_manifest::Side;
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

#[cfg(feature = "amp")]
use crate::amp::Amp;
#[cfg(feature = "audit")]
use crate::audit::Audit;
#[cfg(feature = "dci")]
use crate::dci::Dci;
use crate::generate::Generate;
#[cfg(not(feature = "amp"))]
use crate::missing::Missing as Amp;
#[cfg(not(feature = "audit"))]
use crate::missing::Missing as Audit;
#[cfg(not(feature = "dci"))]
use crate::missing::Missing as Dci;
#[cfg(not(feature = "registry"))]
use crate::missing::Missing as Registry;
#[cfg(feature = "registry")]
use crate::registry::Registry;

/// Generate Rust and TypeScript types from the contracts of agents
///
/// An agent declares its capabilities, the calls that it accepts, in a manifest (`capabilities.yaml`). capgen checks
/// manifests, and generates types and validators for the programs that call the agent.
///
/// A peer is an agent whose capabilities you call. A fleet is a folder with the manifests of several agents.
#[derive(Parser, Debug)]
#[command(name = "capgen", version, args_conflicts_with_subcommands = true, after_help = examples())]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    // Options without a subcommand are those of `gen`: `capgen --peer x` is `capgen gen --peer x`.
    #[command(flatten)]
    pub(crate) generate: Generate,
}

const EXAMPLES: &str = "\
Examples:
  capgen --peer pr-reviewer              write generated/pr-reviewer.rs and .ts
  capgen gen --all --check               in CI: fail if committed code is out of date
  capgen check                           check the manifest of every agent in the fleet
  capgen validate --peer pr-reviewer --capability review-pr --side request payload.json
  capgen diff --against git:origin/main  report changes that break callers, each with a payload that proves it
  capgen explain E0107                   explain an error code and how to fix it

Exit status: 0 success, 1 the input is invalid or a check failed, 2 incorrect usage.";

/// The text after the help, which also lists the parts that this build lacks.
fn examples() -> String {
    #[cfg(not(all(
        feature = "amp-store",
        feature = "audit",
        feature = "dci",
        feature = "mcp",
        feature = "registry-nats"
    )))]
    let missing = crate::missing::FEATURES.iter().map(|name| crate::missing::message(name));
    #[cfg(all(feature = "amp-store", feature = "audit", feature = "dci", feature = "mcp", feature = "registry-nats"))]
    let missing = std::iter::empty::<String>();
    missing.fold(EXAMPLES.to_owned(), |text, missing| format!("{text}\n\n{missing}"))
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Generate code from manifests (`capgen --peer <ID>` is short for `capgen gen --peer <ID>`)
    #[command(name = "gen")]
    Generate(Generate),
    /// Report errors and warnings in manifests without generating code
    Check(crate::check::Check),
    /// Validate payloads against the request or response schema of a capability
    Validate(crate::validate::Validate),
    /// Print small valid payloads of a capability, or payloads that violate each of its constraints
    Example(crate::example::Example),
    /// Compare manifests with an older version, and report the changes that break callers or providers
    #[command(after_help = crate::diff::arguments::DIFF_EXAMPLES)]
    Diff(crate::diff::arguments::Diff),
    /// Write a first manifest, with a comment for editors that complete and check it
    Init(crate::init::Init),
    /// Write a manifest from a contract in another format: MCP tools, OpenAPI, an A2A agent card or JSON Schema
    Import(crate::import::Import),
    /// Write a contract in another format: MCP tools, OpenAPI, tools for OpenAI, an A2A agent card or JSON Schema; or
    /// the schema of manifests for editors
    Export(crate::export::Export),
    /// Write the hashes of capabilities to capgen.lock, so that later changes of them are reported
    Lock(crate::lock::Lock),
    /// Show which versions of a capability work together: requesters against providers
    Matrix(crate::matrix::Matrix),
    /// Write the contracts of a fleet as static HTML pages, with schemas in words, examples, callers, changes and a
    /// search
    Docs(crate::docs::Docs),
    /// Query and verify the audit of violations and calls
    Audit(Audit),
    /// AMP messages: inspect them, negotiate versions, and answer them from signed bundles of capabilities
    Amp(Box<Amp>),
    /// The capability registry: fold, query, resolve and explain the events of agents
    Registry(Box<Registry>),
    /// Dependent capabilities: check the contracts of skills
    Dci(Box<Dci>),
    /// Explain an error code and how to fix it
    Explain(crate::explain::Explain),
    /// Print a shell completion script
    Completions(crate::completions::Completions),
}

/// The options that select contracts.
#[derive(Args, Clone, Default, Debug)]
pub(crate) struct Contracts {
    /// Read the manifest of this agent in the fleet; may be repeated
    #[arg(long, value_name = "ID")]
    pub(crate) peer: Vec<String>,
    /// Read the manifest of every agent in the fleet
    #[arg(long)]
    pub(crate) all: bool,
    /// Read this manifest, which may be outside the fleet; may be repeated
    #[arg(long, value_name = "PATH", value_parser = contract_path())]
    pub(crate) capabilities: Vec<PathBuf>,
    /// Root folder of the fleet [default: the current folder or its nearest parent with fleet.yaml or agents/]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}

/// The value of `--side`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SideName {
    /// The payload that the caller sends
    Request,
    /// The payload that the agent answers with
    Response,
}

/// The value of `--format`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// Human-readable, with source snippets
    Human,
    /// One JSON object per line
    Json,
    /// GitHub workflow commands that annotate a pull request
    Github,
    /// One SARIF 2.1.0 document
    Sarif,
    /// One JUnit XML document
    Junit,
}

/// The path of a contract. `-` means standard input for payloads, so it is rejected here instead of being read as a
/// file name.
pub(crate) fn contract_path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        if path.as_os_str() == "-" {
            return Err("a contract cannot be read from standard input: pass its path (`./-` for a file called `-`)");
        }
        Ok(path)
    })
}

impl From<SideName> for Side {
    fn from(side: SideName) -> Self {
        match side {
            SideName::Request => Side::Request,
            SideName::Response => Side::Response,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }

    /// The options that only control printing have no place in a result, and the API changes no manifest.
    #[test]
    fn the_node_api_has_the_options_that_determine_the_result() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("npm/cli/lib");
        let [code, types] =
            ["options.js", "index.d.ts"].map(|file| std::fs::read_to_string(folder.join(file)).unwrap());
        let command = super::Arguments::command();
        let without = ["help", "version", "json", "diff", "format", "watch", "paths", "fix", "unsafe_edits", "dry_run"];
        for name in ["gen", "check"] {
            for argument in command.find_subcommand(name).unwrap().get_arguments() {
                let id = argument.get_id().as_str();
                if without.contains(&id) {
                    continue;
                }
                let mut words = id.split('_');
                let first = words.next().unwrap().to_owned();
                let option = words.fold(first, |name, word| {
                    let (initial, rest) = word.split_at(1);
                    name + &initial.to_uppercase() + rest
                });
                assert!(types.contains(&format!("  {option}?: ")), "{name}: {option} is not declared");
                assert!(code.contains(&format!(" {option}: ")), "{name}: {option}");
                assert!(code.contains(&format!("(\"{}\")", id.replace('_', "-"))), "{name}: {option}");
            }
        }
    }
}
