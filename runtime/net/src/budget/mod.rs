//! The memory of a server, and other things that its peers share: each peer has a share, whatever the others do.
//!
//! The rule for shares is that of `capgen-shares`: a caller may hold at most four times as much as is still free. Here
//! callers wait for room instead of being refused, and those that have not proved who they are have a part of their
//! own.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;

use crate::{Caller, Work};

/// A share of at most so many bytes does not wait: the buffers of connections have this much anyway. So large messages
/// never stop small ones.
pub const FREE: usize = 64 * 1024;

/// An amount that the peers of a server share, such as bytes of memory. Clones are the same amount.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    total: usize,
    /// How much of it those callers may hold together that have not proved who they are.
    unproved: usize,
    /// Whether the parts of one share come one after the other, as the bytes of a message do.
    is_memory: bool,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    held: usize,
    unproved: usize,
    callers: BTreeMap<Caller, Held>,
    /// The shares that wait because there is no room for anyone.
    waiting: BTreeSet<u64>,
    /// The share that may exceed the total, so that at least one message is completed: its id, and how much of it is
    /// beyond the total. That counts for its caller, and not in `held`: otherwise one large message would stop
    /// everyone.
    privileged: Option<(u64, usize)>,
    next: u64,
}

/// The amounts of a caller.
#[derive(Debug, Default)]
struct Held {
    amount: usize,
    /// The ids of its shares, the oldest first.
    shares: BTreeSet<u64>,
}

/// A part of a budget that counts for a caller. Dropping it gives it back.
#[derive(Debug)]
pub struct Share {
    budget: Budget,
    caller: Caller,
    id: u64,
    amount: usize,
    /// Whether it waits even if it is small.
    always_waits: bool,
}

/// Why a share must wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Full {
    /// The caller holds its share.
    Caller,
    /// There is no room for anyone.
    Everyone,
}

impl Budget {
    /// Memory, in bytes. A sole caller can use all of them; all callers together use at most a quarter more, and one
    /// message in addition: if there is no room for anyone, the message that has waited for the longest time may exceed
    /// the total.
    ///
    /// If peers can prove who they are, those that have not done so share half of it.
    #[must_use]
    pub fn memory(bytes: usize, has_proofs: bool) -> Self {
        Self::new(bytes, has_proofs, true)
    }

    /// Places, such as those of handlers that run. A sole caller can use all of them; all callers together use at most
    /// a quarter more.
    #[must_use]
    pub fn places(count: usize) -> Self {
        Self::new(count.max(1), false, false)
    }

    fn new(amount: usize, has_proofs: bool, is_memory: bool) -> Self {
        let total = from_units(capgen_shares::total_of(units(amount)));
        let unproved = if has_proofs { total / 2 } else { total };
        Self(Arc::new(Inner { total, unproved, is_memory, state: Mutex::default(), changed: Notify::new() }))
    }

    /// A share of a caller, which holds nothing yet. The size that a message announces does not count.
    #[must_use]
    pub fn share(&self, caller: Caller) -> Share {
        let mut state = self.state();
        let id = state.next;
        state.next += 1;
        state.callers.entry(caller.clone()).or_default().shares.insert(id);
        drop(state);
        Share { budget: self.clone(), caller, id, amount: 0, always_waits: false }
    }

