//! Files of commands; `-` means standard input.

use std::io::{self, Read};
use std::path::Path;

/// Whether a path means standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a file.
pub(crate) fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    if is_stdin(path) {
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(capgen_files::open_input(path)?))
}

/// The first bytes of a file: one more than the limit, if there are more.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}
