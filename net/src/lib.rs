//! Connections for the protocols of capgen: accepting them and ending them, HTTP/1.1 with limits, and TLS. Needs the runtime of tokio.
#![forbid(unsafe_code)]

mod budget;
#[cfg(feature = "http")]
pub mod http;
mod io;
mod listen;
mod pace;
mod timed;
#[cfg(feature = "tls")]
mod tls;

pub use budget::{Budget, FREE, Share};
pub use io::Io;
pub use listen::{Server, Stop, listen};
pub use pace::Pace;
pub use timed::Timed;
#[cfg(feature = "tls")]
pub use tls::{ClientTls, ServerTls, TlsError};
