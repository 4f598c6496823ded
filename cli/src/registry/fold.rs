//! `capgen registry fold`: the state after the events of a log.

use std::sync::Arc;

use capgen_registry::{Configuration, Fold, FoldReport, InvalidRow, Overview, Row, Status};
use clap::Args;

use super::arguments::Source;
use super::events;
use super::output::{Output, OutputForm};
use crate::console::{Console, count, print};
use crate::failure::{Failure, RunResult, Verdict};
use crate::progress::Progress;
use crate::table::table;

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct FoldOptions {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    output: OutputForm,
}

const HELP: &str = "\
Examples:
  capgen registry fold --log events.jsonl
  capgen registry fold --log sqlite:registry.db --config registry.json > state.json

Prints {\"state\", \"hash\", \"registry_hash\", \"view\", \"invalid\"}. `view` has the registrations with their effective metadata, health, requests \
and invocations. `invalid` has the events that change nothing: {\"event_id\", \"hash\", \"reason\", \"paths\"}.

Lines of a JSONL log that are not JSON are skipped with a warning.";

pub(super) fn run(arguments: &FoldOptions, console: &Console) -> RunResult {
    let config = arguments.source.configuration()?;
    let mut fold = of(&arguments.source, config, console)?;
    report(&fold.report(), arguments.output.output())
}

/// The fold of the events of a log.
///
/// # Errors
///
/// The log cannot be read.
pub(super) fn of(source: &Source, config: Arc<Configuration>, console: &Console) -> Result<Fold, Failure> {
    let mut fold = Fold::new(config);
    let checker = fold.checker().clone();
    let progress = Progress::start("reading the log", None);
    events::of(source, &checker, Some(console), |event| {
        fold.event(&event);
        progress.step();
        Ok(())
    })?;
    Ok(fold)
}

/// Prints the output of a fold or a merge.
pub(super) fn report(report: &FoldReport<'_>, output: Output) -> RunResult {
    if output.human {
        print(&text(report))?;
    } else {
        let _ = output.parts(report.parts())?;
    }
    Ok(Verdict::Fine)
}

fn text(report: &FoldReport<'_>) -> String {
    let FoldReport { hash, registry_hash, invalid, .. } = report;
    let view = report.view().overview();
    let mut text = registrations(&view.registrations);
    text.push_str(&activity(&view));
    if let Some(invalid) = invalid {
        text.push_str(&format!("\n{}\n", count(invalid.len(), "invalid event", "invalid events")));
        if !invalid.is_empty() {
            text.push_str(&table(["EVENT", "REASON", "PATHS"], invalid.iter().map(invalid_row)));
        }
    }
    text.push_str(&format!("\nstate     {hash}\nregistry  {registry_hash}\n"));
    text
}

fn invalid_row(row: &InvalidRow) -> [String; 3] {
    [row.event_id.clone().unwrap_or_default(), row.reason.to_owned(), row.paths.join(" ")]
}

/// The table of registrations.
pub(super) fn registrations(rows: &[Row]) -> String {
    let header = ["CAPABILITY", "VERSION", "AGENT", "PRIORITY", "WEIGHT", "TAGS", "MARKS"];
    let count = count(rows.len(), "registration", "registrations");
    if rows.is_empty() {
        return format!("{count}\n");
    }
    let cells = rows.iter().map(|row| {
        let Row { capability, version, agent, priority, weight, tags, .. } = row;
        let text = |text: &String| text.clone();
        let (capability, version, agent) = (text(capability), text(version), text(agent));
        [capability, version, agent, priority.to_string(), weight.to_string(), tags.join(" "), marks(row)]
    });
    format!("{count}\n{}", table(header, cells))
}

/// The properties of a row that a reader must not overlook.
pub(super) fn marks(row: &Row) -> String {
    let mut marks = Vec::new();
    if !row.healthy {
        marks.push("unhealthy".to_owned());
    }
    if row.deprecated.is_some() {
        marks.push("deprecated".to_owned());
    }
    if !row.conflicts.is_empty() {
        marks.push(crate::console::count(row.conflicts.len(), "conflict", "conflicts"));
    }
    marks.join(", ")
}

/// The tables of health and invocations, and the requests without a target.
pub(super) fn activity(view: &Overview) -> String {
    let mut text = format!("\n{} with a state of health\n", count(view.health.len(), "agent", "agents"));
    if !view.health.is_empty() {
        let state = |healthy: bool| if healthy { "healthy" } else { "unhealthy" };
        let rows = view
            .health
            .iter()
            .map(|(agent, health)| [agent.clone(), state(health.healthy).to_owned(), health.event_id.clone()]);
        text.push_str(&table(["AGENT", "HEALTH", "EVENT"], rows));
    }
    text.push_str(&format!("\n{}\n", count(view.invocations.len(), "invocation", "invocations")));
    if !view.invocations.is_empty() {
        let rows = view.invocations.iter().map(|row| {
            let capability = format!("{} {}", row.capability, row.version);
            let (caller, target) = (row.caller.clone(), row.target.clone());
            let reason = row.reason.clone().unwrap_or_default();
            [row.invocation_id.clone(), caller, target, capability, status(row.status).to_owned(), reason]
        });
        text.push_str(&table(["INVOCATION", "CALLER", "TARGET", "CAPABILITY", "STATUS", "REASON"], rows));
    }
    let unresolved: Vec<_> = view.requests.iter().filter(|request| request.reason.is_some()).collect();
    if !unresolved.is_empty() {
        text.push_str(&format!("\n{}\n", count(unresolved.len(), "unresolved request", "unresolved requests")));
        let rows = unresolved.into_iter().map(|request| {
            [request.request_id.clone(), request.caller.clone(), request.reason.clone().unwrap_or_default()]
        });
        text.push_str(&table(["REQUEST", "CALLER", "REASON"], rows));
    }
    text
}

/// The text of a status.
pub(super) fn status(status: Status) -> &'static str {
    match status {
        Status::Pending => "pending",
        Status::Completed => "completed",
        Status::Failed => "failed",
    }
}
