//! An event as one line.

use std::io;
use std::ops::ControlFlow;

use capgen_diagnostic::visible;
use capgen_registry::Event;
use serde_json::Value;

use super::output::Output;
use crate::console::print_part;

/// Prints an event. Breaks if the pipe is closed.
pub(super) fn print(event: &Event, output: Output) -> io::Result<ControlFlow<()>> {
    if output.human { print_part(&format!("{}\n", text(event))) } else { output.line(event.text()) }
}

/// The text of an event: time, type, producer and subject. Events are untrusted.
fn text(event: &Event) -> String {
    let member = |name: &str| event.value().get(name).and_then(Value::as_str).unwrap_or("-");
    let payload = event.payload();
    let subjects =
        ["agent_id", "target_agent_id", "capability_id", "version", "requirement", "reason", "failure_reason"];
    let subjects = subjects.iter().filter_map(|name| payload.get(*name).and_then(Value::as_str));
    let agent = event.agent().unwrap_or("-");
    let mut parts = vec![member("timestamp"), member("event_id"), member("event_type"), agent];
    parts.extend(subjects);
    visible(&parts.join("  "))
}
