//! The rule for shares, with random callers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and prints why it was skipped"
)]

use capgen_shares::Shares;
use proptest::prelude::*;

/// Takes units one by one until the share ends.
fn fill(shares: &mut Shares<u32>, caller: u32) -> u64 {
    while shares.try_take(&caller, 1) {}
    shares.held(&caller)
}

#[test]
fn two_callers_get_four_ninths_each() {
    let mut shares = Shares::new(72_000);
    // Each gives back its oldest unit for a new one, as a memory does that forgets a caller's own results.
    fill(&mut shares, 0);
    for _ in 0..200_000 {
        for caller in [0, 1] {
            while !shares.try_take(&caller, 1) {
                shares.give_back(&caller, 1);
            }
        }
    }
    // Four ninths of a total of 90,000; the last unit may be in either share.
    for caller in [0, 1] {
        assert!(shares.held(&caller).abs_diff(40_000) <= 4, "{}", shares.held(&caller));
    }
}

#[test]
fn callers_that_hold_nothing_get_one_of_the_last_units() {
    // The total is a quarter more than the capacity, without fractions.
    for (capacity, newcomers) in [(1, 0), (3, 0), (4, 1), (7, 1), (8, 2), (16, 4)] {
        let mut shares = Shares::new(capacity);
        assert_eq!(fill(&mut shares, 0), capacity);
        let found = (1..20).filter(|caller| shares.try_take(caller, 1)).count();
        assert_eq!(found, newcomers, "{capacity}");
        assert!(!shares.try_take(&0, 1));
    }
}

#[test]
fn amounts_at_the_ends_of_their_range_are_no_error() {
    let mut shares = Shares::new(u64::MAX);
    assert!(!shares.try_take(&0, u64::MAX));
    assert!(shares.try_take(&0, u64::MAX / 2));
    assert!(!shares.try_take(&0, 1));
    assert!(!shares.try_take(&1, u64::MAX));
    shares.give_back(&0, u64::MAX);
    shares.give_back(&0, 1);
    assert_eq!((shares.used(), shares.callers()), (0, 0));
    shares.hold(&0, u64::MAX);
    shares.hold(&1, 1);
    assert_eq!((shares.used(), shares.callers(), shares.share(&1)), (u64::MAX, 1, 0));
    let mut none = Shares::new(0);
    assert!(!none.try_take(&0, 1));
    assert!(none.try_take(&0, 0));
    assert_eq!(none.callers(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_sole_caller_gets_the_capacity(capacity in 0_u64..5_000) {
        let mut shares = Shares::new(capacity);
        prop_assert_eq!(fill(&mut shares, 0), capacity);
    }

    /// Any callers take and return anything; then one more comes.
    #[test]
    fn a_newcomer_always_finds_room(events in proptest::collection::vec((0_u32..20, 0_u64..2_000, any::<bool>()), 0..200)) {
        let mut shares = Shares::new(1_000);
        let mut taken = std::collections::BTreeMap::<u32, u64>::new();
        for (caller, units, is_taken) in events {
            if is_taken {
                let before = shares.clone();
                match shares.try_take(&caller, units) {
                    true => *taken.entry(caller).or_default() += units,
                    false => prop_assert_eq!(&shares, &before, "a refusal changes nothing"),
                }
            } else {
                shares.give_back(&caller, units);
                let held = taken.entry(caller).or_default();
                *held -= units.min(*held);
            }
            // No caller has lost anything to another.
            for (caller, held) in &taken {
                prop_assert_eq!(shares.held(caller), *held);
            }
            prop_assert_eq!(shares.used(), taken.values().sum::<u64>());
            prop_assert!(shares.used() <= 1_250);
        }
        let is_full = shares.used() == 1_250;
        prop_assert_eq!(fill(&mut shares, 99) == 0, is_full);
    }
}
