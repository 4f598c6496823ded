//! The implementation of an agent: a handler for each capability.

use std::collections::{BTreeMap, btree_map};
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use capgen_descriptor::OwnedDescriptor;
use capgen_manifest::{Capability as LoadedCapability, InvalidProperty};
use capgen_payload::{Capability, InvalidPayload, Options, Payload, Validator};
use capgen_schema::ExactPayload;
use serde_json::Value;

use super::entry::{Entry, Handled, InvalidSide, Run, Source, Unhandled};
#[cfg(feature = "tower")]
use super::served::HandlerLayers;
use super::versions::Versions;
use crate::build_error::BuildError;
use crate::context::Context;
use crate::declared_errors::DeclaredErrors;
use crate::failure::Failure;
use crate::transport::BoxFuture;

/// The handlers of an agent. Generated code makes them from an implementation of the agent's trait.
///
/// ```
/// use capgen_call::{Context, Failure, Handlers};
/// use serde_json::{Value, json};
/// let handlers = Handlers::new("echo").with_loose("say", async |_: Context, payload: Value| Ok(json!({"said": payload})));
/// assert_eq!(handlers.names().collect::<Vec<_>>(), ["say"]);
/// ```
#[derive(Clone)]
pub struct Handlers {
    pub(super) agent: String,
    pub(super) entries: BTreeMap<String, Versions>,
    /// The handlers that cannot be served beside others of their name, and why.
    conflicts: Vec<String>,
    #[cfg(feature = "tower")]
    pub(super) layers: Option<HandlerLayers>,
}

impl Handlers {
    /// No handlers yet. `agent` is an id without `agent://`.
    #[must_use]
    pub fn new(agent: impl Into<String>) -> Self {
        Self {
            agent: agent.into(),
            entries: BTreeMap::new(),
            conflicts: Vec::new(),
            #[cfg(feature = "tower")]
            layers: None,
        }
    }

