//! The options of `capgen diff`.

use std::path::PathBuf;

use capgen_evolve::{Assume, Level};
use clap::{Args, ValueEnum};

use crate::arguments::{Contracts, SideName};

/// The value of `--against` if it is not given.
const DEFAULT_AGAINST: &str = "git:HEAD";

/// The value of `--budget` if it is not given, in seconds: long enough for a contract of a thousand capabilities, and
/// short enough for one that was written to take long.
pub(crate) const DEFAULT_BUDGET: u64 = 60;

/// The longest budget, in seconds: a day, more than any job waits.
const MAX_BUDGET: u64 = 24 * 60 * 60;

/// The parser of `--budget`.
pub(crate) fn budget() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=MAX_BUDGET)
}

#[derive(Args, Debug)]
pub(crate) struct Diff {
    #[command(flatten)]
    pub(crate) contracts: Contracts,
    /// The old version: a manifest, a folder with a fleet or a manifest, or `git:<REVISION>`
    #[arg(long, value_name = "OLD", default_value = DEFAULT_AGAINST)]
    pub(crate) against: PathBuf,
    /// The senders to assume
    #[arg(long, value_enum, default_value_t = AssumeName::AnyPeer)]
    pub(crate) assume: AssumeName,
    /// How to print the result: `human` prints to standard error, the other formats to standard output
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    pub(crate) format: DiffFormat,
    /// Fail if a change of this level or above is not accepted
    #[arg(long, value_enum, default_value_t = LevelName::Breaking, value_name = "LEVEL")]
    pub(crate) fail_on: LevelName,
    /// Give the findings of a rule another level, such as `W0703=safe`; may be repeated
    #[arg(long, value_name = "CODE=LEVEL", value_parser = super::levels::parse)]
    pub(crate) level: Vec<(capgen_diagnostic::Code, Level)>,
    /// How long to compare each contract, in seconds: a second is a fixed number of steps, so that the result is the
    /// same on every machine. Changes that are not decided then count as breaking
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_BUDGET, value_parser = budget())]
    pub(crate) budget: u64,
    /// The file of accepted findings [default: capgen-accepted.yaml in the root folder of the fleet, otherwise beside
    /// the manifest]
    #[arg(long, value_name = "FILE")]
    pub(crate) accepted: Option<PathBuf>,
    /// Human format: show safe and cosmetic changes with their source excerpts too
    #[arg(long)]
    pub(crate) verbose: bool,
    /// Instead of the changes, report which payloads of this file the new version rejects: one JSON value per line
    #[arg(long, value_name = "PAYLOADS", requires = "capability", requires = "side")]
    pub(crate) replay: Option<PathBuf>,
    /// With --replay: the capability that the payloads belong to
    #[arg(long, value_name = "NAME", requires = "replay")]
    pub(crate) capability: Option<String>,
    /// With --replay: whether the payloads are requests or responses
    #[arg(long, value_enum, requires = "replay")]
    pub(crate) side: Option<SideName>,
}

pub(crate) const DIFF_EXAMPLES: &str = "\
Examples:
  capgen diff                            compare every agent of the fleet with the last commit
  capgen diff --peer pr-reviewer --against git:origin/main
  capgen diff --capabilities new.yaml --against old.yaml --format json
  capgen diff --against ../last-release --fail-on risky
  capgen diff --against git:origin/main --format github
                                         in a GitHub workflow: annotate the pull request
  capgen diff --peer search --against git:v1 --replay log.ndjson --capability search --side request

A request breaks if the new version rejects a request that the old one accepts; a response breaks if the new version may send one \
that the old one rejects. Each such finding has the smallest payload that proves it. `--assume capgen-peer` considers only \
senders with generated types, which send declared properties only.

The levels are breaking, risky, safe and cosmetic. A finding that is listed in capgen-accepted.yaml with its fingerprint, a \
reason and an expiry date does not fail the run.

--format json prints {\"capabilities\": {NAME: {\"request\"|\"response\": {\"old_in_new\", \"new_in_old\", \"old_witness\"?, \
\"new_witness\"?, \"reason\"?, ...}}}, \"findings\": [...], \"bump\"}. If several contracts are compared, the names are \
AGENT/NAME. With --replay, the formats are human and json.

Exit status: 0 no finding of the level --fail-on or above, 1 there is one, or the input is invalid, 2 incorrect usage.";

/// The value of `--assume`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AssumeName {
    /// Any program that follows the schema
    AnyPeer,
    /// Programs with types that capgen generated
    CapgenPeer,
}

/// The value of `--fail-on`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LevelName {
    /// A payload that was valid is rejected, or a call that was allowed fails
    Breaking,
    /// Payloads stay valid, but a caller or provider may have to be changed
    Risky,
    /// No caller and no provider notices the change
    Safe,
    /// Only texts for readers change
    Cosmetic,
}

/// The value of `--format`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DiffFormat {
    /// Human-readable, with snippets of both versions
    Human,
    /// One JSON document
    Json,
    /// GitHub workflow commands that annotate a pull request
    Github,
    /// One SARIF 2.1.0 document
    Sarif,
    /// One JUnit XML document
    Junit,
    /// A table for a comment on a pull request
    Markdown,
}

impl From<AssumeName> for Assume {
    fn from(name: AssumeName) -> Self {
        match name {
            AssumeName::AnyPeer => Assume::AnyPeer,
            AssumeName::CapgenPeer => Assume::CapgenPeer,
        }
    }
}

impl From<LevelName> for Level {
    fn from(name: LevelName) -> Self {
        match name {
            LevelName::Breaking => Level::Breaking,
            LevelName::Risky => Level::Risky,
            LevelName::Safe => Level::Safe,
            LevelName::Cosmetic => Level::Cosmetic,
        }
    }
}

impl Diff {
    /// Whether `--against` has its default value.
    pub(crate) fn is_against_head(&self) -> bool {
        self.against.as_os_str() == DEFAULT_AGAINST
    }
}
