//! Connections, which the carriers over a network share.

mod endpoint;
mod listen;

pub use capgen_net::Server;
pub use endpoint::InvalidUrl;
pub(super) use endpoint::{Connector, Endpoint};
pub use listen::Limits;
pub(super) use listen::{Accept, listen};

use std::time::Duration;

use capgen_net::{Io, Pace, Timed};

use super::connection::MIN_RATE;

/// A connection whose writes end in time.
pub(super) type Stream = Timed<Box<dyn Io>>;

/// The pace of peers: a time for small amounts, and the slowest rate for larger ones.
pub(super) const fn pace(time: Duration) -> Pace {
    Pace::new(time, MIN_RATE)
}
