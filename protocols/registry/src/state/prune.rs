//! Removing ended requests (decision 14).

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::{Name, State};

impl State {
    /// Removes the outcomes and terminals of ended requests, except for those of the `keep` latest requests. A request
    /// has ended if it is unresolved, or if the target has ended the invocation. Returns the number of removed
    /// requests.
    ///
    /// The result is not the state of a set of events: it must not be merged, and its hash has no meaning.
    pub(crate) fn prune(&mut self, keep: usize) -> u64 {
        let mut ended: Vec<(Name, Arc<str>)> =
            self.outcomes.keys().filter(|key| self.has_ended(key)).cloned().collect();
        // The ids of requests are in the order of their times, unlike those of invocations.
        ended.sort_by(|(caller, id), (other, other_id)| {
            (other_id, self.names.text(*other)).cmp(&(id, self.names.text(*caller)))
        });
        let pruned = ended.split_off(keep.min(ended.len()));
        let mut invocations = HashSet::new();
        for key in &pruned {
            if let Some((stamp, _)) = self.outcomes.remove(key) {
                self.invocations.remove(&stamp.event_id);
                invocations.insert(stamp.event_id.to_string());
            }
        }
        self.terminals.retain(|(invocation, _), _| !invocations.contains(&**invocation));
        u64::try_from(pruned.len()).unwrap_or(u64::MAX)
    }

    fn has_ended(&self, request: &(Name, Arc<str>)) -> bool {
        let Some((stamp, outcome)) = self.outcomes.get(request) else { return false };
        if !outcome.invoked {
            return true;
        }
        let payload = outcome.payload();
        let target = payload.get("target_agent_id").and_then(Value::as_str).and_then(|agent| self.names.find(agent));
        target.is_some_and(|target| self.terminals.contains_key(&(stamp.event_id.to_string().into(), target)))
    }
}
