//! Which folder the paths in annotations are relative to.

use std::path::{Component, Path, PathBuf};

/// Turns paths that are relative to the working directory into paths that are relative to the root of a repository, as
/// services for code review need them. The default leaves paths as they are.
///
/// ```
/// use capgen_diagnostic::render::Base;
/// let base = Base::new("/repo", "/repo/crates/shop");
/// assert_eq!(base.path("../fleet/fleet.yaml"), "crates/fleet/fleet.yaml");
/// assert_eq!(base.path("/repo/a.yaml"), "a.yaml");
/// assert_eq!(base.path("../../../elsewhere.yaml"), "../../../elsewhere.yaml");
/// assert_eq!(Base::default().path("../a.yaml"), "../a.yaml");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Base(Option<(PathBuf, PathBuf)>);

impl Base {
    /// For a repository at `root` and the working directory `here`, both absolute.
    pub fn new(root: impl Into<PathBuf>, here: impl Into<PathBuf>) -> Self {
        Self(Some((root.into(), here.into())))
    }

    /// The path relative to the root, with `/` between its parts. A path outside the repository is not changed.
    pub fn path(&self, path: &str) -> String {
        let below = self.0.as_ref().and_then(|(root, here)| plain(&here.join(path)).strip_prefix(root).ok().map(text));
        below.unwrap_or_else(|| path.to_owned())
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = plain.pop(),
            part => plain.push(part),
        }
    }
    plain
}
