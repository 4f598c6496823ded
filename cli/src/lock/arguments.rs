//! The options of `capgen lock`.

use clap::Args;

use crate::arguments::{Contracts, Format};

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Lock {
    #[command(flatten)]
    pub(crate) contracts: Contracts,
    /// Write nothing; fail if a capability is not the one that is locked, or is not locked
    #[arg(long)]
    pub(crate) check: bool,
    /// How to print errors and differences: `human` prints to standard error, the other formats to standard output
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

const EXAMPLES: &str = "\
Examples:
  capgen lock                            lock every agent in the fleet
  capgen lock --peer pr-reviewer         lock one agent, and keep the hashes of the others
  capgen lock --capabilities vendor/search.yaml
                                         write vendor/capgen.lock
  capgen lock --check                    in CI: fail if a capability is not the one that is locked

The file is capgen.lock in the root folder of the fleet, or in the folder of a manifest that is not in the fleet. For each capability, it \
has the hash of the contract, and the hash of the definition, which also covers descriptions, timeouts and side effects. If the file \
exists, `capgen check` and `capgen gen --check` compare it with the manifests, too.";
