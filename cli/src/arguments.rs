//! The command line's subcommands, options and help texts.

use std::path::PathBuf;

use capgen_codegen::{Language, Options};
use capgen_manifest::Side;
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

#[cfg(feature = "amp")]
use crate::amp::Amp;
#[cfg(feature = "audit")]
use crate::audit::Audit;
#[cfg(feature = "dci")]
use crate::dci::Dci;
#[cfg(not(feature = "amp"))]
use crate::missing::Missing as Amp;
#[cfg(not(feature = "audit"))]
use crate::missing::Missing as Audit;
#[cfg(not(feature = "dci"))]
use crate::missing::Missing as Dci;
#[cfg(not(feature = "registry"))]
use crate::missing::Missing as Registry;
use crate::one_contract::OneContract;
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
    #[command(name = "gen", after_help = GENERATE_EXAMPLES)]
    Generate(Generate),
    /// Report errors and warnings in manifests without generating code
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Check),
    /// Validate payloads against the request or response schema of a capability
    #[command(after_help = VALIDATE_EXAMPLES)]
    Validate(Validate),
    /// Print small valid payloads of a capability, or payloads that violate each of its constraints
    Example(crate::example::Example),
    /// Compare manifests with an older version, and report the changes that break callers or providers
    #[command(after_help = crate::diff::arguments::DIFF_EXAMPLES)]
    Diff(crate::diff::arguments::Diff),
    /// Write a first manifest, with a comment for editors that complete and check it
    Init(crate::init::Init),
    /// Write a manifest from a contract in another format: MCP tools, OpenAPI, an A2A agent card or JSON Schema
    Import(crate::import::Import),
    /// Write a contract in another format: MCP tools, OpenAPI, tools for OpenAI, an A2A agent card or JSON Schema; or the schema of
    /// manifests for editors
    Export(crate::export::Export),
    /// Write the hashes of capabilities to capgen.lock, so that later changes of them are reported
    Lock(crate::lock::Lock),
    /// Show which versions of a capability work together: requesters against providers
    Matrix(crate::matrix::Matrix),
    /// Write the contracts of a fleet as static HTML pages, with schemas in words, examples, callers, changes and a search
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
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(Explain),
    /// Print a shell completion script
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(Completions),
}

/// The options that select contracts.
#[derive(Args, Clone, Debug)]
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

/// The output folder if `--out` is not given.
pub(crate) const DEFAULT_OUT: &str = "generated";

#[derive(Args, Clone, Debug)]
pub(crate) struct Generate {
    #[command(flatten)]
    pub(crate) contracts: Contracts,
    #[command(flatten)]
    pub(crate) imported: crate::import::Imported,
    /// Output folder, relative to the current folder
    #[arg(long, value_name = "DIR", default_value = DEFAULT_OUT)]
    pub(crate) out: PathBuf,
    /// Generate this language; may be repeated or a comma-separated list [default: rust,typescript]
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',', value_parser = LanguageParser)]
    pub(crate) lang: Vec<Language>,
    /// Rust: merge "optional and nullable" into one `Option<T>`, so that `null` and an absent property become the same
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) merge_nullable: Option<bool>,
    /// TypeScript: write arrays with `minItems` or `maxItems` as `T[]` instead of tuples such as `[T, ...T[]]`
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) plain_arrays: Option<bool>,
    /// Add a client that calls the agent, and a trait (TypeScript: an interface) to implement it
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) calls: Option<bool>,
    /// TypeScript, JavaScript: make each side of a capability an object that follows the Standard Schema convention too
    /// [default: true]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) standard_schema: Option<bool>,
    /// Print a summary to standard output as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    /// Write nothing; fail if a file is out of date or missing, or if its agent no longer exists
    #[arg(long)]
    pub(crate) check: bool,
    /// Write nothing; print the changes as a unified diff
    #[arg(long, conflicts_with = "json")]
    pub(crate) diff: bool,
    /// How to print errors, warnings and files that are out of date: `human` prints to standard error, the other formats to
    /// standard output
    #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with_all = ["json", "diff"])]
    pub(crate) format: Format,
    /// Keep running, and regenerate when a manifest, or the source of an import, changes
    #[arg(long, conflicts_with_all = ["json", "check", "diff", "format"])]
    pub(crate) watch: bool,
}

const GENERATE_EXAMPLES: &str = "\
Examples:
  capgen gen --peer pr-reviewer --peer payments
  capgen gen --all --lang typescript --out web/src/contracts
  capgen gen --capabilities vendor/search.yaml --json
  capgen gen --mcp tools.json            from the tools of an MCP server, without a manifest
  capgen gen --all --check --diff        fail if output is out of date, and show the changes
  capgen gen --all --check --format github
                                         in a GitHub workflow: annotate the pull request

The generated files are <out>/<id>.rs and <out>/<id>.ts, or <out>/<id>.js and <out>/<id>.d.ts with --lang javascript \
(.mjs and .d.mts with mjs, .cjs and .d.cts with cjs). \
An existing file is replaced only if its content changes, and only if capgen generated it or it is blank. \
If any manifest has errors, nothing is written.

