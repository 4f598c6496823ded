//! `capgen registry step`: the kernel over the events of a log.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use capgen_diagnostic::Diagnostic;
use capgen_registry::log::{AppendOptions, Log, Rejection};
use capgen_registry::{Checker, Event, Kernel, SigningKey};
use capgen_time::{Clock as _, SystemClock};
use clap::Args;
use clap::error::ErrorKind;

use super::arguments::Source;
use super::key::{self, Signing};
use super::log::{self, Access, LogAddress};
use super::output::{Output, OutputForm};
use super::{events, line};
use crate::codes;
use crate::console::Console;
use crate::failure::{Failure, RunResult, Verdict};

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Step {
    #[command(flatten)]
    source: Source,
    /// Print the events, but do not append them
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    signing: Signing,
    #[command(flatten)]
    output: OutputForm,
}

const HELP: &str = "\
Examples:
  capgen registry step --log sqlite:registry.db --config registry.json
  capgen registry step --log events.jsonl --dry-run

Processes the events in the order of the log, each in the state of the events before it, and prints the events that the kernel emits: \
capability.invoked or capability.unresolved for each request that has no outcome yet, and system.event.validation_failed for invalid events. \
Their ids are derived from their causes, so a second run emits nothing new.

--dry-run prints exactly the events that would be appended. A JSONL log is only read: it needs --dry-run. If the configuration has a key of the \
kernel, --signing-key is needed in both cases.";

pub(super) fn run(arguments: &Step, console: &Console) -> RunResult {
    if !arguments.dry_run && matches!(arguments.source.log, LogAddress::Jsonl(_)) {
        let message = "a JSONL log is only read: add `--dry-run`, or append its events to another log";
        return Err(Failure::usage(ErrorKind::MissingRequiredArgument, message));
    }
    let config = arguments.source.configuration()?;
    if config.has_kernel_key() && arguments.signing.signing_key.is_none() {
        let message = "the configuration has a key of the kernel, so its events must be signed: pass the key with `--signing-key`";
        return Err(Failure::usage(ErrorKind::MissingRequiredArgument, message));
    }
    let key = key::signing_key(&arguments.signing, console)?;
    if let Some(key) = key.as_ref().filter(|key| !config.is_kernel_key(key)) {
        return Err(other_key(key));
    }
    let checker = Arc::new(Checker::new(config));
    let kernel = Kernel::new(checker.clone(), key);
    let output = arguments.output.output();
    if arguments.dry_run {
        return dry_run(&arguments.source, &checker, kernel, output, console);
    }
    append(arguments.source.open(Access::Append, checker)?, kernel, output)
}

/// Prints the events that the kernel would emit. The log is read twice, so that it need not fit in memory: the outcomes
/// that it has are known before the first step.
fn dry_run(
    source: &Source,
    checker: &Arc<Checker>,
    mut kernel: Kernel,
    output: Output,
    console: &Console,
) -> RunResult {
    events::of(source, checker, Some(console), |event| {
        kernel.note(&event);
        Ok(())
    })?;
    let mut emitted = VecDeque::new();
    let mut flow = ControlFlow::Continue(());
    // The first reading has warned of its lines.
    events::of(source, checker, None, |event| {
        for event in kernel.step(&event) {
            if flow.is_continue() {
                flow = line::print(&event, output)?;
            }
            emitted.push_back(event);
        }
        Ok(())
    })?;
    // The kernel's events follow those of the log.
    while let (Some(event), ControlFlow::Continue(())) = (emitted.pop_front(), flow) {
        for event in kernel.step(&event) {
            flow = line::print(&event, output)?;
            emitted.push_back(event);
        }
    }
    Ok(Verdict::Fine)
}

/// Appends the events that the kernel emits, and prints them. They are at the end of the log, so they are processed,
/// too.
fn append(mut log: Box<dyn Log>, mut kernel: Kernel, output: Output) -> RunResult {
    events::read(&mut *log, 0, |record| {
        kernel.note(&record.event);
        Ok(())
    })?;
    let mut after = 0;
    loop {
        let records = log.read(after, events::BATCH).map_err(|error| log::failed(&error))?;
        let Some(last) = records.last() else { return Ok(Verdict::Fine) };
        after = last.sequence;
        let emitted: Vec<Event> = records.iter().flat_map(|record| kernel.step(&record.event)).collect();
        let options = AppendOptions { now: SystemClock.now_ms(), import: false };
        let results = log.append(&emitted, &options).map_err(|error| log::failed(&error))?;
        for (event, result) in emitted.iter().zip(results) {
            let appended = result.map_err(|rejection| rejected(&rejection))?;
            // Another kernel may have appended it in the meantime.
            if appended.duplicate_of.is_none() && line::print(event, output)?.is_break() {
                return Ok(Verdict::Fine);
            }
        }
    }
}

/// The finding about a key whose signatures would all be invalid, so that neither form of the command may use it.
fn other_key(key: &SigningKey) -> Failure {
    let message =
        format!("the configuration has no key `{}` of the kernel with the public key of --signing-key", key.id());
    let help = "add the output of `capgen registry key` for the file to `keys` of the kernel, or pass another key";
    Failure::Findings(vec![Diagnostic::new(codes::REGISTRY_CONFIGURATION, message).help(help)])
}

fn rejected(rejection: &Rejection) -> Failure {
    let reason = rejection.reason();
    let message = format!("the log rejects an event of the kernel: {reason} at {}", rejection.paths().join(" "));
    let help = "the log was opened with another configuration by this process; run the command again";
    Failure::Findings(vec![Diagnostic::new(codes::REGISTRY_LOG, message).help(help)])
}
