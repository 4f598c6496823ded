//! How a run ends.

use std::io;

use capgen_manifest::Diagnostic;

use crate::console::Console;

/// What a subcommand gives back.
pub(crate) type Outcome = Result<Verdict, Failure>;

/// A run that did what it was asked to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// All is well.
    Fine,
    /// It found something, and has said so.
    Findings,
}

/// A run that could not do it.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input is bad.
    Findings(Vec<Diagnostic>),
    /// Standard output cannot be written, or standard input read.
    Stream(io::Error),
    /// The arguments are wrong, or asked for help.
    Usage(clap::Error),
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(findings: Vec<Diagnostic>) -> Self {
        Failure::Findings(findings)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Stream(error)
    }
}

/// Says what is still to be said and gives the exit status: 0 fine, 1 findings or bad input, 2 wrong usage.
pub(crate) fn status(outcome: Outcome, console: &Console) -> u8 {
    match outcome {
        Ok(Verdict::Fine) => 0,
        Ok(Verdict::Findings) => 1,
        Err(Failure::Findings(findings)) => {
            console.report(&findings);
            1
        }
        Err(Failure::Stream(error)) => {
            console.say(&format!("capgen: {error}"));
            1
        }
        Err(Failure::Usage(error)) => {
            // There is nowhere left to say that this failed.
            let _ = error.print();
            u8::try_from(error.exit_code()).unwrap_or(2)
        }
    }
}
