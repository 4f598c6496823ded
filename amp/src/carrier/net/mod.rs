//! Connections, which the carriers over a network share.

mod budget;
mod endpoint;
mod listen;
mod timed;

pub(super) use budget::{Budget, FREE, Share};
pub use endpoint::InvalidUrl;
pub(super) use endpoint::{Connector, Endpoint};
pub(super) use listen::{Accept, listen, stopped};
pub use listen::{Limits, Server};
pub(super) use timed::Timed;

use tokio::io::{AsyncRead, AsyncWrite};

/// A connection, encrypted or not.
pub(super) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// A connection whose writes end in time.
pub(super) type Stream = Timed<Box<dyn Io>>;
