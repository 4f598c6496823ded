//! The types of the table of faults.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use capgen::call::{BoxFuture, Status};

use crate::World;

/// The transports of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The broker in the program.
    Memory,
    /// Core NATS.
    Nats,
    /// NATS with at-least-once delivery.
    JetStream,
}

impl Kind {
    /// All transports, in the order of the table's columns.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Nats, Self::JetStream];

    /// The name in the table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "`memory`",
            Self::Nats => "`nats`",
            Self::JetStream => "`nats`, at least once",
        }
    }
}

/// A fault: its name, its meaning, and the expected end of a call for each transport.
pub struct Row {
    /// The name, which is also the name of the test.
    pub name: &'static str,
    /// What happens, for the page.
    pub meaning: &'static str,
    /// The cells, in the order of [`Kind::ALL`].
    pub cells: [Cell; 3],
    /// Makes the fault happen during a call.
    pub scenario: Scenario,
}

/// Makes a fault happen during a call, and returns its end.
pub type Scenario = for<'w> fn(&'w mut World) -> BoxFuture<'w, Observed>;

/// A cell of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cell {
    /// The expected end.
    Ends(Expected),
    /// The fault does not exist for the transport, for this reason.
    Meaningless(&'static str),
}

/// The expected end of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    /// The status.
    pub status: Status,
    /// The code of the error.
    pub code: Option<&'static str>,
    /// How often the handler runs, in all processes together.
    pub runs: RangeInclusive<u32>,
}

/// The end of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    /// The status.
    pub status: Status,
    /// The code of the error.
    pub code: Option<String>,
    /// How often the handler ran.
    pub runs: u32,
    /// The duration of the call.
    pub latency: Duration,
    /// The timeout of the call.
    pub timeout: Duration,
}

/// How much later than its deadline a call may end: the machine may be busy.
const SLACK: Duration = Duration::from_secs(3);

impl Expected {
    fn fits(&self, observed: &Observed) -> bool {
        self.status == observed.status
            && self.code == observed.code.as_deref()
            && self.runs.contains(&observed.runs)
            && observed.latency <= observed.timeout + SLACK
    }
}

/// Runs the scenario of a cell, and compares its end with the table.
///
/// # Panics
///
/// The call ends in another way than expected.
pub async fn check(kind: Kind, name: &str) {
    let row = crate::TABLE.iter().map(|row| row()).find(|row| row.name == name).expect("a row");
    let [memory, nats, jetstream] = row.cells;
    let cell = match kind {
        Kind::Memory => memory,
        Kind::Nats => nats,
        Kind::JetStream => jetstream,
    };
    let Cell::Ends(expected) = cell else { return };
    let Some(mut world) = World::start(kind).await else { return };
    let limit = Duration::from_secs(60);
    let observed = tokio::time::timeout(limit, (row.scenario)(&mut world)).await.expect("the scenario ends");
    assert!(expected.fits(&observed), "expected {expected:?}, but the call ended with {observed:?}");
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = match self {
            Self::Meaningless(reason) => return write!(f, "— {reason}"),
            Self::Ends(expected) => expected,
        };
        write!(f, "`{}`", expected.status.as_str())?;
        if let Some(code) = expected.code {
            write!(f, " `{code}`")?;
        }
        let (least, most) = (expected.runs.start(), expected.runs.end());
        match (least, most) {
            (1, 1) => f.write_str(", 1 run"),
            (least, most) if least == most => write!(f, ", {least} runs"),
            _ => write!(f, ", {least} to {most} runs"),
        }
    }
}
