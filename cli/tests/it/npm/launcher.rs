//! The launcher of `@capgen/cli`, with small programs in place of `capgen`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::{assemble, platform};
use capgen_testkit::{node, npm};

/// A folder in which the packages are installed.
struct Installed {
    folder: TempDir,
    launcher: PathBuf,
    package: PathBuf,
}

impl Installed {
    /// Installs the packages with this shell script as the program. `None` if Node is missing.
    fn new(script: &str) -> Option<Self> {
        if !npm::is_installed() {
            return None;
        }
        let folder = TempDir::new().unwrap();
        let program = executable(folder.path(), "program", script);
        let [cli, package] = assemble(&folder.path().join("node_modules/@capgen"), &program);
        Some(Self { folder, launcher: cli.join("bin/capgen.js"), package })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = node::command();
        command.arg(&self.launcher).args(arguments).env_remove("CAPGEN_BINARY");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The exit status and the message of a run that the launcher itself ends.
    fn failure(&self, command: &mut Command) -> (Option<i32>, String) {
        let output = command.output().unwrap();
        assert_eq!(output.stdout, b"");
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

/// Writes a shell script that can be executed.
fn executable(folder: &Path, name: &str, script: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn arguments_streams_and_the_exit_status_pass_through() {
    let script = "printf '<%s>' \"$@\"; cat; echo to-stderr >&2; exit 7";
    let Some(installed) = Installed::new(script) else { return };
    let mut child = installed.command(&["--peer", "a b", "", "*", "ü"]).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"from-stdin").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "<--peer><a b><><*><ü>from-stdin");
    assert_eq!(output.stderr, b"to-stderr\n");
}

#[test]
fn the_environment_variable_overrides_the_program() {
    let Some(installed) = Installed::new("echo of the package") else { return };
    let other = executable(installed.folder.path(), "other", "echo of the variable");
    let output = installed.command(&[]).env("CAPGEN_BINARY", other).output().unwrap();
    assert_eq!(output.stdout, b"of the variable\n");
    let output = installed.command(&[]).env("CAPGEN_BINARY", "").output().unwrap();
    assert_eq!(output.stdout, b"of the package\n");
    let (status, message) = installed.failure(installed.command(&[]).env("CAPGEN_BINARY", "/no/such/program"));
    let expected = "capgen: cannot start /no/such/program, the program of CAPGEN_BINARY: ENOENT\n";
    assert_eq!((status, message.as_str()), (Some(1), expected));
}

#[test]
fn a_missing_package_is_an_error_that_names_it() {
    let Some(installed) = Installed::new("exit 0") else { return };
    fs::remove_dir_all(&installed.package).unwrap();
    let (status, message) = installed.failure(&mut installed.command(&[]));
    assert_eq!(status, Some(1));
    let name = format!("@capgen/cli-{}", platform().name());
    assert!(message.starts_with(&format!("capgen: the package {name}, which contains ")), "{message}");
    assert!(message.contains("npm install --include=optional @capgen/cli") && message.contains("CAPGEN_BINARY"));
    assert!(!message.contains("    at "), "a message and no stack trace: {message}");

    let unknown = "Object.defineProperty(process, 'arch', { value: 'mips' })";
    let preload = installed.folder.path().join("unknown.cjs");
    fs::write(&preload, unknown).unwrap();
    let mut command = installed.command(&[]);
    command.env("NODE_OPTIONS", format!("--require {}", preload.display()));
    let (status, message) = installed.failure(&mut command);
    assert_eq!(status, Some(1));
    assert!(message.contains("there is no package for this platform") && message.contains(" on mips."), "{message}");
}

#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn the_program_for_musl_is_used_if_it_is_the_only_one() {
    let Some(installed) = Installed::new("echo glibc") else { return };
    let musl = PathBuf::from(format!("{}-musl", installed.package.display()));
    fs::create_dir_all(musl.join("bin")).unwrap();
    executable(&musl.join("bin"), "capgen", "echo musl");
    assert_eq!(installed.command(&[]).output().unwrap().stdout, b"glibc\n");
    fs::remove_dir_all(&installed.package).unwrap();
    assert_eq!(installed.command(&[]).output().unwrap().stdout, b"musl\n");
}

fn send(signal: &str, child: &Child) {
    Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap();
}

/// Starts the launcher, and waits until its program prints `ready`.
fn ready(installed: &Installed) -> Child {
    let mut child = installed.command(&[]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    child
}

#[test]
fn signals_reach_the_program_and_its_end_is_that_of_the_launcher() {
    // `exec`, so that the signal ends the process that has the streams.
    let Some(installed) = Installed::new("echo ready; exec sleep 600") else { return };
    for (name, number) in [("HUP", 1), ("INT", 2), ("TERM", 15)] {
        let child = ready(&installed);
        send(name, &child);
        // Returns when standard error is closed, which the program has too: it does not outlive the launcher.
        assert_eq!(child.wait_with_output().unwrap().status.signal(), Some(number), "{name}");
    }
}

#[test]
fn a_program_may_handle_a_signal() {
    // In the foreground, `sleep` would delay the handler.
    let script = "trap 'kill $!; exit 5' TERM; sleep 600 2>&- >&- & echo ready; wait";
    let Some(installed) = Installed::new(script) else { return };
    let child = ready(&installed);
    send("TERM", &child);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(5));
}

#[test]
fn a_program_that_is_killed_ends_the_launcher_in_the_same_way() {
    let Some(installed) = Installed::new("kill -KILL $$") else { return };
    assert_eq!(installed.command(&[]).output().unwrap().status.signal(), Some(9));
}
