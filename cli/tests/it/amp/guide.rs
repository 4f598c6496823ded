//! The commands of the guide in `docs/amp.md` print the output that it shows.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::Child;

use crate::amp::Folder;
use crate::amp::answer::BOB_SEED;
use crate::amp::shown::{Guide, shell};

/// Ends a process at the end of the test.
struct Background(Child);

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_commands_of_the_guide_print_the_output_that_it_shows() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let guide = Guide::read("amp.md", "A served capability, a negotiated call").replace("127.0.0.1:7400", &free);
    let folder = Folder::new();
    folder.write("capabilities.yaml", guide.blocks("yaml").first().unwrap());
    folder.write_secret("bob.hex", BOB_SEED);
    folder.write_secret("alice.hex", &(0..32).map(|byte| format!("{byte:02x}")).collect::<String>());
    let (mut servers, mut count) = (Vec::new(), 0);
    for (command, expected) in guide.runs() {
        count += 1;
        if command.starts_with("capgen amp serve ") {
            let mut child = shell(&folder.path(""), &format!("exec {command}")).spawn().unwrap();
            let mut output = BufReader::new(child.stdout.take().unwrap());
            servers.push(Background(child));
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            assert_eq!(line, expected, "{command}");
            continue;
        }
        let output = shell(&folder.path(""), &command).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{command}");
    }
    assert_eq!((servers.len(), count), (1, 8));
}
