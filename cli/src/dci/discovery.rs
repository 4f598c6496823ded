//! The skills of a run, with the cache of the user.

use std::env;
use std::path::PathBuf;

use capgen_dci::files::{Discovery, Roots, discover, discover_cached};

use crate::failure::Failure;
use crate::signals;

/// Runs with fewer skills leave no files behind: reading the skills takes them about 10 ms.
const MIN_SKILLS: usize = 500;

/// Finds the skills of a run. `may_cache`: whether the cache of the user may be used.
///
/// # Errors
///
/// Those of [`discover`].
pub(super) fn run(roots: &Roots, may_cache: bool) -> Result<Discovery, Failure> {
    Ok(match cache(roots, may_cache) {
        Some((cache, least_skills)) => discover_cached(roots, &cache, least_skills)?,
        None => discover(roots)?,
    })
}

/// The file of the user's cache for these folders, if it may be used, and the number of skills from which on it is
/// written.
pub(super) fn cache(roots: &Roots, may_cache: bool) -> Option<(PathBuf, usize)> {
    let file = folder().filter(|_| may_cache).and_then(|folder| roots.cache_file(&folder))?;
    signals::remove_temporary_files_at_the_end();
    Some((file, MIN_SKILLS))
}

/// `capgen/dci` in the folder of the user's caches: that of `XDG_CACHE_HOME`, else `.cache` in that of `HOME`. A
/// relative path counts as not set.
fn folder() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(caches.join("capgen/dci"))
}
