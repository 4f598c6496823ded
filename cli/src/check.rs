//! `capgen check`: lint contracts.

use std::io;

use capgen_codegen::{Language, output};
use capgen_diagnostic::{Diagnostic, Severity, render};

use crate::arguments::{Check, Format};
use crate::console::{self, Console, count};
use crate::explain::explanations;
use crate::failure::{Outcome, Verdict};
use crate::generate::selection;
use crate::lock::{self, IfMissing};
use crate::repository;

pub(crate) fn run(arguments: &Check, console: &Console) -> Outcome {
    let mut selection = selection(&arguments.contracts);
    selection.files.extend(arguments.paths.iter().cloned());
    selection.all |= selection.is_empty();
    let located = selection.locate();
    let contracts = located.count();
    let findings = match output::load(located, &Language::DEFAULT) {
        Err(findings) => findings,
        Ok(contracts) => {
            let locked = lock::findings(&contracts, &selection, IfMissing::Ignore);
            let found = contracts.into_iter().flat_map(|contract| {
                let types = output::check_types(&contract);
                contract.warnings.into_iter().chain(types)
            });
            found.chain(locked).collect()
        }
    };
    report(&findings, arguments.format, console)?;
    let errors = findings.iter().filter(|f| f.severity() == Severity::Error).count();
    let warnings = findings.iter().filter(|f| f.severity() == Severity::Warning).count();
    if arguments.format == Format::Human {
        let summary = format!(
            "checked {}: {}, {}",
            count(contracts, "contract", "contracts"),
            count(errors, "error", "errors"),
            count(warnings, "warning", "warnings")
        );
        if findings.is_empty() { console.tick(&summary) } else { console.line(&summary) }
    }
    let failed = errors > 0 || (arguments.strict && warnings > 0);
    Ok(if failed { Verdict::Findings } else { Verdict::Fine })
}

/// Prints findings in a format: human-readable ones to standard error, the others to standard output. GitHub and services that read
/// SARIF need paths relative to the root of the repository.
pub(crate) fn report(findings: &[Diagnostic], format: Format, console: &Console) -> io::Result<()> {
    match format {
        Format::Human => {
            console.report(findings);
            Ok(())
        }
        Format::Json => console::print(&render::json_lines(findings)),
        Format::Github => console::print(&render::github_in(findings, &repository::base())),
        Format::Sarif => console::print(&render::sarif_in(findings, &repository::base(), &explanations())),
    }
}
