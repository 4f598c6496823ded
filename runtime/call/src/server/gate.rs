//! Places that callers share, and wait for.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use capgen_shares::Shares;
use tokio::sync::oneshot;

use super::callers::Caller;

/// A number of places, of which each caller has its share. Callers that wait for one get the next ones in turns, and
/// the requests of each in their order: a caller with many requests does not delay the others.
#[derive(Debug)]
pub(super) struct Gate(Mutex<State>);

#[derive(Debug)]
struct State {
    shares: Shares<Caller>,
    /// The requests that wait, by caller. Callers without any are not in it.
    waiting: BTreeMap<Caller, VecDeque<oneshot::Sender<Place>>>,
    /// The caller that got a place last.
    last: Option<Caller>,
}

/// A place of a caller, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    gate: Arc<Gate>,
    caller: Caller,
}

/// Forgets the requests of a caller that wait no more.
struct Wait<'g> {
    gate: &'g Gate,
    caller: &'g Caller,
}

impl Gate {
    /// A gate of which a caller that is alone may hold `capacity` places.
    pub(super) fn new(capacity: usize) -> Arc<Self> {
        let shares = Shares::new(u64::try_from(capacity).unwrap_or(u64::MAX));
        Arc::new(Self(Mutex::new(State { shares, waiting: BTreeMap::new(), last: None })))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(self: &Arc<Self>, caller: &Caller) -> Place {
        Place { gate: Arc::clone(self), caller: caller.clone() }
    }

    /// A place, if the caller does not hold its share, or `most` places, already.
    pub(super) fn try_enter(self: &Arc<Self>, caller: &Caller, most: u64) -> Option<Place> {
        let mut state = self.lock();
        let has_room = state.shares.held(caller) < most && state.shares.try_take(caller, 1);
        has_room.then(|| self.place(caller))
    }

    /// A place, once there is one.
    pub(super) async fn enter(self: &Arc<Self>, caller: &Caller) -> Place {
        let turn = {
            let mut state = self.lock();
            if !state.waiting.contains_key(caller) && state.shares.try_take(caller, 1) {
                state.last = Some(caller.clone());
                return self.place(caller);
            }
            let (sender, turn) = oneshot::channel();
            state.waiting.entry(caller.clone()).or_default().push_back(sender);
            turn
        };
        // In this order, so that the place is returned first if this future is dropped.
        let _wait = Wait { gate: self, caller };
        match turn.await {
            Ok(place) => place,
            // The sender is only dropped without a place if its receiver is.
            Err(_) => std::future::pending().await,
        }
    }

    /// Gives free places to those that wait.
    fn admit(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        let mut turns = Vec::new();
        while let Some((caller, turn)) = state.next() {
            turns.push((self.place(&caller), turn));
        }
        drop(state);
        for (place, turn) in turns {
            // If the request waits no more, its place is dropped, and goes to the next one.
            drop(turn.send(place));
        }
    }
}

impl Place {
    /// Gives the place to another caller, if that one does not hold its share already.
    pub(super) fn give_to(&mut self, caller: &Caller) -> bool {
        if self.caller == *caller {
            return true;
        }
        let gate = Arc::clone(&self.gate);
        let mut state = gate.lock();
        state.shares.give_back(&self.caller, 1);
        let has_room = state.shares.try_take(caller, 1);
        if has_room {
            self.caller = caller.clone();
        } else {
            state.shares.hold(&self.caller, 1);
        }
        if !state.waiting.is_empty() {
            gate.admit(state);
        }
        has_room
    }
}

impl State {
    /// The next request that gets a place.
    fn next(&mut self) -> Option<(Caller, oneshot::Sender<Place>)> {
        let is_later = |caller: &&Caller| self.last.as_ref().is_none_or(|last| *caller > last);
        let (later, earlier): (Vec<&Caller>, Vec<&Caller>) = self.waiting.keys().partition(is_later);
        let callers: Vec<Caller> = later.into_iter().chain(earlier).cloned().collect();
        for caller in callers {
            if !self.shares.try_take(&caller, 1) {
                continue;
            }
            if let Some(turn) = self.waiting.get_mut(&caller).and_then(VecDeque::pop_front) {
                self.forget_if_empty(&caller);
                self.last = Some(caller.clone());
                return Some((caller, turn));
            }
            self.shares.give_back(&caller, 1);
        }
        None
    }

