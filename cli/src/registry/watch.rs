//! `capgen registry watch`: agents, health and invocations, as events come.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use capgen_diagnostic::visible;
use capgen_registry::live::Follower;
use capgen_registry::{Checker, Health, Overview, Row, canonical};
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use super::arguments::Source;
use super::fold::{marks, status};
use super::log::{self, Access};
use super::output::Output;
use crate::console::{count, print_part};
use crate::failure::{Failure, RunResult, Verdict};
use crate::table::table;

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Watch {
    #[command(flatten)]
    source: Source,
    /// End after the last event instead of waiting for new ones
    #[arg(long)]
    no_follow: bool,
    /// Print each change as one JSON document per line
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
Examples:
  capgen registry watch --log sqlite:registry.db
  capgen registry watch --json --log sqlite:registry.db | jq 'select(.change == \"health\")'

On a terminal, the picture is refreshed when events come. Otherwise, each change is one line, at first those from an empty registry. \
--json prints {\"change\", \"value\"}; a change is registration, health, unresolved or invocation, and the value is the one in the `view` of \
`capgen registry fold`.";

/// How long a wait for new events lasts at most. A wait ends as soon as there is one. Another wait follows, so the
/// value changes nothing that a user sees.
const WAIT: Duration = Duration::from_secs(1);

/// The time between two pictures, so that a busy log does not make the terminal flicker.
const PAUSE: Duration = Duration::from_millis(100);

/// How many rows of a table fit on a terminal. Terminals have 24 lines or more, of which the headings need some.
const MAX_ROWS: usize = 15;

/// Clears a terminal, and moves the cursor to its first line.
const CLEAR: &str = "\x1b[H\x1b[2J\x1b[3J";

pub(super) fn run(arguments: &Watch) -> RunResult {
    let config = arguments.source.configuration()?;
    let checker = Arc::new(Checker::new(config));
    let log = arguments.source.open(Access::Read, checker.clone())?;
    let mut follower = Follower::new(log, checker);
    let output = Output::text_or_json(arguments.json);
    let mut changes = Changes::default();
    follower.catch_up().map_err(|error| log::failed(&error))?;
    loop {
        let (overview, hash) = {
            let registry = follower.registry();
            let registry = registry.read();
            (registry.view().overview(), registry.view().registry_hash())
        };
        let flow = if output.human && output.terminal {
            print_part(&format!("{CLEAR}{}", screen(&overview, &hash)))?
        } else {
            changes.print(overview, output)?
        };
        if flow.is_break() || arguments.no_follow {
            return Ok(Verdict::Fine);
        }
        std::thread::sleep(PAUSE);
        while follower.follow(WAIT).map_err(|error| log::failed(&error))? == 0 {}
    }
}

/// The picture on a terminal.
fn screen(view: &Overview, hash: &str) -> String {
    let mut agents: BTreeMap<&str, (Option<&Health>, usize)> = BTreeMap::new();
    for (agent, health) in &view.health {
        agents.insert(agent, (Some(health), 0));
    }
    for row in &view.registrations {
        agents.entry(&row.agent).or_default().1 += 1;
    }
    let mut text = format!("registry {hash}\n\n{}\n", count(agents.len(), "agent", "agents"));
    let rows = agents.iter().map(|(agent, (health, registrations))| {
        let event = health.map(|health| health.event_id.clone()).unwrap_or_default();
        [(*agent).to_owned(), health_name(*health).to_owned(), registrations.to_string(), event]
    });
    text.push_str(&first(["AGENT", "HEALTH", "REGISTRATIONS", "SINCE"], rows));
    text.push_str(&format!("\n{}\n", count(view.invocations.len(), "invocation", "invocations")));
    let rows = view.invocations.iter().rev().map(|row| {
        let capability = format!("{} {}", row.capability, row.version);
        let (caller, target, status) = (row.caller.clone(), row.target.clone(), status(row.status).to_owned());
        [row.request_id.clone(), caller, target, capability, status, row.reason.clone().unwrap_or_default()]
    });
    text.push_str(&first(["REQUEST", "CALLER", "TARGET", "CAPABILITY", "STATUS", "REASON"], rows));
    let unresolved: Vec<_> = view.requests.iter().filter(|request| request.reason.is_some()).collect();
    text.push_str(&format!("\n{}\n", count(unresolved.len(), "unresolved request", "unresolved requests")));
    let rows = unresolved.into_iter().rev().map(|request| {
        [request.request_id.clone(), request.caller.clone(), request.reason.clone().unwrap_or_default()]
    });
    text.push_str(&first(["REQUEST", "CALLER", "REASON"], rows));
    text
}

/// A table of the first rows; empty if there are none.
fn first<const N: usize>(header: [&str; N], rows: impl ExactSizeIterator<Item = [String; N]>) -> String {
    let number = rows.len();
    match number {
        0 => String::new(),
        _ if number > MAX_ROWS => {
            format!("{}... and {} more\n", table(header, rows.take(MAX_ROWS)), number - MAX_ROWS)
        }
        _ => table(header, rows),
    }
}

fn health_name(health: Option<&Health>) -> &'static str {
    match health {
        Some(health) if !health.healthy => "unhealthy",
        Some(_) => "healthy",
        None => "unknown",
    }
}

/// The last value of everything that was printed, by its kind and key.
#[derive(Default)]
struct Changes(BTreeMap<(&'static str, String), Value>);

impl Changes {
    /// Prints one line for each value that is new or different. Breaks if the pipe is closed.
    fn print(&mut self, view: Overview, output: Output) -> Result<ControlFlow<()>, Failure> {
        let mut values: Vec<(&'static str, String, String, Value)> = Vec::new();
        for row in &view.registrations {
            let key = canonical(&json!([row.capability, row.version, row.agent]));
            values.push(("registration", key, registration(row), to_json(row)));
        }
        for (agent, health) in &view.health {
            let text = format!("{agent}  {}  {}", health_name(Some(health)), health.event_id);
            let value = json!({"agent": agent, "event_id": health.event_id, "healthy": health.healthy});
            values.push(("health", agent.clone(), text, value));
        }
        for row in view.requests.iter().filter(|request| request.reason.is_some()) {
            let text = format!("{}  {}  {}", row.request_id, row.caller, row.reason.as_deref().unwrap_or_default());
            values.push(("unresolved", canonical(&json!([row.caller, row.request_id])), text, to_json(row)));
        }
        for row in &view.invocations {
            let reason = row.reason.as_deref().unwrap_or_default();
            let parts = [&row.request_id, &row.caller, &row.target, &row.capability, &row.version];
            let parts = parts.map(String::as_str).join("  ");
            let text = format!("{parts}  {}  {reason}", status(row.status));
            values.push(("invocation", canonical(&json!([row.caller, row.request_id])), text, to_json(row)));
        }
        for (kind, key, text, value) in values {
            if self.0.get(&(kind, key.clone())) == Some(&value) {
                continue;
            }
            let flow = if output.human {
                print_part(&format!("{}\n", visible(format!("{kind}  {text}").trim_end())))?
            } else {
                output.value(&json!({"change": kind, "value": value}))?
            };
            if flow.is_break() {
                return Ok(flow);
            }
            self.0.insert((kind, key), value);
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn to_json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn registration(row: &Row) -> String {
    format!("{}  {}  {}  {}", row.capability, row.version, row.agent, marks(row))
}
