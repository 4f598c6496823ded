//! The options of servers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "tls")]
use capgen_net::ServerTls;

use super::{Accept, Limits};
use crate::carrier::Authenticate;
use crate::carrier::connection::Settings;

/// The options of a server. They are the same for `amp://` and for HTTP, so a program that serves both states them
/// once.
#[derive(Clone)]
pub struct ServerOptions {
    /// The limits of each connection. HTTP has no handshake and no PING: there, `max_msg_size`, `frame_ms`, which
    /// limits bodies, and `proof_ms` apply.
    pub settings: Settings,
    /// `amp://`: the number of messages of one connection that are handled at the same time. While there are as many,
    /// nothing is read from it. A connection of HTTP handles one request at a time.
    pub max_in_flight: usize,
    /// HTTP: the time for the head of a request, which is also the time that a connection may be idle.
    pub head_timeout: Duration,
    /// The limits of all connections.
    pub limits: Limits,
    /// Decides who clients are. Without it, they have no principal, and their tokens and the header `Authorization` are
    /// ignored.
    pub authenticate: Option<Arc<dyn Authenticate>>,
    /// Serves `amps://`, or `https://`.
    #[cfg(feature = "tls")]
    pub tls: Option<ServerTls>,
}

/// The messages of one connection that are handled at the same time: enough that a client with many calls need not wait
/// for each answer, and a sixteenth of the invocations of one sender that a provider runs.
const MAX_IN_FLIGHT: usize = 64;

/// The time for the head of a request. It is as long as a connection of `amp://` may be silent before it gets a PING.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

impl Default for ServerOptions {
    /// The default settings and limits, 64 messages in flight, 30 s for heads, no authentication, no TLS.
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            max_in_flight: MAX_IN_FLIGHT,
            head_timeout: HEAD_TIMEOUT,
            limits: Limits::default(),
            authenticate: None,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }
}

impl ServerOptions {
    /// How connections are accepted.
    pub(in crate::carrier) fn accept(&self) -> Accept {
        Accept {
            limits: self.limits.clone(),
            #[cfg(feature = "tls")]
            tls: self.tls.clone(),
        }
    }
}

impl fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut options = f.debug_struct("ServerOptions");
        options.field("settings", &self.settings).field("max_in_flight", &self.max_in_flight);
        options.field("head_timeout", &self.head_timeout).field("limits", &self.limits).finish_non_exhaustive()
    }
}
