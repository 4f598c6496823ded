//! The files of AMP commands.

use std::io::Read;
use std::path::Path;

use capgen_diagnostic::Diagnostic;

use crate::codes;
use crate::failure::Failure;
use crate::validate::shown_payload as shown;

/// Opens a file; `-` means standard input.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    crate::input::open(path).map_err(|error| failed(path, &error.to_string()))
}

/// The first bytes of a file: one more than the limit, if there are more.
pub(super) fn read(path: &Path, limit: usize) -> Result<Vec<u8>, Failure> {
    let limit = u64::try_from(limit).unwrap_or(u64::MAX);
    crate::input::read(path, limit).map_err(|error| failed(path, &error.to_string()))
}

/// The finding about a file that cannot be used.
pub(super) fn failed(path: &Path, reason: &str) -> Failure {
    let message = format!("cannot read {}: {reason}", shown(path));
    Failure::Findings(vec![Diagnostic::new(codes::AMP_FILE, message)])
}
