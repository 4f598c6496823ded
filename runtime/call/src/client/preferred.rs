//! The contracts of a client whose requests go first to the instances of a peer that have the same contract.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

/// How long requests go first to the instances with the caller's contract, after one of them served a request that
/// another instance had refused: a part of the time that replacing all instances of an agent takes. The budget of
/// further attempts would otherwise end a part of the calls of a busy client while instances differ.
const PERIOD: Duration = Duration::from_secs(10);

/// The most contracts that are remembered. A client calls few capabilities of a peer, each with one contract.
const MAX_CONTRACTS: usize = 1024;

/// Where a request goes first while instances of the peer differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum First {
    /// To the instances with the caller's contract.
    Own,
    /// To any instance. This is one request at the end of each period: it shows whether they still differ.
    Any,
}

/// The contracts, by their hashes, and the ends of their periods.
#[derive(Default, Debug)]
pub(super) struct Preferred(BTreeMap<String, Instant>);

impl Preferred {
    /// An instance with the contract served a request that another one had refused.
    pub(super) fn served(&mut self, own: &str, now: Instant) {
        if self.0.len() < MAX_CONTRACTS || self.0.contains_key(own) {
            self.0.insert(own.to_owned(), now + PERIOD);
        }
    }

    /// Where a request goes first; `None` if these instances are not preferred.
    pub(super) fn first(&mut self, own: &str, now: Instant) -> Option<First> {
        let end = self.0.get_mut(own)?;
        if now < *end {
            return Some(First::Own);
        }
        *end = now + PERIOD;
        Some(First::Any)
    }

    /// These instances do not answer any more, or any instance serves the request.
    pub(super) fn forget(&mut self, own: &str) {
        self.0.remove(own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_request_of_each_period_goes_to_any_instance() {
        let (mut preferred, start) = (Preferred::default(), Instant::now());
        assert_eq!(preferred.first("a", start), None);
        preferred.served("a", start);
        let late = start + PERIOD;
        assert_eq!((preferred.first("a", start), preferred.first("b", start)), (Some(First::Own), None));
        assert_eq!((preferred.first("a", late), preferred.first("a", late)), (Some(First::Any), Some(First::Own)));
        preferred.forget("a");
        assert_eq!(preferred.first("a", late), None);
    }
}
