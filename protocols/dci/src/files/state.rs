//! `.dci/state/reliability.v1.json`: reading it, and adding outcomes to it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use capgen_diagnostic::Diagnostic;
use capgen_files::Links;
use capgen_time::Backoff;

use super::config::{FOLDER, check_folder, read};
use crate::inputs::{InvalidOutcome, RELIABILITY_PATH, Record, Reliability};
use crate::{Warning, codes};

const FOLDERS: [&str; 2] = [FOLDER, "state"];
const FILE: &str = "reliability.v1.json";
const LOCK: &str = "reliability.lock";
/// The largest state that is read, in bytes. A state of 10,000 skills with the longest ids is smaller.
const MAX_BYTES: u64 = 32 << 20;
/// How long another process may keep the state locked. Another process has it only while it writes the file, so many
/// runs may end at once; a process that hangs must not stop all others for ever.
const PATIENCE: Duration = Duration::from_secs(30);

/// The pauses between attempts to lock the file: another process has it only while it writes.
const POLL: Backoff = Backoff::new(Duration::from_millis(1), Duration::from_millis(20));

/// The root of the state: the nearest folder with `.git` at or above the workspace, else the workspace (decision 19).
///
/// # Errors
///
/// The workspace does not exist.
fn root(workspace: &Path) -> io::Result<PathBuf> {
    let workspace = if workspace.as_os_str().is_empty() { Path::new(".") } else { workspace };
    let workspace = workspace.canonicalize()?;
    // Whatever is there, as in git itself, where `.git` may be a file.
    let root = workspace.ancestors().find(|folder| fs::symlink_metadata(folder.join(".git")).is_ok());
    Ok(root.unwrap_or(&workspace).to_owned())
}

/// Reads the outcomes of earlier uses of the skills of a workspace. A state that does not exist is empty, and so is one
/// that cannot be read or is invalid, with a warning (decision 19).
pub fn read_reliability(workspace: &Path) -> (Reliability, Vec<Warning>) {
    let ignored = |reason: String| {
        let message = format!("the history of skills is ignored: {reason}");
        (
            Reliability::default(),
            vec![Warning { code: codes::NO_HISTORY, subject: RELIABILITY_PATH.to_owned(), message }],
        )
    };
    match root(workspace).and_then(|root| read(&root, &FOLDERS, FILE, MAX_BYTES)) {
        Ok(None) => (Reliability::default(), Vec::new()),
        Ok(Some(bytes)) => match parse(bytes) {
            Ok(state) => (state, Vec::new()),
            Err(findings) => ignored(findings.first().map(super::skill_file::located).unwrap_or_default()),
        },
        Err(error) => ignored(error.to_string()),
    }
}

/// Adds the outcome of a use of a skill to the state of a workspace, as [`Reliability::record`] does, and returns the
/// skill's record. The state is replaced as a whole: a reader, and a process that is killed, leave the old or the new
/// one. Processes that record at the same time wait for each other.
///
/// # Errors
///
/// The outcome or the present state is invalid, or the state cannot be written. Then the state is as it was before.
pub fn record(workspace: &Path, id: &str, success: bool, now: &str) -> Result<Record, Vec<Diagnostic>> {
    let failed = |error: io::Error| {
        let message = format!("cannot write `{RELIABILITY_PATH}`: {error}");
        vec![Diagnostic::new(codes::STATE, message).in_file(RELIABILITY_PATH)]
    };
    // Before anything is created.
    Reliability::default().record(id, success, now).map_err(invalid)?;
    let mut folder = root(workspace).map_err(failed)?;
    let root = folder.clone();
    for name in FOLDERS {
        folder.push(name);
        create_folder(&folder).map_err(failed)?;
    }
    let lock = lock(&folder.join(LOCK)).map_err(failed)?;
    let mut state = match read(&root, &FOLDERS, FILE, MAX_BYTES).map_err(failed)? {
        Some(bytes) => parse(bytes)?,
        None => Reliability::default(),
    };
    let record = state.record(id, success, now).map_err(invalid)?.clone();
    let replaced = capgen_files::replace_files(&[(&folder.join(FILE), state.to_json().as_str())]);
    drop(lock);
    replaced.map(|()| record).map_err(|(_, error)| failed(error))
}

fn parse(bytes: Vec<u8>) -> Result<Reliability, Vec<Diagnostic>> {
    Reliability::read(&capgen_manifest::decode(RELIABILITY_PATH, bytes)?)
}

fn invalid(reason: InvalidOutcome) -> Vec<Diagnostic> {
    vec![Diagnostic::new(codes::OUTCOME, reason.to_string())]
}

fn create_folder(place: &Path) -> io::Result<()> {
    match fs::create_dir(place) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        // Another process may create it at the same time.
        _ => check_folder(place),
    }
}

/// Waits until no other process has the lock. It ends with the file, at the latest when the process ends.
fn lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    let (file, _) = capgen_files::open_with(path, Links::Refused, &mut options)?;
    let start = Instant::now();
    let mut attempts = 0;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if start.elapsed() > PATIENCE => {
                return Err(io::Error::other(format!("another process keeps it locked for {} s", PATIENCE.as_secs())));
            }
            Err(TryLockError::WouldBlock) => {
                attempts = u32::saturating_add(attempts, 1);
                thread::sleep(POLL.pause(attempts));
            }
        }
    }
}
