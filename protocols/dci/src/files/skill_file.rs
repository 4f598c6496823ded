//! Reads a `SKILL.md`, of which only the frontmatter matters.

use std::fs::Metadata;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use capgen_diagnostic::Diagnostic;
use capgen_files::Links;

use super::cache::Content;
use crate::inputs::frontmatter::{self, Extent, Invalid};
use crate::inputs::{Skill, Source};

/// The name of the file that makes a folder a skill.
pub(super) const SKILL_FILE: &str = "SKILL.md";
/// Aliases in one text copy at most this many values. It is the limit of the reader of YAML; a text beyond it counts
/// for as many values in the budget of a run.
const MAX_COPIED_VALUES: usize = 250_000;

/// The text of a `SKILL.md`, up to the end of its frontmatter. Findings show its path as `shown`.
///
/// # Errors
///
/// One finding: the file cannot be read, is not a regular file, or is not UTF-8.
pub fn read_skill_text(file: &Path, shown: &str) -> Result<capgen_diagnostic::Source, Vec<Diagnostic>> {
    let (bytes, _) = start(file).map_err(|error| {
        let message = format!("cannot read `{shown}`: {error}");
        vec![Diagnostic::new(capgen_manifest::codes::UNREADABLE, message).in_file(shown)]
    })?;
    capgen_manifest::decode(shown, bytes)
}

/// The content of a `SKILL.md`, and the bytes and values that it costs.
pub(super) fn content(bytes: Vec<u8>) -> ((usize, usize), Content) {
    let length = bytes.len();
    if length > frontmatter::MAX_BYTES {
        return ((length, 0), Content::Unparseable { name: None, detail: frontmatter::too_large() });
    }
    let decoded = capgen_manifest::decode(SKILL_FILE, bytes).map_err(Invalid::from);
    match decoded.and_then(|source| frontmatter::read(&source)) {
        Ok(found) => {
            let cost = (length, found.values);
            let warnings = found.warnings.iter().map(|warning| (warning.code, warning.message.clone())).collect();
            // The place of the skill follows.
            let skill = Skill::from_frontmatter(found, String::new(), Source::WorkspaceLocal, PathBuf::new());
            (cost, Content::Skill(Box::new(skill), warnings))
        }
        Err(Invalid { name, findings }) => {
            let may_copy = findings.iter().any(|finding| finding.code == capgen_manifest::codes::TOO_LARGE);
            let values = if may_copy { MAX_COPIED_VALUES } else { length };
            let detail = findings.first().map_or_else(String::new, located);
            ((length, values), Content::Unparseable { name, detail })
        }
    }
}

/// The message of a finding with its line.
pub(super) fn located(finding: &Diagnostic) -> String {
    match finding.primary() {
        Some(label) => format!("{} (line {})", finding.message, label.source.position(label.span.start).line),
        None => finding.message.clone(),
    }
}

/// The bytes of a `SKILL.md` up to the end of its frontmatter, or more than [`frontmatter::MAX_BYTES`] if it does not
/// end. The rest of the file may have any size.
pub(super) fn start(path: &Path) -> io::Result<(Vec<u8>, Metadata)> {
    // Few are longer. The limit is doubled, so that looking for the end again costs no more than reading.
    let mut limit = 4 << 10;
    let (mut file, metadata) = capgen_files::open(path, Links::Refused)?;
    let mut bytes = Vec::new();
    loop {
        file.by_ref().take((limit - bytes.len()) as u64).read_to_end(&mut bytes)?;
        let is_whole = bytes.len() < limit;
        match frontmatter::extent(&bytes, is_whole) {
            Extent::Closed { end, .. } => bytes.truncate(end),
            Extent::Open if !is_whole && limit <= frontmatter::MAX_BYTES => {
                limit *= 2;
                continue;
            }
            Extent::Open | Extent::Missing => {}
        }
        return Ok((bytes, metadata));
    }
}
