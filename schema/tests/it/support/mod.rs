//! Locates the JSON Schema Test Suite, which is not part of this repository.

pub(crate) mod groups;

use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGE: &str = "jsonschema==4.26.0";
const ARCHIVE: &str = "jsonschema-4.26.0.tar.gz";
const SHA_256: &str = "0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326";
const SUITE_IN_ARCHIVE: &str = "jsonschema-4.26.0/json/tests";
/// The groups of the archive whose schemas are in the subset, and their tests.
const IN_SUBSET: (usize, usize) = (175, 715);
/// The least numbers for a checkout of the suite, which is newer than the archive.
const LEAST_IN_SUBSET: (usize, usize) = (165, 750);

/// A copy of the suite.
pub(crate) struct Suite {
    /// The folder that contains `draft7/`.
    pub(crate) folder: PathBuf,
    is_pinned: bool,
}

impl Suite {
    /// Checks that the subset contains as many of the groups of [`groups::groups`], and of their tests, as it should.
    #[allow(dead_code, reason = "each test binary uses a part of it")]
    pub(crate) fn assert_in_subset(&self, groups: usize, tests: usize) {
        if self.is_pinned {
            assert_eq!((groups, tests), IN_SUBSET, "the groups and tests in the subset");
        } else {
            let (least_groups, least_tests) = LEAST_IN_SUBSET;
            let is_enough = groups >= least_groups && tests >= least_tests;
            assert!(is_enough, "only {groups} groups with {tests} tests are in the subset");
        }
    }
}

/// The suite in `$CAPGEN_JSON_SCHEMA_SUITE`, or else the copy in the source of the Python package `jsonschema`, which is downloaded once
/// and verified by its checksum. Without either, prints the reason, and panics if `$CAPGEN_REQUIRE_SUITE` is 1.
#[allow(clippy::print_stdout, reason = "the reason why a test did not run")]
pub(crate) fn suite() -> Option<Suite> {
    if let Some(folder) = std::env::var_os("CAPGEN_JSON_SCHEMA_SUITE") {
        return Some(Suite { folder: folder.into(), is_pinned: false });
    }
    match fetched(Path::new(env!("CARGO_TARGET_TMPDIR"))) {
        Ok(folder) => Some(Suite { folder, is_pinned: true }),
        Err(reason) => {
            println!("THE JSON SCHEMA TEST SUITE DID NOT RUN: {reason}");
            println!("set CAPGEN_JSON_SCHEMA_SUITE to a folder that contains draft7/");
            assert!(std::env::var_os("CAPGEN_REQUIRE_SUITE").is_none_or(|v| v != "1"), "the suite is required");
            None
        }
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
