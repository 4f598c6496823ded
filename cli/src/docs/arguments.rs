//! The options of `capgen docs`.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::Contracts;
use crate::matrix::History;

/// The output folder if `--out` is not given.
pub(super) const DEFAULT_OUT: &str = "site";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Docs {
    #[command(flatten)]
    pub(crate) contracts: Contracts,
    /// Output folder, relative to the current folder
    #[arg(long, value_name = "DIR", default_value = DEFAULT_OUT)]
    pub(crate) out: PathBuf,
    /// Add the changes since a revision (git:<REV>), a folder with a fleet or a manifest, or a manifest, as `capgen
    /// diff` finds them
    #[arg(long, value_name = "git:REV|PATH")]
    pub(crate) since: Option<PathBuf>,
    /// Add the versions of each capability in the history of its manifest, with a table of those that work together
    #[arg(long, value_enum)]
    pub(crate) history: Option<History>,
    /// Write nothing; fail if a page is out of date, missing or left over
    #[arg(long)]
    pub(crate) check: bool,
}

const EXAMPLES: &str = "\
Examples:
  capgen docs                            write the pages of every agent in the fleet to site/
  capgen docs --out public/agents --since git:v1.4.0 --history git
  capgen docs --capabilities vendor/search.yaml --out vendor/docs
  capgen docs --check                    in CI: fail if the committed pages are out of date

The site has a page for the fleet, each agent, each capability, the changes and the warnings. It needs no server: open \
<out>/index.html. The pages refer to no other site, and are readable without scripts; the search needs scripts.

Who calls whom is found in the generated files of the repository around the fleet, or else of the fleet: each contains the agent and the \
hash of the contract that it was generated from.

A file is replaced only if its content changes, and only if capgen generated it or it is blank. Pages of agents and capabilities that no \
longer exist are removed. If any manifest has errors, nothing is written.";
