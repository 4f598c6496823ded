//! The commands in `docs/dci.md` print the output that it shows.

use crate::common::Fleet;
use crate::shown::{Guide, shell};

fn check(heading: &str, commands: usize) {
    let runs = Guide::read("dci.md", heading).runs();
    assert_eq!(runs.len(), commands);
    let folder = Fleet::new(&[]);
    for (command, expected) in runs {
        let output = shell(&folder.path(""), &command).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{command}");
    }
}

#[test]
fn the_commands_about_contracts_print_the_output_that_the_page_shows() {
    check("Contracts", 3);
}

#[test]
fn the_commands_about_workspaces_print_the_output_that_the_page_shows() {
    check("Checking a workspace", 4);
}
