//! `capgen registry snapshot`, and the option `--snapshot`: a state with its place in a log.

use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;
use std::sync::Arc;

use capgen_diagnostic::{Diagnostic, visible};
use capgen_files::replace_files;
use capgen_registry::log::Log;
use capgen_registry::{Checker, InvalidSnapshot, Registry, Restored};
use serde_json::json;

use super::log;
use super::output::Output;
use super::{arguments, config, fold, input};
use crate::codes;
use crate::console::{Console, count, print};
use crate::failure::{Failure, Outcome, Verdict};
use crate::signals;
use crate::validate::shown_payload as shown;

/// The maximum size of a snapshot in bytes. A snapshot is read entry by entry and need not fit in memory. With a few KB
/// each, about a million registrations fit.
const LIMIT: u64 = 4 << 30;

/// The bytes that are read at once. A large file takes few system calls and little memory.
const BUFFER: usize = 1 << 16;

/// A snapshot has this near its start, also one that was damaged later.
const FORMAT: &[u8] = b"\"format\":\"capgen.registry.snapshot/";

pub(super) fn run(arguments: &arguments::Snapshot, console: &Console) -> Outcome {
    let arguments::Snapshot { file, source, keep, json } = arguments;
    let checker = Arc::new(Checker::new(config::read(source.config.as_deref())?));
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

/// The registry of a log, from a snapshot if there is one.
///
/// # Errors
///
/// The log or the file of the snapshot cannot be read.
pub(super) fn registry(
    source: &arguments::Source,
    snapshot: Option<&Path>,
    console: &Console,
) -> Result<Registry, Failure> {
    let config = config::read(source.config.as_deref())?;
    let Some(path) = snapshot else { return Ok(fold::of(source, config, console)?.into_registry()) };
    let checker = Arc::new(Checker::new(config));
    let mut log = source.open_in_order(checker.clone())?;
    let file = BufReader::with_capacity(BUFFER, input::open(path)?.take(LIMIT));
    let (restored, _) = start(&mut *log, file, checker, path, console)?;
    Ok(restored.into_registry())
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
    let mut file = BufReader::with_capacity(BUFFER, input::open(path)?.take(LIMIT));
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
