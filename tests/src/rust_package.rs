//! Cargo packages of generated code, written into the target folder and built by the real toolchain.
//!
//! They use the versions of this workspace's lock file, so they build offline if the workspace was built before.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::Failure;

/// A package that depends only on the crates that generated code imports.
#[derive(Clone, Debug)]
pub struct Package {
    folder: PathBuf,
}

impl Package {
    /// Writes a package. `files` are names in `src` and their contents. `scratch` is the test's `CARGO_TARGET_TMPDIR`.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn write(scratch: &str, name: &str, edition: &str, files: &[(String, String)]) -> Result<Self, Failure> {
        Self::write_with(scratch, name, edition, files, &[])
    }

    /// Like [`write`](Self::write), with features of `capgen`.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn write_with(
        scratch: &str,
        name: &str,
        edition: &str,
        files: &[(String, String)],
        features: &[&str],
    ) -> Result<Self, Failure> {
        let folder = Path::new(scratch).join(name);
        std::fs::create_dir_all(folder.join("src"))?;
        for entry in std::fs::read_dir(folder.join("src"))? {
            let entry = entry?;
            if !files.iter().any(|(name, _)| entry.file_name() == name.as_str()) {
                std::fs::remove_file(entry.path())?;
            }
        }
        let root = crate::folder().parent().ok_or("the package is not in a workspace")?;
        let runtime = root.join("runtime/capgen");
        let manifest = format!(
            "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = {edition:?}\n\n[workspace]\n\n[dependencies]\n\
             capgen = {{ path = {runtime:?}, features = {features:?} }}\nserde = \"1\"\nserde_json = \"1\"\n\n[profile.dev]\ndebug = 0\n"
        );
        write_changed(&folder.join("Cargo.toml"), &manifest)?;
        std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
        for (name, text) in files {
            write_changed(&folder.join("src").join(name), text)?;
        }
        Ok(Self { folder })
    }

    /// Gives the dependency `capgen` another name.
    ///
    /// # Errors
    ///
    /// If the manifest cannot be read or written.
    pub fn rename_runtime(&self, name: &str) -> Result<(), Failure> {
        let path = self.folder.join("Cargo.toml");
        let renamed = format!("\n{name} = {{ package = \"capgen\", ");
        Ok(std::fs::write(&path, std::fs::read_to_string(&path)?.replace("\ncapgen = { ", &renamed))?)
    }

    /// A cargo command on the package, offline. All packages share a target folder, so dependencies are built once.
    pub fn cargo(&self, subcommand: &str) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        let target = self.folder.with_file_name("target");
        command.current_dir(&self.folder).env("CARGO_TARGET_DIR", target).args([subcommand, "--offline", "--quiet"]);
        // These variables belong to the build of the test. They would rebuild dependencies or change the tested code.
        for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTDOCFLAGS", "CARGO_BUILD_TARGET"] {
            command.env_remove(variable);
        }
        command
    }
}

/// Writes a file unless it has that text: cargo compiles a package again if its files are newer than its output, and
/// most of them are the same in the next run of the tests.
fn write_changed(path: &Path, text: &str) -> std::io::Result<()> {
    if std::fs::read(path).is_ok_and(|old| old == text.as_bytes()) { Ok(()) } else { std::fs::write(path, text) }
}

/// Whether the toolchain has clippy.
pub fn has_clippy() -> bool {
    Command::new("cargo").args(["clippy", "--version"]).output().is_ok_and(|output| output.status.success())
}

/// The output of a command that must succeed.
///
/// # Errors
///
/// The command's output, if it fails or cannot be run.
pub fn succeed(command: &mut Command) -> Result<Output, Failure> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(output);
    }
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    Err(format!("{command:?}\n{}", text.join("\n")).into())
}
