//! The handlers of the crate `capgen-call`: one implementation serves calls with JSON envelopes and AMP.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use capgen_call::journal::Journal;
use capgen_call::{AuditWriter, Failure, Handlers, RunError, Side};
use capgen_schema::{Hash, Schema, Violations};

use super::BoxFuture;
use super::access::{Access, context};
use super::execute::{Execute, Watch};
use super::watch::journal;
use crate::CapabilityId;
use crate::body::NameOrType;
use crate::cbor::Value;
use crate::descriptor::{LOOSE, Publication};
use crate::message::Rejection;
use crate::policy::Policy;
use crate::provider::{HandlerOutcome, Permissions, Received, RefusedInvocation, Start};

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
/// Of several versions of a capability, the handler of the version that was selected runs; without one, that of the
/// highest version, as for calls of the plain name.
///
/// [`Context::caller`](capgen_call::Context::caller) is the DID of the sender without fragment, which its signature
/// proves, and [`Context::message_id`](capgen_call::Context::message_id) the id of the message in hexadecimal.
#[derive(Clone)]
pub struct HandlerExecutor {
    handlers: Handlers,
    pub(super) access: Arc<Access>,
    /// The schema by which each handler checks its responses, unless it is loose: by its name and the hash of its
    /// contract.
    checked: BTreeMap<(String, String), Hash>,
    log: Option<Arc<Log>>,
    pub(super) journal: Arc<Journal>,
    #[cfg(feature = "otel")]
    pub(super) requests: Arc<super::measure::Requests>,
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
            Some(((name.to_owned(), contract.hash.clone()), Schema::parse_text(schema).ok()?.hash()))
        });
        Self {
            checked: checked.collect(),
            access: Arc::new(Access::of(&handlers)),
            #[cfg(feature = "otel")]
            requests: Arc::new(super::measure::Requests::new(&handlers)),
            handlers,
            journal: journal(AuditWriter::Provider, None, false),
            log: None,
        }
    }

    /// Finds the handlers of the capabilities of a manifest by their names in the manifest.
    #[must_use]
    pub fn with_publications(mut self, publications: &[Publication<'_>]) -> Self {
        let names = publications.iter().map(|it| (it.id.name.clone(), it.capability.name.clone()));
        Arc::make_mut(&mut self.access).add_names(names);
        self
    }

    /// Reports the violations of payloads, which callers do not get: of requests and responses by the handler's own
    /// contract, and of responses by the published schema.
    #[must_use]
    pub fn with_log(self, log: impl Fn(&CapabilityId, Side, &Violations) + Send + Sync + 'static) -> Self {
        Self { log: Some(Arc::new(log)), ..self }
    }
}

impl Execute for HandlerExecutor {
    fn execute(&self, start: Start) -> BoxFuture<'static, HandlerOutcome> {
        let Start { caller, message, id, params, deadline, .. } = start;
        let name = self.access.handler(&id.name);
        let contract = self.access.contract(name, &id.version).map_or("", |contract| &contract.hash);
        let context = context(&caller, name, message, deadline);
        let checked = self.checked.get(&(name.to_owned(), contract.to_owned())).copied();
        let Some(running) = self.handlers.run_contract(contract, context, params.into()) else {
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
                    let (code, message) = (failure.code().to_owned(), failure.message().to_owned());
                    HandlerOutcome::InvalidDetails { code, message, violations }
                }
                Err(RunError::Invalid { side, violations }) => {
                    if let Some(log) = log {
                        log(&id, side, &violations);
                    }
                    HandlerOutcome::Invalid { side, violations }
                }
                Err(_) => HandlerOutcome::Panic,
            }
        })
    }

    fn check(&self, policy: &Policy) -> Result<(), String> {
        self.access.check(policy).map_err(|error| error.to_string())
    }

    fn authorize(
        &self,
        received: &Received,
        asked: Option<&NameOrType>,
    ) -> Option<BoxFuture<'static, Arc<dyn Permissions>>> {
        self.access.decide(received, asked)
    }

    fn is_watching(&self) -> bool {
        true
    }

    fn watch(&self, start: &Start) -> Option<Arc<dyn Watch>> {
        self.watched(start)
    }

    fn refused(&self, refused: RefusedInvocation) -> BoxFuture<'static, ()> {
        self.record_refused(refused)
    }

    fn rejected(&self, rejection: &Rejection) {
        self.report_rejected(rejection);
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
