//! The files that the references of a document lead to.

use std::path::{Path, PathBuf};

use capgen_interop::import::{Document, with_files as linked};
use capgen_manifest::{read_source, shown};

use crate::failure::Failure;

/// How many bytes of files are still read for an import.
pub(super) struct Room(usize);

impl Room {
    /// As much as one document may have.
    pub(super) fn new() -> Self {
        Self(32 << 20)
    }
}

/// The document with the files in its folder, or in `root_dir`, that its references lead to. Nothing outside of the
/// folder is read, also not through links.
pub(super) fn with_files(
    file: &Path,
    root_dir: Option<&Path>,
    document: Document,
    room: &mut Room,
) -> Result<Document, Failure> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let root = root_dir.unwrap_or(parent);
    let (Ok(real_root), Ok(real_file)) = (root.canonicalize(), file.canonicalize()) else { return Ok(document) };
    // A document outside of the folder has no path in it.
    let Some(path) = real_file.strip_prefix(&real_root).ok().and_then(with_slashes) else { return Ok(document) };
    linked(&path, document, |path| {
        // Without `./`, as the paths of arguments usually are.
        let joined = if root == Path::new(".") { PathBuf::from(path) } else { root.join(path) };
        let real = joined.canonicalize().ok().filter(|real| real.starts_with(&real_root) && real.is_file());
        let Some(real) = real else { return Ok(None) };
        let source = read_source(&real, &shown(&joined))?;
        let Some(left) = room.0.checked_sub(source.text().len()) else { return Ok(None) };
        room.0 = left;
        Ok(Some(Document::parse(&source)?))
    })
}

/// A relative path with `/` between its names.
fn with_slashes(path: &Path) -> Option<String> {
    let names: Option<Vec<&str>> = path.iter().map(|name| name.to_str()).collect();
    names.map(|names| names.join("/"))
}
