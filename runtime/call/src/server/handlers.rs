//! The implementation of an agent: a handler for each capability.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use capgen_descriptor::OwnedDescriptor;
use capgen_manifest::Capability as Contract;
use capgen_payload::{Capability, InvalidPayload, Options, Payload, Validator, Violations};
use capgen_schema::ExactPayload;
use serde_json::Value;

use super::version::Served;
use crate::context::Context;
use crate::failure::Failure;
use crate::transport::BoxFuture;
use crate::violation::list;

/// The handlers of an agent. Generated code makes them from an implementation of the agent's trait.
///
/// ```
/// use capgen_call::{Context, Failure, Handlers};
/// use serde_json::{Value, json};
/// let handlers = Handlers::new("echo").with_loose("say", async |_: Context, payload: Value| Ok(json!({"said": payload})));
/// assert_eq!(handlers.names().collect::<Vec<_>>(), ["say"]);
/// ```
#[derive(Clone, Debug)]
pub struct Handlers {
    pub(super) agent: String,
    pub(super) entries: BTreeMap<String, Arc<Entry>>,
}

/// A capability that is served.
pub(super) struct Entry {
    /// The contract; `None` if the capability is loose on both sides and has no declaration.
    pub(super) contract: Option<OwnedDescriptor>,
    /// The versions of callers that are served; `None` for all.
    pub(super) served: Option<Served>,
    run: Box<Run>,
}

/// Reads a request, and starts its handler.
type Run = dyn Fn(Context, Bytes) -> Result<BoxFuture<'static, Handled>, InvalidSide> + Send + Sync;

/// The result of a handler: the text of the response.
pub(super) type Handled = Result<Bytes, Unhandled>;

/// Why there is no response.
pub(super) enum Unhandled {
    /// The handler failed.
    Failure(Failure),
    /// The response violates its schema.
    Invalid(InvalidSide),
}

/// The violations of a payload, without its values.
pub(super) struct InvalidSide(pub(super) Violations);

impl Handlers {
    /// No handlers yet. `agent` is an id without `agent://`.
    #[must_use]
    pub fn new(agent: impl Into<String>) -> Self {
        Self { agent: agent.into(), entries: BTreeMap::new() }
    }

    /// Adds the handler of a typed capability. It replaces an earlier one of the same name.
    #[must_use]
    pub fn with<C, F, Fut>(self, handler: F) -> Self
    where
        C: Capability + 'static,
        C::Request: Send + 'static,
        C::Response: Send + 'static,
        F: Fn(Context, C::Request) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<C::Response, Failure>> + Send + 'static,
    {
        let run = move |context: Context, payload: Bytes| -> Result<BoxFuture<'static, Handled>, InvalidSide> {
            let request = C::Request::from_json_with(&payload, REDACTED).map_err(InvalidSide::new)?;
            let running = handler(context, request);
            Ok(Box::pin(async move {
                let response = running.await.map_err(Unhandled::Failure)?;
                written(response.to_json_with(REDACTED))
            }))
        };
        self.add(C::NAME, Some(OwnedDescriptor::from(C::descriptor())), Box::new(run))
    }

    /// Adds the handler of a capability whose contract is known at run time. Both sides are validated by it.
    #[must_use]
    pub fn with_json<F, Fut>(self, capability: &Contract, handler: F) -> Self
    where
        F: Fn(Context, Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, Failure>> + Send + 'static,
    {
        let validator =
            |schema: &Option<capgen_schema::Schema>| schema.as_ref().map(|schema| Validator::new(schema).redact(true));
        let (input, output) = (validator(&capability.input), Arc::new(validator(&capability.output)));
        let run = move |context: Context, payload: Bytes| -> Result<BoxFuture<'static, Handled>, InvalidSide> {
            let request = read(&payload, input.as_ref())?;
            let (running, output) = (handler(context, request), Arc::clone(&output));
            Ok(Box::pin(async move {
                let response = running.await.map_err(Unhandled::Failure)?;
                let violations = output.as_ref().as_ref().map(|output| output.validate(&response)).unwrap_or_default();
                if !violations.is_empty() {
                    return Err(Unhandled::Invalid(InvalidSide(violations)));
                }
                written(response.to_json_with(REDACTED))
            }))
        };
        self.add(&capability.name, Some(capability.to_descriptor(None)), Box::new(run))
    }

    /// Adds the handler of a capability without schemas, as agents before version 1.2 have them: nothing is validated, and no contract
    /// is compared. The JSON of requests is still read strictly.
    #[must_use]
    pub fn with_loose<F, Fut>(self, name: &str, handler: F) -> Self
    where
        F: Fn(Context, Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, Failure>> + Send + 'static,
    {
        let run = move |context: Context, payload: Bytes| -> Result<BoxFuture<'static, Handled>, InvalidSide> {
            let running = handler(context, read(&payload, None)?);
            Ok(Box::pin(async move { written(running.await.map_err(Unhandled::Failure)?.to_json_with(REDACTED)) }))
        };
        self.add(name, None, Box::new(run))
    }

    /// The names of the capabilities with a handler, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// The id of the agent, without `agent://`.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// The name of each capability, and the hash of its contract in hexadecimal, sorted by name. The hash is empty if the handler is
    /// loose.
    pub fn contracts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(name, entry)| (name.as_str(), entry.hash()))
    }

    /// The contract of each capability, sorted by name; `None` if the handler is loose.
    pub fn descriptors(&self) -> impl Iterator<Item = (&str, Option<&OwnedDescriptor>)> {
        self.entries.iter().map(|(name, entry)| (name.as_str(), entry.contract.as_ref()))
    }

    fn add(mut self, name: &str, contract: Option<OwnedDescriptor>, run: Box<Run>) -> Self {
        let served = contract.as_ref().and_then(Served::of);
        self.entries.insert(name.to_owned(), Arc::new(Entry { contract, served, run }));
        self
    }
}

/// The caller knows its payload, and a response that is invalid must not leave the provider.
const REDACTED: Options = Options::new().redact(true);

impl Entry {
    /// Reads a request, and starts its handler.
    pub(super) fn start(&self, context: Context, payload: Bytes) -> Result<BoxFuture<'static, Handled>, InvalidSide> {
        (self.run)(context, payload)
    }

    /// The hash of the contract; empty if there is none.
    pub(super) fn hash(&self) -> &str {
        self.contract.as_ref().map_or("", |contract| &contract.hash)
    }
}

impl InvalidSide {
    fn new(error: InvalidPayload) -> Self {
        Self(list(error))
    }
}

fn read(text: &[u8], validator: Option<&Validator>) -> Result<Value, InvalidSide> {
    let payload =
        ExactPayload::parse(text).map_err(|error| InvalidSide::new(InvalidPayload::Syntax(error.redact(true))))?;
    let violations = validator.map(|validator| validator.validate_exact(&payload)).unwrap_or_default();
    if violations.is_empty() { Ok(payload.into_value()) } else { Err(InvalidSide(violations)) }
}

fn written(text: Result<Vec<u8>, InvalidPayload>) -> Handled {
    text.map(Bytes::from).map_err(|error| Unhandled::Invalid(InvalidSide::new(error)))
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("hash", &self.hash()).finish_non_exhaustive()
    }
}
