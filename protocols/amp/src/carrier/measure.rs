//! The spans and metrics of the handlers of invocations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use capgen_call::otel::MeasuredRequest;
use capgen_call::{Handlers, RunError, code};
use capgen_time::{Clock as _, SystemClock};

/// The value of `rpc.system.name`.
const SYSTEM: &str = "amp";

/// The instruments of the handlers of an agent, and the codes of the errors that each handler declares.
#[derive(Clone)]
pub(super) struct Requests {
    requests: capgen_call::otel::Requests,
    declared: BTreeMap<String, Arc<BTreeSet<String>>>,
}

/// A handler that runs. If it is dropped before its end, it was stopped.
struct Running {
    request: MeasuredRequest,
    /// In Unix ms.
    deadline: u64,
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

    /// Runs the handler of a capability with a span as the current one. An invocation has no trace of its caller, so
    /// the span starts one.
    pub(super) fn measured<F>(&self, name: &str, deadline: u64, handler: F) -> impl Future<Output = F::Output> + use<F>
    where
        F: Future<Output = Result<Bytes, RunError>>,
    {
        let declared = self.declared.get(name).cloned();
        let mut running = Running { request: self.requests.start(Some(name), None), deadline };
        async move {
            let outcome = running.request.run(handler).await;
            let error = outcome.as_ref().err().map(code_of);
            running.request.end(error, |code| declared.as_ref().is_some_and(|declared| declared.contains(code)));
            outcome
        }
    }
}

/// The code of an error, as calls have it.
fn code_of(error: &RunError) -> &str {
    match error {
        RunError::Failure(failure) | RunError::InvalidDetails { failure, .. } => failure.code(),
        RunError::Invalid { .. } => code::SCHEMA_VIOLATION,
        _ => code::HANDLER_FAILED,
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After its end, this changes nothing. A panic drops it too, and so does a provider that stops.
        let code = match () {
            () if std::thread::panicking() => code::HANDLER_FAILED,
            () if SystemClock.now_ms() >= self.deadline => code::TIMEOUT,
            () => code::ABANDONED,
        };
        self.request.end(Some(code), |_| false);
    }
}
