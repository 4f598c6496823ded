//! The checks of the artifacts of a bundle, and of the references of its descriptors.

use std::collections::BTreeMap;
use std::path::Path;

use capgen_diagnostic::quoted;
use capgen_schema::Schema;

use super::error::Problems;
use super::files::{self, Size};
use super::{ARTIFACTS, BundleError, INDEX, Index};
use crate::descriptor::SchemaRef;
use crate::version::CapabilityId;

/// A verified artifact.
pub(super) struct Verified<'a> {
    pub(super) key: &'a str,
    pub(super) bytes: Vec<u8>,
    /// The schema, if a descriptor refers to the artifact.
    pub(super) schema: Option<Schema>,
}

/// The references of descriptors to each artifact, with the descriptor and the key in it.
type References<'a> = BTreeMap<&'a str, Vec<(Place<'a>, &'a SchemaRef)>>;

/// A reference of a descriptor: its id and its key.
type Place<'a> = (&'a CapabilityId, &'static str);

/// Reads every artifact, checks all rules about it and about the descriptors that refer to it, and passes it on. So at
/// most one artifact is in memory at a time.
///
/// # Errors
///
/// All faults. The artifacts that were passed on must not be used then.
pub(super) fn check<'a>(
    folder: &Path,
    index: &'a Index,
    mut pass_on: impl FnMut(Verified<'a>),
) -> Result<(), BundleError> {
    let folder = folder.join(ARTIFACTS);
    // Without artifacts, the folder need not exist. If it is a link, that is an error of the layout even then.
    if let Err(reason) = files::check_folder(&folder)
        && (!index.artifacts.is_empty() || folder.symlink_metadata().is_ok())
    {
        return Err(BundleError::of(ARTIFACTS, reason));
    }
    let mut problems = Problems::default();
    check_versions(index, &mut problems);
    let references = references(index, &mut problems);
    for (key, artifact) in &index.artifacts {
        let file = file(key);
        let bytes = match files::read(&folder.join(key), Size::Exactly(artifact.size)) {
            Ok(bytes) if artifact.hash_alg.hash(&bytes) == artifact.hash => bytes,
            Ok(_) => {
                problems.add(file, "is altered: its hash is not the one in the signed list");
                continue;
            }
            Err(reason) => {
                problems.add(file, reason);
                continue;
            }
        };
        let references = references.get(key.as_str()).map(Vec::as_slice).unwrap_or_default();
        let mut is_valid = true;
        for (place, reference) in references {
            if let Err(reason) = check_hash(reference, &bytes) {
                problems.add(file.as_str(), format!("{reason} of {}", shown(place)));
                is_valid = false;
            }
        }
        let schema = match references {
            [_, ..] if is_valid => parse(&bytes).map_err(|reason| problems.add(file, reason)).ok(),
            _ => None,
        };
        pass_on(Verified { key, bytes, schema });
    }
    problems.result()
}

/// Checks the hash of a reference.
///
/// # Errors
///
/// The reason, which ends before the place of the reference.
pub(super) fn check_hash(reference: &SchemaRef, bytes: &[u8]) -> Result<(), String> {
    if reference.matches(bytes) { Ok(()) } else { Err("its hash is not the one in the descriptor".to_owned()) }
}

/// Parses a schema whose hash was verified.
///
/// # Errors
///
/// The reason. It quotes no more than a part of the schema.
pub(super) fn parse(bytes: &[u8]) -> Result<Schema, String> {
    // The message may quote a name of the schema, which may be as long as the artifact, 1 MiB; its start leads to the
    // place.
    const MAX_MESSAGE: usize = 300;
    let text = str::from_utf8(bytes).map_err(|_| "is not a schema: it is not UTF-8".to_owned())?;
    Schema::parse_text(text).map_err(|error| {
        format!("is not a schema of the subset: {}", capgen_diagnostic::shortened(&error.to_string(), MAX_MESSAGE))
    })
}

/// The path of an artifact in the bundle.
pub(super) fn file(key: &str) -> String {
    format!("{ARTIFACTS}/{}", capgen_diagnostic::shortened(key, 128))
}

/// The references that lead to listed artifacts; reports the others.
fn references<'a>(index: &'a Index, problems: &mut Problems) -> References<'a> {
    let mut references = References::new();
    for descriptor in &index.descriptors {
        let sides = [("input_schema", &descriptor.input_schema), ("output_schema", &descriptor.output_schema)];
        for (side, reference) in sides {
            let place = (&descriptor.id, side);
            let Some(artifact) = &reference.artifact else {
                problems.add(INDEX, format!("{} has neither `bundle_id` nor `artifact_key`", shown(&place)));
                continue;
            };
            if artifact.bundle_id != index.bundle_id {
                let other = quoted(&artifact.bundle_id);
                problems.add(INDEX, format!("{} refers to another bundle, {other}", shown(&place)));
            } else if index.artifacts.contains_key(&artifact.artifact_key) {
                references.entry(artifact.artifact_key.as_str()).or_default().push((place, reference));
            } else {
                let key = quoted(&artifact.artifact_key);
                problems.add(INDEX, format!("{} refers to {key}, which is not listed", shown(&place)));
            }
        }
    }
    references
}

/// Reports versions of one name that have equal precedence: an exact version would identify both (decision 7).
fn check_versions(index: &Index, problems: &mut Problems) {
    let mut ids: Vec<_> = index.descriptors.iter().map(|descriptor| &descriptor.id).collect();
    ids.sort();
    for pair in ids.windows(2) {
        let [one, other] = pair else { continue };
        if one.name == other.name && one.version.cmp_precedence(&other.version).is_eq() {
            let [one, other] = [one, other].map(|id| quoted(&id.to_string()));
            problems.add(INDEX, format!("{one} and {other} have equal precedence"));
        }
    }
}

fn shown((id, side): &Place<'_>) -> String {
    format!("`{side}` of {}", quoted(&id.to_string()))
}
