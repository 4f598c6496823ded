//! Running handlers without a server: for requests of other protocols.

use std::sync::Arc;

use bytes::Bytes;
use capgen_manifest::Side;

use super::entry::{Entry, InvalidSide, Unhandled};
use super::handlers::Handlers;
use super::outgoing::InvalidDetails;
use super::respond::invalid_details;
use super::run_error::RunError;
use crate::context::Context;
use crate::failure::Failure;
use crate::transport::BoxFuture;

impl Handlers {
    /// Runs the handler of [`Context::capability`] without a server, and returns the text of its response. `None` if
    /// there is none. If there are several versions, it is the highest one that is not a pre-release, or else the
    /// highest one.
    ///
    /// Both payloads are validated. Nothing else that a server does is done: deadlines, panics, duplicates and records
    /// are the caller's concern.
    ///
    /// ```
    /// # async fn example() -> Option<()> {
    /// use capgen_call::{Context, Failure, Handlers};
    /// use serde_json::{Value, json};
    /// let handlers = Handlers::new("echo").with_loose("say", async |_: Context, payload: Value| Ok(json!({"said": payload})));
    /// let context = Context::of_request("did:web:example.com:alice", "say", "message-1", None);
    /// let response = handlers.run(context, "1".into())?.await.ok()?;
    /// assert_eq!(response, r#"{"said":1}"#);
    /// # Some(())
    /// # }
    /// ```
    #[must_use]
    pub fn run(&self, context: Context, payload: Bytes) -> Option<BoxFuture<'static, Result<Bytes, RunError>>> {
        Some(self.run_entry(self.entries.get(context.capability())?.plain(), context, payload))
    }

    /// As [`run`](Self::run), but the version with a contract, given by its hash as in
    /// [`contracts`](Self::contracts).
    #[must_use]
    pub fn run_contract(
        &self,
        contract: &str,
        context: Context,
        payload: Bytes,
    ) -> Option<BoxFuture<'static, Result<Bytes, RunError>>> {
        let versions = self.entries.get(context.capability())?;
        let entry = versions.descending().find(|entry| entry.hash() == contract)?;
        Some(self.run_entry(entry, context, payload))
    }

    /// Runs a version, through the layers of the agent if it has any.
    fn run_entry(
        &self,
        entry: &Arc<Entry>,
        context: Context,
        payload: Bytes,
    ) -> BoxFuture<'static, Result<Bytes, RunError>> {
        #[cfg(feature = "tower")]
        if let Some(layers) = self.layers.clone() {
            let (entry, request) = (Arc::clone(entry), (context.clone(), payload.clone()));
            let work = move || run(&entry, request.0.clone(), request.1.clone());
            return Box::pin(super::served::ran(layers, context, payload, work));
        }
        run(entry, context, payload)
    }
}

fn run(entry: &Entry, context: Context, payload: Bytes) -> BoxFuture<'static, Result<Bytes, RunError>> {
    match entry.start(context.clone(), payload) {
        Ok(running) => Box::pin(async move {
            context.serve(running).await.map_err(|unhandled| match unhandled {
                Unhandled::Failure(failure) => RunError::Failure(failure),
                Unhandled::Invalid(InvalidSide(violations)) => RunError::Invalid { side: Side::Response, violations },
                Unhandled::InvalidDetails(InvalidDetails { code, violations }) => {
                    let failure = Failure::handler_failed(invalid_details(&code));
                    RunError::InvalidDetails { failure, violations }
                }
            })
        }),
        Err(InvalidSide(violations)) => Box::pin(async { Err(RunError::Invalid { side: Side::Request, violations }) }),
    }
}
