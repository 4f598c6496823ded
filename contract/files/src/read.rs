//! Reading files and other inputs within limits. The memory that is used depends on the limit, not on the size that the
//! system reports.

use std::io::Read;
use std::path::Path;

use crate::open::{Links, Unreadable, open};

/// The content of a regular file of at most `limit` bytes.
///
/// ```
/// use capgen_files::{Links, read};
/// # let folder = std::env::temp_dir();
/// assert_eq!(read(&folder, Links::Followed, 10).unwrap_err().to_string(), "it is not a regular file");
/// ```
///
/// # Errors
///
/// Those of [`open`], and a file that is longer.
pub fn read(path: &Path, links: Links, limit: u64) -> Result<Vec<u8>, Unreadable> {
    let (file, metadata) = open(path, links)?;
    if metadata.len() > limit {
        return Err(Unreadable::TooLong { limit });
    }
    // The file may grow meanwhile, and some systems report no length for the files of processes.
    collect(file, metadata.len(), limit)
}

/// The rest of an input, such as standard input, of at most `limit` bytes.
///
/// # Errors
///
/// Those of the system, and an input that is longer.
pub fn read_input(input: impl Read, limit: u64) -> Result<Vec<u8>, Unreadable> {
    collect(input, 0, limit)
}

fn collect(input: impl Read, expected: u64, limit: u64) -> Result<Vec<u8>, Unreadable> {
    let bytes = first(input, expected, limit.saturating_add(1))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) {
        return Ok(bytes);
    }
    Err(Unreadable::TooLong { limit })
}

/// The first `most` bytes of a regular file; all of them if it is shorter.
///
/// # Errors
///
/// Those of [`open`].
pub fn read_head(path: &Path, links: Links, most: u64) -> Result<Vec<u8>, Unreadable> {
    let (file, metadata) = open(path, links)?;
    first(file, metadata.len().min(most), most)
}

/// The first `most` bytes of an input, of which about `expected` are likely.
fn first(input: impl Read, expected: u64, most: u64) -> Result<Vec<u8>, Unreadable> {
    // One more, so that the end is found without growing.
    let capacity = expected.saturating_add(1).min(most);
    let mut bytes = Vec::with_capacity(usize::try_from(capacity).unwrap_or_default());
    input.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether a path is a regular file with exactly this content. A file that cannot be read has another one.
pub fn has_content(path: &Path, links: Links, content: &[u8]) -> bool {
    let length = u64::try_from(content.len()).unwrap_or(u64::MAX);
    read(path, links, length).is_ok_and(|found| found == content)
}
