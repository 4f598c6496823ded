//! Shares of a bounded store: whatever one caller puts into it, another one finds room.

use std::collections::BTreeMap;

/// How much each caller holds of a store.
///
/// A caller may hold at most four times the room that is still free (Choudhury and Hahne, dynamic queue length thresholds). A sole caller gets
/// four fifths of the store, two get four ninths each, and there is always room for another one.
#[derive(Debug)]
pub(super) struct Shares<K> {
    total: usize,
    used: usize,
    held: BTreeMap<K, usize>,
}

/// How many times the free room a caller may hold.
const FACTOR: usize = 4;

impl<K: Ord + Clone> Shares<K> {
    /// A store in which a sole caller may hold `most`: the store itself is a quarter larger.
    pub(super) const fn for_sole_caller(most: usize) -> Self {
        Self { total: most.saturating_add(most.div_ceil(FACTOR)), used: 0, held: BTreeMap::new() }
    }

    /// Whether a caller may hold so much more.
    pub(super) fn admits(&self, caller: &K, amount: usize) -> bool {
        let held = self.held.get(caller).copied().unwrap_or(0);
        let free = self.total.checked_sub(self.used.saturating_add(amount));
        free.is_some_and(|free| held.saturating_add(amount) <= free.saturating_mul(FACTOR))
    }

    /// Adds an amount to the share of a caller. Call [`admits`](Self::admits) before.
    pub(super) fn add(&mut self, caller: &K, amount: usize) {
        self.used = self.used.saturating_add(amount);
        let held = self.held.entry(caller.clone()).or_default();
        *held = held.saturating_add(amount);
    }

    /// Takes an amount away from the share of a caller.
    pub(super) fn remove(&mut self, caller: &K, amount: usize) {
        self.used = self.used.saturating_sub(amount);
        if let Some(held) = self.held.get_mut(caller) {
            *held = held.saturating_sub(amount);
            // Callers that hold nothing need no memory either.
            if *held == 0 {
                self.held.remove(caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds as many single units as the callers may hold, in turns.
    fn fill(shares: &mut Shares<u32>, callers: &[u32]) -> Vec<usize> {
        let mut held = vec![0; callers.len()];
        loop {
            let mut is_full = true;
            for (caller, held) in callers.iter().zip(&mut held) {
                if shares.admits(caller, 1) {
                    shares.add(caller, 1);
                    *held += 1;
                    is_full = false;
                }
            }
            if is_full {
                return held;
            }
        }
    }

    #[test]
    fn a_sole_caller_gets_all_that_it_got_without_shares() {
        for most in [1, 4, 100, 1024] {
            assert_eq!(fill(&mut Shares::for_sole_caller(most), &[1]), [most]);
        }
    }

    #[test]
    fn several_callers_get_equal_shares_and_another_one_always_finds_room() {
        let mut shares = Shares::for_sole_caller(720);
        assert_eq!(fill(&mut shares, &[1, 2]), [400, 400], "four ninths of 900 each");
        assert!(fill(&mut shares, &[3])[0] >= 80);
        let mut shares = Shares::for_sole_caller(1024);
        for caller in 0..4 {
            assert!(fill(&mut shares, &[caller])[0] >= 1, "{caller}");
        }
    }

    #[test]
    fn a_removed_amount_is_free_again() {
        let mut shares = Shares::for_sole_caller(8);
        shares.add(&1, 8);
        assert!(!shares.admits(&1, 1) && shares.admits(&2, 1));
        shares.remove(&1, 8);
        assert!(shares.admits(&1, 8) && shares.held.is_empty());
    }
}