    /// How much all callers hold.
    #[must_use]
    pub fn held(&self) -> usize {
        let state = self.state();
        state.held.saturating_add(state.privileged.map_or(0, |(_, excess)| excess))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// The share waits for room even if it is small: the peer has enough small messages already.
    #[must_use]
    pub fn always_waits(self) -> Self {
        let mut share = self;
        share.always_waits = true;
        share
    }

    /// Waits until the share has this amount, unless it has more. Cancel safe.
    pub async fn grow(&mut self, amount: usize) {
        if amount <= self.amount {
            return;
        }
        let budget = self.budget.clone();
        let waiting = Waiting { budget: &budget, id: self.id };
        loop {
            let mut changed = pin!(budget.0.changed.notified());
            // From now on, no change is missed.
            changed.as_mut().enable();
            if self.take(amount, &waiting) {
                return;
            }
            changed.await;
        }
    }

    /// Whether the share has this amount now.
    fn take(&mut self, amount: usize, waiting: &Waiting<'_>) -> bool {
        let more = amount.saturating_sub(self.amount);
        let mut beyond = 0;
        let mut state = self.budget.state();
        match self.budget.0.check(&state, self, more) {
            Ok(()) => {}
            Err(Full::Caller) => {
                if state.waiting.remove(&waiting.id) {
                    // Another one is the first now.
                    self.budget.0.changed.notify_waiters();
                }
                return false;
            }
            Err(Full::Everyone) => {
                state.waiting.insert(waiting.id);
                let is_first = state.waiting.first() == Some(&waiting.id);
                let (id, excess) = state.privileged.unwrap_or((waiting.id, 0));
                if !self.budget.0.is_memory || id != waiting.id || (state.privileged.is_none() && !is_first) {
                    return false;
                }
                state.privileged = Some((id, excess.saturating_add(more)));
                beyond = more;
            }
        }
        state.hold(&self.caller, more, beyond);
        drop(state);
        self.amount = amount;
        true
    }

    /// Sets the amount without waiting, because it is held already. Then the caller waits for its next shares.
    pub fn set(&mut self, amount: usize) {
        let mut state = self.budget.state();
        let excess = state.excess(self.id);
        state.privileged.take_if(|(id, _)| *id == self.id);
        state.release(&self.caller, self.amount, excess);
        state.hold(&self.caller, amount, 0);
        drop(state);
        self.amount = amount;
        self.budget.0.changed.notify_waiters();
    }

    /// The share counts for another caller from now on, such as the one that the peer has proved to be.
    pub fn belongs_to(&mut self, caller: Caller) {
        let mut state = self.budget.state();
        let excess = state.excess(self.id);
        state.release(&self.caller, self.amount, excess);
        state.forget(&self.caller, self.id);
        state.hold(&caller, self.amount, excess);
        state.callers.entry(caller.clone()).or_default().shares.insert(self.id);
        drop(state);
        self.caller = caller;
        self.budget.0.changed.notify_waiters();
    }

    /// How much it has.
    #[must_use]
    pub const fn amount(&self) -> usize {
        self.amount
    }

    /// Bytes that count for the share until the last clone of them is dropped, such as an answer until the peer has
    /// read it. The work ends at the same time.
    #[must_use]
    pub fn keep(mut self, bytes: Bytes, work: Work) -> Bytes {
        self.set(bytes.len());
        Bytes::from_owner(Kept { bytes, _share: self, _work: work })
    }
}

/// Bytes with their share and their work.
struct Kept {
    bytes: Bytes,
    _share: Share,
    _work: Work,
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut state = self.budget.state();
        let excess = state.excess(self.id);
        state.privileged.take_if(|(id, _)| *id == self.id);
        state.release(&self.caller, self.amount, excess);
        state.forget(&self.caller, self.id);
        drop(state);
        self.budget.0.changed.notify_waiters();
    }
}

/// A share that waits, until it has its amount or the future is dropped.
struct Waiting<'a> {
    budget: &'a Budget,
    id: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.budget.state().waiting.remove(&self.id) {
            // Another one is the first now.
            self.budget.0.changed.notify_waiters();
        }
    }
}

impl Inner {
    /// Whether there is room for more in a share.
    fn check(&self, state: &State, share: &Share, more: usize) -> Result<(), Full> {
        if self.is_memory && !share.always_waits && share.amount.saturating_add(more) <= FREE {
            return Ok(());
        }
        let mut free = self.total.checked_sub(state.held.saturating_add(more));
        if matches!(share.caller, Caller::Host(_)) {
            free = free.min(self.unproved.checked_sub(state.unproved.saturating_add(more)));
        }
        let held = state.callers.get(&share.caller);
        let own = held.map_or(0, |held| held.amount);
        if free.is_some_and(|free| units(own.saturating_add(more)) <= capgen_shares::limit_with(units(free))) {
            return Ok(());
        }
        // Otherwise all messages of a caller could wait for each other, or a newcomer for a total that is small.
        let is_oldest = held.is_some_and(|held| held.shares.first() == Some(&share.id));
        if own > 0 && !(self.is_memory && is_oldest) {
            return Err(Full::Caller);
        }
        free.map(|_| ()).ok_or(Full::Everyone)
    }
}

impl State {
    /// How much of a share is beyond the total.
    fn excess(&self, share: u64) -> usize {
        self.privileged.map_or(0, |(id, excess)| if id == share { excess } else { 0 })
    }

    /// A caller has more, of which a part is beyond the total.
    fn hold(&mut self, caller: &Caller, amount: usize, beyond: usize) {
        let within = amount.saturating_sub(beyond);
        self.held = self.held.saturating_add(within);
        if matches!(caller, Caller::Host(_)) {
            self.unproved = self.unproved.saturating_add(within);
        }
        let held = self.callers.entry(caller.clone()).or_default();
        held.amount = held.amount.saturating_add(amount);
    }

    fn release(&mut self, caller: &Caller, amount: usize, beyond: usize) {
        let within = amount.saturating_sub(beyond);
        self.held = self.held.saturating_sub(within);
        if matches!(caller, Caller::Host(_)) {
            self.unproved = self.unproved.saturating_sub(within);
        }
        if let Some(held) = self.callers.get_mut(caller) {
            held.amount = held.amount.saturating_sub(amount);
        }
    }

    /// A caller without shares takes no memory.
    fn forget(&mut self, caller: &Caller, id: u64) {
        if let Some(held) = self.callers.get_mut(caller) {
            held.shares.remove(&id);
            if held.shares.is_empty() {
                self.callers.remove(caller);
            }
        }
    }
}

const fn units(amount: usize) -> u64 {
    amount as u64
}

fn from_units(units: u64) -> usize {
    usize::try_from(units).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
