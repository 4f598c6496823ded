//! A version of a capability that the new contract no longer has, beside others that it has.

use capgen_manifest::Capability;

use super::Context;
use super::capability::{self, Draft};
use crate::{Finding, Level, codes};

/// Compares a version that is no longer served with those that its callers get instead, in the order in which a
/// provider tries them: one that fits replaces it. Otherwise, the finding has the payload that proves it for the first
/// one. Also returns the index of the other version.
pub(super) fn compare<'c>(
    label: &str,
    old: Option<&Capability>,
    others: impl Iterator<Item = (usize, &'c Capability)>,
    context: &Context<'_>,
) -> (Draft, Option<usize>) {
    let mut first = None;
    for (index, other) in others {
        let mut draft = capability::compare(label, old, Some(other), context);
        // The other version was not raised from this one.
        draft.findings.retain(|finding| finding.code != codes::VERSION_NOT_RAISED);
        if !draft.findings.iter().any(is_breaking) {
            return (draft, Some(index));
        }
        first.get_or_insert((index, other, draft));
    }
    let Some((index, other, compared)) = first else { return (Draft::new(label, (true, false)), None) };
    (withdrawn(label, old, other, compared, context), Some(index))
}

fn is_breaking(finding: &Finding) -> bool {
    finding.level == Level::Breaking
}

/// The finding about a version whose callers are left without one that fits.
fn withdrawn(
    label: &str,
    old: Option<&Capability>,
    other: &Capability,
    compared: Draft,
    context: &Context<'_>,
) -> Draft {
    let text = |capability: &Capability| capability.version.as_ref().map(ToString::to_string).unwrap_or_default();
    let version = old.map(text).unwrap_or_default();
    let mut draft = Draft::new(label, (true, true));
    let proof = compared.findings.into_iter().filter(is_breaking).max_by_key(|finding| finding.witness.is_some());
    let reason = proof.as_ref().map(|finding| format!(": {}", finding.message)).unwrap_or_default();
    let message =
        format!("version {version} is no longer served, and {} does not fit its callers{reason}", text(other));
    let content = old.map(|old| old.hash().to_string()).unwrap_or_default();
    let help = "keep it until no caller uses it".to_owned();
    draft.property_with(codes::VERSION_WITHDRAWN, Level::Breaking, "", (message, &content), Some(help));
    if let (Some(finding), Some(proof)) = (draft.findings.last_mut(), proof) {
        finding.side = proof.side;
        finding.old_pointer = proof.old_pointer;
        finding.new_pointer = proof.new_pointer;
        finding.witness = proof.witness;
    }
    draft.request = compared.request;
    draft.response = compared.response;
    draft.set_levels(context.levels);
    draft
}
