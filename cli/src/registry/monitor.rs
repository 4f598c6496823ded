//! `capgen registry monitor`: marks silent agents, and ends overdue invocations.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use capgen_diagnostic::{Diagnostic, visible};
use capgen_registry::live::{Follower, Writer};
use capgen_registry::{Checker, EventId, MonitorLimits, Overdue, Producer};
use capgen_time::{Clock as _, SystemClock};
use clap::Args;
use serde_json::{Value, json};

use super::arguments::Source;
use super::key::{self, Signing};
use super::log::{self, Access};
use super::output::Output;
use super::register;
use crate::codes;
use crate::console::{Console, print_part};
use crate::duration;
use crate::failure::{Failure, RunResult, Verdict};

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Monitor {
    /// The agent of the monitor, which the configuration must name
    #[arg(long, value_name = "ID")]
    agent: String,
    #[command(flatten)]
    source: Source,
    /// An agent whose last heartbeat is older than this is unavailable
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    heartbeat: Duration,
    /// An invocation whose request is older than this has failed
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    invocation: Duration,
    /// The time between two looks
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    interval: Duration,
    /// Look once, and end
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    signing: Signing,
    /// Print each report as one JSON document per line
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
Examples:
  capgen registry monitor --agent ops.monitor --log sqlite:registry.db --config registry.json
  capgen registry monitor --agent ops.monitor --heartbeat 10s --once --log sqlite:registry.db --config registry.json

Appends agent.unavailable for agents that stopped sending heartbeats, and capability.failed with the reason timeout for overdue invocations. Agents \
that never sent a heartbeat are not observed. Several monitors over one log do no harm: of their reports about one fact, one counts.

A TIME is a number and ms, s, m, h or d. --json prints {\"event_type\", \"agent\", \"payload\"}.";

pub(super) fn run(arguments: &Monitor, console: &Console) -> RunResult {
    let Monitor { source, agent, .. } = arguments;
    let config = source.configuration()?;
    if !config.is_monitor(agent, EventId::at(SystemClock.now_ms(), 0)) {
        return Err(no_monitor(agent));
    }
    let key = key::signing_key(&arguments.signing, console)?;
    let checker = Arc::new(Checker::new(config));
    let open = |access| source.open(access, checker.clone());
    let mut follower = Follower::new(open(Access::Read)?, checker.clone());
    let writer = Writer::new(open(Access::Append)?, Producer::new(agent.as_str()));
    let mut writer = key.into_iter().fold(writer, Writer::signed);
    let limits = MonitorLimits { heartbeat: arguments.heartbeat, invocation: arguments.invocation };
    let output = Output::text_or_json(arguments.json);
    loop {
        follower.catch_up().map_err(|error| log::failed(&error))?;
        let overdue = writer.monitor(&follower.registry().read().view(), &limits);
        let overdue = overdue.map_err(|error| register::append_failed(&error))?;
        if print(&overdue, output)?.is_break() || arguments.once {
            return Ok(Verdict::Fine);
        }
        std::thread::sleep(arguments.interval);
    }
}

fn print(overdue: &[Overdue], output: Output) -> Result<ControlFlow<()>, Failure> {
    for Overdue { kind, agent, payload } in overdue {
        let flow = if output.human {
            let text = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default();
            let kind = kind.as_str();
            let line = format!("{kind}  {agent}  {}  {}", text("reason"), text("invocation_id"));
            print_part(&format!("{}\n", visible(line.trim_end())))?
        } else {
            output.value(&json!({"event_type": kind.as_str(), "agent": agent, "payload": payload}))?
        };
        if flow.is_break() {
            return Ok(flow);
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn no_monitor(agent: &str) -> Failure {
    let message = format!("`{agent}` is not a monitor of the configuration, so its events would be invalid");
    let help = "add the agent to `monitors` in the file of `--config`";
    Failure::Findings(vec![Diagnostic::new(codes::REGISTRY_CONFIGURATION, message).help(help)])
}

/// A time such as `500ms` or `30s`.
fn duration(text: &str) -> Result<Duration, &'static str> {
    const EXPECTED: &str = "expected a number and ms, s, m, h or d, such as 30s";
    let [units @ .., _] = duration::UNITS;
    let ms = duration::parse(text, &units).filter(|ms| *ms < u64::MAX);
    ms.map(Duration::from_millis).ok_or(EXPECTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        for (text, ms) in
            [("500ms", 500), ("0s", 0), ("30s", 30_000), ("10m", 600_000), ("2h", 7_200_000), ("1d", 86_400_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "5", "s", "+5s", "-5s", "5 s", "5w", "1.5s", "99999999999999999999s", "9999999999999999999d"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
