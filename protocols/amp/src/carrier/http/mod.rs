//! HTTP: `POST /amp/v1/messages` (`specs/amp-transport.md`).
//!
//! | status | meaning |
//! |---|---|
//! | 200 | the body is the answer. The server waits for it: the deadline of the invocation bounds the time |
//! | 202 | the message was accepted and has no answer. It is not sent later |
//! | 400 | the message was rejected; the body is a text: `1002 INVALID_SIGNATURE: ...` |
//! | 401 | the client was not authenticated |
//! | 404, 405 | another path, another method |
//! | 408, 413 | the body came too slowly, is too large |
//! | 415 | the `Content-Type` is not `application/cbor`, or `X-AMP-Transport-Version` is not 1 |
//! | 500, 503 | the message could not be handled; the server is shutting down |
//!
//! Only HTTP/1.1 is spoken.

mod client;
mod server;

pub use client::{ClientOptions, HttpPeer};
pub use server::serve;

pub use super::net::ServerOptions;

/// The path of the one endpoint.
const PATH: &str = "/amp/v1/messages";

/// The type of messages.
const CBOR: &str = "application/cbor";

/// The header with the version of the transport.
const VERSION_HEADER: &str = "x-amp-transport-version";

/// Its value.
const VERSION: &str = "1";
