//! The commands in `docs/dci.md` print the output that it shows.

use crate::common::Fleet;
use crate::shown::{Guide, shell};

#[test]
fn the_commands_of_the_page_print_the_output_that_it_shows() {
    let runs = Guide::read("dci.md", "Contracts").runs();
    assert_eq!(runs.len(), 3);
    let folder = Fleet::new(&[]);
    for (command, expected) in runs {
        let output = shell(&folder.path(""), &command).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{command}");
    }
}
