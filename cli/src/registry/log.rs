//! The option `--log`: where a log is, and how to open it.

use std::path::PathBuf;
use std::str::FromStr;

use capgen_diagnostic::Diagnostic;

use crate::codes;
use crate::failure::Failure;

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

/// The finding about a log that this build cannot open.
pub(super) fn unsupported(log: &LogAddress) -> Failure {
    let kind = match log {
        LogAddress::Jsonl(_) => "a JSONL log",
        LogAddress::Sqlite(_) => "a log in SQLite",
        LogAddress::Nats(_) => "a log in JetStream",
    };
    let message = format!("this command does not support {kind}");
    Failure::Findings(vec![Diagnostic::new(codes::REGISTRY_LOG, message)])
}
