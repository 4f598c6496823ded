//! The handlers of the crate `capgen-call`: one implementation serves calls with JSON envelopes and AMP.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use capgen_call::{Context, Handlers, RunError, Side};
use capgen_schema::Violations;
use serde_json::Value;

use super::BoxFuture;
use super::run::Execute;
use crate::descriptor::Publication;
use crate::provider::{Outcome, Start};
use crate::{CapabilityId, CapabilityName};

/// Runs the [`Handlers`] of an agent for invocations.
///
/// The handler of a capability has the name of the capability in the manifest. For names that are not known from
/// [publications](Self::with_publications), it is the last segment of AMP's name, which is the same unless the manifest has an `id`.
///
/// | handler | outcome |
/// |---|---|
/// | returns a response | success; the provider validates it by the published schema |
/// | fails | 5001 with the code and the message of the failure |
/// | panics, or its payloads violate the schemas of its own contract | 5001 without details |
/// | is missing | 5002 |
///
/// [`Context::caller`] is the DID of the sender, and [`Context::message_id`] the id of the message in hexadecimal.
#[derive(Clone)]
pub struct HandlerExecutor {
    handlers: Handlers,
    names: BTreeMap<CapabilityName, String>,
    log: Option<Arc<Log>>,
}

/// Receives violations that the caller does not get.
type Log = dyn Fn(&CapabilityId, Side, &Violations) + Send + Sync;

impl HandlerExecutor {
    /// Runs these handlers.
    #[must_use]
    pub const fn new(handlers: Handlers) -> Self {
        Self { handlers, names: BTreeMap::new(), log: None }
    }

    /// Finds the handlers of the capabilities of a manifest by their names in the manifest.
    #[must_use]
    pub fn with_publications(mut self, publications: &[Publication<'_>]) -> Self {
        let names = publications.iter().map(|it| (it.id.name.clone(), it.capability.name.clone()));
        self.names.extend(names);
        self
    }

    /// Reports the violations of payloads, which callers do not get: of requests and responses by the handler's own contract, and of
    /// responses by the published schema.
    #[must_use]
    pub fn with_log(self, log: impl Fn(&CapabilityId, Side, &Violations) + Send + Sync + 'static) -> Self {
        Self { log: Some(Arc::new(log)), ..self }
    }

    fn name<'a>(&'a self, name: &'a CapabilityName) -> &'a str {
        self.names.get(name).map_or_else(|| name.last_segment(), String::as_str)
    }
}

impl Execute for HandlerExecutor {
    fn execute(&self, start: Start) -> BoxFuture<'static, Outcome> {
        let Start { caller, message, id, params, deadline, .. } = start;
        let context = Context::of_request(caller.as_str(), self.name(&id.name), &message.to_string(), Some(deadline));
        let Ok(params) = serde_json::to_vec(&params) else { return Box::pin(async { Outcome::Panic }) };
        let Some(running) = self.handlers.run(context, params.into()) else {
            return Box::pin(async { Outcome::Missing });
        };
        let log = self.log.clone();
        Box::pin(async move {
            match running.await {
                Ok(response) => read(&response),
                Err(RunError::Failure(failure)) => {
                    Outcome::Failure { code: failure.code().to_owned(), message: failure.message().to_owned() }
                }
                Err(RunError::Invalid { side, violations }) => {
                    if let Some(log) = log {
                        log(&id, side, &violations);
                    }
                    Outcome::Panic
                }
                Err(_) => Outcome::Panic,
            }
        })
    }

    fn invalid_result(&self, id: &CapabilityId, violations: &Violations) {
        if let Some(log) = &self.log {
            log(id, Side::Response, violations);
        }
    }
}

/// The handler has written the text itself, so it is JSON.
fn read(response: &Bytes) -> Outcome {
    serde_json::from_slice::<Value>(response).map_or(Outcome::Panic, Outcome::Success)
}

impl fmt::Debug for HandlerExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerExecutor").field("handlers", &self.handlers).finish_non_exhaustive()
    }
}
