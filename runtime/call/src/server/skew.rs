//! Callers whose contract differs from the provider's.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use capgen_descriptor::OwnedDescriptor;
use capgen_evolve::{Assume, CallSettings, Refusal, can_call_described};
use capgen_manifest::Capability;
use capgen_schema::Steps;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::respond::Answer;
use crate::envelope::{Envelope, MessageKind, header};
use crate::outcome::code;

/// The contracts of callers, and whether they are compatible.
#[derive(Debug)]
pub(super) struct Skew {
    verdicts: Mutex<BTreeMap<(String, String), Arc<Verdict>>>,
    /// Older contracts that the provider knows, by capability and hash.
    known: BTreeMap<(String, String), OwnedDescriptor>,
    /// One comparison at a time: it takes up to a second, and callers are not trusted.
    comparing: Semaphore,
}

/// Whether callers with a contract can call.
#[derive(Debug)]
enum Verdict {
    Compatible,
    Refused { message: String, finding: Option<Value> },
}

/// The number of verdicts that are kept. If there are more contracts than this, comparisons are repeated. Far more than
/// the versions of contracts that usual callers have; a hostile caller could send any number.
const CAPACITY: usize = 1024;
/// The size of the largest contract that a caller may send, in bytes. Usual ones have a few KB. It is read and compared
/// before the call runs, and fits into a message of 1 MiB with its payload.
const MAX_CONTRACT: usize = 256 * 1024;
/// The budget of a comparison, with the search for the change that explains its result: others wait for it.
const BUDGET: Steps = Steps::of_seconds(1);

impl Skew {
    pub(super) fn new(known: impl IntoIterator<Item = OwnedDescriptor>) -> Self {
        let known = known.into_iter().map(|known| ((known.name.clone(), known.hash.clone()), known)).collect();
        Self { verdicts: Mutex::default(), known, comparing: Semaphore::new(1) }
    }

    /// Whether the contract of a caller is another one.
    pub(super) fn differs(&self, request: &Envelope, provider: &OwnedDescriptor) -> bool {
        request.header(header::CONTRACT).is_some_and(|hash| hash != provider.hash)
    }

    /// The answer to a request whose caller has another contract, and cannot call this provider; `None` if it can.
    pub(super) async fn check(&self, request: &Envelope, provider: &OwnedDescriptor) -> Option<Answer> {
        let hash = request.header(header::CONTRACT)?;
        let key = (provider.name.clone(), hash.to_owned());
        let verdict = match self.verdict(&key) {
            Some(verdict) => verdict,
            None => match self.decide(key, request, provider).await {
                Ok(verdict) => verdict,
                Err(answer) => return Some(answer),
            },
        };
        match verdict.as_ref() {
            Verdict::Compatible => None,
            Verdict::Refused { message, finding } => Some(Answer::skew(message.clone(), finding.as_ref())),
        }
    }

    fn verdict(&self, key: &(String, String)) -> Option<Arc<Verdict>> {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    async fn decide(
        &self,
        key: (String, String),
        request: &Envelope,
        provider: &OwnedDescriptor,
    ) -> Result<Arc<Verdict>, Answer> {
        let known = self.known.get(&key).cloned();
        let text = request.header(header::DESCRIPTOR).map(str::to_owned);
        if known.is_none() && text.is_none() {
            // An event has no response that could ask for the contract. Its payload is validated in any case.
            let is_event = request.kind() == MessageKind::Event;
            return if is_event { Ok(Arc::new(Verdict::Compatible)) } else { Err(Answer::unknown_contract()) };
        }
        let Ok(_permit) = self.comparing.acquire().await else { return Err(Answer::unknown_contract()) };
        if let Some(verdict) = self.verdict(&key) {
            return Ok(verdict);
        }
        let (provider, hash) = (provider.clone(), key.1.clone());
        let compared = tokio::task::spawn_blocking(move || {
            let caller = match known {
                Some(known) => known,
                None => received(&text.unwrap_or_default(), &hash)?,
            };
            Ok(compare(caller, provider))
        });
        let Ok(verdict) = compared.await else {
            return Err(Answer::error(code::VERSION_SKEW, "the comparison of the contracts failed"));
        };
        let verdict = Arc::new(verdict?);
        let mut verdicts = self.verdicts.lock().unwrap_or_else(PoisonError::into_inner);
        if verdicts.len() >= CAPACITY {
            verdicts.pop_first();
        }
        verdicts.insert(key, Arc::clone(&verdict));
        Ok(verdict)
    }
}

/// The contract that a caller sent. It must have the hash that the caller states, because the verdict is kept for this hash.
fn received(text: &str, hash: &str) -> Result<OwnedDescriptor, Answer> {
    let invalid = |reason: &str| {
        Answer::error(code::INVALID_ENVELOPE, format!("the header `{}` is invalid: {reason}", header::DESCRIPTOR))
    };
    if text.len() > MAX_CONTRACT {
        return Err(invalid(&format!("it has more than {MAX_CONTRACT} bytes")));
    }
    let descriptor: OwnedDescriptor = serde_json::from_str(text).map_err(|_| invalid("it is not a descriptor"))?;
    let capability = Capability::from_descriptor(&descriptor).map_err(|_| invalid("a property is invalid"))?;
    if capability.hash().to_string() != hash {
        return Err(invalid("its hash is another one"));
    }
    let mut descriptor = descriptor;
    hash.clone_into(&mut descriptor.hash);
    Ok(descriptor)
}

fn compare(mut caller: OwnedDescriptor, mut provider: OwnedDescriptor) -> Verdict {
    // A side without a schema on either end is not compared: agents without schemas go on as before, and the other end validates.
    if caller.input_schema.is_none() || provider.input_schema.is_none() {
        (caller.input_schema, provider.input_schema) = (None, None);
    }
    if caller.output_schema.is_none() || provider.output_schema.is_none() {
        (caller.output_schema, provider.output_schema) = (None, None);
    }
    let settings = CallSettings { assume: Assume::AnyPeer, steps: BUDGET, budget: BUDGET, release: None };
    match can_call_described(&caller, &provider, &settings) {
        Ok(()) => Verdict::Compatible,
        Err(refusal) => Verdict::Refused { message: refusal.to_string(), finding: finding(&refusal) },
    }
}

/// The first breaking change, as data.
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
    }
    if let (Some(members), Some(witness)) = (members.as_object_mut(), witness) {
        members.insert("witness".to_owned(), witness);
    }
    Some(members)
}
