//! The commands of the guide in `docs/amp.md` print the output that it shows.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use crate::Folder;
use crate::answer::BOB_SEED;

/// The blocks of the guide with this language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let (_, section) = page.split_once("\n## A served capability, a negotiated call\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let blocks = section.split("\n```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
    blocks.filter(|(found, _)| *found == language).map(|(_, text)| text).collect()
}

/// The commands of a block, each with the output that follows it.
fn runs(block: &str) -> Vec<(String, String)> {
    let mut runs: Vec<(String, String)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), runs.last_mut()) {
            (Some(command), _) => runs.push((format!("{command}\n"), String::new())),
            (None, Some((command, _))) if command.ends_with("\\\n") => command.push_str(&format!("{line}\n")),
            (None, Some((_, output))) => output.push_str(&format!("{line}\n")),
            (None, None) => panic!("output before a command: {line}"),
        }
    }
    runs
}

/// A shell in the folder, in which `capgen` is this program. Its errors go to its output.
fn shell(folder: &Folder, command: &str) -> Command {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_capgen"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1\n{command}")]).env("PATH", path).current_dir(folder.path(""));
    shell.stdin(Stdio::null()).stdout(Stdio::piped());
    shell
}

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
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/amp.md")).unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let page = page.replace("127.0.0.1:7400", &free);
    let folder = Folder::new();
    folder.write("capabilities.yaml", blocks(&page, "yaml").first().unwrap());
    folder.write_secret("bob.hex", BOB_SEED);
    folder.write_secret("alice.hex", &(0..32).map(|byte| format!("{byte:02x}")).collect::<String>());
    let (mut servers, mut count) = (Vec::new(), 0);
    for (command, expected) in blocks(&page, "console").into_iter().flat_map(runs) {
        count += 1;
        if command.starts_with("capgen amp serve ") {
            let mut child = shell(&folder, &format!("exec {command}")).spawn().unwrap();
            let mut output = BufReader::new(child.stdout.take().unwrap());
            servers.push(Background(child));
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            assert_eq!(line, expected, "{command}");
            continue;
        }
        let output = shell(&folder, &command).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{command}");
    }
    assert_eq!((servers.len(), count), (1, 8));
}
