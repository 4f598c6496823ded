//! `capgen completions`: completion scripts for shells.

use crate::arguments::Completions;
use crate::console;
use crate::failure::{Outcome, Verdict};

pub(crate) fn run(arguments: &Completions, mut command: clap::Command) -> Outcome {
    // `clap_complete` panics if it cannot write, for example to a closed pipe, so it writes into memory.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "capgen", &mut script);
    console::print(&String::from_utf8_lossy(&script))?;
    Ok(Verdict::Fine)
}
