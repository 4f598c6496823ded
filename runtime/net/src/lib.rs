//! Connections for the protocols of capgen: accepting them and ending them, the shares of peers in the memory of a server, HTTP/1.1
//! with limits, and TLS. Needs the runtime of tokio.
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
