//! The comparison of a caller's contract with the provider's.

use std::fmt;
use std::sync::Arc;

use capgen_descriptor::OwnedDescriptor;
use capgen_evolve::{Assume, CallSettings, Date, Refusal, can_call_accepting};
use capgen_manifest::{AgentId, Capability, Side};
use capgen_schema::Steps;
use capgen_time::Clock;
use serde_json::{Value, json};

use crate::outcome::reason;
use crate::peers::AcceptedFindings;

/// The rules of comparisons.
pub(super) struct Rules {
    pub(super) agent: AgentId,
    pub(super) assume: Assume,
    pub(super) accepted: AcceptedFindings,
    pub(super) clock: Arc<dyn Clock>,
}

/// The sides that are compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Compared {
    /// Whether every response is valid for the caller.
    Responses,
    /// Whether also every request is valid for the provider.
    Both,
}

/// Whether callers with a contract can call.
#[derive(Debug)]
pub(super) struct Verdict {
    /// Why they cannot.
    pub(super) refused: Option<Refused>,
    /// The last day of the verdict, if it depends on accepted findings.
    until: Option<Date>,
}

/// Why callers with a contract cannot call.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) message: String,
    pub(super) reason: &'static str,
    pub(super) finding: Option<Value>,
}

/// The budget of a comparison, with the search for the change that explains its result: others wait for it.
const BUDGET: Steps = Steps::of_seconds(1);

impl Rules {
    /// Whether a verdict may have changed since it was made, because accepted findings have expired.
    pub(super) fn is_outdated(&self, verdict: &Verdict) -> bool {
        verdict.until.is_some_and(|last| last < self.today())
    }

    fn today(&self) -> Date {
        Date::of_unix_ms(self.clock.now_ms())
    }

    /// The verdict on a caller. It takes up to a second.
    pub(super) fn compare(
        &self,
        mut caller: OwnedDescriptor,
        mut provider: OwnedDescriptor,
        compared: Compared,
    ) -> Verdict {
        // A side without a schema on either end is not compared: agents without schemas go on as before, and the other
        // end validates.
        if compared == Compared::Responses || caller.input_schema.is_none() || provider.input_schema.is_none() {
            (caller.input_schema, provider.input_schema) = (None, None);
        }
        if caller.output_schema.is_none() || provider.output_schema.is_none() {
            (caller.output_schema, provider.output_schema) = (None, None);
        }
        let settings = CallSettings { assume: self.assume, steps: BUDGET, budget: BUDGET, release: None };
        let accepted = self.accepted.entries().on(&self.agent, self.today());
        match can_call_accepting(&caller, &provider, &settings, accepted) {
            Ok(until) => Verdict { refused: None, until },
            Err(refusal) => {
                let (message, reason) = (refusal.to_string(), reason_of(&refusal));
                let refused = Some(Refused { message, reason, finding: finding(&refusal) });
                Verdict { refused, until: None }
            }
        }
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules").field("assume", &self.assume).field("accepted", &self.accepted).finish_non_exhaustive()
    }
}

/// The contract that a caller sent, or why it is invalid. It must have the hash that the caller states, because the
/// verdict is kept for this hash.
pub(super) fn received(text: &str, hash: &str) -> Result<OwnedDescriptor, String> {
    let mut descriptor: OwnedDescriptor =
        serde_json::from_str(text).map_err(|_| "it is not a descriptor".to_owned())?;
    let capability = Capability::from_descriptor(&descriptor).map_err(|_| "a property is invalid".to_owned())?;
    if capability.hash().to_string() != hash {
        return Err("its hash is another one".to_owned());
    }
    hash.clone_into(&mut descriptor.hash);
    Ok(descriptor)
}

/// The reason of a refusal, as data.
fn reason_of(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::Incompatible(found) if found.undecided.is_some() => reason::UNDECIDED,
        Refusal::Incompatible(found) if found.side == Side::Response => reason::RESPONSE,
        Refusal::Incompatible(_) => reason::PAYLOAD,
        _ => reason::UNDECIDED,
    }
}

/// The first breaking change that is not accepted, as data.
fn finding(refusal: &Refusal) -> Option<Value> {
    let Refusal::Incompatible(reason) = refusal else { return None };
    let witness = reason.witness.as_ref().map(|witness| {
        let payload: Value = serde_json::from_str(&witness.payload.canonical()).unwrap_or_default();
        let violations = &witness.violations;
        let mut proof = json!({"payload": payload, "violations": violations[..]});
        if let (Some(proof), true) = (proof.as_object_mut(), violations.is_truncated()) {
            proof.insert("truncated".to_owned(), true.into());
        }
        proof
    });
    let mut members = json!({"side": reason.side.name()});
    if let (Some(members), Some(found)) = (members.as_object_mut(), &reason.finding) {
        members.insert("code".to_owned(), found.code.as_str().into());
        members.insert("message".to_owned(), found.message.clone().into());
        members.insert("pointer".to_owned(), found.pointer().into());
        members.insert("help".to_owned(), found.help.clone().into());
        members.insert("fingerprint".to_owned(), found.fingerprint.as_str().into());
    }
    if let (Some(members), Some(witness)) = (members.as_object_mut(), witness) {
        members.insert("witness".to_owned(), witness);
    }
    Some(members)
}
