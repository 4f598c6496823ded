//! Where the cache of some roots is.

use std::path::{Path, PathBuf};

use capgen_schema::HashBuilder;

use crate::files::Roots;

impl Roots {
    /// The file for the cache of these roots in a folder of caches, which need not exist. Other roots have another
    /// file.
    ///
    /// `None` if the folder is not absolute or is inside of a root, or if a root cannot be read.
    pub fn cache_file(&self, folder: &Path) -> Option<PathBuf> {
        if !folder.is_absolute() {
            return None;
        }
        // The path without links. Folders that do not exist contain none.
        let existing = folder.ancestors().find_map(|ancestor| ancestor.canonicalize().ok())?;
        let mut hash = HashBuilder::new();
        for (kind, places) in [std::slice::from_ref(&self.workspace), &self.installed, &self.mounts].iter().enumerate()
        {
            for place in *places {
                // An empty path means the current folder.
                let place = if place.as_os_str().is_empty() { Path::new(".") } else { place };
                let place = place.canonicalize().ok()?;
                if existing.starts_with(&place) {
                    return None;
                }
                hash.add([u8::try_from(kind).unwrap_or(u8::MAX)]);
                hash.add_framed(place.as_os_str().as_encoded_bytes());
            }
        }
        Some(folder.join(format!("{}.v1", hash.finish())))
    }
}
