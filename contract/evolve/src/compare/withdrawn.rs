//! A version of a capability that the new contract no longer has, beside others that it has.

use capgen_manifest::{Capability, Side};

use super::Context;
use super::capability::{self, Draft};
use crate::{Finding, Level, codes};

/// Compares a version that is no longer served with those that its callers get instead, in the order in which a
/// provider tries them. One that accepts all requests replaces it, unless one before it may accept a request and give a
/// response that the callers reject. Otherwise, the finding has the payload that proves it. Also returns the index of
/// the other version.
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
        let mut breaking = draft.findings.iter().filter(|finding| is_breaking(finding)).peekable();
        if breaking.peek().is_none() {
            return (draft, Some(index));
        }
        if breaking.any(|finding| finding.side == Some(Side::Response)) {
            return (withdrawn(label, old, other, draft, context), Some(index));
        }
        first.get_or_insert((index, other, draft));
    }
    let Some((index, other, compared)) = first else { return (Draft::new(label, (true, false)), None) };
    (withdrawn(label, old, other, compared, context), Some(index))
}

/// Adds the finding to the comparison with the version that follows an old one, if a higher version that is tried first
/// does not fit the callers.
pub(super) fn check_higher<'c>(
    draft: &mut Draft,
    label: &str,
    old: Option<&Capability>,
    others: impl Iterator<Item = (usize, &'c Capability)>,
    context: &Context<'_>,
) {
    if draft.findings.iter().any(is_breaking) {
        return;
    }
    let (tried, _) = compare(label, old, others, context);
    draft.findings.extend(tried.findings.into_iter().filter(|finding| finding.code == codes::VERSION_WITHDRAWN));
    draft.set_levels(context.levels);
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
    let text = |capability: &Capability| match &capability.version {
        Some(version) => version.to_string(),
        None => "the one without a version".to_owned(),
    };
    let version = match old.and_then(|old| old.version.as_ref()) {
        Some(version) => format!("version {version}"),
        None => "the contract without a version".to_owned(),
    };
    let mut draft = Draft::new(label, (true, true));
    let rank = |finding: &Finding| (finding.side == Some(Side::Response), finding.witness.is_some());
    let proof = compared.findings.into_iter().filter(is_breaking).max_by_key(rank);
    let reason = proof.as_ref().map(|finding| format!(": {}", finding.message)).unwrap_or_default();
    let message = format!("{version} is no longer served, and {} does not fit its callers{reason}", text(other));
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
