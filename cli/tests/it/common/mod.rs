//! A fleet in a temporary folder, and the binary run in it.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

pub(crate) mod guide;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use capgen_testkit::folder::Folder;
pub(crate) use capgen_testkit::manifests::{REVIEWER, loose};
use serde_json::Value;

pub(crate) struct Fleet {
    root: Folder,
}

/// The exit status and the output of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Fleet {
    /// A fleet with these agents: `pr-reviewer` has the contract of the documentation, the others have a loose one.
    pub(crate) fn new(agents: &[&str]) -> Self {
        let fleet = Self { root: Folder::new() };
        fs::create_dir(fleet.path("agents")).unwrap();
        for id in agents {
            let text = if *id == "pr-reviewer" { REVIEWER.to_owned() } else { loose(id) };
            fleet.write(&format!("agents/{id}/capabilities.yaml"), &text);
        }
        fleet
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.path(path)
    }

    #[track_caller]
    pub(crate) fn write(&self, path: &str, text: &str) {
        self.root.write(path, text);
    }

    #[track_caller]
    pub(crate) fn read(&self, path: &str) -> String {
        self.root.read(path)
    }

    /// The names in a folder, sorted; empty if the folder does not exist.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        self.root.names(folder)
    }

    /// Runs git in the fleet's root, independently of the configuration of the user.
    pub(crate) fn git(&self, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]);
        command.args(arguments).current_dir(self.root.root()).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = command.env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }

    /// Creates a repository with the branch `main`, and commits every file. `origin/main` is the first commit.
    pub(crate) fn init(&self) {
        self.git(&["init", "--quiet", "--initial-branch=main"]);
        self.commit();
        self.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    }

    /// Commits every file.
    pub(crate) fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=test"]);
    }

    /// Runs the binary in the fleet's root, with the arguments split at white space.
    pub(crate) fn run(&self, arguments: &str) -> Run {
        self.run_with(arguments, "")
    }

    /// Runs it in a folder of the fleet.
    pub(crate) fn run_in(&self, folder: &str, arguments: &str) -> Run {
        let mut command = self.command(arguments);
        command.current_dir(self.path(folder));
        Self::output(command, b"")
    }

    pub(crate) fn run_with(&self, arguments: &str, stdin: impl AsRef<[u8]>) -> Run {
        Self::output(self.command(arguments), stdin.as_ref())
    }

    fn output(mut command: Command, stdin: &[u8]) -> Run {
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let stdin = stdin.to_owned();
        // The binary may end before it has read everything.
        let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Run { status: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_capgen"));
        command.args(arguments.split_whitespace()).current_dir(self.root.root());
        // The folder of the fleet is the workspace of skills, in which no cache is written.
        command.env("XDG_CACHE_HOME", self.root.root());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

impl Run {
    /// Fails the test unless the run ended with this status.
    #[track_caller]
    pub(crate) fn ended(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// The one JSON document on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}
