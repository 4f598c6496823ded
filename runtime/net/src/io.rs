//! Connections of any kind.

use tokio::io::{AsyncRead, AsyncWrite};

/// A connection, encrypted or not, for `Box<dyn Io>`.
pub trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}
