//! Packages from npm, for scripts that Node runs.

use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use crate::node;

const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// Whether Node and npm are installed. If not, prints once that tests are skipped: they then pass.
#[must_use]
pub fn is_installed() -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    node::is_installed()
        && *INSTALLED.get_or_init(|| {
            let installed = node::runs(NPM);
            if !installed {
                eprintln!("skipped: npm is not installed");
            }
            installed
        })
}

/// Installs the packages of a folder's `package-lock.json` unless they are installed; one process at a time.
///
/// # Errors
///
/// npm cannot be run or fails, or the folder cannot be written.
pub fn install(folder: &Path) -> Result<(), Box<dyn Error + Send + Sync>> {
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
