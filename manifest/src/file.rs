//! Files as sources.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::parse::MAX_BYTES;
use crate::{Diagnostic, Source, codes};

/// Reads the file at `path`; diagnostics show it as `shown`. At most 32 MiB are read, whatever the file claims to be.
///
/// # Errors
///
/// One finding: [`codes::UNREADABLE`] where the system refuses it or where it is a folder, a pipe or a device;
/// [`codes::TOO_LARGE`] beyond 32 MiB; [`codes::NOT_UTF8`].
pub fn read_source(path: &Path, shown: &str) -> Result<Source, Vec<Diagnostic>> {
    let refused = |reason: &str| Diagnostic::new(codes::UNREADABLE, format!("cannot read `{shown}`: {reason}"));
    let failed = |error: std::io::Error| vec![refused(&error.to_string())];
    // Opening a pipe would wait for a writer.
    let kind = fs::metadata(path).map_err(failed)?.file_type();
    if kind.is_dir() {
        return Err(vec![refused("it is a folder").help("give the path of the file itself")]);
    }
    if !kind.is_file() {
        return Err(vec![refused("it is not a regular file")]);
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > MAX_BYTES {
        return Err(vec![Diagnostic::new(codes::TOO_LARGE, format!("`{shown}` has more than {MAX_BYTES} bytes"))]);
    }
    Source::from_bytes(shown, bytes)
}

/// A path as diagnostics show it: as it was given, without a leading `./`, with `/` between its parts.
pub fn shown(path: &Path) -> String {
    let text = path.strip_prefix(".").unwrap_or(path).to_string_lossy();
    if std::path::MAIN_SEPARATOR == '\\' { text.replace('\\', "/") } else { text.into_owned() }
}

/// The manifest of a folder: `capabilities.yaml`, else `.yml`, else `.json`.
pub(crate) fn manifest_in(folder: &Path) -> Option<PathBuf> {
    candidates(folder).into_iter().find(|path| path.exists())
}

/// Where the manifest of a folder may be, in order of preference.
pub(crate) fn candidates(folder: &Path) -> [PathBuf; 3] {
    ["capabilities.yaml", "capabilities.yml", "capabilities.json"].map(|name| folder.join(name))
}
