//! Text for a terminal that contains text of skills.

use capgen_diagnostic::{shortened, visible};

/// Ids of skills are shortened to this many code points. It fits on a line with its score; the paths of hostile skills
/// are far longer.
const MAX_ID: usize = 100;
/// Suggestions show the whole id of a skill, because a user copies it. Longer ids are those of hostile skills: a path
/// has at most 1,024 bytes.
pub(super) const MAX_ID_TO_COPY: usize = 2048;

/// Lines of text. Every line is escaped, so that text of skills cannot move the cursor, start a line or hide other
/// text.
#[derive(Default)]
pub(super) struct Page(String);

impl Page {
    pub(super) fn line(&mut self, line: &str) {
        self.0.push_str(&visible(line));
        self.0.push('\n');
    }

    /// Adds several lines, each after two spaces.
    pub(super) fn indented(&mut self, lines: &str) {
        lines.lines().for_each(|line| self.line(&format!("  {line}")));
    }

    /// Starts a section after an empty line.
    pub(super) fn section(&mut self, title: &str) {
        self.0.push('\n');
        self.line(title);
    }

    pub(super) fn text(self) -> String {
        self.0
    }
}

/// The id of a skill, shortened and on one line.
pub(super) fn id(id: &str) -> String {
    shortened(id, MAX_ID)
}

/// The first capabilities, and how many more there are.
pub(super) fn listed(capabilities: &[impl AsRef<str>]) -> String {
    // They fit on two or three lines of a terminal, and `--json` prints all of them.
    const FEW: usize = 10;
    let first: Vec<&str> = capabilities.iter().take(FEW).map(AsRef::as_ref).collect();
    match capabilities.len().saturating_sub(FEW) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
