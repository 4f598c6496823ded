//! `capgen dci record`: the outcome of a use of a skill.

use capgen_dci::files;
use capgen_diagnostic::quoted;
use capgen_time::{Clock as _, SystemClock};

use super::arguments;
use crate::console::{Console, count};
use crate::failure::{RunResult, Verdict};
use crate::{signals, times};

pub(super) fn run(arguments: &arguments::Record, console: &Console) -> RunResult {
    signals::remove_temporary_files_at_the_end();
    let now = arguments.now.clone().unwrap_or_else(|| times::format_time(SystemClock.now_ms()));
    let record = files::record(&arguments.workspace, &arguments.candidate, arguments.outcome.success, &now)?;
    let successes = record.outcomes.iter().filter(|success| **success).count();
    let uses = count(record.outcomes.len(), "use", "uses");
    console.tick(&format!("{}: {successes} of the last {uses} succeeded", quoted(&arguments.candidate)));
    Ok(Verdict::Fine)
}
