//! Reading the files of a bundle, which must be regular files within limits.
//!
//! The checks here are about the layout of a bundle; that its contents are unchanged follows from the signature and the hashes, which
//! cover the bytes that were read. So a process that replaces files between two checks can at most cause an error, or make this one read
//! the same bytes from another place.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

/// The lengths that a file may have, in bytes.
#[derive(Clone, Copy)]
pub(super) enum Size {
    AtMost(u64),
    Exactly(u64),
}

/// Reads a regular file. Its length is checked before it is read, and while it is read.
///
/// A link is an error. The file is opened after it was found to be a regular file; on Unix, the opened file must be the same one, so that
/// a link which takes its place in between is an error, too. Other systems do not report enough to compare them.
///
/// # Errors
///
/// The reason, without the path.
pub(super) fn read(path: &Path, size: Size) -> Result<Vec<u8>, String> {
    let found = fs::symlink_metadata(path).map_err(|error| reason(&error))?;
    check_regular(&found)?;
    size.check(found.len())?;
    let file = File::open(path).map_err(|error| reason(&error))?;
    let opened = file.metadata().map_err(|error| reason(&error))?;
    check_regular(&opened)?;
    if !is_same(&found, &opened) {
        return Err("was replaced while it was opened".to_owned());
    }
    let limit = size.limit();
    let mut bytes = Vec::with_capacity(usize::try_from(opened.len().min(limit)).unwrap_or_default());
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| reason(&error))?;
    size.check(u64::try_from(bytes.len()).unwrap_or(u64::MAX))?;
    Ok(bytes)
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

fn check_regular(metadata: &Metadata) -> Result<(), String> {
    if metadata.is_symlink() {
        return Err(LINK.to_owned());
    }
    if metadata.is_file() { Ok(()) } else { Err("is not a regular file".to_owned()) }
}

#[cfg(unix)]
fn is_same(found: &Metadata, opened: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (found.dev(), found.ino()) == (opened.dev(), opened.ino())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

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

    fn check(self, length: u64) -> Result<(), String> {
        match self {
            Self::AtMost(limit) if length > limit => Err(format!("is longer than {limit} bytes")),
            Self::Exactly(expected) if length < expected => {
                Err(format!("has {length} bytes instead of {expected}: it is truncated"))
            }
            Self::Exactly(expected) if length > expected => Err(format!("is longer than its {expected} bytes")),
            _ => Ok(()),
        }
    }
}
