//! Locates the JSON Schema Test Suite, which is not part of this repository.

pub(crate) mod groups;

use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGE: &str = "jsonschema==4.26.0";
const ARCHIVE: &str = "jsonschema-4.26.0.tar.gz";
const SHA_256: &str = "0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326";
const SUITE_IN_ARCHIVE: &str = "jsonschema-4.26.0/json/tests";

/// The folder that contains `draft7/`: `$CAPGEN_JSON_SCHEMA_SUITE`, or else the copy in the source of the Python package
/// `jsonschema`, which is downloaded once and verified by its checksum.
pub(crate) fn suite() -> Result<PathBuf, String> {
    match std::env::var_os("CAPGEN_JSON_SCHEMA_SUITE") {
        Some(folder) => Ok(folder.into()),
        None => fetched(Path::new(env!("CARGO_TARGET_TMPDIR"))),
    }
}

fn fetched(cache: &Path) -> Result<PathBuf, String> {
    let suite = cache.join(SUITE_IN_ARCHIVE);
    if suite.join("draft7").is_dir() {
        return Ok(suite);
    }
    let archive = cache.join(ARCHIVE);
    if !archive.is_file() {
        let arguments = ["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", PACKAGE, "--dest"];
        run(Command::new("python3").args(arguments).arg(cache))?;
    }
    let bytes = std::fs::read(&archive).map_err(|error| format!("{}: {error}", archive.display()))?;
    let found = capgen_schema::Hash::of(&bytes).to_string();
    if found != SHA_256 {
        return Err(format!("{} has the checksum {found}, not {SHA_256}", archive.display()));
    }
    run(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(cache).arg(SUITE_IN_ARCHIVE))?;
    Ok(suite)
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))
}
