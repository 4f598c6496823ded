//! The manifests of capgen that skills reference: `metadata.capabilities`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use capgen_diagnostic::quoted;
use capgen_files::Links;

use crate::inputs::{Declared, ManifestNames, Skill};

/// The largest manifest in bytes. Far above the size of usual manifests; only the names of its capabilities are used,
/// and all of it is parsed for them.
const MAX_BYTES: usize = 4 << 20;
/// The maximum size of all manifests together. It is as much as the frontmatter of a run may have: 64 manifests of the
/// largest size.
const MAX_TOTAL: usize = 256 << 20;

/// Reads the manifests that skills reference, each file once, up to 4 MiB each and 256 MiB together.
#[derive(Debug)]
pub struct Manifests {
    read: BTreeMap<PathBuf, ManifestNames>,
    bytes_left: usize,
}

impl Default for Manifests {
    fn default() -> Self {
        Self { read: BTreeMap::new(), bytes_left: MAX_TOTAL }
    }
}

impl Manifests {
    /// The names and ids of the capabilities in the manifest of a skill; `None` if the skill references no manifest.
    ///
    /// The path is relative to the folder of the skill, and stays in the skill's boundary: a skill must not make a
    /// program read other files. The reason of a failure quotes nothing of the file.
    pub fn names(&mut self, skill: &Skill) -> Option<ManifestNames> {
        let Declared::Text(path) = &skill.capabilities else { return None };
        let failed = |reason: &str| Err(format!("the manifest {} {reason}", quoted(path)));
        if Path::new(path).is_absolute() || path.is_empty() {
            return Some(failed("must be a path relative to the folder of the skill"));
        }
        let place = match skill.folder.join(path).canonicalize() {
            Ok(place) => place,
            Err(error) => return Some(failed(&format!("cannot be read: {error}"))),
        };
        if !place.starts_with(&skill.boundary) {
            return Some(failed("is outside the folder in which skills are searched"));
        }
        if !self.read.contains_key(&place) {
            let names = self.read(&place);
            self.read.insert(place.clone(), names);
        }
        let names = self.read.get(&place)?;
        Some(names.clone().or_else(|reason| failed(&reason)))
    }

    fn read(&mut self, place: &Path) -> ManifestNames {
        let limit = u64::try_from(MAX_BYTES.min(self.bytes_left)).unwrap_or_default();
        let bytes =
            capgen_files::read(place, Links::Refused, limit).map_err(|error| format!("cannot be read: {error}"))?;
        self.bytes_left -= bytes.len();
        // The notation depends on the name of the file.
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let manifest = capgen_manifest::decode(name, bytes).and_then(|source| capgen_manifest::load(&source));
        let manifest = manifest.map_err(|_| "is invalid; `capgen check` shows why".to_owned())?.manifest;
        let capabilities = manifest.capabilities.into_iter();
        Ok(Arc::new(capabilities.flat_map(|capability| [Some(capability.name), capability.id]).flatten().collect()))
    }
}
