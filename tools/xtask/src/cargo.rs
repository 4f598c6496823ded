//! Cargo, as the tasks run it.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::root;

/// The cargo that runs this program, in the root of the repository.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// All packages that the workspace consists of and depends on, as `cargo metadata` describes them.
pub(crate) fn packages() -> Result<Vec<Value>, String> {
    let output = cargo().args(["metadata", "--format-version", "1", "--locked"]).output();
    let output = output.map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    metadata
        .get("packages")
        .and_then(Value::as_array)
        .cloned()
        .ok_or_else(|| "cargo metadata names no packages".to_owned())
}

/// The program `capgen` with the features of the whole workspace, built if necessary. The tests of the workspace have
/// built it like this, while `-p capgen-cli` would compile most crates again, with fewer features.
pub(crate) fn capgen() -> Result<PathBuf, String> {
    let build = ["build", "-q", "--workspace", "--bin", "capgen", "--message-format", "json-render-diagnostics"];
    let output = cargo().args(build).output().map_err(|error| format!("cargo build: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs = messages.filter_map(|message| Some(message.get("executable")?.as_str()?.into()));
    programs.next().ok_or_else(|| "cargo build names no program".to_owned())
}
