//! Opening files of folders that may be hostile: nothing here follows a link at the end of a path, waits for a pipe or opens a device.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file for reading, with its metadata.
///
/// # Errors
///
/// Those of the system, and an error if the path is a link, a folder, a pipe or a device.
pub(super) fn regular(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    checked(path, &mut options)
}

/// Opens a regular file with these options.
pub(super) fn checked(path: &Path, options: &mut OpenOptions) -> io::Result<(File, Metadata)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        use rustix::fs::OFlags;
        // Opening a pipe without a writer returns at once.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    #[cfg(not(unix))]
    if path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Err(irregular());
    }
    let file = options.open(path).map_err(|error| if is_link(path) { irregular() } else { error })?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(irregular()) }
}

/// At most `limit` bytes of a regular file.
///
/// # Errors
///
/// Those of [`regular`], and an error if the file is larger.
pub(super) fn read(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    regular(path)?.0.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limit {
        return Err(io::Error::other(format!("it has more than {limit} bytes")));
    }
    Ok(bytes)
}

/// Whether a path is a link.
fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink())
}

fn irregular() -> io::Error {
    io::Error::other("it is not a regular file")
}
