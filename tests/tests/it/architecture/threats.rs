//! Every threat of `docs/dci-threats.md` names tests that exist.

use crate::architecture::repository::text;

/// The tests in the last cell of a row: each a file and the name of a function.
fn tests(row: &str) -> Vec<(&str, &str)> {
    let cell = row.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
    let names: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
    assert!(names.len().is_multiple_of(2), "a test is a file and a name: {row}");
    names.chunks(2).map(|pair| (pair[0], pair[1])).collect()
}

#[test]
fn every_threat_names_its_tests() {
    let page = text("docs/dci-threats.md").unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ") && !line.ends_with("| test |")).collect();
    assert!(rows.len() > 20);
    for row in rows {
        let tests = tests(row);
        assert!(!tests.is_empty(), "no test: {row}");
        for (file, name) in tests {
            let source = text(file).unwrap_or_else(|| panic!("{file} does not exist"));
            assert!(source.contains(&format!("fn {name}(")), "{file} has no test `{name}`");
        }
    }
}
