//! Tables of text.

use capgen_diagnostic::visible;

/// The lines of a table: the header and the rows. Columns are as wide as their longest cell, with two spaces between
/// them. Cells are untrusted.
pub(crate) fn table<'h>(header: impl AsRef<[&'h str]>, rows: impl IntoIterator<Item = impl AsRef<[String]>>) -> String {
    let mut lines = vec![header.as_ref().iter().map(|cell| (*cell).to_owned()).collect::<Vec<String>>()];
    lines.extend(rows.into_iter().map(|row| row.as_ref().iter().map(|cell| visible(cell)).collect()));
    let mut widths = vec![0; header.as_ref().len()];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = cell.chars().count().max(*width);
        }
    }
    let text = |line: &Vec<String>| {
        let cells: Vec<String> = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    lines.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_longest_cell() {
        let rows = [["é".to_owned(), "x".to_owned()], ["longer".to_owned(), "\u{1b}".to_owned()]];
        assert_eq!(table(["A", "B"], rows), "A       B\né       x\nlonger  \\u{1b}\n");
    }
}
