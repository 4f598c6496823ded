//! What can be written on the command line.

use std::path::PathBuf;

use capgen_codegen::Language;
use capgen_manifest::Side;
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};

/// Typed contracts between agents: capabilities.yaml to Rust and TypeScript.
#[derive(Parser, Debug)]
#[command(name = "capgen", version, args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Without a subcommand: those of `gen`.
    #[command(flatten)]
    pub(crate) generate: Generate,
}

const EXAMPLES: &str = "\
Examples:
  capgen --peer pr-reviewer              write generated/pr-reviewer.rs and .ts
  capgen gen --all --check               in CI: fail where checked-in output is stale
  capgen check                           lint every agent of the fleet
  capgen validate --peer pr-reviewer --capability review-pr --side request payload.json
  capgen explain E0107                   what an error means and how to mend it

Exit status: 0 fine, 1 findings or bad input, 2 wrong usage.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Generate types from agents' contracts (what `capgen --peer <ID>` is short for)
    #[command(name = "gen", after_help = GENERATE_EXAMPLES)]
    Generate(Generate),
    /// Look for errors and warnings in contracts, and generate nothing
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Check),
    /// Validate payloads against one side of a capability
    #[command(after_help = VALIDATE_EXAMPLES)]
    Validate(Validate),
    /// Tell what an error code means, with an example and its mend
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(Explain),
    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(Completions),
}

/// Which contracts to read.
#[derive(Args, Clone, Debug)]
pub(crate) struct Contracts {
    /// Read the agent of that id from the fleet; may be repeated
    #[arg(long, value_name = "ID")]
    pub(crate) peer: Vec<String>,
    /// Read every agent of the fleet
    #[arg(long)]
    pub(crate) all: bool,
    /// Read this file, in the fleet or not; may be repeated
    #[arg(long, value_name = "PATH", value_parser = contract_path())]
    pub(crate) capabilities: Vec<PathBuf>,
    /// The fleet's root folder [default: the nearest one at or above the current folder with fleet.yaml or agents/]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct Generate {
    #[command(flatten)]
    pub(crate) contracts: Contracts,
    /// The output folder, relative to the current one
    #[arg(long, value_name = "DIR", default_value = "generated")]
    pub(crate) out: PathBuf,
    /// Generate this language alone; may be repeated or hold commas [default: rust,typescript]
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',')]
    pub(crate) lang: Vec<Lang>,
    /// Print a summary on standard output as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    /// Write nothing; fail where a file is stale or missing, or its agent is gone
    #[arg(long)]
    pub(crate) check: bool,
    /// Write nothing; print what would change as a unified diff
    #[arg(long, conflicts_with = "json")]
    pub(crate) diff: bool,
    /// Keep running, and generate again whenever a contract changes
    #[arg(long, conflicts_with_all = ["json", "check", "diff"])]
    pub(crate) watch: bool,
}

const GENERATE_EXAMPLES: &str = "\
Examples:
  capgen gen --peer pr-reviewer --peer payments
  capgen gen --all --lang typescript --out web/src/contracts
  capgen gen --capabilities vendor/search.yaml --json
  capgen gen --all --check --diff        fail where output is stale, and show how

Files are <out>/<id>.rs and <out>/<id>.ts; with --lang javascript <out>/<id>.js and <id>.d.ts. They are replaced as wholes, only where they change, and only where \
capgen wrote them. If one contract is bad, nothing is written.

