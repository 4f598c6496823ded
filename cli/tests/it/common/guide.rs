//! The commands of a page of the documentation, and the output that it shows.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::{Command, Stdio};

/// A section of a page of the documentation.
pub(crate) struct Guide(String);

impl Guide {
    /// Reads the section with this heading.
    pub(crate) fn read(page: &str, heading: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(page);
        let text = std::fs::read_to_string(path).unwrap();
        let (_, section) = text.split_once(&format!("\n## {heading}\n")).unwrap();
        Self(section.split("\n## ").next().unwrap().to_owned())
    }

    pub(crate) fn replace(self, from: &str, to: &str) -> Self {
        Self(self.0.replace(from, to))
    }

    /// The blocks with this language.
    pub(crate) fn blocks(&self, language: &str) -> Vec<&str> {
        let blocks = self.0.split("\n```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
        blocks.filter(|(found, _)| *found == language).map(|(_, text)| text).collect()
    }

    /// The commands of all blocks of the language `console`, each with the output that follows it.
    pub(crate) fn runs(&self) -> Vec<(String, String)> {
        self.blocks("console").into_iter().flat_map(runs).collect()
    }
}

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

/// A shell in a folder, in which `capgen` is this program. Its errors go to its output.
pub(crate) fn shell(folder: &Path, command: &str) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_capgen"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1\n{command}")]).env("PATH", path).current_dir(folder);
    shell.stdin(Stdio::null()).stdout(Stdio::piped());
    shell
}
