//! Damage of the write-ahead log.
//!
//! SQLite reads the log up to the first frame whose checksum is wrong, and ignores the rest without an error: so it
//! removes the frames of a transaction that was never completed. If committed transactions follow that frame, the log
//! was changed, and rows are missing. The format is that of
//! [SQLite](https://www.sqlite.org/fileformat2.html#the_write_ahead_log).

use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use capgen_files::{Links, open};

/// The lengths of the header of the log and of that of a frame, in bytes. The format of SQLite fixes both.
const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// The attempts to read a log that another process may be writing. A writer completes a frame within microseconds, so
/// three reads that find the same damage are not three unlucky moments.
const ATTEMPTS: u32 = 3;
/// The time between two attempts. It is far longer than a write of a frame, and verification of a damaged file takes a
/// tenth of a second more.
const PAUSE: Duration = Duration::from_millis(50);

/// The path of the write-ahead log of a database.
#[must_use]
pub fn path(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// A description of the damage of a write-ahead log, if there is any. Damaged logs are not errors to SQLite: it ignores
/// the rest of them.
#[must_use]
pub fn damage(path: &Path) -> Option<String> {
    let mut found = None;
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            // A frame that is being written looks damaged for a moment.
            std::thread::sleep(PAUSE);
        }
        // Without a log, there is nothing to check; SQLite itself reports a log that cannot be read.
        let log = open(path, Links::Followed).ok();
        found = log.and_then(|(log, _)| check(BufReader::new(log)).ok().flatten());
        found.as_ref()?;
    }
    found
}

fn check(mut log: impl Read) -> io::Result<Option<String>> {
    let mut header = [0; HEADER];
    if !fill(&mut log, &mut header)? {
        return Ok(None);
    }
    let magic = word(&header, 0);
    let mut sum = Checksum { is_big_endian: magic & 1 == 1, state: (0, 0) };
    sum.add(header.get(..24).unwrap_or_default());
    let page = match word(&header, 8) {
        size @ 512..=65_536 if size.is_power_of_two() => usize::try_from(size).unwrap_or(0),
        _ => 0,
    };
    if magic & !1 != 0x377f_0682 || page == 0 || sum.state != (word(&header, 24), word(&header, 28)) {
        return Ok(Some("the header of the write-ahead log is damaged, so that SQLite ignores all of it".to_owned()));
    }
    let salts = (word(&header, 16), word(&header, 20));
    let mut frame = vec![0; FRAME_HEADER + page];
    let mut number: u64 = 0;
    let mut first_wrong = None;
    while fill(&mut log, &mut frame)? {
        number += 1;
        let found = (word(&frame, 8), word(&frame, 12));
        sum.add(frame.get(..8).unwrap_or_default());
        sum.add(frame.get(FRAME_HEADER..).unwrap_or_default());
        let is_right = found == salts && sum.state == (word(&frame, 16), word(&frame, 20));
        if is_right && first_wrong.is_none() {
            continue;
        }
        // Frames of an earlier use of the log have two other salts.
        let is_changed_salt = first_wrong.is_none() && (found.0 == salts.0) != (found.1 == salts.1);
        let place = *first_wrong.get_or_insert(number);
        let is_commit = word(&frame, 4) != 0;
        if is_changed_salt || found == salts && is_commit {
            let message =
                format!("the write-ahead log is damaged at frame {place}, so that SQLite ignores the rest of it");
            return Ok(Some(message));
        }
    }
    Ok(None)
}

/// The checksum of the log: two sums of 32-bit words, each of which contains the other.
struct Checksum {
    is_big_endian: bool,
    state: (u32, u32),
}

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        for pair in bytes.chunks_exact(8) {
            let (first, second) = (self.word(pair, 0), self.word(pair, 4));
            self.state.0 = self.state.0.wrapping_add(first).wrapping_add(self.state.1);
            self.state.1 = self.state.1.wrapping_add(second).wrapping_add(self.state.0);
        }
    }

    fn word(&self, bytes: &[u8], at: usize) -> u32 {
        if self.is_big_endian { word(bytes, at) } else { word(bytes, at).swap_bytes() }
    }
}

/// A big-endian word.
fn word(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
    word.map_or(0, u32::from_be_bytes)
}

/// Fills the buffer; returns whether there were enough bytes.
fn fill(log: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match log.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
