//! `capgen audit`: reading, verifying and pruning the database of an audit.

mod arguments;
mod line;
mod verify;

pub(crate) use arguments::Audit;

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use capgen_audit::{Database, DatabaseError, Filter, MalformedRow, Pruned, PrunedPart, Row, prune};
use capgen_diagnostic::{Code, Diagnostic, quoted};
use capgen_manifest::shown;
use capgen_time::{Clock as _, SystemClock};
use serde_json::json;

use crate::codes;
use crate::console::{self, Console, count};
use crate::failure::{Failure, RunResult, Verdict};
use arguments::{Command, Prune, Query, Tail};

/// How often `tail` looks for new records. A reader hardly notices this delay, and the file is opened each time.
const INTERVAL: Duration = Duration::from_millis(300);

pub(crate) fn run(arguments: &Audit, console: &Console) -> RunResult {
    let path = &arguments.db;
    match &arguments.command {
        Command::Query(arguments) => query(arguments, path),
        Command::Tail(arguments) => tail(arguments, path),
        Command::Verify(arguments) => verify::run(arguments, path, console),
        Command::Anchor => verify::anchor(path, console),
        Command::Prune(arguments) => remove(arguments, path, console),
    }
}

/// Opens the database of a subcommand that only reads.
fn open(path: &Path) -> Result<Database, Failure> {
    Database::open(path).map_err(|error| unusable(path, &error))
}

/// The finding about a database that cannot be used.
fn unusable(path: &Path, error: &DatabaseError) -> Failure {
    let (code, help): (Code, &str) = match error {
        DatabaseError::Missing => (
            codes::AUDIT_UNUSABLE,
            "pass the path of the database with `--db`; a program that writes an audit creates it",
        ),
        DatabaseError::NotAnAudit(_) => {
            (codes::NOT_AN_AUDIT, "pass the path of a database that capgen-audit wrote with `--db`")
        }
        DatabaseError::Newer(_) => (codes::NOT_AN_AUDIT, "install a newer version of capgen"),
        DatabaseError::Damaged(_) => (
            codes::AUDIT_DAMAGED,
            "restore the file from a backup; `capgen audit verify` names the damaged rows if it can",
        ),
        DatabaseError::Locked => (codes::AUDIT_UNUSABLE, "end the program that locks the database, or try again later"),
        _ => (codes::AUDIT_UNUSABLE, "check the file and its permissions"),
    };
    let message = format!("cannot use `{}`: {error}", shown(path));
    Failure::Findings(vec![Diagnostic::new(code, message).in_file(shown(path)).help(help)])
}

fn query(arguments: &Query, path: &Path) -> RunResult {
    let mut printer = Printer::new(arguments.json);
    // If the pipe is closed, its reader has enough.
    let _ = printer.print(&open(path)?, &arguments.conditions.filter(arguments.limit), path)?;
    printer.finish(path)
}

fn tail(arguments: &Tail, path: &Path) -> RunResult {
    let mut printer = Printer::new(arguments.json);
    let database = open(path)?;
    printer.last = database.last_id().map_err(|error| unusable(path, &error))?;
    let mut filter = arguments.conditions.filter(Some(arguments.lines));
    let mut flow = printer.print(&database, &filter, path)?;
    drop(database);
    filter.limit = None;
    while flow.is_continue() && !arguments.no_follow {
        std::thread::sleep(INTERVAL);
        filter.after = Some(printer.last);
        // Opened again each time: another file may have taken its place.
        flow = printer.print(&open(path)?, &filter, path)?;
    }
    printer.finish(path)
}

/// Prints rows as JSON or as lines of a table.
struct Printer {
    json: bool,
    has_header: bool,
    /// The last `id` that was printed.
    last: i64,
    malformed: Vec<String>,
}

impl Printer {
    fn new(json: bool) -> Self {
        Self { json, has_header: false, last: 0, malformed: Vec::new() }
    }

    fn print(&mut self, database: &Database, filter: &Filter, path: &Path) -> Result<ControlFlow<()>, Failure> {
        let mut flow = Ok(ControlFlow::Continue(()));
        let each = &mut |row| {
            flow = self.row(row);
            if matches!(flow, Ok(ControlFlow::Continue(()))) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        database.query(filter, each).map_err(|error| unusable(path, &error))?;
        Ok(flow?)
    }

    fn row(&mut self, row: Result<Row, MalformedRow>) -> io::Result<ControlFlow<()>> {
        let row = match row {
            Ok(row) => row,
            Err(malformed) => {
                self.last = self.last.max(malformed.id.unwrap_or(0));
                self.malformed.push(malformed.to_string());
                return Ok(ControlFlow::Continue(()));
            }
        };
        self.last = self.last.max(row.id);
        let text = match line::of(&row, self.json) {
            Ok(text) => text,
            Err(message) => {
                self.malformed.push(message);
                return Ok(ControlFlow::Continue(()));
            }
        };
        if !self.json && !self.has_header {
            self.has_header = true;
            if console::print_part(&line::header())?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        console::print_part(&text)
    }

    /// Reports the rows that could not be printed.
    fn finish(self, path: &Path) -> RunResult {
        if self.malformed.is_empty() {
            return Ok(Verdict::Fine);
        }
        let findings = self.malformed.into_iter().take(20).map(|message| {
            Diagnostic::new(codes::BROKEN_CHAIN, message).in_file(shown(path)).help("run `capgen audit verify`")
        });
        Err(Failure::Findings(findings.collect()))
    }
}

fn remove(arguments: &Prune, path: &Path, console: &Console) -> RunResult {
    let pruned =
        prune(path, arguments.before.resolve(), SystemClock.now_ms()).map_err(|error| unusable(path, &error))?;
    let removed = match pruned {
        Pruned::Removed(removed) => removed,
        Pruned::NotIntact(verification) => {
            console.line("nothing was removed, because the database is not intact");
            return Err(Failure::Findings(verify::findings(&verification, path)));
        }
    };
    if arguments.json {
        let part = |part: &PrunedPart| json!({"tenant": part.tenant, "rows": part.rows, "checkpoint": part.checkpoint.to_string()});
        let removed: Vec<_> = removed.iter().map(part).collect();
        console::print_json(&format!("{}\n", json!({ "removed": removed })))?;
        return Ok(Verdict::Fine);
    }
    let rows: u64 = removed.iter().map(|part| part.rows).sum();
    let rows = count(usize::try_from(rows).unwrap_or(usize::MAX), "row", "rows");
    console.tick(&format!("removed {rows} of {}", count(removed.len(), "tenant", "tenants")));
    for part in &removed {
        console.line(&format!("  checkpoint of the tenant {}: {}", quoted(&part.tenant), part.checkpoint));
    }
    if !removed.is_empty() {
        console.line("  rows of older anchors may be gone: run `capgen audit anchor` and store its output, with these checkpoints");
    }
    Ok(Verdict::Fine)
}