--json prints {\"peers\": [{\"peer\", \"source\", \"capabilities\", \"files\": [{\"path\", \"status\"}], \"hash\"}], \
\"orphans\", \"diagnostics\"}. A status is `written` or `unchanged`; with --check, it is `unchanged`, `stale` (out of date) or `missing`.

--check also reports orphans: generated files whose agent is neither in the fleet nor in a manifest given by --capabilities. \
Outside a fleet, it checks only the generated files of the selected manifests.";

#[derive(Args, Debug)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) contracts: Contracts,
    /// Manifests to check, the same as --capabilities [default: every agent in the fleet, as with --all]
    #[arg(value_name = "PATH", value_parser = contract_path())]
    pub(crate) paths: Vec<PathBuf>,
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// How to print errors and warnings: `human` prints to standard error, the other formats to standard output
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// Keep running, and check again when a manifest changes
    #[arg(long, conflicts_with = "format")]
    pub(crate) watch: bool,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  capgen check                           check every agent in the fleet
  capgen check agents/*/capabilities.yaml --strict
  capgen check --watch                   check again after each save
  capgen check --format sarif > capgen.sarif
  capgen check --format github           in a GitHub workflow: annotate the pull request";

#[derive(Args, Debug)]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) contract: OneContract,
    /// The capability that the payload belongs to
    #[arg(long, value_name = "NAME")]
    pub(crate) capability: String,
    /// The side of the capability: whether the payload is a request or a response
    #[arg(long, value_enum)]
    pub(crate) side: SideName,
    /// File with the JSON payload; `-` means standard input
    #[arg(value_name = "PAYLOAD", default_value = "-")]
    pub(crate) payload: PathBuf,
    /// Read one payload per line and print one result per line
    #[arg(long)]
    pub(crate) lines: bool,
    /// Print results as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Do not quote payload values or undeclared property names in messages; paths still contain these names
    #[arg(long)]
    pub(crate) redact: bool,
}

const VALIDATE_EXAMPLES: &str = "\
Examples:
  capgen validate --peer pr-reviewer --capability review-pr --side request payload.json
  curl -s ... | capgen validate --capabilities a.yaml --capability search --side response -
  capgen validate --peer search --capability search --side request --lines --json < log.ndjson

Violations are printed to standard output, one per line. With --json, a result is {\"valid\": true}, \
{\"valid\": false, \"violations\": [{\"path\", \"message\", \"keyword\"}]}, or {\"valid\": false, \"error\": \"...\"} if the \
input is not valid JSON or too large.

A side without a schema accepts every JSON value. A payload may be up to 64 MiB. With --lines, an empty line is an \
error, except for one at the end of the input. The exit status is 1 if any payload is invalid.";

#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// Code of an error or a warning, such as E0107, or one that programs report while they run, such as EAGENTRPC_TIMEOUT, 4004 (AMP) or
    /// no-compatible-version (registry)
    #[arg(required_unless_present_any = ["list", "all"], num_args = 1..)]
    pub(crate) code: Vec<String>,
    /// List every code with its title
    #[arg(long, conflicts_with = "code")]
    pub(crate) list: bool,
    /// Print the explanation of every code as one Markdown page
    #[arg(long, conflicts_with_all = ["code", "list"])]
    pub(crate) all: bool,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  capgen explain E0107
  capgen explain EAGENTRPC_TIMEOUT
  capgen explain 4004                    the error of AMP
  capgen explain timeout                 a name of several systems: the page of each one
  capgen explain AMP 5003                that of one system
  capgen explain --list";

#[derive(Args, Debug)]
pub(crate) struct Completions {
    /// Shell to print the script for
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  capgen completions bash > ~/.local/share/bash-completion/completions/capgen
  capgen completions zsh > ~/.zfunc/_capgen
  capgen completions fish > ~/.config/fish/completions/capgen.fish";

/// Reads the value of `--lang`: the name of a language, or one of its other names.
#[derive(Clone)]
struct LanguageParser;

impl TypedValueParser for LanguageParser {
    type Value = Language;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Language, clap::Error> {
        let names = Language::ALL.iter().map(|language| possible_value(*language));
        let name = clap::builder::PossibleValuesParser::new(names).parse_ref(command, argument, value)?;
        let has_name = |language: &&Language| possible_value(**language).matches(&name, false);
        Language::ALL
            .iter()
            .find(has_name)
            .copied()
            .ok_or_else(|| clap::Error::new(clap::error::ErrorKind::InvalidValue))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        Some(Box::new(Language::ALL.iter().map(|language| possible_value(*language))))
    }
}

fn possible_value(language: Language) -> clap::builder::PossibleValue {
    clap::builder::PossibleValue::new(language.name()).aliases(language.aliases()).help(language.about())
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
}

/// The path of a contract. `-` means standard input for payloads, so it is rejected here instead of being read as a file
/// name.
pub(crate) fn contract_path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        if path.as_os_str() == "-" {
            return Err("a contract cannot be read from standard input: pass its path (`./-` for a file called `-`)");
        }
        Ok(path)
    })
}

impl Generate {
    /// The options of generated code: those of the fleet, unless a flag sets them.
    pub(crate) fn options(&self, fleet: Options) -> Options {
        Options {
            merge_nullable: self.merge_nullable.unwrap_or(fleet.merge_nullable),
            plain_arrays: self.plain_arrays.unwrap_or(fleet.plain_arrays),
            calls: self.calls.unwrap_or(fleet.calls),
            standard_schema: self.standard_schema.unwrap_or(fleet.standard_schema),
        }
    }

    /// The selected languages, without duplicates, in the order of [`Language::ALL`].
    pub(crate) fn languages(&self) -> Vec<Language> {
        if self.lang.is_empty() {
            return Language::DEFAULT.to_vec();
        }
        Language::ALL.iter().copied().filter(|language| self.lang.contains(language)).collect()
    }
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

    /// The options that only control printing have no place in a result.
    #[test]
    fn the_node_api_has_the_options_that_determine_the_result() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("npm/cli/lib");
        let [code, types] = ["index.js", "index.d.ts"].map(|file| std::fs::read_to_string(folder.join(file)).unwrap());
        let command = super::Arguments::command();
        let without = ["help", "version", "json", "diff", "format", "watch", "paths"];
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
