//! A table of text, whose last column is not padded.

use super::page::Page;

#[derive(Default)]
pub(super) struct Columns {
    rows: Vec<Vec<String>>,
}

impl Columns {
    /// A table with these headings.
    pub(super) fn new<const N: usize>(headings: [&str; N]) -> Self {
        Self { rows: vec![headings.map(str::to_owned).to_vec()] }
    }

    /// Adds a column before the first row.
    pub(super) fn add(&mut self, heading: &str) {
        if let Some(headings) = self.rows.first_mut() {
            headings.push(heading.to_owned());
        }
    }

    pub(super) fn add_if(&mut self, is_shown: bool, heading: &str) {
        if is_shown {
            self.add(heading);
        }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Writes the rows with two spaces before each cell.
    pub(super) fn write(&self, page: &mut Page) {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            widths.resize(widths.len().max(row.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        for row in &self.rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("  {cell:width$}"));
            page.line(cells.collect::<String>().trim_end());
        }
    }
}
