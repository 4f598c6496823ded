//! The bytes of a cache.
//!
//! A header with the version of the format and of this crate, the time at which the run started, the roots, each with
//! its tree, and a checksum. Nothing that is not exactly such a text is used.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use super::bytes::{Reader, Writer};
use super::tree::{Content, Entry, Known, Stamp, Tree};
use crate::codes;
use crate::files::scan::{Found, MAX_DEPTH, Scanned};
use crate::inputs::{Declared, Skill, Source};

/// Another version of the crate may read a `SKILL.md` differently.
const HEADER: &[u8] = concat!("capgen-dci cache 2 of ", env!("CARGO_PKG_VERSION"), "\n").as_bytes();
/// A state that is younger than this before the start of the run that read it is not trusted, in ns: the file may have
/// changed after it was read, in the same tick of the clock. FAT has the longest tick, two seconds.
const RACE: i64 = 2_000_000_000;
/// The warnings about values of a skill.
const WARNINGS: [capgen_diagnostic::Code; 2] = [codes::METADATA, codes::NOT_TEXT];

/// The trees of roots. The path of a root is UTF-8.
pub(super) type Roots<S> = BTreeMap<PathBuf, Tree<S>>;

/// The bytes of roots. `start`: when the run started, in ns since 1970.
pub(super) fn encode(start: i64, roots: &[(&str, &Scanned)]) -> Vec<u8> {
    let mut writer = Writer(HEADER.to_vec());
    signed(&mut writer, start);
    writer.size(roots.len());
    for (path, scanned) in roots {
        writer.text(path);
        write(&mut writer, &scanned.tree, &scanned.found);
    }
    let sum = checksum(&writer.0);
    writer.0.extend_from_slice(&sum.to_le_bytes());
    writer.0
}

/// The trees, without states that are not trusted.
pub(super) fn decode(bytes: &[u8]) -> Option<Roots<Content>> {
    let (content, sum) = bytes.split_last_chunk()?;
    if checksum(content) != u64::from_le_bytes(*sum) {
        return None;
    }
    let mut reader = Reader(content.strip_prefix(HEADER)?);
    let trusted = unsigned(reader.number()?).checked_sub(RACE)?;
    let mut roots = Roots::new();
    for _ in 0..reader.count()? {
        let path = PathBuf::from(reader.text()?);
        roots.insert(path, read(&mut reader, trusted, 0)?);
    }
    reader.0.is_empty().then_some(roots)
}

/// A checksum against damage, not against manipulation: a program that can write the cache of a user can do worse.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mix = |sum: u64, word: u64| (sum.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    let sum = words.iter().fold(0, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    let sum = rest.iter().fold(sum, |sum, byte| mix(sum, u64::from(*byte)));
    mix(sum, u64::try_from(bytes.len()).unwrap_or(u64::MAX))
}

fn write(writer: &mut Writer, tree: &Tree<usize>, found: &[Found]) {
    let names: Option<Vec<&str>> = tree.entries.iter().map(|(name, _)| name.to_str()).collect();
    // Other names are not written, so such a folder is listed again.
    let (Some(names), Some(folder)) = (names, tree.stamp) else { return writer.0.push(0) };
    writer.0.push(1);
    stamp(writer, folder);
    writer.size(tree.count);
    writer.0.push(tree.file.map_or(0, |is_file| 1 + u8::from(is_file)));
    match tree.skill.as_ref().and_then(|known| Some((known, found.get(known.content)?))) {
        Some((known, found)) => skill(writer, known, found),
        None => writer.0.push(0),
    }
    writer.size(names.len());
    for (name, (_, entry)) in names.into_iter().zip(&tree.entries) {
        writer.text(name);
        match entry {
            Entry::Link => writer.0.push(0),
            Entry::Folder(tree) => {
                writer.0.push(1);
                write(writer, tree, found);
            }
        }
    }
}

