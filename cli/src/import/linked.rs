//! The files that the references of a document lead to.

use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use capgen_interop::import::{Document, NotRead, with_files as linked};
use capgen_manifest::{read_source, shown};

use crate::failure::Failure;
use crate::input;

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
    // Standard input has no folder in which references could lead anywhere.
    let folder = if input::is_stdin(file) { None } else { Folder::of(file, root_dir) };
    let Some(folder) = folder else { return linked("", document, |_| Ok(Err(NotRead::NoFolder))) };
    linked(&folder.path, document, |path| folder.read(path, room))
}

/// The folder whose files may be read.
struct Folder<'f> {
    root: &'f Path,
    real: PathBuf,
    /// The path of the document in it.
    path: String,
}

impl<'f> Folder<'f> {
    /// `None` if the document is outside of the folder, so that it has no path in it.
    fn of(file: &'f Path, root_dir: Option<&'f Path>) -> Option<Self> {
        let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let root = root_dir.unwrap_or(parent);
        let (real, real_file) = (root.canonicalize().ok()?, file.canonicalize().ok()?);
        let path = real_file.strip_prefix(&real).ok().and_then(with_slashes)?;
        Some(Self { root, real, path })
    }

    fn read(&self, path: &str, room: &mut Room) -> Result<Result<Document, NotRead>, Failure> {
        // Without `./`, as the paths of arguments usually are.
        let joined = if self.root == Path::new(".") { PathBuf::from(path) } else { self.root.join(path) };
        let real = match joined.canonicalize() {
            Ok(real) => real,
            Err(error) => return Ok(Err(reason(&error))),
        };
        if !real.starts_with(&self.real) {
            return Ok(Err(NotRead::Outside));
        }
        match std::fs::metadata(&real) {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Ok(Err(NotRead::NotAFile)),
            Err(error) => return Ok(Err(reason(&error))),
        }
        if let Err(error) = capgen_files::open_input(&real) {
            return Ok(Err(reason(&error)));
        }
        let source = read_source(&real, &shown(&joined))?;
        let Some(left) = room.0.checked_sub(source.text().len()) else { return Ok(Err(NotRead::TooLarge)) };
        room.0 = left;
        Ok(Ok(Document::parse(&source)?))
    }
}

/// The reason of the system. A name below a file, such as `a.json/b`, is one of a file that does not exist.
fn reason(error: &Error) -> NotRead {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => NotRead::Missing,
        _ => NotRead::Unreadable(error.to_string()),
    }
}

/// A relative path with `/` between its names.
fn with_slashes(path: &Path) -> Option<String> {
    let names: Option<Vec<&str>> = path.iter().map(|name| name.to_str()).collect();
    names.map(|names| names.join("/"))
}
