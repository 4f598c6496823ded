//! Time: the clock, and days and times as text.
//!
//! Pure code takes the time as an argument. Programs and carriers take it from a [`Clock`]; the one that reads the clock of the system is
//! [`SystemClock`], the only place of capgen that does. [`Timestamp`] and [`Date`] read and write the notations of RFC 3339; they use no
//! clock.
#![forbid(unsafe_code)]

mod clock;
mod date;
mod digits;
mod timestamp;

pub use clock::{Clock, SystemClock};
pub use date::{Date, InvalidDate};
pub use timestamp::{InvalidTimestamp, Timestamp};