With --json: {\"peers\": [{\"peer\", \"source\", \"capabilities\", \"files\": [{\"path\", \"status\"}], \"hash\"}], \
\"orphans\", \"diagnostics\"}. A status is `written` or `unchanged`; with --check `unchanged`, `stale` or `missing`.

--check also names generated files whose agent is neither in the fleet nor given by --capabilities; where there is no \
fleet, it says nothing of other files.";

#[derive(Args, Debug)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) contracts: Contracts,
    /// Files to look at, as with --capabilities
    #[arg(value_name = "PATH", value_parser = contract_path())]
    pub(crate) paths: Vec<PathBuf>,
    /// Fail on warnings too
    #[arg(long)]
    pub(crate) strict: bool,
    /// How to print findings: for people on standard error, all others on standard output
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  capgen check                           every agent of the fleet
  capgen check agents/*/capabilities.yaml --strict
  capgen check --format sarif > capgen.sarif
  capgen check --format github           in a GitHub workflow: annotate the pull request";

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("contract").required(true).args(["capabilities", "peer"])))]
pub(crate) struct Validate {
    /// Read the contract from this file
    #[arg(long, value_name = "PATH", value_parser = contract_path())]
    pub(crate) capabilities: Option<PathBuf>,
    /// Read the contract of this agent of the fleet
    #[arg(long, value_name = "ID")]
    pub(crate) peer: Option<String>,
    /// The fleet's root folder [default: the nearest one at or above the current folder with fleet.yaml or agents/]
    #[arg(long, value_name = "DIR", conflicts_with = "capabilities")]
    pub(crate) root: Option<PathBuf>,
    /// The capability that the payload is for
    #[arg(long, value_name = "NAME")]
    pub(crate) capability: String,
    /// Which of its payloads it is
    #[arg(long, value_enum)]
    pub(crate) side: SideName,
    /// The payload, JSON; `-` is standard input
    #[arg(value_name = "PAYLOAD", default_value = "-")]
    pub(crate) payload: PathBuf,
    /// Read one payload a line, and print one result a line
    #[arg(long)]
    pub(crate) lines: bool,
    /// Print results as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Quote nothing from payloads in messages
    #[arg(long)]
    pub(crate) redact: bool,
}

const VALIDATE_EXAMPLES: &str = "\
Examples:
  capgen validate --peer pr-reviewer --capability review-pr --side request payload.json
  curl -s ... | capgen validate --capabilities a.yaml --capability search --side response -
  capgen validate --peer search --capability search --side request --lines --json < log.ndjson

With --json a result is {\"valid\": true}, {\"valid\": false, \"violations\": [{\"path\", \"message\", \"keyword\"}]}, or \
{\"valid\": false, \"error\": ...} for what is not JSON. A side without a schema accepts every JSON value. A payload \
has at most 64 MiB. An empty line is not JSON; one at the very end is skipped. Exit status 1: one is not valid.";

#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// The code, such as E0107
    #[arg(required_unless_present = "list")]
    pub(crate) code: Option<String>,
    /// List every code with its title
    #[arg(long, conflicts_with = "code")]
    pub(crate) list: bool,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  capgen explain E0107
  capgen explain --list";

#[derive(Args, Debug)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  capgen completions bash > ~/.local/share/bash-completion/completions/capgen
  capgen completions zsh > ~/.zfunc/_capgen
  capgen completions fish > ~/.config/fish/completions/capgen.fish";

/// A language's name on the command line.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lang {
    #[value(alias = "rs")]
    Rust,
    #[value(name = "typescript", alias = "ts")]
    TypeScript,
    /// With declarations
    #[value(name = "javascript", alias = "js")]
    JavaScript,
}

/// A side's name on the command line.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SideName {
    /// What the caller sends
    Request,
    /// What the provider answers
    Response,
}

/// How findings are printed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// For people, with snippets
    Human,
    /// One JSON object a line
    Json,
    /// Workflow commands that annotate a pull request
    Github,
    /// One SARIF 2.1.0 log
    Sarif,
}

/// The path of a contract. `-` means standard input elsewhere, so it is not taken for a file.
fn contract_path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        if path.as_os_str() == "-" {
            return Err("a contract is not read from standard input: name its file (one called `-` is `./-`)");
        }
        Ok(path)
    })
}

impl Generate {
    /// The languages asked for, each once.
    pub(crate) fn languages(&self) -> Vec<Language> {
        if self.lang.is_empty() {
            return Language::DEFAULT.to_vec();
        }
        let asked = |l: &Language| self.lang.iter().any(|lang| Language::from(*lang) == *l);
        Language::ALL.into_iter().filter(asked).collect()
    }
}

impl From<Lang> for Language {
    fn from(lang: Lang) -> Self {
        match lang {
            Lang::Rust => Language::Rust,
            Lang::TypeScript => Language::TypeScript,
            Lang::JavaScript => Language::JavaScript,
        }
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
}
