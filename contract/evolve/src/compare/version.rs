//! Whether the version of a capability was raised as its changes require.

use std::cmp::Ordering;

use capgen_manifest::Capability;

use super::capability::Draft;
use crate::{Bump, Finding, Level, codes};

/// Reports a version that was raised by less than `bump`, or removed. Capabilities that had no version are not checked:
/// they promised nothing.
///
/// The finding is breaking if a change is, or if the version was lowered or removed, because callers decide by the
/// version whether they can call. Changes that break no caller are not called breaking because of the version: it is
/// risky if something was added, because callers that need it cannot ask for it, and cosmetic if only texts for readers
/// changed. `announced` has the [changes](announced) that require the step.
pub(super) fn check(old: &Capability, new: &Capability, bump: Bump, announced: &str, draft: &mut Draft) {
    let (Some(before), Some(after)) = (&old.version, &new.version) else {
        if let (Some(before), None) = (&old.version, &new.version) {
            let text = format!("the version {before} was removed");
            let help = "callers compare versions: keep it, and raise it as the changes require".to_owned();
            draft.property_with(codes::VERSION_NOT_RAISED, Level::Breaking, "version", (text, announced), Some(help));
        }
        return;
    };
    // Build metadata does not order versions.
    let order = after.cmp_precedence(before);
    if order.is_ge() && bump.is_met(before, after) {
        return;
    }
    let least = if order.is_lt() && bump == Bump::None { before.clone() } else { bump.least(before) };
    let step = bump.raised(before).name();
    let text = match order {
        Ordering::Less => format!("the version was lowered from {before} to {after}"),
        Ordering::Equal => format!("the contract changed, but the version is still {after}"),
        Ordering::Greater => {
            format!("the version was raised from {before} to {after}, which is less than a {step} version")
        }
    };
    let level = match (order, bump) {
        (Ordering::Equal, Bump::Patch) => Level::Cosmetic,
        (Ordering::Equal | Ordering::Greater, Bump::Minor) => Level::Risky,
        _ => Level::Breaking,
    };
    let help = format!("the least version for these changes is {least}");
    draft.property_with(codes::VERSION_NOT_RAISED, level, "version", (text, announced), Some(help));
}

/// The step that the version should announce, and the changes that require it: a reviewer who accepts that the version
/// does not announce these changes accepts no other ones.
pub(super) fn announced<'f>(bump: Bump, findings: impl Iterator<Item = &'f Finding>) -> String {
    let required = findings.filter(|finding| finding.level.bump() == bump);
    let mut changes: Vec<&str> = required.map(|finding| finding.fingerprint.as_str()).collect();
    changes.sort_unstable();
    changes.insert(0, bump.name());
    changes.join(" ")
}
