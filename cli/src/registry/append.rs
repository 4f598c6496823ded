//! `capgen registry append`: adding events to a log.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use capgen_diagnostic::visible;
use capgen_registry::Checker;
use capgen_registry::log::{AppendOptions, Appended, Log, Rejection};
use clap::Args;
use serde_json::json;

use super::arguments::{Now, Source};
use super::events::{BATCH, Lines, Text};
use super::log::{self, Access};
use super::output::{Output, OutputForm};
use crate::console::{Console, count, print_part};
use crate::failure::{Failure, RunResult, Verdict};
use crate::validate::shown_payload as shown;

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Append {
    /// The file with one event per line; `-` means standard input
    #[arg(value_name = "EVENTS", default_value = "-")]
    events: PathBuf,
    #[command(flatten)]
    source: Source,
    /// Accept events whose ids are old, to merge logs or to restore a backup. For operators only
    #[arg(long)]
    import: bool,
    #[command(flatten)]
    now: Now,
    #[command(flatten)]
    output: OutputForm,
}

const HELP: &str = "\
Examples:
  capgen registry append events.jsonl --log sqlite:registry.db --config registry.json
  my-agent | capgen registry append --log sqlite:registry.db
  capgen registry append --import south.jsonl --log sqlite:north.db

Prints one line for each line of the input that is not blank: {\"offset\", \"partition\", \"duplicate_of\": null or an id, \"integrity_fault\"}, or \
{\"error\": {\"reason\", \"paths\"}}. A reason is json, envelope, signature, future, past, idempotency-key or quota; other invalid events are \
stored, and the kernel reports them. Appending an event again has no effect, so repeat a run that was interrupted.

The log is created if it does not exist. An event is on the disk before its line is printed. The exit status is 1 if a line was rejected.";

/// The size of the events that are appended at once, in bytes. About eight of the largest events, so a batch of large
/// ones needs little memory and keeps a log locked only for a moment.
const MAX_BATCH: usize = 8 << 20;

pub(super) fn run(arguments: &Append, console: &Console) -> RunResult {
    let config = arguments.source.configuration()?;
    let mut lines = Lines::open(&arguments.events)?;
    let log = arguments.source.open(Access::Create, Arc::new(Checker::new(config)))?;
    let output = arguments.output.output();
    let mut writer = Writer { log, arguments, output, tally: Tally::default() };
    let mut batch = Batch::default();
    let mut flow = ControlFlow::Continue(());
    while let (ControlFlow::Continue(()), Some((number, text))) = (flow, lines.next()?) {
        batch.bytes += if let Text::Event(event) = &text { event.text().len() } else { 0 };
        batch.lines.push((number, text));
        // The program that writes events may wait for the results before it sends the next ones.
        if batch.lines.len() == BATCH || batch.bytes > MAX_BATCH || lines.would_wait() {
            flow = writer.append(std::mem::take(&mut batch))?;
        }
    }
    let _ = writer.append(batch)?;
    let Tally { appended, duplicates, rejected } = writer.tally;
    let duplicates = count(duplicates, "duplicate", "duplicates");
    console.line(&format!("{} appended, {duplicates}, {rejected} rejected", count(appended, "event", "events")));
    Ok(if rejected == 0 { Verdict::Fine } else { Verdict::Findings })
}

/// Lines that are appended at once.
#[derive(Default)]
struct Batch {
    lines: Vec<(usize, Text)>,
    bytes: usize,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    appended: usize,
    duplicates: usize,
    rejected: usize,
}

/// Why a line was not appended.
struct Refusal {
    reason: &'static str,
    paths: Vec<String>,
    help: String,
}

struct Writer<'a> {
    log: Box<dyn Log>,
    arguments: &'a Append,
    output: Output,
    tally: Tally,
}

impl Writer<'_> {
    /// Appends the events of a batch, and prints a result for each line. Breaks if the pipe is closed.
    fn append(&mut self, batch: Batch) -> Result<ControlFlow<()>, Failure> {
        let (mut events, mut refusals) = (Vec::new(), Vec::new());
        for (number, text) in batch.lines {
            let refusal = match text {
                Text::Event(event) => {
                    events.push(event);
                    None
                }
                Text::NotJson(help) => Some(Refusal { reason: "json", paths: Vec::new(), help }),
            };
            refusals.push((number, refusal));
        }
        let options = AppendOptions { now: self.arguments.now.ms(), import: self.arguments.import };
        let mut results = self.log.append(&events, &options).map_err(|error| log::failed(&error))?.into_iter();
        for (number, refusal) in refusals {
            let result = match refusal {
                Some(refusal) => Err(refusal),
                None => match results.next() {
                    Some(result) => result.map_err(Refusal::from),
                    None => break,
                },
            };
            if self.print(number, &result)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn print(&mut self, number: usize, result: &Result<Appended, Refusal>) -> Result<ControlFlow<()>, Failure> {
        let counted = match result {
            Ok(appended) if appended.duplicate_of.is_some() => &mut self.tally.duplicates,
            Ok(_) => &mut self.tally.appended,
            Err(_) => &mut self.tally.rejected,
        };
        *counted += 1;
        if self.output.human {
            let name = shown(&self.arguments.events);
            return Ok(print_part(&format!("{}\n", visible(&format!("{name}, line {number}: {}", text(result)))))?);
        }
        Ok(match result {
            Ok(appended) => self.output.value(appended)?,
            Err(Refusal { reason, paths, .. }) => {
                self.output.value(&json!({"error": {"reason": reason, "paths": paths}}))?
            }
        })
    }
}

fn text(result: &Result<Appended, Refusal>) -> String {
    match result {
        Ok(Appended { offset, partition, duplicate_of, integrity_fault }) => {
            let fault = if *integrity_fault { ", with the id of another event of the same producer" } else { "" };
            match duplicate_of {
                Some(id) => format!("duplicate of {id} at {partition} {offset}{fault}"),
                None => format!("appended at {partition} {offset}{fault}"),
            }
        }
        Err(Refusal { reason, paths, help }) if paths.is_empty() => format!("rejected: {reason} ({help})"),
        Err(Refusal { reason, paths, help }) => format!("rejected: {reason} at {} ({help})", paths.join(" ")),
    }
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Self {
        let help = match &rejection {
            Rejection::Invalid(_) => "correct these members of the event",
            Rejection::Future => "the time in the id is more than 60 s ahead: correct the producer's clock",
            Rejection::Past => "the id is too old: use a new one, or --import to merge logs",
            Rejection::IdempotencyKey => "the key belongs to another payload: use a new key",
            Rejection::Quota => "the producer has too many invalid events or subjects",
            _ => "see docs/registry.md",
        };
        Self { reason: rejection.reason(), paths: rejection.paths(), help: help.to_owned() }
    }
}
