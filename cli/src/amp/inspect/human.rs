//! The report about a message as text.

use std::fmt::Write as _;

use capgen_amp::cbor::{Map, Value};
use capgen_amp::message::{Message, Recipients};
use capgen_diagnostic::{visible, visible_json};
use serde_json::Value as Json;

use super::check::{Check, Checked, Inspection};

use crate::times::format_time;

pub(super) fn text(report: &Inspection) -> String {
    let mut text = String::new();
    match (&report.message, &report.view) {
        (Some(message), _) => fields(&mut text, message),
        (None, Some(view)) => text.push_str(&json(view)),
        (None, None) => {}
    }
    for check in Check::ALL {
        let result = report.checks.iter().find(|(found, _)| *found == check).map(|(_, result)| result);
        let (mark, result) = match result {
            Some(Checked::Passed) => ("✓", String::new()),
            Some(Checked::Failed(rejection)) => ("✗", rejection.to_string()),
            Some(Checked::Skipped(option)) => ("-", format!("not checked without {option}")),
            None => ("-", "not checked, because of the error".to_owned()),
        };
        let line = format!("{mark} {:9}  {}", check.name(), visible(&result));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The fields of the envelope, then the body.
fn fields(text: &mut String, message: &Message) {
    let Message { id, kind, ts, ttl, from, to, reply_to, thread_id, body, ext } = message;
    let mut field = |name: &str, value: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:9}  {}", visible(&value));
    };
    field("type", format!("{kind} (0x{:02x})", kind.code()));
    field("id", format!("{id} ({})", format_time(id.time())));
    field("ts", format!("{ts} ({})", format_time(*ts)));
    field("ttl", format!("{ttl} ms (until {})", format_time(ts.saturating_add(*ttl))));
    field("from", from.to_string());
    field("to", recipients(to));
    if let Some(reply_to) = reply_to {
        field("reply_to", reply_to.to_string());
    }
    if let Some(thread_id) = thread_id {
        field("thread_id", hex::encode(thread_id));
    }
    if let Some(ext) = ext {
        text.push_str("ext        not signed\n");
        text.push_str(&json(&view(ext)));
    }
    text.push_str("body\n");
    text.push_str(&json(&body.to_diagnostic()));
}

fn view(map: &Map) -> Json {
    Value::Map(map.clone()).to_diagnostic()
}

fn recipients(to: &Recipients) -> String {
    let all: Vec<_> = to.as_slice().iter().map(ToString::to_string).collect();
    all.join(", ")
}

/// Indented JSON, with a line end.
fn json(view: &Json) -> String {
    visible_json(&format!("{view:#}\n"))
}
