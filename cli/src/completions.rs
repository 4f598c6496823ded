//! `capgen completions`: completion scripts for shells.

use clap::Args;

use crate::console;
use crate::failure::{RunResult, Verdict};

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// Shell to print the script for
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

const EXAMPLES: &str = "\
Examples:
  capgen completions bash > ~/.local/share/bash-completion/completions/capgen
  capgen completions zsh > ~/.zfunc/_capgen
  capgen completions fish > ~/.config/fish/completions/capgen.fish";

pub(crate) fn run(arguments: &Completions, mut command: clap::Command) -> RunResult {
    // `clap_complete` panics if it cannot write, for example to a closed pipe, so it writes into memory.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "capgen", &mut script);
    console::print(&String::from_utf8_lossy(&script))?;
    Ok(Verdict::Fine)
}
