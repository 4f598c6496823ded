//! The providers that asked for the contracts of a client, and those that stated that responses may be invalid.

use std::collections::{BTreeMap, BTreeSet};

/// The hashes of the contracts of a client and of a provider.
type Pair = (String, String);

/// The contracts of one peer, which may have instances with several, and the client's.
#[derive(Default, Debug)]
pub(super) struct Asked {
    /// Whether the client has sent its contract, once for each contract of the provider: its instances with an equal
    /// one may all ask.
    sent: BTreeMap<Pair, bool>,
    /// The pairs that the log has.
    reported: BTreeSet<Pair>,
}

/// The most pairs that are remembered. A peer has a few contracts; a hostile one could send any number.
const MAX_PAIRS: usize = 1024;
/// The longest hash of a provider, in bytes: that of SHA-256 in hexadecimal. A longer text cannot be a hash, and a
/// hostile provider could fill the memory with it.
const MAX_HASH: usize = 64;

impl Asked {
    /// Notes that a provider asks for a contract.
    pub(super) fn ask(&mut self, own: &str, provider: &str) {
        if self.sent.len() < MAX_PAIRS && provider.len() <= MAX_HASH {
            self.sent.entry((own.to_owned(), provider.to_owned())).or_insert(false);
        }
    }

    /// The contracts of the providers for which the next request has the client's contract; empty if it does not. They
    /// count as sent then.
    pub(super) fn take(&mut self, own: &str) -> Vec<String> {
        let first = (own.to_owned(), String::new());
        let pairs = self.sent.range_mut(first..).take_while(|((hash, _), _)| hash == own);
        let wanted = pairs.filter_map(|((_, provider), is_sent)| {
            let is_new = !std::mem::replace(is_sent, true);
            is_new.then(|| provider.clone())
        });
        wanted.collect()
    }

    /// Notes that the request with the client's contract for these contracts of providers was not sent.
    pub(super) fn give_back(&mut self, own: &str, providers: Vec<String>) {
        for provider in providers {
            if let Some(is_sent) = self.sent.get_mut(&(own.to_owned(), provider)) {
                *is_sent = false;
            }
        }
    }

    /// Whether a provider asks for a contract that was not sent to it. Usually no provider asks for any.
    pub(super) fn is_wanted(&self, own: &str) -> bool {
        let is_own = |((hash, _), is_sent): (&Pair, &bool)| hash == own && !is_sent;
        !self.sent.is_empty() && self.sent.iter().any(is_own)
    }

    /// Whether it is new that responses of a provider may be invalid.
    pub(super) fn report(&mut self, own: &str, provider: &str) -> bool {
        self.reported.len() < MAX_PAIRS
            && provider.len() <= MAX_HASH
            && self.reported.insert((own.to_owned(), provider.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contract_is_sent_once_to_each_contract_of_a_provider() {
        let mut asked = Asked::default();
        let take = |asked: &mut Asked, own| asked.take(own).concat();
        assert_eq!(take(&mut asked, "a"), "");
        asked.ask("a", "p");
        asked.ask("b", "p");
        assert!(asked.is_wanted("a") && !asked.is_wanted("c"));
        assert_eq!([take(&mut asked, "a"), take(&mut asked, "a")], ["p", ""]);
        asked.ask("a", "p");
        assert_eq!(take(&mut asked, "a"), "");
        asked.ask("a", "q");
        assert_eq!([take(&mut asked, "a"), take(&mut asked, "b")], ["q", "p"]);
        assert!(!asked.is_wanted("a"));
        // Only the request for `q` was not sent.
        asked.give_back("a", vec!["q".to_owned(), "unknown".to_owned()]);
        assert!(asked.is_wanted("a") && !asked.is_wanted("b"));
        assert_eq!(take(&mut asked, "a"), "q");
        assert!(asked.report("a", "p") && !asked.report("a", "p"));
        let long = "p".repeat(MAX_HASH + 1);
        asked.ask("c", &long);
        assert!(!asked.is_wanted("c") && !asked.report("c", &long));
        (0..MAX_PAIRS * 2).for_each(|number| asked.ask("a", &number.to_string()));
        assert_eq!(asked.sent.len(), MAX_PAIRS);
    }
}
