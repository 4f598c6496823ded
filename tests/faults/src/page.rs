//! The page with the table.

use std::fmt::Write as _;

use crate::faults::TABLE;
use crate::table::Kind;

/// The path of the page in the repository.
pub const PAGE: &str = "docs/faults.md";

/// The rows of the table as Markdown.
#[must_use]
pub fn page() -> String {
    let mut text = String::from("| fault | meaning |");
    for kind in Kind::ALL {
        let _ = write!(text, " {} |", kind.name());
    }
    text.push_str("\n|---|---|---|---|---|\n");
    for row in TABLE {
        let row = row();
        let _ = write!(text, "| `{}` | {} |", row.name, row.meaning);
        for cell in &row.cells {
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    text
}
