//! Clients and handlers as services of [tower](https://docs.rs/tower), with the feature `tower`: layers around all
//! calls of a client and all handlers of an agent, and services for single capabilities.
//!
//! | wrapped | by | request, response and error of the services |
//! |---|---|---|
//! | the calls of a client, each with all its attempts; also those of generated clients | [`ClientBuilder::layer`](crate::ClientBuilder::layer) | [`OutgoingCall`], [`CallResponse`], [`CallError`](crate::CallError) |
//! | the handlers of an agent, in every server | [`Handlers::layer`](crate::Handlers::layer) | [`ServedRequest`], [`ServedResponse`], [`ServeError`] |
//! | calls by name | [`Client`](crate::Client) is a service | [`JsonCall`] |
//! | the handler of one capability | [`Handlers::with_service`](crate::Handlers::with_service) | [`ServedCall`] |
//!
//! Failures are errors of the services, so that layers that repeat, count or limit see them.

mod core;
mod json;
mod outgoing;
mod served;

pub use json::{JsonCall, JsonCallError, ServedCall};
pub use outgoing::{CallResponse, CallService, OutgoingCall};
pub use served::{HandlerService, ServeError, ServedRequest, ServedResponse};

pub(crate) use core::driven;
pub(crate) use outgoing::{ClientLayers, failed, with_layer};
pub(crate) use served::{HandlerLayers, answered, ran};
