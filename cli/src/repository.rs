//! The git repository around the working directory.

use std::path::{Path, PathBuf};

use capgen_diagnostic::render::Base;

/// The root of the repository that contains the folder: the nearest folder at or above it with an entry `.git`, which
/// is a file in a submodule or a worktree. Absolute.
pub(crate) fn root_of(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    folder.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
}

/// For annotations: paths relative to the root of the repository around the working directory, if there is one.
pub(crate) fn base() -> Base {
    let here = Path::new(".").canonicalize();
    match (root_of(Path::new(".")), here) {
        (Some(root), Ok(here)) => Base::new(root, here),
        _ => Base::default(),
    }
}

/// The working directory in words, relative to the root of its repository.
pub(crate) fn current_folder() -> String {
    let here = Path::new(".").canonicalize().ok();
    let root = root_of(Path::new("."));
    let relative = here.zip(root).and_then(|(here, root)| here.strip_prefix(root).ok().map(Path::to_owned));
    match relative {
        Some(folder) if folder.as_os_str().is_empty() => "the root folder of the repository".to_owned(),
        Some(folder) => format!("the folder `{}` of the repository", crate::summary::shown(&folder)),
        None => "the same folder".to_owned(),
    }
}
