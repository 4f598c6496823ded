//! Connections, which the carriers over a network share.

mod endpoint;
mod handle;
mod listen;
mod options;

pub use capgen_net::{Admission, Server};
pub use endpoint::InvalidUrl;
pub(super) use endpoint::{Connector, Endpoint};
pub(super) use handle::{Handling, prove};
pub use listen::Limits;
pub(super) use listen::{Accept, listen};
pub use options::ServerOptions;

use std::time::Duration;

use capgen_net::{Io, Pace, Timed};

/// The slowest peer that reads, in bytes per ms: 64 KiB per second. An answer stays in memory until its peer has read
/// it, so peers must read faster than they must write.
const MIN_RATE: u64 = 64;

/// A connection whose writes end in time.
pub(super) type Stream = Timed<Box<dyn Io>>;

/// The pace of peers: a time for small amounts, and the slowest rate for larger ones.
pub(super) const fn pace(time: Duration) -> Pace {
    Pace::new(time, MIN_RATE)
}
