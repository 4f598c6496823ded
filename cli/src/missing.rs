//! Subcommands that this build lacks, because their features are off.

use std::ffi::OsString;

use clap::Args;
use clap::error::ErrorKind;

use crate::failure::{Failure, RunResult};

/// The features that are off. Those of whole subcommands have the names of these.
pub(crate) const FEATURES: &[&str] = &[
    #[cfg(not(feature = "amp"))]
    "amp",
    #[cfg(all(feature = "amp", not(feature = "amp-net")))]
    "amp-net",
    #[cfg(all(feature = "amp-net", not(feature = "amp-store")))]
    "amp-store",
    #[cfg(not(feature = "audit"))]
    "audit",
    #[cfg(not(feature = "dci"))]
    "dci",
    #[cfg(not(feature = "mcp"))]
    "mcp",
    #[cfg(not(feature = "registry"))]
    "registry",
    #[cfg(all(feature = "registry", not(feature = "registry-nats")))]
    "registry-nats",
];

/// The arguments of a missing subcommand, which are not examined.
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct Missing {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<OsString>,
}

/// The message about a feature that is off, which the help also contains.
pub(crate) fn message(name: &str) -> String {
    format!("This build lacks `{name}`: build with `--features {name}`.")
}

/// The failure of a run that needs a feature that is off.
pub(crate) fn failure(name: &str) -> Failure {
    Failure::Arguments(clap::Error::raw(ErrorKind::InvalidSubcommand, format!("{}\n", message(name))))
}

#[cfg(not(all(feature = "amp-net", feature = "audit", feature = "dci", feature = "registry")))]
pub(crate) fn run(name: &str) -> RunResult {
    Err(failure(name))
}
