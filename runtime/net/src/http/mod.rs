//! HTTP/1.1, server and client, with limits for untrusted peers.

mod body;
mod pool;
mod serve;

pub use body::{Intake, ReadError, Whole, read};
pub use pool::{Connection, Pool, SendError};
pub use serve::{Options, serve};
