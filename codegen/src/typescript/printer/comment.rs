//! JSDoc comments.

use super::layout::{Doc, concat, group, hard_line, if_broken, line, text};

/// A comment before a declaration on a line of its own; nothing without lines.
///
/// The lines are safe inside a comment: [`doc::lines`](crate::typescript::doc::lines) made them.
pub(super) fn comment(lines: &[String]) -> Doc {
    match lines {
        [] => concat(Vec::new()),
        [only] => concat(vec![
            group(vec![text("/**"), line(), if_broken(" * "), text(only.clone()), line(), if_broken(" "), text("*/")]),
            hard_line(),
        ]),
        lines => {
            let mut docs = vec![text("/**")];
            for line in lines {
                docs.extend([hard_line(), text(if line.is_empty() { " *" } else { " * " }), text(line.clone())]);
            }
            docs.extend([hard_line(), text(" */"), hard_line()]);
            concat(docs)
        }
    }
}
