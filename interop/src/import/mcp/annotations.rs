//! The hints of a tool.
//!
//! They come from the server, which may be wrong about them. A tool without hints gets no key: the defaults of the protocol describe the
//! worst case, and a contract states only facts that its provider states.
//!
//! | hints | `sideEffects` | `idempotent` |
//! |---|---|---|
//! | `readOnlyHint: true` | `pure` | `true` if `idempotentHint: true` |
//! | otherwise `idempotentHint: true` | `idempotent` | `true` |
//! | otherwise `idempotentHint: false` | `external` | `false` |
//! | otherwise `readOnlyHint: false`, `destructiveHint: true` or `openWorldHint: true` | `external` | |
//! | otherwise | | |

use capgen_manifest::{Capability, SideEffects};
use capgen_schema::{Json, pointer};

use super::Reader;

impl Reader<'_> {
    /// Sets the keys that follow from the hints, unless capgen wrote them.
    pub(super) fn annotations(&mut self, capability: &mut Capability) {
        let Some(annotations) = self.optional("annotations") else { return };
        if annotations.as_object().is_none() {
            return self.malformed(pointer::join(self.at, "annotations"), "an object");
        }
        let mut hint = |name: &str| match annotations.get(name) {
            Some(Json::Bool(value)) => Some(*value),
            Some(Json::Null) | None => None,
            Some(_) => {
                self.malformed(pointer::join(&pointer::join(self.at, "annotations"), name), "a boolean");
                None
            }
        };
        let [read_only, idempotent] = ["readOnlyHint", "idempotentHint"].map(&mut hint);
        let [destructive, open_world] = ["destructiveHint", "openWorldHint"].map(&mut hint);
        let (effects, repeats) = match (read_only, idempotent) {
            (Some(true), idempotent) => (Some(SideEffects::Pure), idempotent.filter(|value| *value)),
            (_, Some(true)) => (Some(SideEffects::Idempotent), Some(true)),
            (_, Some(false)) => (Some(SideEffects::External), Some(false)),
            (Some(false), None) => (Some(SideEffects::External), None),
            (None, None) => {
                let has_effects = destructive == Some(true) || open_world == Some(true);
                (has_effects.then_some(SideEffects::External), None)
            }
        };
        capability.side_effects = capability.side_effects.or(effects);
        capability.idempotent = capability.idempotent.or(repeats);
    }
}
