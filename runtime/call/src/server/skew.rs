//! Callers whose contract differs from the provider's.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use capgen_descriptor::OwnedDescriptor;
use capgen_evolve::{Assume, CallSettings, Refusal, can_call_described};
use capgen_manifest::{Capability, Side};
use capgen_schema::Steps;
use serde_json::{Value, json};
use tokio::sync::{OnceCell, Semaphore};

use super::difference::Difference;
use super::respond::Answer;
use crate::envelope::{Envelope, header};
use crate::outcome::{code, reason};

/// The contracts of callers, and whether they are compatible.
#[derive(Debug)]
pub(super) struct Comparisons {
    /// Requests with equal contracts wait for the same comparison.
    verdicts: Mutex<BTreeMap<Pair, Arc<OnceCell<Verdict>>>>,
    /// Older contracts that the provider knows, by capability and hash.
    known: BTreeMap<(String, String), OwnedDescriptor>,
    assume: Assume,
    /// One comparison at a time: it takes up to a second, and callers are not trusted.
    comparing: Semaphore,
    /// Permits for comparisons that run or wait: all others are refused, so that no caller can hold the handlers of the
    /// server.
    admitted: Semaphore,
}

/// The hashes of the contracts of a provider and of a caller, and the compared sides.
type Pair = (String, String, Compared);

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
enum Verdict {
    Compatible,
    Refused { message: String, reason: &'static str, finding: Option<Value> },
}

/// The number of verdicts that are kept. If there are more contracts than this, comparisons are repeated. Far more than
/// the versions of contracts that usual callers have; a hostile caller could send any number.
const CAPACITY: usize = 1024;
/// The size of the largest contract that a caller may send, in bytes. Usual ones have a few KB. It is read and compared
/// before the call runs, and fits into a message of 1 MiB with its payload.
const MAX_CONTRACT: usize = 256 * 1024;
/// The comparisons that may wait for another one, which takes up to a second: about the patience of a caller.
const MAX_WAITING: usize = 4;
/// The budget of a comparison, with the search for the change that explains its result: others wait for it.
const BUDGET: Steps = Steps::of_seconds(1);

impl Comparisons {
    pub(super) fn new(known: impl IntoIterator<Item = OwnedDescriptor>, assume: Assume) -> Self {
        let known = known.into_iter().map(|known| ((known.name.clone(), known.hash.clone()), known)).collect();
        Self {
            verdicts: Mutex::default(),
            known,
            assume,
            comparing: Semaphore::new(1),
            admitted: Semaphore::new(1 + MAX_WAITING),
        }
    }

    /// The answer to a request whose caller has another contract, and cannot call this provider; `None` if it can.
    pub(super) async fn check(
        &self,
        request: &Envelope,
        difference: &Difference<'_>,
        compared: Compared,
    ) -> Option<Answer> {
        let key = (difference.provider().hash.clone(), difference.caller().to_owned(), compared);
        let verdict = self.verdict(&key);
        match verdict.get_or_try_init(|| self.decide(&key, request, difference)).await {
            Ok(Verdict::Compatible) => None,
            Ok(Verdict::Refused { message, reason, finding }) => {
                Some(Answer::skew(message.clone(), difference.details(reason), finding.as_ref()))
            }
            Err(answer) => {
                self.forget(&key, &verdict);
                Some(answer)
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Pair, Arc<OnceCell<Verdict>>>> {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The verdict on a contract, which may not be known yet.
    fn verdict(&self, key: &Pair) -> Arc<OnceCell<Verdict>> {
        let mut verdicts = self.lock();
        if let Some(verdict) = verdicts.get(key) {
            return Arc::clone(verdict);
        }
        if verdicts.len() >= CAPACITY {
            verdicts.pop_first();
        }
        Arc::clone(verdicts.entry(key.clone()).or_default())
    }

    /// Forgets a verdict that a request could not decide, unless other requests try to: callers could use up the room
    /// otherwise.
    fn forget(&self, key: &Pair, verdict: &Arc<OnceCell<Verdict>>) {
        let mut verdicts = self.lock();
        // One for the request, and one in the map.
        if !verdict.initialized() && Arc::strong_count(verdict) == 2 {
            verdicts.remove(key);
        }
    }

    async fn decide(
        &self,
        (_, hash, compared): &Pair,
        request: &Envelope,
        difference: &Difference<'_>,
    ) -> Result<Verdict, Answer> {
        let unknown = || Answer::unknown_contract(difference);
        let known = self.known.get(&(difference.provider().name.clone(), hash.clone())).cloned();
        let text = request.header(header::DESCRIPTOR).map(str::to_owned);
        if known.is_none() && text.is_none() {
            return Err(unknown());
        }
        let Ok(_admitted) = self.admitted.try_acquire() else {
            return Err(Answer::error(code::BUSY, "the provider compares the contracts of other callers"));
        };
        let Ok(_permit) = self.comparing.acquire().await else { return Err(unknown()) };
        let (provider, hash, compared, assume) = (difference.provider().clone(), hash.clone(), *compared, self.assume);
        let compared = tokio::task::spawn_blocking(move || {
            let caller = match known {
                Some(known) => known,
                None => received(&text.unwrap_or_default(), &hash)?,
            };
            Ok(compare(caller, provider, compared, assume))
        });
        let failed = |_| Answer::error(code::VERSION_SKEW, "the comparison of the contracts failed");
        compared.await.map_err(failed)?
    }
}

/// The contract that a caller sent. It must have the hash that the caller states, because the verdict is kept for this
/// hash.
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

fn compare(mut caller: OwnedDescriptor, mut provider: OwnedDescriptor, compared: Compared, assume: Assume) -> Verdict {
    // A side without a schema on either end is not compared: agents without schemas go on as before, and the other end
    // validates.
    if compared == Compared::Responses || caller.input_schema.is_none() || provider.input_schema.is_none() {
        (caller.input_schema, provider.input_schema) = (None, None);
    }
    if caller.output_schema.is_none() || provider.output_schema.is_none() {
        (caller.output_schema, provider.output_schema) = (None, None);
    }
    let settings = CallSettings { assume, steps: BUDGET, budget: BUDGET, release: None };
    match can_call_described(&caller, &provider, &settings) {
        Ok(()) => Verdict::Compatible,
        Err(refusal) => {
            Verdict::Refused { message: refusal.to_string(), reason: reason_of(&refusal), finding: finding(&refusal) }
        }
    }
}

/// The reason of a refusal, as data.
fn reason_of(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::Incompatible(found) if found.side == Side::Response => reason::RESPONSE,
        Refusal::Incompatible(_) => reason::PAYLOAD,
        _ => reason::UNDECIDED,
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