fn skill(writer: &mut Writer, known: &Known<usize>, found: &Found) {
    match found {
        Found::Excluded { name, detail, .. } => {
            writer.0.push(1);
            // A name is not empty.
            writer.text(name.as_deref().unwrap_or_default());
            writer.text(detail);
        }
        Found::Skill { skill, warnings, .. } => {
            writer.0.push(2);
            writer.text(&skill.name);
            writer.text(&skill.description);
            for value in [&skill.compatibility, &skill.contract, &skill.capabilities] {
                match value {
                    Declared::Absent => writer.0.push(0),
                    Declared::NotText => writer.0.push(1),
                    Declared::Text(text) => {
                        writer.0.push(2);
                        writer.text(text);
                    }
                }
            }
            writer.size(warnings.len());
            for (code, message) in warnings {
                writer.size(WARNINGS.iter().position(|known| known == code).unwrap_or(WARNINGS.len()));
                writer.text(message);
            }
        }
    }
    stamp(writer, known.stamp);
    writer.size(known.cost.0);
    writer.size(known.cost.1);
}

fn read(reader: &mut Reader<'_>, trusted: i64, depth: usize) -> Option<Tree<Content>> {
    // The last ones are folders that were too deep.
    if depth > MAX_DEPTH + 2 {
        return None;
    }
    if reader.byte()? == 0 {
        return Some(Tree::default());
    }
    let stamp = Some(read_stamp(reader)?).filter(|stamp| stamp.changed < trusted);
    let count = reader.size()?;
    let file = match reader.byte()? {
        0 => None,
        1 => Some(false),
        2 => Some(true),
        _ => return None,
    };
    let skill = read_skill(reader)?.filter(|known| known.stamp.changed < trusted);
    let length = reader.count()?;
    let mut entries = Vec::new();
    for _ in 0..length {
        let name = OsString::from(reader.text()?);
        let entry = match reader.byte()? {
            0 => Entry::Link,
            1 => Entry::Folder(read(reader, trusted, depth + 1)?),
            _ => return None,
        };
        entries.push((name, entry));
    }
    Some(Tree { stamp, entries, count, file, skill })
}

fn read_skill(reader: &mut Reader<'_>) -> Option<Option<Known<Content>>> {
    let content = match reader.byte()? {
        0 => return Some(None),
        1 => {
            let (name, detail) = (reader.text()?.to_owned(), reader.text()?.to_owned());
            Content::Unparseable { name: Some(name).filter(|name| !name.is_empty()), detail }
        }
        2 => read_content(reader)?,
        _ => return None,
    };
    let stamp = read_stamp(reader)?;
    Some(Some(Known { stamp, cost: (reader.size()?, reader.size()?), content }))
}

fn read_content(reader: &mut Reader<'_>) -> Option<Content> {
    let (name, description) = (reader.text()?.to_owned(), reader.text()?.to_owned());
    let mut declared = || match reader.byte()? {
        0 => Some(Declared::Absent),
        1 => Some(Declared::NotText),
        2 => Some(Declared::Text(reader.text()?.to_owned())),
        _ => None,
    };
    let skill = Skill {
        name,
        description,
        compatibility: declared()?,
        contract: declared()?,
        capabilities: declared()?,
        // The place of the skill is that of the run.
        path: String::new(),
        source: Source::WorkspaceLocal,
        folder: PathBuf::new(),
        file: PathBuf::new(),
        boundary: PathBuf::new(),
    };
    let mut warnings = Vec::new();
    for _ in 0..reader.count()? {
        warnings.push((*WARNINGS.get(reader.size()?)?, reader.text()?.to_owned()));
    }
    Some(Content::Skill(Box::new(skill), warnings))
}

fn stamp(writer: &mut Writer, stamp: Stamp) {
    for number in [stamp.device, stamp.inode, stamp.size] {
        writer.number(number);
    }
    signed(writer, stamp.modified);
    signed(writer, stamp.changed);
}

fn read_stamp(reader: &mut Reader<'_>) -> Option<Stamp> {
    Some(Stamp {
        device: reader.number()?,
        inode: reader.number()?,
        size: reader.number()?,
        modified: unsigned(reader.number()?),
        changed: unsigned(reader.number()?),
    })
}

fn signed(writer: &mut Writer, number: i64) {
    writer.number(u64::from_le_bytes(number.to_le_bytes()));
}

fn unsigned(number: u64) -> i64 {
    i64::from_le_bytes(number.to_le_bytes())
}
