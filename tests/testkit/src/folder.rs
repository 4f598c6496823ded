//! Temporary folders with files.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A temporary folder, which is removed when this is dropped.
///
/// ```
/// use capgen_testkit::folder::Folder;
///
/// let folder = Folder::with(&[("agents/shop/capabilities.yaml", "version: 1\n")]);
/// assert_eq!(folder.names("agents"), ["shop"]);
/// assert_eq!(folder.read("agents/shop/capabilities.yaml"), "version: 1\n");
/// ```
#[derive(Debug)]
pub struct Folder(TempDir);

impl Folder {
    /// A new, empty folder.
    ///
    /// # Panics
    ///
    /// It cannot be made.
    #[must_use]
    pub fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    /// A new folder with these files: paths and texts.
    ///
    /// # Panics
    ///
    /// One cannot be written.
    #[must_use]
    pub fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        files.iter().for_each(|(path, text)| folder.write(path, text));
        folder
    }

    /// The path of the folder itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file or folder in it, which need not exist.
    #[must_use]
    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// Writes a file, and makes the folders that contain it.
    ///
    /// # Panics
    ///
    /// It cannot be written.
    #[track_caller]
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.path(path);
        let result = file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&file, text));
        result.unwrap_or_else(|error| panic!("{path}: {error}"));
    }

    /// The text of a file.
    ///
    /// # Panics
    ///
    /// It cannot be read, or is not UTF-8.
    #[must_use]
    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The names in a folder of it, sorted; empty if that does not exist. The path `""` is the folder itself.
    ///
    /// # Panics
    ///
    /// A name is not UTF-8.
    #[must_use]
    pub fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(path)).into_iter().flatten();
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("an entry of a folder").file_name().into_string().expect("a name in UTF-8"))
            .collect();
        names.sort();
        names
    }
}

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}
