//! Callers of the earlier major version, whose requests stay valid.

use capgen_manifest::Capability;
use capgen_schema::Containment;

use super::capability::Draft;
use crate::call::serves_version;
use crate::{Assume, Level, codes};

/// Reports a greater major version although every request of the old one stays valid: the provider serves the callers
/// of the old version, also if the requests mean something else now.
pub(super) fn check(old: &Capability, new: &Capability, assume: Assume, draft: &mut Draft) {
    let (Some(before), Some(after)) = (&old.version, &new.version) else { return };
    let are_valid = draft.request.as_ref().is_some_and(|requests| {
        let of_capgen = assume == Assume::CapgenPeer && requests.from_capgen_peer == Containment::Yes;
        requests.old_in_new == Containment::Yes || of_capgen
    });
    // A new set of versions that are served is a decision about these callers.
    let is_decided =
        old.min_schema_version != new.min_schema_version || old.supported_versions != new.supported_versions;
    if after.major <= before.major || !are_valid || is_decided || serves_version(new, before).is_err() {
        return;
    }
    let text = format!(
        "the major version was raised from {before} to {after}, but every request of {before} stays valid, so its callers \
         are served"
    );
    let help = format!(
        "if the meaning of requests changed, set `minSchemaVersion: {after}`, so that they are refused; otherwise, \
         `minSchemaVersion: {before}` states that they are served"
    );
    draft.property(codes::OLD_MAJOR_SERVED, Level::Risky, "version", text, Some(help));
}
