//! The files of AMP commands.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use capgen_diagnostic::Diagnostic;

use crate::codes;
use crate::failure::Failure;
use crate::validate::shown_payload as shown;

/// Opens a file; `-` means standard input.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(failed(path, &error.to_string())),
    }
}

/// The first bytes of a file: one more than the limit, if there are more.
pub(super) fn read(path: &Path, limit: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    open(path)?.take(most).read_to_end(&mut bytes).map_err(|error| failed(path, &error.to_string()))?;
    Ok(bytes)
}

/// The finding about a file that cannot be used.
pub(super) fn failed(path: &Path, reason: &str) -> Failure {
    let message = format!("cannot read {}: {reason}", shown(path));
    Failure::Findings(vec![Diagnostic::new(codes::AMP_FILE, message)])
}
