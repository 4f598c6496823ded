//! A finding: one change between two versions of a contract.

use capgen_diagnostic::Code;
use capgen_manifest::Side;
use capgen_schema::{Json, Violations};

use crate::{Fingerprint, Level, TextChange};

/// One change between two versions of a contract, by one rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The rule. `capgen explain` describes it.
    pub code: Code,
    /// How much the change matters.
    pub level: Level,
    /// The name of the capability, in the old contract if it has one there.
    pub capability: String,
    /// The side that changed; `None` for the other properties of a capability.
    pub side: Option<Side>,
    /// JSON Pointer from the capability of the old contract to the value that changed, such as
    /// `/inputSchema/properties/id`; `None` if the old contract has no such capability.
    pub old_pointer: Option<String>,
    /// The same for the new contract.
    pub new_pointer: Option<String>,
    /// One sentence, without a full stop.
    pub message: String,
    /// What to do, in words.
    pub help: Option<String>,
    /// For a breaking change of a schema: the payload that proves it.
    pub witness: Option<Witness>,
    /// For a text for readers, such as a description: the old and the new one.
    pub texts: Option<TextChange>,
    /// The identity of the finding.
    pub fingerprint: Fingerprint,
}

/// A payload that the sender's contract accepts and the receiver's contract rejects.
#[derive(Clone, PartialEq, Debug)]
pub struct Witness {
    /// The smallest payload that was found.
    pub payload: Json,
    /// Why the receiver rejects it; at least one.
    pub violations: Violations,
}

impl Finding {
    /// The place of the finding in the new contract if it has one there, otherwise in the old contract; a JSON Pointer
    /// from the capability.
    pub fn pointer(&self) -> &str {
        self.new_pointer.as_deref().or(self.old_pointer.as_deref()).unwrap_or_default()
    }
}
