//! The files of registry commands.

use std::io::Read;
use std::path::Path;

use capgen_diagnostic::Diagnostic;
use capgen_files::read_input;

use crate::codes;
use crate::failure::Failure;
use crate::validate::shown_payload as shown;

/// The whole contents of a file of at most `limit` bytes; `-` means standard input.
///
/// # Errors
///
/// One finding: the file cannot be read, or is longer.
pub(super) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    read_input(open(path)?, limit).map_err(|error| failed(path, &error.to_string()))
}

/// Opens a file; `-` means standard input.
///
/// # Errors
///
/// One finding: the file cannot be opened.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    crate::input::open(path).map_err(|error| failed(path, &error.to_string()))
}

/// The finding about a file that cannot be used.
pub(super) fn failed(path: &Path, reason: &str) -> Failure {
    let message = format!("cannot read {}: {reason}", shown(path));
    let help = "pass the path of a file that exists and that you may read";
    Failure::Findings(vec![Diagnostic::new(codes::REGISTRY_FILE, message).help(help)])
}
