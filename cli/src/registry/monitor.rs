//! `capgen registry monitor`: marks silent agents, and ends overdue invocations.

use std::ops::ControlFlow;
use std::sync::Arc;

use capgen_diagnostic::{Diagnostic, visible};
use capgen_registry::live::{Follower, Writer};
use capgen_registry::{Checker, EventId, MonitorLimits, Overdue, Producer};
use capgen_time::{Clock as _, SystemClock};
use serde_json::{Value, json};

use super::log::{self, Access};
use super::output::Output;
use super::{arguments, config, key, register};
use crate::codes;
use crate::console::{Console, print_part};
use crate::failure::{Failure, Outcome, Verdict};

pub(super) fn run(arguments: &arguments::Monitor, console: &Console) -> Outcome {
    let arguments::Monitor { source, agent, .. } = arguments;
    let config = config::read(source.config.as_deref())?;
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
