//! Connections for the protocols of capgen: accepting them and ending them, the shares of peers in the memory of a
//! server, HTTP/1.1 with limits, and TLS. Needs the runtime of tokio.
//!
//! ```
//! use capgen_net::{Budget, Caller};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let places = Budget::places(64);
//! let mut share = places.share(Caller::Named("did:web:example.com".into()));
//! share.grow(1).await;
//! assert_eq!(places.held(), 1);
//! drop(share);
//! assert_eq!(places.held(), 0);
//! # }
//! ```
//!
//! # Reading order
//!
//! For contributors. `listen.rs` accepts connections and ends them; `seat.rs` is the place of one, which an idle
//! connection gives to a new one. `caller.rs` decides for whom memory and places count, an address or a name that the
//! peer has proved, and `budget/` gives each caller its share, by the one rule of `capgen-shares`.
//!
//! `pace.rs`, `timed.rs` and `growth.rs` end peers that read or send too slowly. `http/` has the connections of servers
//! and clients over `hyper`, with bodies of a limited size, and `tls.rs` is TLS by rustls.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod budget;
mod caller;
mod growth;
#[cfg(feature = "http")]
pub mod http;
mod io;
mod listen;
mod pace;
mod seat;
mod timed;
#[cfg(feature = "tls")]
mod tls;

pub use budget::{Budget, FREE, Share};
pub use caller::{Caller, Host};
pub use growth::Growth;
pub use io::Io;
pub use listen::{Admission, Server, Stop, listen};
pub use pace::Pace;
pub use seat::{Seat, Work};
pub use timed::Timed;
#[cfg(feature = "tls")]
pub use tls::{ClientTls, ServerTls, TlsError};
