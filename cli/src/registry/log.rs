//! The option `--log`: where a log is, and how to open it.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use capgen_diagnostic::Diagnostic;
use capgen_registry::Checker;
use capgen_registry::log::{JsonlLog, JsonlReader, Log, LogError, SqliteLog};

use super::arguments::Source;
use crate::codes;
use crate::failure::Failure;
use crate::progress::Progress;

/// The place of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LogAddress {
    /// A file with one event per line.
    Jsonl(PathBuf),
    /// A database of SQLite.
    Sqlite(PathBuf),
    /// A stream of NATS JetStream.
    Nats(String),
}

/// The purpose of opening a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    /// Reading an existing log, which is not changed.
    Read,
    /// Appending to an existing log.
    Append,
    /// Appending to a log, which is created if it does not exist.
    Create,
}

impl FromStr for LogAddress {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            Some(("sqlite", file)) if !file.is_empty() => Ok(Self::Sqlite(file.into())),
            Some(("nats" | "tls", rest)) if rest.starts_with("//") => Ok(Self::Nats(text.to_owned())),
            _ if text.ends_with(".jsonl") => Ok(Self::Jsonl(text.into())),
            _ => Err("expected sqlite:FILE, a file whose name ends with .jsonl, or nats://HOST:PORT"),
        }
    }
}

impl Source {
    /// Opens the log.
    ///
    /// # Errors
    ///
    /// One finding: the log cannot be opened for this purpose.
    pub(super) fn open(&self, access: Access, checker: Arc<Checker>) -> Result<Box<dyn Log>, Failure> {
        let credentials = self.nats_credentials.as_deref();
        self.log.open(credentials, access, checker)
    }

    /// Opens the log to read it from the start or from a snapshot on. Of a JSONL log, no index is built.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub(super) fn open_in_order(&self, checker: Arc<Checker>) -> Result<Box<dyn Log>, Failure> {
        match self.log.as_jsonl() {
            Some(path) => boxed(JsonlReader::open(path, checker)),
            None => self.open(Access::Read, checker),
        }
    }
}

impl LogAddress {
    fn open(&self, credentials: Option<&Path>, access: Access, checker: Arc<Checker>) -> Result<Box<dyn Log>, Failure> {
        match self {
            // These two build an index of the whole log.
            Self::Jsonl(path) => {
                let _progress = Progress::start("building the index of the log", None);
                match access {
                    Access::Create => boxed(JsonlLog::open_or_create(path, checker)),
                    Access::Read | Access::Append => boxed(JsonlLog::open(path, checker)),
                }
            }
            Self::Sqlite(path) if access == Access::Create || (access == Access::Append && path.exists()) => {
                boxed(SqliteLog::open_or_create(path, checker))
            }
            // This also reports a missing file.
            Self::Sqlite(path) => boxed(SqliteLog::open_to_read(path, checker)),
            Self::Nats(server) => nats(server, credentials, access, checker),
        }
    }

    /// Whether the log is a file that does not exist.
    pub(super) fn is_missing(&self) -> bool {
        match self {
            Self::Jsonl(path) | Self::Sqlite(path) => !path.exists(),
            Self::Nats(_) => false,
        }
    }

    /// The file of the log, if it is a JSONL log.
    pub(super) fn as_jsonl(&self) -> Option<&Path> {
        if let Self::Jsonl(path) = self { Some(path) } else { None }
    }
}

#[cfg(feature = "registry-nats")]
fn nats(
    server: &str,
    credentials: Option<&Path>,
    access: Access,
    checker: Arc<Checker>,
) -> Result<Box<dyn Log>, Failure> {
    use capgen_nats::NatsOptions;
    use capgen_registry::log::{JetStreamLog, JetStreamLogOptions};
    let nats = NatsOptions::new([server]).name("capgen registry");
    let nats = credentials.into_iter().fold(nats, NatsOptions::credentials_file);
    let options = match access {
        Access::Create => JetStreamLogOptions::new(),
        Access::Read | Access::Append => JetStreamLogOptions::existing(),
    };
    boxed(JetStreamLog::connect(nats, options, checker))
}

#[cfg(not(feature = "registry-nats"))]
fn nats(_: &str, _: Option<&Path>, _: Access, _: Arc<Checker>) -> Result<Box<dyn Log>, Failure> {
    Err(crate::missing::failure("registry-nats"))
}

fn boxed(log: Result<impl Log + 'static, LogError>) -> Result<Box<dyn Log>, Failure> {
    match log {
        Ok(log) => Ok(Box::new(log)),
        Err(error) => Err(failed(&error)),
    }
}

/// The finding about a log that cannot be used.
pub(super) fn failed(error: &LogError) -> Failure {
    let message = format!("cannot use the log: {error}");
    let help = match error {
        LogError::UnsignedKernel(_) => {
            "a key of the kernel is configured before the kernel's first event: remove it from `keys`, or start a new log"
        }
        _ => "pass the place of a log with `--log`; `capgen registry append` creates one",
    };
    Failure::Findings(vec![Diagnostic::new(codes::REGISTRY_LOG, message).help(help)])
}
