//! Whether the version of a capability was raised as its changes require.

use capgen_manifest::Capability;

use super::capability::Draft;
use crate::{Bump, Level, codes};

/// Reports a version that was raised by less than `bump`. Capabilities without a version are not checked: they promise nothing.
pub(super) fn check(old: &Capability, new: &Capability, bump: Bump, draft: &mut Draft) {
    let (Some(before), Some(after)) = (&old.version, &new.version) else { return };
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
