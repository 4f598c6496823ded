//! Keeping a checked-in `capabilities.yaml` up to date with the Rust types.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use capgen_files::{Present, Unreadable, asks_for_update, is_packaged, read_present};
use capgen_manifest::masked_lines;
use similar::TextDiff;

use crate::{AgentManifest, AgentManifestError};

/// Why [`export!`](crate::export!) fails.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExportError {
    /// The manifest is not valid.
    Manifest(AgentManifestError),
    /// The file is out of date.
    Stale {
        /// The file.
        path: PathBuf,
        /// A unified diff from the file to the text that it should have. The values of `transports` are masked: they
        /// may be credentials.
        diff: String,
    },
    /// The file exists and was not written by capgen, so it is not overwritten: delete it, or choose another path.
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
}

/// Compares a file with the manifest of an agent, or with `update` writes the file. A file is replaced as a whole, and
/// only if it changes. Line endings are ignored in the comparison.
///
/// [`export!`](crate::export!) calls it in a test.
///
/// # Errors
///
/// See [`ExportError`]. With `update`, it is never [`ExportError::Stale`].
pub fn export(agent: &AgentManifest, path: impl AsRef<Path>, update: bool) -> Result<(), ExportError> {
    let path = path.as_ref();
    let expected = agent.to_manifest().map_err(ExportError::Manifest)?;
    let failed = |error| ExportError::Io { path: path.to_owned(), error };
    let present = match read_present(path, expected.len()).map_err(failed)? {
        Some(Present::Text(text)) if text == expected => return Ok(()),
        Some(Present::Irregular) => return Err(failed(Unreadable::Irregular.into())),
        Some(Present::Foreign) => return Err(ExportError::Foreign { path: path.to_owned() }),
        Some(Present::Text(text)) => text,
        Some(Present::TooLong) => "(a text that is too long to be compared)\n".to_owned(),
        None => String::new(),
    };
    if update {
        return replace(path, &expected).map_err(failed);
    }
    let shown = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let diff = masked_diff(&present, &expected, &shown);
    Err(ExportError::Stale { path: path.to_owned(), diff })
}

/// A unified diff of two manifests, in which the values of `transports` are masked. A value that differs is a line that
/// differs.
fn masked_diff(present: &str, expected: &str, name: &str) -> String {
    let (old, mut new) = (masked_lines(present), masked_lines(expected));
    for (masked, line) in new.iter_mut().zip(expected.split_inclusive('\n')) {
        // capgen writes these comments.
        if line.starts_with('#') {
            line.clone_into(masked);
        }
    }
    let diff = TextDiff::from_lines(present, expected);
    let mut text = format!("--- {name} (checked in)\n+++ {name} (declared)\n");
    for hunk in diff.unified_diff().iter_hunks() {
        text.push_str(&format!("{}\n", hunk.header()));
        for change in hunk.iter_changes() {
            let line = match change.new_index() {
                Some(index) => new.get(index),
                None => change.old_index().and_then(|index| old.get(index)),
            };
            let line = line.map(String::as_str).unwrap_or_default().trim_end_matches(['\n', '\r']);
            text.push_str(&format!("{}{line}\n", change.tag()));
        }
    }
    text
}

/// The body of [`export!`](crate::export!). `update` is the value of the environment variable `CAPGEN_UPDATE`.
#[doc(hidden)]
pub fn export_in(
    agent: &AgentManifest,
    package: &str,
    path: impl AsRef<Path>,
    update: Option<&OsStr>,
) -> Result<(), ExportError> {
    let package = Path::new(package);
    export(agent, package.join(path), asks_for_update(update) && !is_packaged(package))
}

/// Replaces a file as a whole. A symbolic link is followed, and a read-only file is an error: renaming would replace
/// both.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let path = target.as_path();
    if fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly()) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    capgen_files::replace_files(&[(path, text)]).map_err(|(_, error)| error)
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Manifest(error) => write!(f, "the manifest is not valid:\n{error}"),
            Self::Stale { path, diff } => write!(
                f,
                "`{}` is out of date with the Rust types:\n{diff}\nhelp: run the tests with CAPGEN_UPDATE=1, and commit the file",
                path.display()
            ),
            Self::Foreign { path } => write!(
                f,
                "`{}` was not written by capgen\nhelp: delete it, and run the tests with CAPGEN_UPDATE=1",
                path.display()
            ),
            Self::Io { path, error } => write!(f, "`{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for ExportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Manifest(error) => Some(error),
            Self::Stale { .. } | Self::Foreign { .. } => None,
            Self::Io { error, .. } => Some(error),
        }
    }
}

/// The body of a test that fails if a checked-in manifest is out of date. If the environment variable `CAPGEN_UPDATE`
/// is set (to anything except an empty text and `0`), it writes the file, unless the file exists and was not written by
/// capgen, or the crate is packaged: cargo unpacked it, so its source must not change. The path is relative to the
/// folder of the crate's `Cargo.toml`.
///
/// ```no_run
/// # fn agent() -> capgen::AgentManifest { capgen::AgentManifest::new("echo") }
/// // In a function with `#[test]`:
/// capgen::export!(agent(), "capabilities.yaml");
/// ```
///
/// # Panics
///
/// If [`export`] fails, so that the test fails.
#[macro_export]
macro_rules! export {
    ($agent:expr, $path:expr $(,)?) => {{
        let update = ::std::env::var_os("CAPGEN_UPDATE");
        let exported = $crate::export_in(&$agent, ::core::env!("CARGO_MANIFEST_DIR"), $path, update.as_deref());
        if let ::core::result::Result::Err(error) = exported {
            ::core::panic!("{error}");
        }
    }};
}
