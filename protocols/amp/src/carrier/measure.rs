//! The spans and metrics of invocations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use capgen_call::Handlers;
use capgen_call::otel::MeasuredRequest;

/// The value of `rpc.system.name`.
pub(super) const SYSTEM: &str = "amp";

/// The instruments of the handlers of an agent, and the codes of the errors that each handler declares.
pub(super) struct Requests {
    requests: capgen_call::otel::Requests,
    declared: BTreeMap<String, Arc<BTreeSet<String>>>,
}

/// An invocation that is measured. If it is dropped before its end, it was abandoned.
pub(super) struct Measured {
    request: MeasuredRequest,
    declared: Option<Arc<BTreeSet<String>>>,
}

impl Requests {
    pub(super) fn new(handlers: &Handlers) -> Self {
        let mut declared: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (name, contract) in handlers.descriptors() {
            let codes = contract.into_iter().flat_map(|contract| &contract.errors).map(|error| error.code.clone());
            declared.entry(name.to_owned()).or_default().extend(codes);
        }
        let declared = declared.into_iter().map(|(name, codes)| (name, Arc::new(codes)));
        Self { requests: capgen_call::otel::Requests::new(SYSTEM, handlers.agent()), declared: declared.collect() }
    }

    /// Starts the span of an invocation of a capability, which may have no handler. An invocation has no trace of its
    /// caller, so the span starts one.
    pub(super) fn start(&self, capability: &str) -> Measured {
        let declared = self.declared.get(capability).cloned();
        let request = self.requests.start(declared.is_some().then_some(capability), None);
        Measured { request, declared }
    }
}

impl Measured {
    /// Runs the handler with the span as the current one.
    pub(super) fn run<F: Future>(&self, handler: F) -> impl Future<Output = F::Output> + use<F> {
        self.request.run(handler)
    }

    /// Ends the invocation, with the code of its error if it failed.
    pub(super) fn end(&mut self, error: Option<&str>) {
        let declared = self.declared.as_ref();
        self.request.end(error, |code| declared.is_some_and(|declared| declared.contains(code)));
    }
}
