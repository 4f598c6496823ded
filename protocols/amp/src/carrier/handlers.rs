//! The handlers of the crate `capgen-call`: one implementation serves calls with JSON envelopes and AMP.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use capgen_call::{Context, Failure, Handlers, RunError, Side};
use capgen_schema::{Hash, Schema, Violations};

use super::BoxFuture;
use super::run::Execute;
use crate::cbor::Value;
use crate::descriptor::{LOOSE, Publication};
use crate::provider::{HandlerOutcome, Start};
use crate::{CapabilityId, CapabilityName};

/// Runs the [`Handlers`] of an agent for invocations.
///
/// The handler of a capability has the name of the capability in the manifest. For names that are not known from
/// [publications](Self::with_publications), it is the last segment of AMP's name, which is the same unless the manifest
/// has an `id`.
///
/// | handler | outcome |
/// |---|---|
/// | returns a response | success; the provider validates it by the published schema, unless that is the schema of the handler's own contract, by which it was checked while it was written |
/// | fails | 5001, or 5002 if a retry helps, with the code, the message and the details of the failure |
/// | panics, or its payloads violate the schemas of its own contract | 5001 without details |
/// | is missing | 5002 |
///
/// [`Context::caller`] is the DID of the sender, and [`Context::message_id`] the id of the message in hexadecimal.
#[derive(Clone)]
pub struct HandlerExecutor {
    handlers: Handlers,
    names: BTreeMap<CapabilityName, String>,
    /// The schema by which each handler checks its responses, unless it is loose.
    checked: BTreeMap<String, Hash>,
    log: Option<Arc<Log>>,
}

/// Receives violations that the caller does not get.
type Log = dyn Fn(&CapabilityId, Side, &Violations) + Send + Sync;

impl HandlerExecutor {
    /// Runs these handlers.
    #[must_use]
    pub fn new(handlers: Handlers) -> Self {
        let contracts = handlers.descriptors().filter_map(|(name, contract)| Some((name, contract?)));
        let checked = contracts.filter_map(|(name, contract)| {
            // Without a schema, a response is any JSON value, as by the published schema `true`.
            let schema = contract.output_schema.as_deref().unwrap_or(LOOSE);
            Some((name.to_owned(), Schema::parse_text(schema).ok()?.hash()))
        });
        Self { checked: checked.collect(), handlers, names: BTreeMap::new(), log: None }
    }

    /// Finds the handlers of the capabilities of a manifest by their names in the manifest.
    #[must_use]
    pub fn with_publications(mut self, publications: &[Publication<'_>]) -> Self {
        let names = publications.iter().map(|it| (it.id.name.clone(), it.capability.name.clone()));
        self.names.extend(names);
        self
    }

    /// Reports the violations of payloads, which callers do not get: of requests and responses by the handler's own
    /// contract, and of responses by the published schema.
    #[must_use]
    pub fn with_log(self, log: impl Fn(&CapabilityId, Side, &Violations) + Send + Sync + 'static) -> Self {
        Self { log: Some(Arc::new(log)), ..self }
    }

    fn name<'a>(&'a self, name: &'a CapabilityName) -> &'a str {
        self.names.get(name).map_or_else(|| name.last_segment(), String::as_str)
    }
}

impl Execute for HandlerExecutor {
    fn execute(&self, start: Start) -> BoxFuture<'static, HandlerOutcome> {
        let Start { caller, message, id, params, deadline, .. } = start;
        let name = self.name(&id.name);
        let context = Context::of_request(caller.as_str(), name, &message.to_string(), Some(deadline));
        let checked = self.checked.get(name).copied();
        let Some(running) = self.handlers.run(context, params.into()) else {
            return Box::pin(async { HandlerOutcome::Missing });
        };
        let log = self.log.clone();
        Box::pin(async move {
            match running.await {
                Ok(response) => match checked {
                    Some(schema) => HandlerOutcome::Checked { result: response.into(), schema },
                    None => HandlerOutcome::Success(response.into()),
                },
                Err(RunError::Failure(failure)) => failed(&failure),
                Err(RunError::InvalidDetails { failure, violations }) => {
                    if let Some(log) = log {
                        log(&id, Side::Response, &violations);
                    }
                    failed(&failure)
                }
                Err(RunError::Invalid { side, violations }) => {
                    if let Some(log) = log {
                        log(&id, side, &violations);
                    }
                    HandlerOutcome::Panic
                }
                Err(_) => HandlerOutcome::Panic,
            }
        })
    }

    fn invalid_result(&self, id: &CapabilityId, violations: &Violations) {
        if let Some(log) = &self.log {
            log(id, Side::Response, violations);
        }
    }
}

/// The outcome of a failure. Its details are JSON with numbers that CBOR can have; a handler without a contract may
/// give others, which are dropped.
fn failed(failure: &Failure) -> HandlerOutcome {
    let details = failure.details().and_then(|details| Value::from_json_text(details.to_string().as_bytes()).ok());
    HandlerOutcome::Failure {
        code: failure.code().to_owned(),
        message: failure.message().to_owned(),
        retryable: failure.is_retryable(),
        details: details.map(Box::new),
    }
}

impl fmt::Debug for HandlerExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerExecutor").field("handlers", &self.handlers).finish_non_exhaustive()
    }
}
