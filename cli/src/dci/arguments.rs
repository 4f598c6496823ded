//! The options of `capgen dci`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use capgen_dci::files::Roots;
use capgen_dci::{Decision, Mode, Profile};
use clap::{Args, Subcommand};

use super::graph::Language;
use super::values::{capability, decision, mode, policy, profile, time};
use crate::arguments::Format;
use crate::one_contract::OneContract;

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Dci {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  capgen dci parse 'DCI/1 P(web-search) R(http)'
  capgen dci fmt 'DCI/1  Requires(http)  Provides(web-search)'
  capgen dci resolve --require web-search
  capgen dci lint                        check the skills of the current folder

A skill states in its contract which capabilities it provides, requires and denies. docs/dci.md describes contracts.

Exit status: 0 success, 1 the input is invalid, 2 incorrect usage.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Show the clauses of a contract, and report its mistakes
    #[command(after_help = PARSE_HELP)]
    Parse(Parse),
    /// Print the canonical text of a contract
    #[command(after_help = FMT_HELP)]
    Fmt(Fmt),
    /// Choose skills that provide capabilities, and explain the choice
    #[command(after_help = RESOLVE_HELP)]
    Resolve(Box<Resolve>),
    /// Check the skills of a workspace
    #[command(after_help = LINT_HELP)]
    Lint(Lint),
    /// Find skills by the words of their names, paths and descriptions
    #[command(after_help = SEARCH_HELP)]
    Search(Search),
    /// Show the providers that a run selects, and those that they require
    #[command(after_help = GRAPH_HELP)]
    Graph(Box<Graph>),
    /// Print the frontmatter of a skill that provides the capabilities of a manifest
    #[command(after_help = SKILL_HELP)]
    Skill(Skill),
    /// Record whether a use of a skill succeeded
    #[command(after_help = RECORD_HELP)]
    Record(Record),
}

/// A contract and the mode in which it is read.
#[derive(Args, Debug)]
pub(crate) struct ContractText {
    /// The contract; `-` means standard input
    #[arg(value_name = "TEXT", default_value = "-")]
    pub(crate) text: String,
    /// Read the contract in this mode [default: the mode that it states, else best-effort]
    #[arg(long, value_name = "MODE", value_parser = mode())]
    pub(crate) mode: Option<Mode>,
}

