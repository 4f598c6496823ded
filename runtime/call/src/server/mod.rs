//! The server: receives requests, and runs their handlers.
//!
//! Each file uses only files before it. `callers.rs` are those that share a server, `tokens.rs` those that a token
//! names, and `gate.rs` the places for which they wait. `difference.rs` describes contracts that differ. `respond.rs`
//! makes responses, and `outgoing.rs` checks failures. `version.rs` and `verdict.rs` compare contracts, and `skew.rs`
//! remembers the results. `entry.rs` is a version of a capability with its handler, and `versions.rs` chooses among
//! those of one name. `run_error.rs` is the error of a handler without a server, and `served.rs` has the services that
//! layers are around. `handlers.rs` has the functions for the capabilities of an agent, `direct.rs` runs them without a
//! message, and `handler_layers.rs` adds layers. `idempotency.rs` remembers the answers to requests with idempotency
//! keys, `stored.rs` claims them for all instances, `seen.rs` the ids of messages, and `cancels.rs` the requests that
//! run and those that are cancelled. `control_rate.rs` limits cancels. `numbers.rs` reads headers, and `due.rs` has the
//! times of a request. `shared.rs` is the state of a server, with all of these. `authorize.rs` decides whether a caller
//! may call. `measure.rs` has the span of a request, and `admit.rs` checks it. `run.rs` runs its handler, `layers.rs`
//! through the layers of the agent, `once.rs` once for each key, `watch.rs` looks after it, and `notice.rs` adds notes
//! about contracts to its response. `control.rs` receives cancels. `serve.rs` goes from the message to the response,
//! `subscriptions.rs` are those of a server, `running.rs` receives messages, `authority.rs` chooses the rule of
//! `authorize.rs`, `builder.rs` makes a server, and `access.rs` has its settings about callers.

mod access;
mod admit;
mod authority;
mod authorize;
mod builder;
mod callers;
mod cancels;
mod control;
mod control_rate;
mod difference;
mod direct;
mod due;
mod entry;
mod gate;
#[cfg(feature = "tower")]
mod handler_layers;
mod handlers;
mod idempotency;
#[cfg(feature = "tower")]
mod layers;
#[cfg(feature = "otel")]
mod measure;
mod notice;
mod numbers;
mod once;
mod outgoing;
mod respond;
mod run;
mod run_error;
mod running;
mod seen;
mod serve;
#[cfg(feature = "tower")]
mod served;
mod shared;
mod skew;
mod stored;
mod subscriptions;
mod tokens;
mod verdict;
mod version;
mod versions;
mod watch;

pub use builder::ServerBuilder;
pub use handlers::Handlers;
pub use run_error::RunError;
pub use running::{Server, ServerMonitor, ServerStats};
#[cfg(feature = "tower")]
pub use served::{HandlerService, ServeError, ServedRequest, ServedResponse};
