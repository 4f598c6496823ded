//! The error of a build script.

use std::fmt;

/// The error of [`Build`](crate::Build). `Debug` prints the same text as `Display`, because that is what `main` prints
/// if it returns a `Result`.
pub struct BuildError(String);

impl BuildError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BuildError {}

impl From<std::io::Error> for BuildError {
    fn from(error: std::io::Error) -> Self {
        Self(format!("cannot write to cargo: {error}"))
    }
}