#[derive(Args, Debug)]
pub(crate) struct Parse {
    #[command(flatten)]
    pub(crate) contract: ContractText,
    /// Print the result as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

const PARSE_HELP: &str = "\
Examples:
  capgen dci parse 'DCI/1 P(web-search) R(http)'
  capgen dci parse --mode strict --json 'DCI/1 P(web-search) A(format=json)'
  printf 'DCI/1 P(web-search)' | capgen dci parse

In strict, a contract with a mistake is unreadable. In best-effort, only a contract without a valid header is; other mistakes are warnings.

--json prints {\"ok\", \"canonical\", \"mode\", \"clauses\", \"invalid_tokens\", \"unknown_clauses\", \"errors\"}:
  ok               whether the contract is readable
  canonical        its canonical text, or null if it is unreadable
  mode             the mode in which it was read
  clauses          the valid values: lists `P`, `E`, `R`, `O`, `D`, `Rt` and `M`, and objects `A` and `Pol`, in the order of the text; all are empty \
if the contract is unreadable
  invalid_tokens   the invalid tokens as they are written; an empty value is an empty text
  unknown_clauses  the clauses with unknown names, and text that is not a clause, as they are written
  errors           why the contract is unreadable: [{\"code\", \"message\", \"help\", \"start\", \"end\"}], with offsets in bytes; at most 100
Warnings go to standard error, one JSON object per line.

The exit status is 1 if the contract is unreadable. A contract may have up to 16 MiB.";

#[derive(Args, Debug)]
pub(crate) struct Fmt {
    #[command(flatten)]
    pub(crate) contract: ContractText,
}

const FMT_HELP: &str = "\
Examples:
  capgen dci fmt 'DCI/1  Requires(http)  Provides(web-search)'
  capgen dci fmt < contract.txt

The canonical text has short names, the clauses in the order P E A R O D Rt M Pol with one space between them, no duplicates, and only necessary escapes. \
In best-effort, identifiers and keys are in lower case.

Invalid tokens and unknown clauses of a best-effort contract are left out, each with a warning on standard error. The exit status is 1 if the \
contract is unreadable.";

/// The folders in which skills are found.
#[derive(Args, Clone, Debug)]
pub(crate) struct Folders {
    /// The workspace, whose skills are `skills/**/SKILL.md`
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// A folder of skills that a runtime has installed; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) installed: Vec<PathBuf>,
    /// A folder of skills that is mounted; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) mount: Vec<PathBuf>,
    /// The name of a skill that is not a candidate; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) disable: Vec<String>,
    /// Read all skills, and keep nothing for later runs
    #[arg(long)]
    pub(crate) no_cache: bool,
}

impl Folders {
    /// Where skills are found, without a consumer.
    pub(crate) fn roots(&self) -> Roots {
        Roots {
            workspace: self.workspace.clone(),
            installed: self.installed.clone(),
            mounts: self.mount.clone(),
            disabled: self.disable.clone(),
            consumer: None,
        }
    }
}

/// The skills of a run, the capabilities that it requires, and its policy.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) folders: Folders,
    /// The folder of the skill that requires something; its contract states what, and its policy
    #[arg(long, value_name = "SKILL_DIR")]
    pub(crate) consumer: Option<PathBuf>,
    /// A required capability, instead of those of the consumer; may be repeated
    #[arg(long = "require", value_name = "CAP", value_parser = capability)]
    pub(crate) required: Vec<String>,
    /// The text whose words are searched in names and descriptions [default: the required capabilities]
    #[arg(long, value_name = "TEXT")]
    pub(crate) query: Option<String>,
    /// The mode [default: that of the consumer's contract, else best-effort]
    #[arg(long, value_name = "MODE", value_parser = mode())]
    pub(crate) mode: Option<Mode>,
    /// The runtime in which the skills are to run
    #[arg(long, value_name = "R", default_value = "cli")]
    pub(crate) host_runtime: String,
    /// The model with which the skills are to run
    #[arg(long, value_name = "M")]
    pub(crate) host_model: Option<String>,
    /// A value of the policy, which overrides that of the consumer; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = policy)]
    pub(crate) policy: Vec<(String, String)>,
    /// The values of the policy that nothing else sets: `rfc` is the specification, `practical` also selects skills
    /// without contracts
    #[arg(long, value_name = "PROFILE", default_value = Profile::Rfc.name(), value_parser = profile())]
    pub(crate) profile: Profile,
    /// A table of aliases, before that of the workspace
    #[arg(long, value_name = "FILE")]
    pub(crate) aliases: Option<PathBuf>,
    /// Read `.dci/aliases.v1.json` of the workspace in strict, too
    #[arg(long)]
    pub(crate) workspace_aliases: bool,
    /// Run the programs of `.dci/probes.v1.json`
    #[arg(long)]
    pub(crate) allow_probes: bool,
    /// Reject providers whose manifests (`metadata.capabilities`) do not name the capabilities that match
    #[arg(long)]
    pub(crate) verified: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Resolve {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// What to do if capabilities are missing and the policy is `offer-emulation` [default: ask at a terminal, else
    /// abort]
    #[arg(long, value_name = "D", value_parser = decision())]
    pub(crate) decision: Option<Decision>,
    /// The time of the report, instead of the current time (RFC 3339)
    #[arg(long, value_name = "T", value_parser = time)]
    pub(crate) now: Option<String>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const RESOLVE_HELP: &str = "\
Examples:
  capgen dci resolve --require web-search
  capgen dci resolve --consumer skills/planner --mode strict --json
  capgen dci resolve --require web-search --require summarize --policy selection-mode=cover --host-runtime opencode
  capgen dci resolve --require summarize-text --profile practical        skills without contracts, too

The keys of --policy are those of `Pol(...)`: min-total-score, min-contract-score, min-required-coverage, max-candidates, selection-mode, \
max-providers, max-dependency-depth and on-missing-required.

--profile practical sets min-contract-score=0.25 and min-total-score=0.4, unless --policy sets them, and rejects no provider as contract-inflated \
if its contract score is at most 0.35 above the score of its name, path and description. With the specified values, no skill without a contract is selected.

If nothing is selected, or the run fails, a warning names up to three changes that give another result, each with the complete command. With --json, \
it is an object with `suggestion`: {\"kind\", \"command\", \"selected\", \"missing\", \"outcome\"}, where `kind` is profile, policy or probe.

--json prints the report of the specification. The same inputs give the same report, apart from the time. Warnings go to standard error; with --json, as \
one JSON object per line.

The exit status is 1 if the run fails or is aborted, or if the input is invalid; reports of such runs are printed, too, but none for invalid input.";

#[derive(Args, Debug)]
pub(crate) struct Search {
    /// The words to find
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
    #[command(flatten)]
    pub(crate) folders: Folders,
    /// Show at most this many skills
    #[arg(long, value_name = "N", default_value = "20")]
    pub(crate) limit: NonZeroUsize,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const SEARCH_HELP: &str = "\
Examples:
  capgen dci search 'summarize a web page'
  capgen dci search --workspace tools --json 'pull request'

Skills are ranked by S_skill = 0.7 * S_desc + 0.3 * S_namepath, the part of a score that does not depend on contracts. Nothing is selected.

--json prints [{\"id\", \"s_skill\", \"s_desc\", \"s_namepath\", \"description\"}], the best first. Warnings go to standard error, one JSON object \
per line.";

#[derive(Args, Debug)]
pub(crate) struct Graph {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// The language of the output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Language,
}

const GRAPH_HELP: &str = "\
Examples:
  capgen dci graph --require web-search
  capgen dci graph --consumer skills/planner --format dot | dot -Tsvg > graph.svg
  capgen dci graph --consumer skills/planner --format mermaid

A provider in the same context as an earlier one is marked as repeated, and nothing is shown below it. Capabilities that are required and denied are \
marked as conflicts. The exit status does not depend on missing capabilities: `capgen dci resolve` reports them.";

#[derive(Args, Debug)]
pub(crate) struct Skill {
    #[command(flatten)]
    pub(crate) contract: OneContract,
    /// The path of the manifest in the frontmatter, relative to the folder of the skill
    #[arg(long, value_name = "PATH", default_value = "capabilities.yaml")]
    pub(crate) manifest: String,
}

const SKILL_HELP: &str = "\
Examples:
  capgen dci skill --peer pr-reviewer > skills/pr-reviewer/SKILL.md
  capgen dci skill --capabilities agents/pr-reviewer/capabilities.yaml --manifest ../../agents/pr-reviewer/capabilities.yaml

The contract provides every capability of the manifest. `metadata.capabilities` names the manifest, so that `capgen dci lint` compares both, and \
`capgen dci resolve --verified` accepts the skill. It must be inside the folder in which skills are searched.

Capabilities whose names are not capabilities of DCI/1 are reported and left out. The exit status is 1 if none is left.";

#[derive(Args, Debug)]
pub(crate) struct Lint {
    /// The workspace, whose skills are `skills/**/SKILL.md`
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// Read all contracts in this mode [default: the mode that each contract states, else best-effort]
    #[arg(long, value_name = "MODE", value_parser = mode())]
    pub(crate) mode: Option<Mode>,
    /// A table of aliases, before that of the workspace
    #[arg(long, value_name = "FILE")]
    pub(crate) aliases: Option<PathBuf>,
    /// A folder of skills that may provide capabilities, and is not checked itself; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) installed: Vec<PathBuf>,
    /// The same as --installed
    #[arg(long, value_name = "DIR")]
    pub(crate) mount: Vec<PathBuf>,
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// How to print errors and warnings: `human` prints to standard error, the other formats to standard output
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

const LINT_HELP: &str = "\
Examples:
  capgen dci lint
  capgen dci lint --mode strict --strict examples/skills
  capgen dci lint --format sarif > skills.sarif
  capgen dci lint --format github        in a GitHub workflow: annotate the pull request

Reports mistakes in the frontmatter of skills, in their contracts, and in the files of `.dci`; required capabilities that no other skill provides; denied \
capabilities that the skill itself requires, or every provider of a capability that it requires; and provided capabilities that the manifest in \
`metadata.capabilities` does not have. Capabilities are compared after the resolution of aliases.

The exit status is 1 if there is an error, or with --strict a warning.";

#[derive(Args, Debug)]
pub(crate) struct Record {
    /// The id of the skill, as in reports: its name, `::` and its path
    #[arg(value_name = "CANDIDATE")]
    pub(crate) candidate: String,
    #[command(flatten)]
    pub(crate) outcome: RecordedOutcome,
    /// The workspace
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// The time of the use, instead of the current time (RFC 3339)
    #[arg(long, value_name = "T", value_parser = time)]
    pub(crate) now: Option<String>,
}

#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct RecordedOutcome {
    /// The use succeeded
    #[arg(long)]
    pub(crate) success: bool,
    /// The use failed
    #[arg(long)]
    pub(crate) failure: bool,
}

const RECORD_HELP: &str = "\
Examples:
  capgen dci record web-search::skills/web-search --success
  capgen dci record web-search::skills/web-search --failure --workspace my-project

The last 20 outcomes of each skill are in .dci/state/reliability.v1.json, in the nearest folder with .git at or above the workspace, else in the workspace. The rate \
of successes lowers the score of a skill by up to 30 %.

The file is replaced as a whole. Runs at the same time wait for each other. The exit status is 1 if the outcome was not recorded.";
