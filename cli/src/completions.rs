//! `capgen completions`

use crate::arguments::Completions;
use crate::console;
use crate::failure::{Outcome, Verdict};

pub(crate) fn run(arguments: &Completions, mut command: clap::Command) -> Outcome {
    // Into memory first: writing to a closed pipe would panic in there.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "capgen", &mut script);
    console::print(&String::from_utf8_lossy(&script))?;
    Ok(Verdict::Fine)
}