    fn forget_if_empty(&mut self, caller: &Caller) {
        if self.waiting.get(caller).is_some_and(VecDeque::is_empty) {
            self.waiting.remove(caller);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.gate.lock();
        state.shares.give_back(&self.caller, 1);
        if !state.waiting.is_empty() {
            self.gate.admit(state);
        }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let mut state = self.gate.lock();
        if let Some(waiting) = state.waiting.get_mut(self.caller) {
            waiting.retain(|turn| !turn.is_closed());
            state.forget_if_empty(self.caller);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(id: &str) -> Caller {
        Caller::Agent(id.into())
    }

    /// Whether a future has ended, and its result.
    fn now<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match future.poll(&mut context) {
            std::task::Poll::Ready(value) => Some(value),
            std::task::Poll::Pending => None,
        }
    }

    #[test]
    fn a_sole_caller_gets_the_capacity_and_a_newcomer_finds_room() {
        for caller in [Caller::Unproved, agent("a")] {
            let gate = Gate::new(8);
            let held: Vec<_> = (0..20).map_while(|_| gate.try_enter(&caller, u64::MAX)).collect();
            assert_eq!(held.len(), 8);
            assert!(gate.try_enter(&agent("b"), u64::MAX).is_some());
            drop(held);
            assert_eq!(gate.lock().shares.used(), 0);
            let one = gate.try_enter(&caller, 1);
            assert!(one.is_some() && gate.try_enter(&caller, 1).is_none());
        }
    }

    #[test]
    fn a_place_goes_to_another_caller_within_its_share() {
        let gate = Gate::new(8);
        let mut places: Vec<_> = (0..8).map_while(|_| gate.try_enter(&Caller::Unverified, u64::MAX)).collect();
        assert!(places.iter_mut().all(|place| place.give_to(&agent("a"))));
        let mut more = gate.try_enter(&Caller::Unverified, u64::MAX).unwrap_or_else(|| panic!("no room"));
        assert!(!more.give_to(&agent("a")) && more.give_to(&agent("b")));
        // A caller keeps its place, although its share has become smaller.
        assert!(places.iter_mut().all(|place| place.give_to(&agent("a"))));
        assert_eq!(gate.lock().shares.held(&agent("a")), 8);
        assert_eq!(gate.lock().shares.used(), 9);
        drop((places, more));
        assert_eq!(gate.lock().shares.used(), 0);
    }

    #[test]
    fn callers_that_wait_get_places_in_turns() {
        let gate = Gate::new(1);
        let (a, b) = (agent("a"), agent("b"));
        let first = now(Box::pin(gate.enter(&a)).as_mut()).unwrap_or_else(|| panic!("no place"));
        let mut of_a: Vec<_> = (0..3).map(|_| Box::pin(gate.enter(&a))).collect();
        assert!(of_a.iter_mut().all(|turn| now(turn.as_mut()).is_none()));
        let mut of_b = Box::pin(gate.enter(&b));
        assert!(now(of_b.as_mut()).is_none());
        drop(first);
        // The newcomer is next, although `a` has waited for longer.
        let place = now(of_b.as_mut());
        assert!(place.is_some() && of_a.iter_mut().all(|turn| now(turn.as_mut()).is_none()));
        // Requests that do not wait any more are forgotten, with and without a place.
        drop(of_a.pop());
        drop(place);
        assert_eq!(gate.lock().waiting.get(&a).map(VecDeque::len), Some(1));
        drop(of_a);
        let state = gate.lock();
        assert!(state.waiting.is_empty() && state.shares.used() == 0, "{state:?}");
    }
}
