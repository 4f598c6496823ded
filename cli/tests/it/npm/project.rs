//! A project in which the packages are installed from their archives, without a network and without Rust.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::{assemble, root};
use crate::common::Fleet;
use capgen_testkit::{node, npm};

/// Commands in a project. Their `PATH` has Node, npm and a shell, and nothing else.
pub(super) struct Project {
    pub(super) fleet: Fleet,
}

impl Project {
    fn new() -> Self {
        let fleet = Fleet::new(&["pr-reviewer"]);
        fs::create_dir(fleet.path("path")).unwrap();
        for program in [node::PROGRAM, "npm", "npx", "sh"] {
            symlink(found(program), fleet.path(&format!("path/{program}"))).unwrap();
        }
        fleet.write("package.json", r#"{ "name": "project", "private": true }"#);
        fleet.write("npmrc", "");
        Self { fleet }
    }

    pub(super) fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(self.fleet.path("path").join(program));
        command.args(arguments).current_dir(self.fleet.path("")).env("PATH", self.fleet.path("path"));
        // An empty cache, without packages of earlier downloads.
        command
            .env("npm_config_cache", self.fleet.path("cache"))
            .env("npm_config_userconfig", self.fleet.path("npmrc"));
        command
            .env("npm_config_offline", "true")
            .env("npm_config_update_notifier", "false")
            .env_remove("CAPGEN_BINARY");
        command.output().unwrap()
    }

    /// The standard output of a command that succeeds.
    #[track_caller]
    pub(super) fn output(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.run(program, arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// A project in which both packages are installed, and the names of their archives. `None` without npm.
    pub(super) fn installed() -> Option<(Self, [String; 2])> {
        if !npm::is_installed() {
            return None;
        }
        let project = Self::new();
        let [cli, program] = assemble(&project.fleet.path("dist"), Path::new(env!("CARGO_BIN_EXE_capgen")));
        let archives = [project.pack(&cli), project.pack(&program)];
        let [cli, program] = archives.each_ref().map(|archive| format!("./{archive}"));
        project.output("npm", &["install", "--no-audit", "--no-fund", "--silent", &cli, &program]);
        Some((project, archives))
    }

    /// A project with the folders of both packages, which takes less time than their installation. `None` without npm.
    pub(super) fn assembled() -> Option<Self> {
        if !npm::is_installed() {
            return None;
        }
        let project = Self::new();
        assemble(&project.fleet.path("node_modules/@capgen"), Path::new(env!("CARGO_BIN_EXE_capgen")));
        Some(project)
    }

    /// Runs a script of this folder, which prints that it passed.
    #[track_caller]
    pub(super) fn passes(&self, script: &str) {
        let text = fs::read_to_string(root().join("cli/tests/it/npm").join(script)).unwrap();
        self.fleet.write(script, &text);
        assert_eq!(self.output(node::PROGRAM, &[script]), "passed\n");
    }

    /// Packs a package; the result is the name of the archive.
    fn pack(&self, folder: &Path) -> String {
        self.output("npm", &["pack", "--silent", folder.to_str().unwrap()]).trim().to_owned()
    }
}

/// The path of a program in the `PATH` of the test.
fn found(program: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let mut folders = std::env::split_paths(&path).map(|folder| folder.join(program));
    folders.find(|path| path.exists()).unwrap_or_else(|| panic!("no {program}"))
}
