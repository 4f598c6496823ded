//! Scripts that Node runs with packages from npm. The tests of the command line include this file, too.

use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// Whether Node and npm are installed. If not, prints that the test is skipped.
pub fn is_available() -> bool {
    let has = |program: &str| {
        let run = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        run.is_ok_and(|status| status.success())
    };
    let has_both = has("node") && has(NPM);
    if !has_both {
        eprintln!("skipped: Node and npm are not installed");
    }
    has_both
}

/// Installs the packages of a folder's `package-lock.json` unless they are installed; one process at a time.
///
/// # Errors
///
/// If npm fails.
pub fn install(folder: &Path) -> Result<()> {
    let modules = folder.join("node_modules");
    std::fs::create_dir_all(&modules)?;
    let lock = File::create(folder.join("node_modules.lock"))?;
    lock.lock()?;
    let wanted = std::fs::read(folder.join("package-lock.json"))?;
    let stamp = modules.join(".installed-lock.json");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let mut npm = Command::new(NPM);
    let output = npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(folder).output()?;
    if !output.status.success() {
        return Err(format!("npm ci failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    std::fs::write(stamp, wanted)?;
    Ok(())
}

/// The output of a script for a job, both as JSON.
///
/// # Errors
///
/// If the script cannot be run, or fails.
pub fn run_script(folder: &Path, script: &str, job: &Value) -> Result<Value> {
    let mut child = Command::new("node")
        .arg(folder.join(script))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // The script reads all of its input before it writes.
    child.stdin.take().ok_or("no stdin")?.write_all(job.to_string().as_bytes())?;
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(format!("{script} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
