//! Programs around a registry: writers with the clock of the system, heartbeats, monitors, and clients that find their
//! peers.

#[cfg(feature = "call")]
mod directory;
mod follower;
mod heartbeats;
mod writer;

#[cfg(feature = "call")]
pub use directory::{Directory, DirectoryError};
pub use follower::{Follower, ReadRegistry, SharedRegistry};
pub use heartbeats::Heartbeats;
pub use writer::{AppendError, Registered, Writer};
