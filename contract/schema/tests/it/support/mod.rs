//! Locates the JSON Schema Test Suite.

pub(crate) mod groups;

use std::path::{Path, PathBuf};

/// The groups of [`groups::groups`] whose schemas are in the subset, and their tests. A new keyword of the subset
/// raises both.
#[allow(dead_code, reason = "the file is also a part of other crates")]
pub(crate) const IN_SUBSET: (usize, usize) = (252, 1350);

/// The folder that contains `draft7/`: the copy in this repository.
pub(crate) fn suite() -> PathBuf {
    // Packages in other folders have this module, too.
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut suites = folders.map(|folder| folder.join("tests/fixtures/json-schema-test-suite"));
    suites.find(|suite| suite.is_dir()).expect("the suite is in the repository")
}

/// Another copy of the suite, in the folder that `CAPGEN_CORPUS` names.
#[allow(dead_code, reason = "the file is also a part of other crates")]
pub(crate) fn newer_suite() -> PathBuf {
    corpus("json-schema-test-suite")
}

/// A part of the collections of schemas outside this repository, for tests that run only on request.
///
/// # Panics
///
/// If `CAPGEN_CORPUS` names no folder with this part.
#[allow(dead_code, reason = "the file is also a part of other crates")]
pub(crate) fn corpus(part: &str) -> PathBuf {
    let folder = std::env::var_os("CAPGEN_CORPUS").expect("CAPGEN_CORPUS names the folder of the corpora");
    let path = PathBuf::from(folder).join(part);
    assert!(path.exists(), "{} is missing", path.display());
    path
}
