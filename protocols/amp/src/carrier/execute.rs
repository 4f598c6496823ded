//! The interface between a provider that runs and the handlers of its program.

use std::sync::Arc;

use capgen_schema::Violations;

use super::BoxFuture;
use crate::CapabilityId;
use crate::body::NameOrType;
use crate::message::Rejection;
use crate::policy::Policy;
use crate::provider::{HandlerOutcome, InvocationEnd, Permissions, Received, RefusedInvocation, Start};

/// The handlers of a provider.
pub trait Execute: Send + Sync + 'static {
    /// Runs the handler of an invocation. A panic is [`HandlerOutcome::Panic`]. The future is dropped if the invocation
    /// ends before it.
    fn execute(&self, start: Start) -> BoxFuture<'static, HandlerOutcome>;

    /// Why these handlers cannot run with a policy. For example, they require roles, and nothing says who has them.
    ///
    /// # Errors
    ///
    /// The reason.
    fn check(&self, policy: &Policy) -> Result<(), String> {
        let _ = policy;
        Ok(())
    }

    /// Decides the permissions of the sender of a message; `None` if the policy alone decides. `asked` is the
    /// [capability](crate::provider::Provider::asked) that the message asks for. The decision must not depend on the
    /// catalogue (decision 10), and nothing waits for it longer than for an invocation.
    fn authorize(
        &self,
        received: &Received,
        asked: Option<&NameOrType>,
    ) -> Option<BoxFuture<'static, Arc<dyn Permissions>>> {
        let _ = (received, asked);
        None
    }

    /// The result of a handler violates the output schema; the caller gets 5001 without the violations (decision 12).
    /// For logs.
    fn invalid_result(&self, id: &CapabilityId, violations: &Violations) {
        let _ = (id, violations);
    }

    /// Whether [`watch`](Self::watch) and [`refused`](Self::refused) are called, and so something allocated for them.
    fn is_watching(&self) -> bool {
        false
    }

    /// Watches an invocation that starts, for audits and metrics; `None` if nothing does. The state of the provider is
    /// locked meanwhile.
    fn watch(&self, start: &Start) -> Option<Arc<dyn Watch>> {
        let _ = start;
        None
    }

    /// An invocation is refused. Its answer is sent when the future has ended.
    fn refused(&self, refused: RefusedInvocation) -> BoxFuture<'static, ()> {
        let _ = refused;
        Box::pin(async {})
    }

    /// A message is rejected, because nothing proves its sender. For logs and metrics.
    fn rejected(&self, rejection: &Rejection) {
        let _ = rejection;
    }

    /// The store cannot be written. Invocations whose acceptance it does not have are refused with 5002. For logs.
    fn store_failed(&self, reason: &str) {
        let _ = reason;
    }
}

/// Watches one invocation.
pub trait Watch: Send + Sync + 'static {
    /// Wraps the handler, such as into a span.
    fn around(&self, handler: BoxFuture<'static, HandlerOutcome>) -> BoxFuture<'static, HandlerOutcome> {
        handler
    }

    /// The invocation has ended. Its result is sent when the future has ended.
    fn ended(self: Arc<Self>, end: InvocationEnd) -> BoxFuture<'static, ()>;
}
