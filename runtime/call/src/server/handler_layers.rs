//! Adding layers to the handlers of an agent.

use tower_layer::Layer;
use tower_service::Service;

use super::handlers::Handlers;
use super::served::{HandlerService, ServedRequest, ServedResponse, with_layer};

impl Handlers {
    /// Adds a layer around all handlers of the agent, for every server that runs them: over brokers, MCP and AMP. A
    /// later one is outside of those before; `tower::ServiceBuilder` is a layer, and puts the first one outside.
    ///
    /// A layer sees requests of callers that may call the capability, before their payloads are read. The service that
    /// it makes is cloned for each request.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use capgen_call::Handlers;
    /// use tower::ServiceBuilder;
    ///
    /// let layers = ServiceBuilder::new().concurrency_limit(64).timeout(Duration::from_secs(10));
    /// let handlers = Handlers::new("echo").with_loose("say", async |_, payload| Ok(payload)).layer(layers);
    /// ```
    #[must_use]
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<HandlerService>,
        L::Service: Service<ServedRequest, Response = ServedResponse> + Clone + Send + 'static,
        <L::Service as Service<ServedRequest>>::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        <L::Service as Service<ServedRequest>>::Future: Send,
    {
        self.layers = Some(with_layer(self.layers.take(), &layer));
        self
    }
}
