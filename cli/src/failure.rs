//! The result of a run, and its exit status.

use std::io;

use capgen_diagnostic::{Diagnostic, public_url};
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::console::Console;
use crate::launcher;

/// The result of a subcommand.
pub(crate) type RunResult = Result<Verdict, Failure>;

/// The result of a run that completed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// No findings.
    Fine,
    /// There are findings, which have been reported.
    Findings,
}

/// The reason that a run did not complete.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input is invalid. The findings have not been reported yet.
    Findings(Vec<Diagnostic>),
    /// Standard output cannot be written, or standard input cannot be read.
    Stream(io::Error),
    /// The arguments cannot be parsed, or request help.
    Arguments(clap::Error),
    /// The arguments can be parsed, but not used together, or not here. The usage of the subcommand is printed with the
    /// message.
    Usage(ErrorKind, String),
}

impl Failure {
    /// Arguments that cannot be used.
    pub(crate) fn usage(kind: ErrorKind, message: impl Into<String>) -> Self {
        Failure::Usage(kind, message.into())
    }
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

/// Reports a failure and returns the exit status: 0 success, 1 findings or invalid input, 2 incorrect usage. `invoked`
/// is the subcommand that ran.
pub(crate) fn status(outcome: RunResult, mut invoked: clap::Command, console: &Console) -> u8 {
    match outcome {
        Ok(Verdict::Fine) => 0,
        Ok(Verdict::Findings) => 1,
        Err(Failure::Findings(findings)) => {
            console.report(&findings);
            1
        }
        Err(Failure::Stream(error)) => {
            console.line(&format!("capgen: {error}"));
            1
        }
        Err(Failure::Arguments(error)) => printed(error),
        Err(Failure::Usage(kind, message)) => printed(invoked.error(kind, launcher::named(&message))),
    }
}

/// Prints an error about arguments and returns the exit status.
fn printed(error: clap::Error) -> u8 {
    let error = without_secrets(error);
    // If this fails, there is no place left to report it.
    let _ = error.print();
    u8::try_from(error.exit_code()).unwrap_or(2)
}

/// The error without the secrets of URLs that were passed as arguments.
fn without_secrets(mut error: clap::Error) -> clap::Error {
    let public = |text: &String| {
        // Other values may have a question mark.
        let is_url = text.contains(['@', '=']) || text.contains("//");
        if is_url { public_url(text).into_owned() } else { text.clone() }
    };
    let context: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| match (kind, value) {
            (
                ContextKind::InvalidValue | ContextKind::InvalidArg | ContextKind::InvalidSubcommand,
                ContextValue::String(text),
            ) => Some((kind, ContextValue::String(public(text)))),
            _ => None,
        })
        .collect();
    for (kind, value) in context {
        error.insert(kind, value);
    }
    error
}
