//! Callers whose contract differs from the provider's: the verdicts about them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use capgen_descriptor::OwnedDescriptor;
use capgen_shares::Shares;
use tokio::sync::OnceCell;

use super::callers::Caller;
use super::difference::Difference;
use super::gate::{Gate, Place};
use super::respond::Answer;
use super::verdict::{Compared, Rules, Verdict, received};
use crate::envelope::{Envelope, MAX_DESCRIPTOR, header};
use crate::outcome::code;

/// The contracts of callers, and whether they are compatible.
#[derive(Debug)]
pub(super) struct Comparisons {
    verdicts: Mutex<Verdicts>,
    /// Older contracts that the provider knows, by capability and hash.
    known: BTreeMap<(String, String), OwnedDescriptor>,
    rules: Arc<Rules>,
    /// One comparison at a time: it takes up to a second, and callers are not trusted.
    comparing: Arc<Gate>,
    /// The comparisons that run or wait.
    admitted: Arc<Gate>,
}

#[derive(Debug)]
struct Verdicts {
    /// Requests with equal contracts wait for the same comparison.
    all: BTreeMap<Pair, Kept>,
    shares: Shares<Caller>,
}

/// A verdict, and the caller whose share it is a part of.
#[derive(Debug)]
struct Kept {
    verdict: Arc<OnceCell<Verdict>>,
    caller: Caller,
}

/// The hashes of the contracts of a provider and of a caller, and the compared sides.
type Pair = (String, String, Compared);

/// The contract of a caller, which may be invalid.
enum Contract {
    Known(Box<OwnedDescriptor>),
    Text(String),
}

/// Why there is no verdict.
#[derive(Debug)]
enum Unknown {
    /// The caller's contract is not known.
    Contract,
    /// The caller sent an invalid contract: why.
    Invalid(String),
    /// Too many other comparisons wait.
    Busy,
    Failed,
}

/// The knowledge about the responses to a caller that is served.
pub(super) enum Responses {
    /// All of them are valid for the caller, or the contracts are being compared.
    Fit,
    /// Some may be invalid, for a reason.
    MayFail(&'static str),
    /// The caller's contract is needed.
    Unknown,
}

/// The number of verdicts that are kept. If there are more contracts than this, comparisons are repeated. Far more than
/// the versions of contracts that usual callers have; a hostile caller could send any number.
const CAPACITY: u64 = 1024;
/// The comparisons of one caller that run or wait, each of which takes up to a second: about the patience of a caller.
/// Further ones are refused, so that no caller can hold the handlers of the server.
const MAX_OF_CALLER: u64 = 5;
/// The comparisons of all callers that run or wait, each of which has a contract in memory.
const MAX_COMPARISONS: usize = 64;

impl Comparisons {
    pub(super) fn new(known: impl IntoIterator<Item = OwnedDescriptor>, rules: Rules) -> Self {
        let known = known.into_iter().map(|known| ((known.name.clone(), known.hash.clone()), known)).collect();
        Self {
            verdicts: Mutex::new(Verdicts { all: BTreeMap::new(), shares: Shares::new(CAPACITY) }),
            known,
            rules: Arc::new(rules),
            comparing: Gate::new(1),
            admitted: Gate::new(MAX_COMPARISONS),
        }
    }

    /// The answer to a request whose caller has another contract, and cannot call this provider; `None` if it can.
    pub(super) async fn check(
        &self,
        request: &Envelope,
        difference: &Difference<'_>,
        compared: Compared,
        caller: &Caller,
    ) -> Option<Answer> {
        let pair = (difference.provider().hash.clone(), difference.caller().to_owned(), compared);
        let verdict = self.verdict(&pair, caller);
        let decided = verdict.get_or_try_init(|| async {
            let contract = self.contract(&pair, request, difference)?;
            let place = self.admitted.try_enter(caller, MAX_OF_CALLER).ok_or(Unknown::Busy)?;
            self.compare(&pair, contract, difference.provider(), (caller, place)).await
        });
        match decided.await {
            Ok(Verdict { refused: None, .. }) => None,
            Ok(Verdict { refused: Some(refused), .. }) => {
                let details = difference.details(refused.reason);
                Some(Answer::skew(refused.message.clone(), details, refused.finding.as_ref()))
            }
            Err(unknown) => {
                self.forget(&pair, &verdict);
                Some(unknown.answer(difference))
            }
        }
    }

    /// The knowledge about the responses to a request that was served. If the request has the caller's contract, the
    /// comparison starts, beside the calls.
    pub(super) fn responses(
        self: &Arc<Self>,
        request: &Envelope,
        difference: &Difference<'_>,
        caller: &Caller,
    ) -> Responses {
        let provider = difference.provider();
        if provider.output_schema.is_none() {
            return Responses::Fit;
        }
        let pair = (provider.hash.clone(), difference.caller().to_owned(), Compared::Responses);
        if let Some(verdict) = self.kept(&pair) {
            return match verdict.get().map(|verdict| &verdict.refused) {
                Some(Some(refused)) => Responses::MayFail(refused.reason),
                Some(None) | None => Responses::Fit,
            };
        }
        match self.contract(&pair, request, difference) {
            Ok(contract) => {
                self.begin(pair, contract, provider, caller);
                Responses::Fit
            }
            Err(Unknown::Contract) => Responses::Unknown,
            // It would send the same again.
            Err(_) => Responses::Fit,
        }
    }

