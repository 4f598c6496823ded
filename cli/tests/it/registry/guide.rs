//! The commands of the example in `docs/registry.md` print the output that it shows.

use crate::registry::Folder;
use crate::registry::shown::{Guide, shell};

#[test]
fn the_commands_of_the_example_print_the_output_that_it_shows() {
    let guide = Guide::read("registry.md", "Two data centres that were disconnected");
    let folder = Folder::new();
    folder.0.write("event.sh", &format!("{}\n", guide.blocks("sh").first().unwrap()));
    let runs = guide.runs();
    assert_eq!(runs.len(), 13);
    for (command, expected) in runs {
        let output = shell(&folder.0.path(""), &command).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{command}");
    }
}
