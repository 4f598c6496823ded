//! `capgen registry snapshot`, and the option `--snapshot`: a state with its place in a log.

use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use capgen_diagnostic::{Diagnostic, visible};
use capgen_files::replace_files;
use capgen_registry::log::Log;
use capgen_registry::{Checker, InvalidSnapshot, Registry, Restored};
use clap::Args;
use serde_json::json;

use super::arguments::Source;
use super::log;
use super::output::Output;
use super::{fold, input};
use crate::codes;
use crate::console::{Console, count, print};
use crate::failure::{Failure, RunResult, Verdict};
use crate::signals;
use crate::validate::shown_payload as shown;

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Snapshot {
    /// The file. If it is a snapshot, it is read first, and then replaced
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    source: Source,
    /// Remove ended requests, except for this number of the latest ones
    #[arg(long, value_name = "COUNT")]
    keep: Option<usize>,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
Examples:
  capgen registry snapshot registry.snapshot --log sqlite:registry.db
  capgen registry find --tag text --snapshot registry.snapshot --log sqlite:registry.db

A snapshot contains the state, hashes over all of it, and its place in the log. A snapshot that was changed, or that belongs to another \
configuration or log, is dropped with a warning, and the whole log is read. With --keep, the snapshot lacks ended requests, so its state has no hash and does \
not merge; registrations, updates, deprecations and health are always complete.

--json prints {\"sequence\", \"pruned\", \"dropped\": null or the reason why the old snapshot was dropped}.";

/// A log, and a snapshot of its state.
#[derive(Args, Debug)]
pub(crate) struct Start {
    #[command(flatten)]
    source: Source,
    /// Start from this snapshot, and read only the rest of the log
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,
}

/// The maximum size of a snapshot in bytes. A snapshot is read entry by entry and need not fit in memory. With a few KB
/// each, about a million registrations fit.
const MAX_BYTES: u64 = 4 << 30;

/// The bytes that are read at once. A large file takes few system calls and little memory.
const BUFFER: usize = 1 << 16;

/// A snapshot has this near its start, also one that was damaged later.
const FORMAT: &[u8] = b"\"format\":\"capgen.registry.snapshot/";

pub(super) fn run(arguments: &Snapshot, console: &Console) -> RunResult {
    let Snapshot { file, source, keep, json } = arguments;
    let checker = Arc::new(Checker::new(source.configuration()?));
    let mut log = source.open_in_order(checker.clone())?;
    let (mut restored, dropped) = if file.exists() {
        start(&mut *log, own(file)?, checker, file, console)?
    } else {
        Restored::start(&mut *log, None, checker).map_err(|error| log::failed(&error))?
    };
    let mut snapshot = restored.snapshot(&mut *log).map_err(|error| log::failed(&error))?;
    let pruned = keep.map_or(0, |keep| snapshot.prune(keep));
    let text = snapshot.to_json();
    signals::remove_temporary_files_at_the_end();
    replace_files(&[(file.as_path(), &format!("{text}\n"))])
        .map_err(|(_, error)| unusable(file, &format!("it cannot be written: {error}")))?;
    let sequence = snapshot.position().sequence;
    let output = Output::text_or_json(*json);
    if output.human {
        let removed = count(usize::try_from(pruned).unwrap_or(usize::MAX), "ended request", "ended requests");
        print(&format!(
            "wrote {}: up to sequence {sequence}, {removed} removed\n",
            visible(&file.display().to_string())
        ))?;
    } else {
        let dropped = dropped.map(|reason| reason.to_string());
        let _ = output.value(&json!({"sequence": sequence, "pruned": pruned, "dropped": dropped}))?;
    }
    Ok(Verdict::Fine)
}

impl Start {
    /// The registry of the log, from the snapshot if there is one.
    ///
    /// # Errors
    ///
    /// The log or the file of the snapshot cannot be read.
    pub(super) fn registry(&self, console: &Console) -> Result<Registry, Failure> {
        let source = &self.source;
        let config = source.configuration()?;
        let Some(path) = &self.snapshot else { return Ok(fold::of(source, config, console)?.into_registry()) };
        let checker = Arc::new(Checker::new(config));
        let mut log = source.open_in_order(checker.clone())?;
        let file = BufReader::with_capacity(BUFFER, input::open(path)?.take(MAX_BYTES));
        let (restored, _) = start(&mut *log, file, checker, path, console)?;
        Ok(restored.into_registry())
    }
}

/// Starts from a snapshot. If it is invalid, it is dropped with a warning.
fn start(
    log: &mut dyn Log,
    snapshot: impl BufRead,
    checker: Arc<Checker>,
    path: &Path,
    console: &Console,
) -> Result<(Restored, Option<InvalidSnapshot>), Failure> {
    let started = Restored::start_from(log, snapshot, checker).map_err(|error| log::failed(&error))?;
    if let Some(reason) = &started.1 {
        let message = format!("{} is dropped, and the whole log is read: {reason}", shown(path));
        let help = "write the snapshot again with `capgen registry snapshot`";
        console.report(&[Diagnostic::new(codes::REGISTRY_SNAPSHOT_DROPPED, message).help(help)]);
    }
    Ok(started)
}

/// Opens a file that may be replaced, because it is a snapshot, or was one.
fn own(path: &Path) -> Result<impl BufRead, Failure> {
    let mut file = BufReader::with_capacity(BUFFER, input::open(path)?.take(MAX_BYTES));
    let start = file.fill_buf().map_err(|error| input::failed(path, &error.to_string()))?;
    let start = start.get(..start.len().min(1024)).unwrap_or_default();
    if start.is_empty() || start.windows(FORMAT.len()).any(|part| part == FORMAT) {
        return Ok(file);
    }
    Err(unusable(path, "it is not a snapshot, so it is not replaced"))
}

fn unusable(path: &Path, reason: &str) -> Failure {
    let message = format!("cannot write a snapshot to {}: {reason}", shown(path));
    let help = "pass another path, in a folder that exists";
    Failure::Findings(vec![Diagnostic::new(codes::REGISTRY_SNAPSHOT, message).help(help)])
}
