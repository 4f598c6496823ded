//! `capgen gen --watch`

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How often files are looked at.
const PERIOD: Duration = Duration::from_millis(250);

/// What tells one state of a file from another.
pub(crate) type Stamp = (PathBuf, Option<(SystemTime, u64)>);

/// Waits until one of the files changes, comes or goes.
pub(crate) fn wait_for_change(before: &[Stamp], paths: impl Fn() -> Vec<PathBuf>) {
    while stamps(&paths()) == before {
        std::thread::sleep(PERIOD);
    }
}

/// How the files are now.
pub(crate) fn stamps(paths: &[PathBuf]) -> Vec<Stamp> {
    paths.iter().map(|path| (path.clone(), stamp(path))).collect()
}

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let metadata = path.metadata().ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
