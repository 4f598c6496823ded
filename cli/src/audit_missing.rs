//! `capgen audit` in a build without it.

use std::ffi::OsString;

use clap::Args;
use clap::error::ErrorKind;

use crate::console::Console;
use crate::failure::{Failure, Outcome};

/// The message, which the help also contains.
pub(crate) const MISSING: &str = "This build lacks `audit`: build with `--features audit`.";

#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct Audit {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<OsString>,
}

pub(crate) fn run(_: &Audit, _: &Console) -> Outcome {
    Err(Failure::Usage(clap::Error::raw(ErrorKind::InvalidSubcommand, format!("{MISSING}\n"))))
}
