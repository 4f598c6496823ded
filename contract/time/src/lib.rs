//! The clock.
//!
//! Pure code takes the time as an argument. Programs and carriers take it from a [`Clock`]; the one that reads the clock of the system is
//! [`SystemClock`], the only place of capgen that does.
#![forbid(unsafe_code)]

mod clock;

pub use clock::{Clock, SystemClock};
