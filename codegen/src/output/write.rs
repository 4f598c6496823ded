//! Writing the files of a plan.

use capgen_diagnostic::Diagnostic;
use capgen_files::{remove_stale_files, replace_files};

use super::{Plan, State, cannot};

impl Plan {
    /// Writes the files that are out of date or missing. A file that is up to date keeps its modification time, so
    /// build systems do not rebuild.
    ///
    /// Each file is replaced as a whole, by renaming, and keeps its permissions. A symbolic link in the folder is
    /// replaced, not followed. Temporary files that killed processes left in the folder are removed.
    ///
    /// # Errors
    ///
    /// [`codes::OUTPUT_IO`](crate::codes::OUTPUT_IO). If the text of one file cannot be written, no file has changed.
    pub fn write(&self) -> Result<(), Vec<Diagnostic>> {
        let folder = self.base.join(&self.folder);
        let changed: Vec<_> = self.files.iter().filter(|f| f.state() != State::Unchanged).collect();
        if changed.is_empty() {
            remove_stale_files(&folder);
            return Ok(());
        }
        std::fs::create_dir_all(&folder).map_err(|error| cannot("create", &self.folder, &error))?;
        let paths: Vec<_> = changed.iter().map(|file| self.base.join(file.path())).collect();
        let files: Vec<_> = paths.iter().zip(&changed).map(|(path, file)| (path.as_path(), file.text())).collect();
        replace_files(&files).map_err(|(index, error)| {
            let path = changed.get(index).map_or(self.folder.as_path(), |file| file.path());
            cannot("write", path, &error)
        })
    }
}
