//! Exports of contracts with several versions of a capability, in formats that have one.

use std::borrow::Cow;

use capgen_manifest::{Manifest, plain_versions};

use super::Loss;

/// The contract with the plain version of each capability: the highest that is not a pre-release. The others are
/// losses.
pub(super) fn plain(manifest: &Manifest) -> (Cow<'_, Manifest>, Vec<Loss>) {
    let plain = plain_versions(&manifest.capabilities);
    if plain.len() == manifest.capabilities.len() {
        return (Cow::Borrowed(manifest), Vec::new());
    }
    let (mut kept, mut losses) = (Vec::with_capacity(plain.len()), Vec::new());
    for ((index, capability), label) in manifest.capabilities.iter().enumerate().zip(manifest.labels()) {
        if plain.binary_search(&index).is_ok() {
            kept.push(capability.clone());
        } else {
            let name = capability.name.as_str();
            let other = manifest.capability(name).and_then(|plain| plain.version.as_ref());
            let other = other.map(ToString::to_string).unwrap_or_default();
            let message =
                format!("left out: the document has one version of each capability, that of `{name}` is {other}");
            losses.push(Loss { capability: label, side: None, pointer: String::new(), message });
        }
    }
    let (agent, transports) = (manifest.agent.clone(), manifest.transports.clone());
    let about = manifest.about.clone();
    (Cow::Owned(Manifest { about, ..Manifest::new(agent, transports, kept) }), losses)
}
