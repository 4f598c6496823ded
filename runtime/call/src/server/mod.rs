//! The server: receives requests, and runs their handlers.
//!
//! Each file uses only files before it. `difference.rs` describes contracts that differ. `respond.rs` makes responses.
//! `version.rs` and `skew.rs` compare contracts.
//! `entry.rs` is a version of a capability with its handler, and `versions.rs` chooses among those of one name.
//! `handlers.rs` has the functions for the capabilities of an agent, which `direct.rs` runs without a message.
//! `idempotency.rs` remembers the answers to requests with idempotency keys, `stored.rs` claims them for all instances,
//! `seen.rs` the ids of messages, and `cancels.rs` the requests that run and those that are cancelled.
//! `control_rate.rs` limits cancels. `numbers.rs` reads headers, and `due.rs` has the times of a request. `shared.rs`
//! is the state of a server, with all of these. `admit.rs` checks a request, `run.rs` runs its handler, `once.rs` does
//! it once for each key, and `watch.rs` looks after it. `control.rs` receives cancels. `serve.rs` goes from the message
//! to the response, `running.rs` receives messages, and `builder.rs` makes a server.

mod admit;
mod builder;
mod cancels;
mod control;
mod control_rate;
mod difference;
mod direct;
mod due;
mod entry;
mod handlers;
mod idempotency;
mod numbers;
mod once;
mod respond;
mod run;
mod running;
mod seen;
mod serve;
mod shared;
mod skew;
mod stored;
mod version;
mod versions;
mod watch;

pub use builder::ServerBuilder;
pub use direct::RunError;
pub use handlers::Handlers;
pub use running::{Server, ServerMonitor, ServerStats};
