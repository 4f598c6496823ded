//! `amp://` and, with the feature `tls`, `amps://`: frames over TCP (`specs/amp-transport.md`).

mod client;
mod link;
mod pending;
mod server;

pub use client::{ClientOptions, TcpPeer};
pub use server::serve;

pub use super::net::ServerOptions;