    /// Adds the handler of a typed capability.
    ///
    /// Capabilities of one name are versions of it, which are served side by side: at most 8, each with a version, and
    /// no two equal ones. [`check`](Self::check) and [`ServerBuilder::start`](crate::ServerBuilder::start) report
    /// those that are not.
    #[must_use]
    pub fn with<C, F, Fut>(self, handler: F) -> Self
    where
        C: Capability + 'static,
        C::Request: Send + 'static,
        C::Response: Send + 'static,
        F: Fn(Context, C::Request) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<C::Response, Failure>> + Send + 'static,
    {
        let handler = Arc::new(handler);
        let contract = OwnedDescriptor::from(C::descriptor());
        let errors = Arc::new(DeclaredErrors::of(contract.errors.iter().cloned()));
        let run = move |context: Context, payload: Bytes| -> Result<BoxFuture<'static, Handled>, InvalidSide> {
            let request = C::Request::from_json_with(&payload, REDACTED).map_err(InvalidSide::new)?;
            let (handler, errors) = (Arc::clone(&handler), Arc::clone(&errors));
            Ok(Box::pin(async move {
                let failed = |failure| Unhandled::failure(failure, Some(&errors));
                let response = handler(context, request).await.map_err(failed)?;
                written(response.to_json_with(REDACTED))
            }))
        };
        #[cfg(feature = "derive")]
        let source = Source::Types(|| C::declared().entry.ok());
        #[cfg(not(feature = "derive"))]
        let source = Source::None;
        self.add(C::NAME, Some(contract), source, Box::new(run))
    }

    /// Adds the handler of a capability whose contract is known at run time. Both sides are validated by it.
    #[must_use]
    pub fn with_json<F, Fut>(self, capability: &LoadedCapability, handler: F) -> Self
    where
        F: Fn(Context, Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, Failure>> + Send + 'static,
    {
        let validator =
            |schema: &Option<capgen_schema::Schema>| schema.as_ref().map(|schema| Validator::new(schema).redact(true));
        let (input, output) = (validator(&capability.input), Arc::new(validator(&capability.output)));
        let handler = Arc::new(handler);
        let contract = capability.to_descriptor(None);
        let errors = Arc::new(DeclaredErrors::of(contract.errors.iter().cloned()));
        let run = move |context: Context, payload: Bytes| -> Result<BoxFuture<'static, Handled>, InvalidSide> {
            let request = read(&payload, input.as_ref())?;
            let (handler, output, errors) = (Arc::clone(&handler), Arc::clone(&output), Arc::clone(&errors));
            Ok(Box::pin(async move {
                let failed = |failure| Unhandled::failure(failure, Some(&errors));
                let response = handler(context, request).await.map_err(failed)?;
                let violations = output.as_ref().as_ref().map(|output| output.validate(&response)).unwrap_or_default();
                if !violations.is_empty() {
                    return Err(Unhandled::Invalid(InvalidSide(violations)));
                }
                written(response.to_json_with(REDACTED))
            }))
        };
        let source = Source::Manifest(Box::new(capability.clone()));
        self.add(&capability.name, Some(contract), source, Box::new(run))
    }

    /// Adds the handler of a capability without schemas, as agents before version 1.2 have them: nothing is validated,
    /// and no contract is compared. The JSON of requests is still read strictly.
    #[must_use]
    pub fn with_loose<F, Fut>(self, name: &str, handler: F) -> Self
    where
        F: Fn(Context, Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, Failure>> + Send + 'static,
    {
        let handler = Arc::new(handler);
        let run = move |context: Context, payload: Bytes| -> Result<BoxFuture<'static, Handled>, InvalidSide> {
            let (request, handler) = (read(&payload, None)?, Arc::clone(&handler));
            Ok(Box::pin(async move {
                let failed = |failure| Unhandled::failure(failure, None);
                written(handler(context, request).await.map_err(failed)?.to_json_with(REDACTED))
            }))
        };
        self.add(name, None, Source::None, Box::new(run))
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

    /// The name of each capability, and the hash of its contract in hexadecimal, sorted by name, then by version. The
    /// hash is empty if the handler is loose.
    pub fn contracts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.all().map(|(name, entry)| (name, entry.hash()))
    }

    /// The contract of each capability, sorted by name, then by version; `None` if the handler is loose.
    pub fn descriptors(&self) -> impl Iterator<Item = (&str, Option<&OwnedDescriptor>)> {
        self.all().map(|(name, entry)| (name, entry.contract.as_deref()))
    }

    /// The capabilities in the form of the manifest, sorted by name, then by version. Those of a manifest and of
    /// derived types have the order and the descriptions of their properties; generated code has neither. A loose
    /// handler has only a name.
    ///
    /// # Errors
    ///
    /// The descriptor of a capability, which a program may make by hand, has invalid properties: the name of the
    /// capability, and the properties.
    pub fn capabilities(&self) -> Result<Vec<LoadedCapability>, (String, Vec<InvalidProperty>)> {
        let capability = |(name, entry): (&str, &Entry)| {
            let Some(contract) = &entry.contract else { return Ok(LoadedCapability::new(name)) };
            let source = match &entry.source {
                Source::Manifest(capability) => Some((**capability).clone()),
                #[cfg(feature = "derive")]
                Source::Types(declared) => declared(),
                Source::None => None,
            };
            let read = || LoadedCapability::from_descriptor(contract).map_err(|problems| (name.to_owned(), problems));
            source.map_or_else(read, Ok)
        };
        self.all().map(capability).collect()
    }

    /// Whether the handlers can be served.
    ///
    /// # Errors
    ///
    /// Two handlers have the same name and the same version, by precedence; a handler beside others of its name has no
    /// version; or there are more than 8 of one name. All of these are listed.
    ///
    /// ```
    /// use capgen_call::Handlers;
    /// let handlers = Handlers::new("echo").with_loose("say", async |_, payload| Ok(payload));
    /// assert!(handlers.check().is_ok());
    /// let twice = handlers.with_loose("say", async |_, payload| Ok(payload));
    /// assert_eq!(twice.check().unwrap_err().to_string(), "`say` has several handlers, of which one has no version");
    /// ```
    pub fn check(&self) -> Result<(), BuildError> {
        if self.conflicts.is_empty() { Ok(()) } else { Err(BuildError::InvalidHandlers(self.conflicts.clone())) }
    }

    /// The number of versions of the capability that has the most; 0 if there are no handlers. It is the argument of
    /// [`Authorization::decide_versions`](crate::Authorization::decide_versions).
    #[must_use]
    pub fn most_versions(&self) -> usize {
        self.entries.values().map(|versions| versions.descending().count()).max().unwrap_or(0)
    }

    /// Every handler with the name of its capability.
    fn all(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries
            .iter()
            .flat_map(|(name, versions)| versions.descending().rev().map(move |entry| (name.as_str(), &**entry)))
    }

    fn add(mut self, name: &str, contract: Option<OwnedDescriptor>, source: Source, run: Box<Run>) -> Self {
        let entry = Arc::new(Entry::new(name, contract, source, run));
        match self.entries.entry(name.to_owned()) {
            btree_map::Entry::Vacant(vacant) => drop(vacant.insert(Versions::of(entry))),
            btree_map::Entry::Occupied(mut versions) => {
                if let Err(conflict) = versions.get_mut().add(entry) {
                    self.conflicts.push(format!("`{name}` {conflict}"));
                }
            }
        }
        self
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contracts: Vec<_> = self.contracts().collect();
        f.debug_struct("Handlers").field("agent", &self.agent).field("contracts", &contracts).finish_non_exhaustive()
    }
}

/// The caller knows its payload, and a response that is invalid must not leave the provider.
const REDACTED: Options = Options::new().redact(true);

fn read(text: &[u8], validator: Option<&Validator>) -> Result<Value, InvalidSide> {
    let payload =
        ExactPayload::parse(text).map_err(|error| InvalidSide::new(InvalidPayload::Syntax(error.redact(true))))?;
    let violations = validator.map(|validator| validator.validate_exact(&payload)).unwrap_or_default();
    if violations.is_empty() { Ok(payload.into_value()) } else { Err(InvalidSide(violations)) }
}

fn written(text: Result<Vec<u8>, InvalidPayload>) -> Handled {
    text.map(Bytes::from).map_err(|error| Unhandled::Invalid(InvalidSide::new(error)))
}
