//! The options of `capgen matrix`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

use crate::arguments::contract_path;
use crate::diff::arguments::{AssumeName, DEFAULT_BUDGET, budget};
use crate::one_contract::OneContract;

#[derive(Args, Debug)]
#[command(
    group(ArgGroup::new("versions").required(true).multiple(true).args(["history", "against"])),
    after_help = EXAMPLES
)]
pub(crate) struct Matrix {
    /// The capability whose versions to compare
    #[arg(value_name = "CAPABILITY")]
    pub(crate) capability: String,
    #[command(flatten)]
    pub(crate) contract: OneContract,
    /// Older versions are those that the history of the manifest has, also from before it was renamed or moved
    #[arg(long, value_enum)]
    pub(crate) history: Option<History>,
    /// Older versions are those in these manifests, the oldest first
    #[arg(long, value_name = "FILE", num_args = 1.., value_parser = contract_path())]
    pub(crate) against: Vec<PathBuf>,
    /// The senders to assume
    #[arg(long, value_enum, default_value_t = AssumeName::AnyPeer)]
    pub(crate) assume: AssumeName,
    /// How long to compare, in seconds: a second is a fixed number of steps, so that the result is the same on every
    /// machine. Versions that are not decided then count as incompatible
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_BUDGET, value_parser = budget())]
    pub(crate) budget: u64,
    /// How to print the matrix
    #[arg(long, value_enum, default_value_t = MatrixFormat::Table)]
    pub(crate) format: MatrixFormat,
}

/// The value of `--history`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum History {
    /// The commits of the git repository that changed the manifest
    Git,
}

/// The value of `--format`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MatrixFormat {
    /// A table of text, and the reasons below it
    Table,
    /// One JSON document
    Json,
    /// One HTML page without references to other files
    Html,
}

const EXAMPLES: &str = "\
Examples:
  capgen matrix review-pr --peer pr-reviewer --history git
  capgen matrix search --capabilities search.yaml --against v1.yaml v2.yaml
  capgen matrix search --peer search --history git --format html > matrix.html

A row is a requester that was built with a version of the contract, and a column is a provider with a version. `full`: every call works. \
`partial`: calls work, but the provider does not know a property, a branch of a union or a value that the requester's contract declares, \
or will stop serving its version, or calls work only if both are built with capgen. `no`: a call can fail. The first reason, and \
everything that the provider does not know, are below the table.

--history git uses each revision of the manifest in which the version or the hash of the capability changed, at most 30, the newest, \
and continues with the old path of a manifest that was renamed or moved. Revisions that are not valid are skipped.";
