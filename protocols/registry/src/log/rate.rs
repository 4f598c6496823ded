//! The limit of invalid events (ruling 6).

use std::collections::{HashMap, VecDeque};

/// How many invalid events of a producer are stored within [`PERIOD`]. The kernel answers each of them with an event,
/// so this also bounds the answers (decision 5).
const MAX_INVALID: usize = 100;
/// The period of [`MAX_INVALID`], in ms of the log's clock: a minute (decision 5).
const PERIOD: u64 = 60_000;
/// From this number of producers on, the old ones are forgotten. Each has at most 100 times of 8 bytes, so the times of
/// this many producers take about 3 MB.
const MAX_PRODUCERS: usize = 4096;

/// The times of the last invalid events of each producer, as this process appended them.
#[derive(Default, Debug)]
pub(crate) struct Rate {
    times: HashMap<String, VecDeque<u64>>,
    /// The number of producers at which the old ones are forgotten next.
    full: usize,
}

impl Rate {
    /// Counts an invalid event, unless there are too many of the producer. Returns whether it was counted.
    pub(crate) fn count(&mut self, agent: &str, now: u64) -> bool {
        if self.times.len() >= self.full.max(MAX_PRODUCERS) {
            self.times.retain(|_, times| times.back().is_some_and(|time| is_recent(*time, now)));
            // Doubling keeps the cost of each call constant on average if all of them are recent.
            self.full = self.times.len().saturating_mul(2);
        }
        let times = self.times.entry(agent.to_owned()).or_default();
        while times.front().is_some_and(|time| !is_recent(*time, now)) {
            times.pop_front();
        }
        let is_counted = times.len() < MAX_INVALID;
        if is_counted {
            times.push_back(now);
        }
        is_counted
    }
}

fn is_recent(time: u64, now: u64) -> bool {
    time.saturating_add(PERIOD) > now
}
