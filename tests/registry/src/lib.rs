//! The capability registry on several nodes: the shared part of the tests.
//!
//! `cargo test -p capgen-test-registry` runs every test for a few seconds. With `CAPGEN_REGISTRY_SECONDS=60`, each of
//! them runs for a minute; add `-- --nocapture` for the numbers.
#![forbid(unsafe_code)]

mod emitter;
mod store;
mod survey;
mod worker;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use emitter::Emitter;
pub use store::{Connection, Store, checker, connect};
pub use survey::{Survey, records};
pub use worker::{Acknowledged, copy, lead, write};

/// The time as Unix time in ms.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(0))
}

/// How long a test runs: `CAPGEN_REGISTRY_SECONDS`, or some seconds.
///
/// # Panics
///
/// The environment variable is not a number.
#[must_use]
pub fn duration() -> Duration {
    let seconds = std::env::var("CAPGEN_REGISTRY_SECONDS").ok();
    Duration::from_secs(seconds.map_or(5, |seconds| seconds.parse().expect("a number of seconds")))
}
