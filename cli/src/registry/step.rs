//! `capgen registry step`: the kernel over the events of a log.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use capgen_registry::{Checker, Kernel};
use clap::error::ErrorKind;

use super::log::LogAddress;
use super::output::Output;
use super::{arguments, config, events, line};
use crate::console::Console;
use crate::failure::{Failure, Outcome, Verdict};

pub(super) fn run(arguments: &arguments::Step, console: &Console) -> Outcome {
    if !arguments.dry_run && matches!(arguments.source.log, LogAddress::Jsonl(_)) {
        let message =
            "a JSONL log is only read: add `--dry-run`, or import it into a log with `capgen registry append`\n";
        return Err(Failure::Usage(clap::Error::raw(ErrorKind::MissingRequiredArgument, message)));
    }
    let config = config::read(arguments.source.config.as_deref())?;
    let mut kernel = Kernel::new(Checker::new(config).into(), None);
    dry_run(&arguments.source.log, &mut kernel, Output::json_or_text(arguments.json), console)
}

/// Prints the events that the kernel would emit. The log is read twice, so that it need not fit in memory: the outcomes that it has are known
/// before the first step.
fn dry_run(log: &LogAddress, kernel: &mut Kernel, output: Output, console: &Console) -> Outcome {
    events::of(log, Some(console), |event| {
        kernel.note(&event);
        Ok(())
    })?;
    let mut emitted = VecDeque::new();
    let mut flow = ControlFlow::Continue(());
    // The first reading has warned of its lines.
    events::of(log, None, |event| {
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
