//! Time: the clock, days and times as text, and pauses between attempts.
//!
//! Pure code takes the time as an argument. Programs and carriers take it from a [`Clock`]; the one that reads the
//! clock of the system is [`SystemClock`], the only place of capgen that does. [`Timestamp`] and [`Date`] read and
//! write the notations of RFC 3339, and [`Backoff`] has the pauses of everything that repeats failed attempts; they use
//! no clock and no randomness.
//!
//! ```
//! use capgen_time::Timestamp;
//! let time: Timestamp = "2024-02-29T13:34:56+01:00".parse()?;
//! assert_eq!(time.to_string(), "2024-02-29T12:34:56.000Z");
//! # Ok::<(), capgen_time::InvalidTimestamp>(())
//! ```
//!
//! # Reading order
//!
//! For contributors: `clock.rs` has the one use of the clock of the system. `timestamp.rs` and `date.rs` read and write
//! the notations, with `digits.rs` for their numbers. `backoff.rs` is independent of them.
#![forbid(unsafe_code)]

mod backoff;
mod clock;
mod date;
mod digits;
mod timestamp;

pub use backoff::Backoff;
pub use clock::{Clock, SystemClock};
pub use date::{Date, InvalidDate};
pub use timestamp::{InvalidTimestamp, Timestamp, is_time};
