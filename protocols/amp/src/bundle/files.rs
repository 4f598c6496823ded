//! Reading the files of a bundle, which must be regular files within limits.
//!
//! The checks here are about the layout of a bundle; that its contents are unchanged follows from the signature and the
//! hashes, which cover the bytes that were read. So a process that replaces files between two checks can at most cause
//! an error, or make this one read the same bytes from another place.

use std::fs;
use std::io;
use std::path::Path;

use capgen_files::{Links, Unreadable};

/// The lengths that a file may have, in bytes.
#[derive(Clone, Copy)]
pub(super) enum Size {
    AtMost(u64),
    Exactly(u64),
}

/// Reads a regular file. Its length is checked before it is read, and while it is read. A link is an error.
///
/// # Errors
///
/// The reason, without the path.
pub(super) fn read(path: &Path, size: Size) -> Result<Vec<u8>, String> {
    match capgen_files::read(path, Links::Refused, size.limit()) {
        Ok(bytes) => size.check(bytes),
        Err(Unreadable::System(error)) => Err(reason(&error)),
        Err(Unreadable::TooLong { .. }) => Err(size.excess()),
        Err(Unreadable::Link) => Err(LINK.to_owned()),
        Err(_) => Err("is not a regular file".to_owned()),
    }
}

/// Checks that a path is a folder, and not a link to one.
///
/// # Errors
///
/// The reason, without the path.
pub(super) fn check_folder(path: &Path) -> Result<(), String> {
    let found = fs::symlink_metadata(path).map_err(|error| reason(&error))?;
    if found.is_symlink() {
        return Err(LINK.to_owned());
    }
    if found.is_dir() { Ok(()) } else { Err("is not a folder".to_owned()) }
}

const LINK: &str = "is a link; a bundle contains no links";

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "is missing".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}

impl Size {
    const fn limit(self) -> u64 {
        match self {
            Self::AtMost(limit) | Self::Exactly(limit) => limit,
        }
    }

    /// The bytes, which are not more than the limit.
    fn check(self, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        match self {
            Self::Exactly(expected) if length < expected => {
                Err(format!("has {length} bytes instead of {expected}: it is truncated"))
            }
            _ => Ok(bytes),
        }
    }

    /// The reason if a file has more bytes than the limit.
    fn excess(self) -> String {
        match self {
            Self::AtMost(limit) => format!("is longer than {limit} bytes"),
            Self::Exactly(expected) => format!("is longer than its {expected} bytes"),
        }
    }
}
