//! Why a file cannot be used.

use std::fmt;

use rusqlite::ErrorCode;

/// Why a file cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileError {
    /// The file does not exist.
    Missing,
    /// The file has another schema, or is not a database; the text states the reason.
    Other(String),
    /// A newer version of capgen wrote the file, with this version of the schema.
    Newer(i64),
    /// SQLite cannot read the file.
    Damaged(String),
    /// Another process locks the file for too long.
    Locked,
    /// The system or SQLite reports an error.
    Failed(String),
}

impl From<rusqlite::Error> for FileError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged(error.to_string()),
            Some(ErrorCode::NotADatabase) => Self::Other("it is not an SQLite database".to_owned()),
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("the file does not exist"),
            Self::Other(reason) => write!(f, "the file cannot be used: {reason}"),
            Self::Newer(version) => {
                write!(f, "the file has version {version}, which this version of capgen cannot read")
            }
            Self::Damaged(reason) => write!(f, "the file is damaged: {reason}"),
            Self::Locked => f.write_str("another process locks the file"),
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for FileError {}
