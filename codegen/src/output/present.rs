//! The file that is at the path of a generated one.

use std::path::Path;

use capgen_diagnostic::Diagnostic;
use capgen_files::{Links, MARK, Present, read_head, read_present};

use super::cannot;
use crate::codes;

/// Takes the place of an old text that is too long to be compared. It differs from every generated text.
const TOO_LONG: &str = "(a text that is too long to be compared)\n";

/// The lines of a generated file that may contain its agent. In TypeScript, three other lines come first.
const HEADER_LINES: usize = 4;

/// The text of an existing output, with `\n` line ends; `None` if the file does not exist. Messages show its path as
/// `shown`.
pub(super) fn present(path: &Path, shown: &Path, length: usize) -> Result<Option<String>, Vec<Diagnostic>> {
    match read_present(path, length).map_err(|error| cannot("read", shown, &error))? {
        None => Ok(None),
        Some(Present::Text(text)) => Ok(Some(text)),
        Some(Present::TooLong) => Ok(Some(TOO_LONG.to_owned())),
        Some(Present::Irregular) => {
            let message = format!("`{}` exists and is not a regular file", shown.display());
            let finding = Diagnostic::new(codes::OUTPUT_IO, message).help("move it, or choose another output folder");
            Err(vec![finding.in_file(capgen_manifest::shown(shown))])
        }
        Some(Present::Foreign) => {
            let (message, help) = match has_header(path) {
                true => (
                    format!("the first line of `{}` does not contain `{MARK}`", shown.display()),
                    "the other lines are generated: restore the first line, or delete the file to generate it again"
                        .to_owned(),
                ),
                false => (
                    format!("`{}` exists and was not written by capgen", shown.display()),
                    format!(
                        "move it, or choose another output folder; a generated file contains `{MARK}` in its first line"
                    ),
                ),
            };
            Err(vec![Diagnostic::new(codes::FOREIGN_FILE, message).help(help).in_file(capgen_manifest::shown(shown))])
        }
    }
}

/// Whether a file without the mark has the other lines of a generated file's header.
fn has_header(path: &Path) -> bool {
    /// The bytes that are read of a file. The header is far shorter, unless it lists hundreds of capabilities.
    const HEAD: u64 = 16 << 10;
    let Ok(head) = read_head(path, Links::Followed, HEAD) else { return false };
    let text = String::from_utf8_lossy(&head);
    let mut header = text.lines().take(4 * HEADER_LINES);
    source_of(&text).is_some() && header.any(|line| line.contains("Contract: sha256:"))
}

/// The agent in the header of a generated file.
pub(super) fn source_of(text: &str) -> Option<&str> {
    text.lines().take(HEADER_LINES).find_map(|line| line.split_once("Source: agent://").map(|(_, id)| id.trim_end()))
}
