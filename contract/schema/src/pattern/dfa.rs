//! A pattern as a table of states and bytes: matching takes a few instructions per byte and allocates nothing.

use regex_automata::dfa::Automaton as _;
use regex_automata::dfa::{StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;

/// Maximum size of a table, in bytes. Most patterns need a twentieth of it.
const MAX_TABLE: usize = 32 << 10;
/// Maximum memory for building a table, in bytes. So building one takes less than a millisecond; other patterns stay
/// with the `regex` crate.
const MAX_WORK: usize = 256 << 10;

pub(super) struct Dfa {
    table: dense::DFA<Vec<u32>>,
    start: StateID,
}

impl Dfa {
    /// The table for a pattern in the syntax of the `regex` crate; `None` if it would exceed the limits. Takes less
    /// than a millisecond.
    pub(super) fn new(pattern: &str) -> Option<Self> {
        let nfa = thompson::Config::new().which_captures(WhichCaptures::None).nfa_size_limit(Some(MAX_WORK));
        let config = dense::Config::new()
            .start_kind(StartKind::Unanchored)
            .accelerate(false)
            .dfa_size_limit(Some(MAX_TABLE))
            .determinize_size_limit(Some(MAX_WORK));
        let table = dense::Builder::new().configure(config).thompson(nfa).build(pattern).ok()?;
        let start = table.start_state(&start::Config::new()).ok()?;
        Some(Self { table, start })
    }

    /// Whether the pattern matches anywhere in `text`. The quit state is never reached: it exists only for Unicode word
    /// boundaries, which translated patterns do not contain.
    pub(super) fn is_match(&self, text: &str) -> bool {
        let mut state = self.start;
        for byte in text.bytes() {
            state = self.table.next_state(state, byte);
            if self.table.is_special_state(state) {
                // In this crate's automata, the match state comes one byte after the match.
                if self.table.is_match_state(state) {
                    return true;
                }
                if self.table.is_dead_state(state) {
                    return false;
                }
            }
        }
        self.table.is_match_state(self.table.next_eoi_state(state))
    }
}
