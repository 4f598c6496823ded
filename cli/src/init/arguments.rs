//! The options of `capgen init`.

use std::path::PathBuf;

use capgen_manifest::TransportSettings;
use clap::Args;

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Init {
    /// The id of the agent
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    /// The name of a capability; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) capability: Vec<String>,
    #[arg(long, value_name = "KIND", help = transport_help())]
    pub(crate) transport: Option<String>,
    /// Root folder of the fleet [default: the current folder or its nearest parent with fleet.yaml or agents/]
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub(crate) root: Option<PathBuf>,
    /// Write the manifest to this YAML file, instead of agents/<ID>/capabilities.yaml in the fleet
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Also write fleet.yaml, which lists the agents of the fleet and the code that `capgen gen` generates
    #[arg(long, conflicts_with = "out")]
    pub(crate) fleet: bool,
    /// Ask nothing: take the default of every option that is missing
    #[arg(long, short)]
    pub(crate) yes: bool,
}

fn transport_help() -> String {
    let kinds = TransportSettings::kinds();
    format!("How callers reach the agent: {} [default: {}]", kinds.join(", "), kinds.first().unwrap_or(&""))
}

const EXAMPLES: &str = "\
Examples:
  capgen init                            on a terminal: ask for everything
  capgen init --agent payments --capability create-payment --capability refund --transport nats
  capgen init --yes --fleet              an agent with the name of the folder, in a new fleet
  capgen init --agent search --capability find --out vendor/search.yaml

The manifest has a placeholder for the schemas of each capability, and passes `capgen check --strict`. Its first line names a JSON Schema, \
.capgen/capabilities.schema.json in the root folder (or beside --out), with which editors complete and check the manifest. \
Check in all files.

Only new files are written, all or none. A schema of another version of capgen is kept. Without a terminal, --agent and --capability are \
required, or --yes.";
