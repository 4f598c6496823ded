//! `capgen amp`.
#![cfg(feature = "amp")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod answer;
mod bundle;
#[cfg(all(unix, feature = "amp-net"))]
mod guide;
mod inspect;
mod messages;
mod negotiate;
mod net;
#[cfg(feature = "amp-net")]
mod restarts;
#[cfg(all(unix, feature = "amp-net"))]
use crate::common::guide as shown;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use crate::common::{Fleet, Run};

/// A folder in which the binary runs.
struct Folder(Fleet);

impl Folder {
    fn new() -> Self {
        Self(Fleet::new(&[]))
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    /// Runs `capgen amp` with these arguments.
    fn run<T: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = T>) -> Run {
        let output = self.output(arguments);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Run { status: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// The same with the bytes of the output.
    fn output<T: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = T>) -> Output {
        self.0.command("amp").args(arguments).stdin(Stdio::null()).output().unwrap()
    }

    /// Writes a file that only its owner may read.
    fn write_secret(&self, name: &str, text: &str) {
        self.write(name, text);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(self.path(name), std::fs::Permissions::from_mode(0o600)).unwrap();
        }
    }
}

#[test]
fn every_help_page_has_examples() {
    for arguments in [
        &[][..],
        &["inspect"],
        &["negotiate"],
        &["range"],
        &["answer"],
        &["key"],
        #[cfg(feature = "amp-net")]
        &["serve"],
        #[cfg(feature = "amp-net")]
        &["query"],
        #[cfg(feature = "amp-net")]
        &["invoke"],
        &["bundle"],
        &["bundle", "create"],
        &["bundle", "verify"],
        &["bundle", "show"],
    ] {
        let run = Folder::new().run(arguments.iter().chain(&["--help"])).ended(0);
        assert!(run.stdout.contains("Examples:\n  ") && run.stdout.contains("  capgen amp "), "{run:?}");
    }
}

#[test]
fn a_missing_subcommand_is_incorrect_usage() {
    Folder::new().run([""; 0]).ended(2);
    Folder::new().run(["examine"]).ended(2);
}

#[test]
fn every_subcommand_has_a_section_in_the_documentation_and_is_completed() {
    let folder = Folder::new();
    let help = folder.run(["--help"]).ended(0).stdout;
    let (_, commands) = help.split_once("\nCommands:\n").unwrap();
    let names = commands.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    let names: Vec<_> = names.filter(|name| *name != "help").collect();
    assert!(names.contains(&"inspect") && names.contains(&"answer"), "{names:?}");
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/cli-amp.md")).unwrap();
    let script = folder.0.run("completions fish").ended(0).stdout;
    for name in names {
        assert!(page.contains(&format!("\n## `capgen amp {name}`\n")), "docs/cli-amp.md has no section about `{name}`");
        assert!(script.contains(&format!("-a \"{name}\"")), "the completions lack `{name}`");
    }
}
