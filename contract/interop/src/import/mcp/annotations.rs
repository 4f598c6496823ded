//! The hints of a tool.
//!
//! They come from the server, which may be wrong about them. A tool without hints gets no key: the defaults of the
//! protocol describe the worst case, and a contract states only facts that its provider states.
//!
//! | hints | `sideEffects` | `idempotent` |
//! |---|---|---|
//! | `readOnlyHint: true` | `pure` | `true` if `idempotentHint: true` |
//! | otherwise `idempotentHint: true` | `idempotent` | `true` |
//! | otherwise `idempotentHint: false` | `external` | `false` |
//! | otherwise `readOnlyHint: false`, `destructiveHint: true` or `openWorldHint: true` | `external` | |
//! | otherwise | | |
//!
//! If an export of capgen wrote the keys, the hints only have to agree with them.

use capgen_manifest::{Capability, SideEffects};
use capgen_schema::{Json, pointer};

use super::Reader;
use crate::export::hints_of;

impl Reader<'_> {
    /// Sets the keys that follow from the hints. If an export wrote the keys, hints that contradict them are errors
    /// instead: a reader of the list may rely on either.
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
        if capability.side_effects.is_some() || capability.idempotent.is_some() {
            let hints = [
                ("readOnlyHint", read_only),
                ("idempotentHint", idempotent),
                // A tool without effects destroys nothing, so an export never writes this one.
                ("destructiveHint", destructive.filter(|_| capability.side_effects == Some(SideEffects::Pure))),
            ];
            return self.contradictions(capability, hints);
        }
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
        capability.side_effects = effects;
        capability.idempotent = repeats;
    }

    /// Reports the hints that contradict the keys of the contract.
    fn contradictions(&mut self, capability: &Capability, hints: [(&str, Option<bool>); 3]) {
        let expected = hints_of(capability);
        for (name, hint) in hints {
            let of_contract = match name {
                "destructiveHint" => Some(false),
                name => expected.get(name).map(|value| *value == Json::Bool(true)),
            };
            let (Some(hint), Some(of_contract)) = (hint, of_contract) else { continue };
            if hint == of_contract {
                continue;
            }
            let key = match (name, capability.side_effects, capability.idempotent) {
                ("idempotentHint", _, Some(value)) => format!("idempotent: {value}"),
                (_, Some(effects), _) => format!("sideEffects: {}", effects.name()),
                _ => continue,
            };
            let at = pointer::join(&pointer::join(self.at, "annotations"), name);
            let message = format!("`{name}: {hint}` contradicts `{key}` in `_meta`");
            self.importer.invalid_mark(self.entry, at, message);
        }
    }
}
