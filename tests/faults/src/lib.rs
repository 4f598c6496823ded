//! Calls under faults and under load.
//!
//! `src/table.rs` lists the faults of each transport and the expected end of a call; `tests/it/table.rs` has one test
//! for each cell, and `docs/faults.md` shows the table.
#![forbid(unsafe_code)]

mod agent;
mod child;
mod counted;
mod faults;
mod injected;
mod latencies;
mod load;
mod many;
mod page;
mod retried;
mod table;
mod world;

pub use agent::{ADDRESS, AGENT, Done, Runs, Work, handlers};
pub use faults::TABLE;
pub use latencies::{Outcome, Retries, run as latency};
pub use load::{Load, run as load};
pub use many::{Counts, run as many};
pub use page::{PAGE, page};
pub use retried::{Retried, run as retried};
pub use table::{Cell, Expected, Kind, Observed, Row, Scenario, check};
pub use world::{End, World, nats_options};
