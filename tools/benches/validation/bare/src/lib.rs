//! The reference: plain structs without validation, as users write them by hand, and a clock.

mod clock;
mod types;

pub use clock::{calibrate, nanoseconds};
pub use types::*;
