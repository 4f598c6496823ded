//! Carriers: they move whole messages as bytes, and know nothing about capabilities (`specs/amp-transport.md`).
//!
//! | feature | carrier | server | client |
//! |---|---|---|---|
//! | `carrier` | inside the program | | [`memory::MemoryPeer`] |
//! | `tcp` | `amp://` | `tcp::serve` | `tcp::TcpPeer` |
//! | `http` | `http://` | `http::serve` | `http::HttpPeer` |
//! | `tls`, with one of the two above | `amps://`, `https://` | their options | their options |
//!
//! With the feature `handlers`, [`Agent`] is a provider with its handlers and servers in one builder. Otherwise, a
//! server passes messages to a [`Service`], such as the [`Runner`](run::Runner) of a provider; a client is a
//! [`Peer`], and [`Client`] calls a provider through it. A carrier that has delivered a message proves nothing about
//! its answer: only signatures do.

#[cfg(feature = "handlers")]
mod access;
#[cfg(feature = "handlers")]
mod agent;
#[cfg(feature = "handlers")]
mod call_code;
mod client;
pub mod connection;
pub mod control;
mod execute;
pub mod frame;
#[cfg(feature = "handlers")]
pub mod handlers;
#[cfg(feature = "http")]
pub mod http;
#[cfg(any(feature = "http", feature = "tcp"))]
mod ids;
#[cfg(feature = "otel")]
mod measure;
pub mod memory;
#[cfg(any(feature = "http", feature = "tcp"))]
pub mod net;
#[cfg(feature = "handlers")]
mod outgoing;
mod peer;
pub mod run;
mod service;
#[cfg(feature = "tcp")]
pub mod tcp;
#[cfg(all(feature = "tls", any(feature = "http", feature = "tcp")))]
pub mod tls {
    //! TLS 1.2 or later, by rustls, for `amps://` and `https://`.

    pub use capgen_net::{ClientTls, ServerTls, TlsError};
}
#[cfg(feature = "handlers")]
mod typed;
#[cfg(feature = "handlers")]
mod watch;
#[cfg(any(feature = "http", feature = "tcp"))]
mod weight;

#[cfg(feature = "handlers")]
pub use agent::{Agent, AgentBuilder, StartError};
pub use client::{Client, ClientError};
pub use peer::{Answers, Peer, PeerError};
pub use service::{Authenticate, BoxFuture, Handled, Proved, Service};
#[cfg(feature = "handlers")]
pub use typed::TypedError;