    /// Starts a comparison, if there is room.
    fn begin(self: &Arc<Self>, pair: Pair, contract: Contract, provider: &OwnedDescriptor, caller: &Caller) {
        let Some(place) = self.admitted.try_enter(caller, MAX_OF_CALLER) else { return };
        let (comparisons, provider, caller) = (Arc::clone(self), provider.clone(), caller.clone());
        let verdict = self.verdict(&pair, &caller);
        tokio::spawn(async move {
            let compared = comparisons.compare(&pair, contract, &provider, (&caller, place));
            if verdict.get_or_try_init(|| compared).await.is_err() {
                comparisons.forget(&pair, &verdict);
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, Verdicts> {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A verdict that is known, or being made.
    fn kept(&self, pair: &Pair) -> Option<Arc<OnceCell<Verdict>>> {
        let mut verdicts = self.lock();
        let kept = Arc::clone(&verdicts.all.get(pair)?.verdict);
        if kept.get().is_some_and(|verdict| self.rules.is_outdated(verdict)) {
            verdicts.remove(pair);
            return None;
        }
        Some(kept)
    }

    /// The verdict on a contract, which may not be known yet.
    fn verdict(&self, pair: &Pair, caller: &Caller) -> Arc<OnceCell<Verdict>> {
        if let Some(verdict) = self.kept(pair) {
            return verdict;
        }
        self.lock().add(pair, caller)
    }

    /// Forgets a verdict that a request could not decide, unless other requests try to: callers could use up the room
    /// otherwise.
    fn forget(&self, pair: &Pair, verdict: &Arc<OnceCell<Verdict>>) {
        let mut verdicts = self.lock();
        // One for the request, and one in the map.
        if !verdict.initialized() && Arc::strong_count(verdict) == 2 {
            verdicts.remove(pair);
        }
    }

    /// The contract of the caller: one that the provider knows, or the text that the request has.
    fn contract(&self, pair: &Pair, request: &Envelope, difference: &Difference<'_>) -> Result<Contract, Unknown> {
        let (_, hash, _) = pair;
        if let Some(known) = self.known.get(&(difference.provider().name.clone(), hash.clone())) {
            return Ok(Contract::Known(Box::new(known.clone())));
        }
        match request.header(header::DESCRIPTOR) {
            None => Err(Unknown::Contract),
            Some(text) if text.len() > MAX_DESCRIPTOR => {
                Err(Unknown::Invalid(format!("it has more than {MAX_DESCRIPTOR} bytes")))
            }
            Some(text) => Ok(Contract::Text(text.to_owned())),
        }
    }

    async fn compare(
        &self,
        (_, hash, compared): &Pair,
        contract: Contract,
        provider: &OwnedDescriptor,
        (caller, admitted): (&Caller, Place),
    ) -> Result<Verdict, Unknown> {
        let comparing = self.comparing.enter(caller).await;
        let (provider, hash, compared, rules) = (provider.clone(), hash.clone(), *compared, Arc::clone(&self.rules));
        let compared = tokio::task::spawn_blocking(move || {
            // Until the end, also if the request is not waited for any more.
            let _places = (comparing, admitted);
            let caller = match contract {
                Contract::Known(known) => *known,
                Contract::Text(text) => received(&text, &hash).map_err(Unknown::Invalid)?,
            };
            Ok(rules.compare(caller, provider, compared))
        });
        compared.await.map_err(|_| Unknown::Failed)?
    }
}

impl Verdicts {
    /// Adds a verdict that is not known yet. If the caller has its share of them, one of its own is forgotten.
    fn add(&mut self, pair: &Pair, caller: &Caller) -> Arc<OnceCell<Verdict>> {
        if let Some(kept) = self.all.get(pair) {
            return Arc::clone(&kept.verdict);
        }
        let verdict = Arc::default();
        if !self.shares.try_take(caller, 1) {
            let own = self.all.iter().find(|(_, kept)| kept.caller == *caller).map(|(pair, _)| pair.clone());
            let Some(own) = own else { return verdict };
            self.remove(&own);
            if !self.shares.try_take(caller, 1) {
                return verdict;
            }
        }
        self.all.insert(pair.clone(), Kept { verdict: Arc::clone(&verdict), caller: caller.clone() });
        verdict
    }

    fn remove(&mut self, pair: &Pair) {
        if let Some(kept) = self.all.remove(pair) {
            self.shares.give_back(&kept.caller, 1);
        }
    }
}

impl Unknown {
    fn answer(self, difference: &Difference<'_>) -> Answer {
        match self {
            Self::Contract => Answer::unknown_contract(difference),
            Self::Invalid(reason) => {
                let message = format!("the header `{}` is invalid: {reason}", header::DESCRIPTOR);
                Answer::error(code::INVALID_ENVELOPE, message)
            }
            Self::Busy => Answer::error(code::BUSY, "the provider compares the contracts of other callers"),
            Self::Failed => Answer::error(code::VERSION_SKEW, "the comparison of the contracts failed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_that_fills_its_share_of_verdicts_loses_its_own() {
        let mut verdicts = Verdicts { all: BTreeMap::new(), shares: Shares::new(8) };
        let (flood, other) = (Caller::Agent("a".into()), Caller::Agent("b".into()));
        let pair = |name: &str, number: i32| (name.to_owned(), number.to_string(), Compared::Responses);
        for number in 0..100 {
            verdicts.add(&pair("flood", number), &flood);
        }
        assert_eq!(verdicts.all.len(), 8);
        verdicts.add(&pair("other", 0), &other);
        for number in 100..200 {
            verdicts.add(&pair("flood", number), &flood);
        }
        assert!(verdicts.all.contains_key(&pair("other", 0)));
        assert!(verdicts.all.len() <= 10 && verdicts.shares.used() == verdicts.all.len() as u64);
        // A verdict that is known takes no further room.
        let before = verdicts.all.len();
        verdicts.add(&pair("other", 0), &other);
        assert_eq!(verdicts.all.len(), before);
    }
}
