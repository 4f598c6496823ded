//! Calls that run, and that others can cancel by their names.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The calls that run. Clones are the same calls.
#[derive(Clone, Default)]
pub(crate) struct Calls(Arc<Mutex<Running>>);

type Running = BTreeMap<Name, Vec<Arc<Notify>>>;

/// The name of a call: that of its group, such as a session, and its id in the group.
type Name = (String, String);

/// A call that runs, until it is dropped.
pub(crate) struct Call {
    calls: Calls,
    name: Name,
    cancelled: Arc<Notify>,
}

impl Calls {
    /// Registers a call with a group and an id.
    pub(crate) fn run(&self, group: &str, id: &str) -> Call {
        let name = (group.to_owned(), id.to_owned());
        let cancelled = Arc::new(Notify::new());
        self.lock().entry(name.clone()).or_default().push(Arc::clone(&cancelled));
        Call { calls: self.clone(), name, cancelled }
    }

    /// Cancels a call, given its id, or all of a group. Of several calls with one id, none is cancelled: nothing shows
    /// which of them is meant, and the others must not end.
    pub(crate) fn cancel(&self, group: &str, id: Option<&str>) {
        let running = self.lock();
        let first = (group.to_owned(), id.unwrap_or_default().to_owned());
        let calls = running.range(first..).take_while(|((other, _), _)| other == group);
        for (_, calls) in calls.take_while(|((_, other), _)| id.is_none_or(|id| id == other)) {
            if id.is_none() || calls.len() == 1 {
                calls.iter().for_each(|call| call.notify_one());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Call {
    /// Ends when the call is cancelled, once. Cancel safe.
    pub(crate) async fn cancelled(&self) {
        self.cancelled.notified().await;
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut running = self.calls.lock();
        if let Some(calls) = running.get_mut(&self.name) {
            calls.retain(|call| !Arc::ptr_eq(call, &self.cancelled));
            if calls.is_empty() {
                running.remove(&self.name);
            }
        }
    }
}
