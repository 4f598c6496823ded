//! Programs that Node runs.

use std::error::Error;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// The name of the program, which is found in the search path.
pub const PROGRAM: &str = "node";

/// A command that runs Node, without arguments.
#[must_use]
pub fn command() -> Command {
    Command::new(PROGRAM)
}

/// Whether Node is installed. If not, prints once that tests are skipped: they then pass.
#[must_use]
pub fn is_installed() -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    *INSTALLED.get_or_init(|| {
        let installed = runs(PROGRAM);
        if !installed {
            eprintln!("skipped: Node is not installed");
        }
        installed
    })
}

/// Whether a program can state its version.
pub(crate) fn runs(program: impl AsRef<OsStr>) -> bool {
    let run = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}

/// The text that a command prints.
///
/// # Panics
///
/// It cannot be run, fails, or prints no UTF-8.
#[must_use]
#[track_caller]
pub fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}: {}{}", text(&output.stdout), text(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The answer of a command, which reads a job from its input and prints the answer, both as JSON.
///
/// # Errors
///
/// The command cannot be run, fails, or prints no JSON.
pub fn answer(command: &mut Command, job: &Value) -> Result<Value, Box<dyn Error + Send + Sync>> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // The script reads all of its input before it writes.
    child.stdin.take().ok_or("no stdin")?.write_all(job.to_string().as_bytes())?;
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The answer of a script in a folder.
///
/// # Errors
///
/// Those of [`answer`].
pub fn run_script(folder: &Path, script: &str, job: &Value) -> Result<Value, Box<dyn Error + Send + Sync>> {
    answer(command().arg(folder.join(script)), job)
}
