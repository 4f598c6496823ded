//! The contracts on the command line, and their findings.

use std::path::Path;

use capgen_dci::Mode;
use capgen_dci::contract::{Reading, read, stated_mode};
use capgen_diagnostic::{Diagnostic, Source, render};

use super::arguments::ContractText;
use crate::codes;
use crate::console::{Console, count};
use crate::failure::Failure;

/// The maximum length of a contract in bytes. Far above every contract in a frontmatter; without a limit, an endless
/// input would fill the memory.
const MAX_CONTRACT: u64 = 16 << 20;

/// A contract that was read in a mode.
pub(super) struct Input {
    pub(super) source: Source,
    pub(super) mode: Mode,
    pub(super) reading: Reading,
}

impl Input {
    /// Reads the contract that the options name.
    ///
    /// # Errors
    ///
    /// One finding: standard input cannot be read, is longer than the limit, or is not UTF-8.
    pub(super) fn read(arguments: &ContractText) -> Result<Self, Failure> {
        let source = match arguments.text.as_str() {
            "-" => Source::new("<standard input>", standard_input()?),
            text => Source::new("<contract>", text),
        };
        let mode = arguments.mode.or_else(|| stated_mode(source.text())).unwrap_or_default();
        let reading = read(source.text(), mode);
        Ok(Self { source, mode, reading })
    }

    /// The problems as findings.
    pub(super) fn findings(&self) -> Vec<Diagnostic> {
        self.reading.problems.iter().map(|problem| problem.finding(&self.source)).collect()
    }

    /// Reports the problems with their snippets.
    pub(super) fn report(&self, console: &Console) {
        console.report(&self.findings());
        if self.reading.further_problems > 0 {
            let problems = count(self.reading.further_problems, "further problem", "further problems");
            console.line(&format!("{problems} not shown"));
        }
    }
}

/// Reports findings on standard error, each as one JSON object on a line.
pub(super) fn report_lines(findings: &[Diagnostic], console: &Console) {
    render::json_lines(findings).lines().for_each(|line| console.line(line));
}

fn standard_input() -> Result<String, Failure> {
    let failed = |reason: &str| {
        let message = format!("cannot read the contract from standard input: {reason}");
        Failure::Findings(vec![Diagnostic::new(codes::CONTRACT_INPUT, message).help("pass one contract as UTF-8 text")])
    };
    let bytes = crate::input::read(Path::new("-"), MAX_CONTRACT).map_err(|error| failed(&error.to_string()))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > MAX_CONTRACT) {
        return Err(failed(&format!("it has more than {MAX_CONTRACT} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8"))
}
