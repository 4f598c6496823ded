//! The commands in `docs/dci.md` print the output that it shows.

use crate::common::Fleet;
use crate::dci::shown::{Guide, shell};

/// Runs the commands of some sections in one folder.
fn check(headings: &[&str], commands: usize) {
    let runs: Vec<_> = headings.iter().flat_map(|heading| Guide::read("dci.md", heading).runs()).collect();
    assert_eq!(runs.len(), commands);
    let folder = Fleet::new(&[]);
    for (command, expected) in runs {
        let output = shell(&folder.path(""), &command).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{command}");
    }
}

#[test]
fn the_commands_about_contracts_print_the_output_that_the_page_shows() {
    check(&["Contracts"], 3);
}

#[test]
fn the_commands_about_workspaces_print_the_output_that_the_page_shows() {
    check(&["Checking a workspace"], 4);
}

#[test]
fn the_commands_about_runs_print_the_output_that_the_page_shows() {
    check(&["Choosing providers", "Graphs", "Searching", "Skills of agents"], 14);
}

#[test]
fn the_command_about_reliability_prints_the_output_that_the_page_shows() {
    check(&["Reliability"], 1);
}
