//! The spans and metrics of requests.

use super::shared::Shared;
use crate::envelope::{Envelope, header};
use crate::otel::{Measured, Parent};

impl Shared {
    /// Starts the span of a request.
    pub(super) fn measured(&self, request: &Envelope) -> Measured {
        let known = Some(request.capability()).filter(|name| self.entries.contains_key(*name));
        self.instruments.start(&self.agent, known, Parent::Remote(request.header(header::TRACEPARENT)))
    }

    /// Whether a version of a capability declares the code of an error.
    pub(super) fn declares(&self, capability: &str, code: &str) -> bool {
        let versions = self.entries.get(capability).into_iter().flat_map(|versions| versions.descending());
        versions.filter_map(|entry| entry.contract.as_ref()).any(|contract| contract.error(code).is_some())
    }
}
