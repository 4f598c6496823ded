//! Subcommands that this build lacks, because their features are off.

use std::ffi::OsString;

use clap::Args;
use clap::error::ErrorKind;

use crate::failure::{Failure, Outcome};

/// The names of the missing subcommands. Each is also the name of its feature.
pub(crate) const SUBCOMMANDS: &[&str] = &[
    #[cfg(not(feature = "amp"))]
    "amp",
    #[cfg(not(feature = "audit"))]
    "audit",
];

/// The arguments of a missing subcommand, which are not examined.
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct Missing {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<OsString>,
}

/// The message about a missing subcommand, which the help also contains.
pub(crate) fn message(name: &str) -> String {
    format!("This build lacks `{name}`: build with `--features {name}`.")
}

pub(crate) fn run(name: &str) -> Outcome {
    Err(Failure::Usage(clap::Error::raw(ErrorKind::InvalidSubcommand, format!("{}\n", message(name)))))
}
