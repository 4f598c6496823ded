//! `capgen registry tail`: the last events of a log, and new ones.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use capgen_registry::Checker;
use capgen_registry::log::Record;

use super::log::{self, Access};
use super::output::Output;
use super::{arguments, config, events, line};
use crate::failure::{Outcome, Verdict};

/// How long a wait for new events lasts at most. A wait ends as soon as there is one. Another wait follows, so the
/// value changes nothing that a user sees.
const WAIT: Duration = Duration::from_secs(1);

pub(super) fn run(arguments: &arguments::Tail) -> Outcome {
    let config = config::read(arguments.source.config.as_deref())?;
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
