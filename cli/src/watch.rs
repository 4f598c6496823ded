//! `capgen gen --watch`: waiting for a contract to change.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The interval between two looks at the files. Polling needs no platform-specific code and works on network drives.
const PERIOD: Duration = Duration::from_millis(250);

/// The time of the last modification and the size of a file, `None` if it does not exist.
pub(crate) type Stamp = (PathBuf, Option<(SystemTime, u64)>);

/// Waits until one of the files is changed, created or deleted.
pub(crate) fn wait_for_change(before: &[Stamp], paths: impl Fn() -> Vec<PathBuf>) {
    while stamps(&paths()) == before {
        std::thread::sleep(PERIOD);
    }
}

/// The current stamps of the files.
pub(crate) fn stamps(paths: &[PathBuf]) -> Vec<Stamp> {
    paths.iter().map(|path| (path.clone(), stamp(path))).collect()
}

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let metadata = path.metadata().ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
