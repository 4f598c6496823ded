//! Whether the version of a capability was raised as its changes require.

use capgen_manifest::Capability;

use super::capability::Draft;
use crate::{Bump, Level, codes};

/// Reports a version that was raised by less than `bump`, or removed. Capabilities that had no version are not checked: they promised
/// nothing.
pub(super) fn check(old: &Capability, new: &Capability, bump: Bump, draft: &mut Draft) {
    let (Some(before), Some(after)) = (&old.version, &new.version) else {
        if let (Some(before), None) = (&old.version, &new.version) {
            let text = format!("the version {before} was removed");
            let help = "callers compare versions: keep it, and raise it as the changes require".to_owned();
            draft.property(codes::VERSION_NOT_RAISED, Level::Breaking, "version", text, Some(help));
        }
        return;
    };
    let is_lowered = after < before;
    if !is_lowered && bump.is_met(before, after) {
        return;
    }
    let least = if is_lowered && bump == Bump::None { before.clone() } else { bump.least(before) };
    let text = match (is_lowered, before == after) {
        (true, _) => format!("the version was lowered from {before} to {after}"),
        (_, true) => format!("the contract changed, but the version is still {after}"),
        _ => format!("the version was raised from {before} to {after}, which is less than a {} version", bump.name()),
    };
    let help = format!("the least version for these changes is {least}");
    draft.property(codes::VERSION_NOT_RAISED, Level::Breaking, "version", text, Some(help));
}
