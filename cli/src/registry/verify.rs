//! `capgen registry verify`: whether a log is as it was appended.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use capgen_diagnostic::{Diagnostic, visible};
use capgen_registry::Checker;
use capgen_registry::log::{Heads, Verification};
use capgen_schema::ExactPayload;
use clap::Args;

use super::arguments::Source;
use super::input;
use super::log::{self, Access};
use super::output::OutputForm;
use crate::codes;
use crate::console::{Console, count, print};
use crate::failure::{Failure, RunResult, Verdict};
use crate::table::table;
use crate::validate::shown_payload as shown;

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Verify {
    #[command(flatten)]
    source: Source,
    /// Also check that the log contains these rows: a file with the output of an earlier `verify`, or with its member
    /// `heads`
    #[arg(long, value_name = "HEADS")]
    expect: Option<PathBuf>,
    #[command(flatten)]
    output: OutputForm,
}

const HELP: &str = "\
Examples:
  capgen registry verify --log sqlite:registry.db > heads.json
  capgen registry verify --log sqlite:registry.db --expect heads.json

Each row contains the hash of its event and of the row before it in the same partition. Prints {\"ok\", \"rows\", \"first_broken\": null or \
{\"partition\", \"offset\", \"reason\"}, \"heads\": {PARTITION: {\"offset\", \"row_hash\"}}}. A reason is event (the event was changed), chain (a row \
was removed, inserted or moved) or expected (an expected head is not in the log). The exit status is 1 if a row is broken.

Without --expect, a truncated end and a complete rewrite cannot be detected: both take only write access to the log. Store the heads where those \
who can write to the log cannot change them. The log may have grown since.";

/// The maximum size of a file of heads in bytes. A head has about 150 bytes, so millions of partitions fit.
const MAX_BYTES: u64 = 1 << 30;

pub(super) fn run(arguments: &Verify, console: &Console) -> RunResult {
    let config = arguments.source.configuration()?;
    let expected = arguments.expect.as_deref().map(heads).transpose()?;
    let mut log = arguments.source.open(Access::Read, Arc::new(Checker::new(config)))?;
    let verification = log.verify(expected.as_ref()).map_err(|error| log::failed(&error))?;
    let output = arguments.output.output();
    if output.human {
        print(&text(&verification))?;
    } else {
        let _ = output.value(&verification)?;
    }
    if expected.is_none() {
        console.line(
            "without --expect, a truncated end and a complete rewrite cannot be detected: store `heads` elsewhere, and pass them with --expect",
        );
    }
    Ok(if verification.ok { Verdict::Fine } else { Verdict::Findings })
}

fn text(verification: &Verification) -> String {
    let Verification { ok, rows, first_broken, heads } = verification;
    let rows = count(usize::try_from(*rows).unwrap_or(usize::MAX), "row", "rows");
    let mut text = format!("{rows}, {}\n", if *ok { "intact" } else { "not intact" });
    if let Some(broken) = first_broken {
        let reason = serde_json::to_value(broken.reason).unwrap_or_default();
        let (reason, partition) = (reason.as_str().unwrap_or_default(), visible(&broken.partition));
        text.push_str(&format!("first broken row: partition {partition}, offset {} ({reason})\n", broken.offset));
    }
    let rows =
        heads.iter().map(|(partition, head)| [partition.clone(), head.offset.to_string(), head.row_hash.clone()]);
    text.push_str(&table(["PARTITION", "OFFSET", "HASH"], rows));
    text
}

/// Reads expected heads: the member `heads` of the output, or the whole output.
fn heads(path: &Path) -> Result<Heads, Failure> {
    let payload = ExactPayload::parse(&input::read(path, MAX_BYTES)?)
        .map_err(|error| invalid(path, &format!("not JSON: {}", error.redact(true))))?;
    let value = payload.with_integers();
    // In an object of heads, the partition `ok` has an object.
    let heads = match value.get("ok") {
        Some(ok) if ok.is_boolean() => value.get("heads").cloned().unwrap_or_default(),
        _ => value,
    };
    serde_json::from_value(heads).map_err(|error| invalid(path, &error.to_string()))
}

fn invalid(path: &Path, reason: &str) -> Failure {
    let message = format!("{} does not contain heads: {reason}", shown(path));
    let help = "pass the output of `capgen registry verify`, or its member `heads`";
    Failure::Findings(vec![Diagnostic::new(codes::REGISTRY_HEADS, message).help(help)])
}
