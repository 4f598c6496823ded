//! Keeping a checked-in `capabilities.yaml` what the Rust types declare.

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use similar::TextDiff;

use crate::{Agent, AgentError};

/// Why [`export!`](crate::export!) fails.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExportError {
    /// The agent has no manifest.
    Agent(AgentError),
    /// The file is not what the agent declares.
    Stale {
        /// The file.
        path: PathBuf,
        /// From what is there to what should be, as a unified diff.
        diff: String,
    },
    /// The file can't be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Compares a file with what an agent declares; with `update`, makes it that. Files are written as a whole, and only where they
/// change. Line ends do not count.
///
/// [`export!`](crate::export!) is this as a test.
///
/// # Errors
///
/// See [`ExportError`]; with `update` a file is never stale.
pub fn export(agent: &Agent, path: impl AsRef<Path>, update: bool) -> Result<(), ExportError> {
    let path = path.as_ref();
    let expected = agent.to_manifest().map_err(ExportError::Agent)?;
    let failed = |error| ExportError::Io { path: path.to_owned(), error };
    let present = match fs::read_to_string(path) {
        Ok(text) => text.replace("\r\n", "\n"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(error)),
    };
    if present == expected {
        return Ok(());
    }
    if update {
        return replace(path, &expected).map_err(failed);
    }
    let shown = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let diff = TextDiff::from_lines(&present, &expected);
    let diff = diff.unified_diff().header(&format!("{shown} (checked in)"), &format!("{shown} (declared)")).to_string();
    Err(ExportError::Stale { path: path.to_owned(), diff })
}

/// A reader sees the old file or the new one, nothing between.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // What is half written is of no use to anyone; the first error says why.
        fs::remove_file(&beside).ok();
    }
    written
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(error) => write!(f, "the agent has no manifest:\n{error}"),
            Self::Stale { path, diff } => write!(
                f,
                "`{}` is not what the Rust types declare:\n{diff}\nhelp: run the tests with CAPGEN_UPDATE=1, and check the file in",
                path.display()
            ),
            Self::Io { path, error } => write!(f, "`{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for ExportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Agent(error) => Some(error),
            Self::Stale { .. } => None,
            Self::Io { error, .. } => Some(error),
        }
    }
}

/// The body of a test: fails where a checked-in manifest is not what an agent declares, and writes it where the environment
/// has `CAPGEN_UPDATE=1`. The path is relative to the folder of the crate's `Cargo.toml`.
///
/// ```no_run
/// # fn agent() -> capgen::Agent { capgen::Agent::new("echo") }
/// // In a function with `#[test]`:
/// capgen::export!(agent(), "capabilities.yaml");
/// ```
///
/// # Panics
///
/// Where [`export`] fails, which is how a test does.
#[macro_export]
macro_rules! export {
    ($agent:expr, $path:expr $(,)?) => {{
        let path = ::std::path::Path::new(::core::env!("CARGO_MANIFEST_DIR")).join($path);
        let update = ::std::env::var_os("CAPGEN_UPDATE").is_some_and(|value| value == "1");
        if let ::core::result::Result::Err(error) = $crate::export(&$agent, path, update) {
            ::core::panic!("{error}");
        }
    }};
}
