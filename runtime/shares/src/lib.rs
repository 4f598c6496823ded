//! A bounded resource of a server, with a share for each caller.
//!
//! A caller may hold at most four times the amount that is still free (dynamic thresholds, Choudhury and Hahne). So a
//! caller that is alone gets four fifths of the total, two get four ninths each, and one that comes later finds room: a
//! caller that holds nothing gets one unit as long as one is free. The total is a quarter more than the capacity that
//! the server states, so a caller that is alone gets the whole capacity. A capacity below four is too small for a
//! quarter, so that a caller may hold all of it.
//!
//! # Reading order
//!
//! For contributors. This file is the crate. Everything that the callers of a server share uses it, so that no caller
//! takes from another: the memory and the places of `capgen-net`, the queue of `capgen-audit`, the handlers, answers
//! and ids of `capgen-call`, the answers and ids of `capgen-amp`.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;

/// A caller may hold so many times the free units: `held <= 4 * (total - used)`. With a larger factor a caller that is
/// alone would waste less, but one that comes later would find less room.
const FACTOR: u64 = 4;

/// How the total follows from the capacity, in the units of [`FACTOR`]: `FACTOR * total` is `5 * capacity`, so that the
/// sums are exact.
const SCALED_TOTAL: u128 = FACTOR as u128 + 1;

/// A larger capacity is treated as this one, so that the sum of all shares is a `u64`.
const MAX_CAPACITY: u64 = u64::MAX / 2;

/// The units of a resource that each caller holds, such as bytes or entries. It is a value without a clock: equal calls
/// give equal results.
///
/// ```
/// use capgen_shares::Shares;
/// let mut memory = Shares::new(900);
/// assert!(memory.try_take(&"alice", 900), "a sole caller gets the capacity");
/// assert!(!memory.try_take(&"alice", 1));
/// assert!(memory.try_take(&"bob", 180), "another caller finds room");
/// memory.give_back(&"alice", 900);
/// assert_eq!((memory.held(&"alice"), memory.used()), (0, 180));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shares<C> {
    capacity: u64,
    used: u64,
    /// Callers that hold nothing are not in it, so it has at most as many as there are units in use.
    held: BTreeMap<C, u64>,
}

impl<C: Ord + Clone> Shares<C> {
    /// A resource of which a caller that is alone may hold `capacity` units. All callers together hold at most a
    /// quarter more.
    #[must_use]
    pub const fn new(capacity: u64) -> Self {
        Self { capacity: at_most(capacity), used: 0, held: BTreeMap::new() }
    }

    /// Changes the capacity. Callers keep their units.
    pub const fn set_capacity(&mut self, capacity: u64) {
        self.capacity = at_most(capacity);
    }

    /// Takes units for a caller. Returns whether they are in its share; if not, nothing changes.
    pub fn try_take(&mut self, caller: &C, units: u64) -> bool {
        let held = self.held(caller);
        let is_in_share = held.checked_add(units).is_some_and(|total| total <= self.share(caller));
        if is_in_share {
            self.hold(caller, units);
        }
        is_in_share
    }

    /// Takes units for a caller whatever its share is: it took them in an earlier process, when they were in its share.
    pub fn hold(&mut self, caller: &C, units: u64) {
        let units = units.min(u64::MAX - self.used);
        if units > 0 {
            *self.held.entry(caller.clone()).or_default() += units;
            self.used += units;
        }
    }

    /// Returns units that a caller took. It returns at most as many as it holds.
    pub fn give_back(&mut self, caller: &C, units: u64) {
        let Some(held) = self.held.get_mut(caller) else { return };
        let units = units.min(*held);
        *held -= units;
        self.used -= units;
        if *held == 0 {
            self.held.remove(caller);
        }
    }

    /// The units that a caller may hold while the others hold as many as now. It may hold more than that already, if
    /// the others took theirs later: then it gets nothing until it has returned enough. It is at least one unit if the
    /// others leave one.
    #[must_use]
    pub fn share(&self, caller: &C) -> u64 {
        // held <= 4 * (total - others - held), where 4 * total = 5 * capacity.
        let others = u128::from(self.used - self.held(caller));
        let room = (SCALED_TOTAL * u128::from(self.capacity)).saturating_sub(u128::from(FACTOR) * others);
        // Of a small total, the others would leave a fraction of a unit, and a newcomer would wait for them.
        let least = u128::from(room >= u128::from(FACTOR));
        u64::try_from((room / SCALED_TOTAL).max(least)).unwrap_or(u64::MAX)
    }

    /// The units that a caller holds.
    #[must_use]
    pub fn held(&self, caller: &C) -> u64 {
        self.held.get(caller).copied().unwrap_or_default()
    }

    /// The units that all callers hold together.
    #[must_use]
    pub const fn used(&self) -> u64 {
        self.used
    }

    /// The number of callers that hold something.
    #[must_use]
    pub fn callers(&self) -> usize {
        self.held.len()
    }
}

/// The total for a resource of which a caller that is alone may hold `capacity` units, for resources that do not fit
/// [`Shares`], such as those that callers wait for.
///
/// ```
/// assert_eq!(capgen_shares::total_of(64), 80);
/// ```
#[must_use]
pub const fn total_of(capacity: u64) -> u64 {
    capacity.saturating_add(capacity.div_ceil(FACTOR))
}

/// The units that a caller may hold, with those that it takes now, if `free` units are free afterwards.
///
/// ```
/// // A caller that is alone holds 64 of 80 units.
/// assert!(capgen_shares::limit_with(80 - 64) >= 64);
/// assert!(capgen_shares::limit_with(80 - 65) < 65);
/// ```
#[must_use]
pub const fn limit_with(free: u64) -> u64 {
    free.saturating_mul(FACTOR)
}

const fn at_most(capacity: u64) -> u64 {
    if capacity < MAX_CAPACITY { capacity } else { MAX_CAPACITY }
}
