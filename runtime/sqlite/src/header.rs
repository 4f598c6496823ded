//! Damage of the first bytes of a file, which SQLite partly ignores.

use std::io::{self, Read as _};
use std::path::Path;

use capgen_files::{Links, open};

use crate::{Schema, write_ahead};

/// The length of the header ([the file format of SQLite, section
/// 1.3](https://www.sqlite.org/fileformat2.html#the_database_header)).
const LENGTH: usize = 100;

/// The first part of the header that capgen and SQLite would not have written, as a description. A file with a
/// write-ahead log is not checked: its header may be an old one.
///
/// SQLite checks the list of free pages. Three counters may have any value: the number of the last change, which is
/// there twice, that of the last change of the schema, and the version of SQLite.
#[must_use]
pub fn damage(path: &Path, schema: &Schema) -> Option<String> {
    let log = std::fs::metadata(write_ahead::path(path));
    if log.is_ok_and(|log| log.len() > 0) {
        return None;
    }
    let mut header = [0; LENGTH];
    let opened = open(path, Links::Followed).map_err(io::Error::from);
    let read = opened.and_then(|(mut file, _)| file.read_exact(&mut header));
    if let Err(error) = read {
        return Some(format!("its header cannot be read: {error}"));
    }
    let number = |at: usize| {
        let bytes = header.get(at..at + 4)?;
        Some(bytes.iter().fold(0, |number, byte| number << 8 | i64::from(*byte)))
    };
    let is = |at: usize, expected: &[u8]| header.get(at..at + expected.len()) == Some(expected);
    let parts = [
        ("its first bytes", is(0, b"SQLite format 3\0")),
        ("the version of its format", is(18, &[2, 2])),
        ("the layout of its pages", is(20, &[0, 64, 32, 32])),
        ("the format of its schema", is(44, &[0, 0, 0, 4])),
        ("the settings of its cache and of its vacuum", is(48, &[0; 8]) && is(64, &[0; 4])),
        ("its text encoding", is(56, &[0, 0, 0, 1])),
        ("its user version", number(60) == Some(schema.version)),
        ("its application id", number(68) == Some(schema.application_id)),
        ("its reserved bytes", is(72, &[0; 20])),
        ("the number of its last change", number(24) == number(92)),
    ];
    let changed = parts.into_iter().find(|(_, is_expected)| !is_expected);
    changed.map(|(part, _)| format!("in the header of the file, {part} was changed"))
}
