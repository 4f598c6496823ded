//! The reference: plain structs as somebody writes them who validates nothing, and a clock for what reads them.

mod clock;
mod types;

pub use clock::{calibrate, nanoseconds};
pub use types::*;
