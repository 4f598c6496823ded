//! `capgen registry tail`: the last events of a log, and new ones.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use capgen_registry::Checker;
use capgen_registry::log::Record;
use clap::Args;

use super::arguments::Source;
use super::log::{self, Access};
use super::output::Output;
use super::{events, line};
use crate::failure::{RunResult, Verdict};

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Tail {
    #[command(flatten)]
    source: Source,
    /// The number of events to start with
    #[arg(short = 'n', long = "lines", value_name = "COUNT", default_value_t = 10)]
    lines: usize,
    /// Wait for new events, and print them as they come
    #[arg(short, long)]
    follow: bool,
    /// Only events of this partition
    #[arg(long, value_name = "PARTITION")]
    partition: Option<String>,
    /// Print the events as JSON, one per line
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
Examples:
  capgen registry tail --log sqlite:registry.db
  capgen registry tail --follow --json --log sqlite:registry.db | jq .event_type
  capgen registry tail -n 100 --partition agent-a --log sqlite:registry.db

Prints the time, id, type and producer of each event, and the subject of its payload. Events are in the order of the log. They are not checked: \
`capgen registry fold` lists the invalid ones.";

/// How long a wait for new events lasts at most. A wait ends as soon as there is one. Another wait follows, so the
/// value changes nothing that a user sees.
const WAIT: Duration = Duration::from_secs(1);

pub(super) fn run(arguments: &Tail) -> RunResult {
    let config = arguments.source.configuration()?;
    let mut log = arguments.source.open(Access::Read, Arc::new(Checker::new(config)))?;
    let output = Output::text_or_json(arguments.json);
    let is_shown =
        |record: &Record| arguments.partition.as_ref().is_none_or(|partition| *partition == record.partition);
    let mut last = VecDeque::new();
    let mut after = events::read(&mut *log, 0, |record| {
        if is_shown(&record) {
            last.push_back(record.event);
            if last.len() > arguments.lines {
                last.pop_front();
            }
        }
        Ok(())
    })?;
    for event in &last {
        if line::print(event, output)?.is_break() {
            return Ok(Verdict::Fine);
        }
    }
    drop(last);
    if !arguments.follow {
        return Ok(Verdict::Fine);
    }
    loop {
        if !log.wait(after, WAIT).map_err(|error| log::failed(&error))? {
            continue;
        }
        for record in log.read(after, events::BATCH).map_err(|error| log::failed(&error))? {
            after = record.sequence;
            if is_shown(&record) && line::print(&record.event, output)?.is_break() {
                return Ok(Verdict::Fine);
            }
        }
    }
}
