//! Cancelling calls whose callers do not wait any more.

use super::Client;
use super::route::Target;
use super::started::{Started, stated};
use crate::address;
use crate::envelope::{CANCEL, Draft, Keys, MessageKind, header};
use crate::id::Id;
use crate::options::CallOptions;
use crate::transport::Outgoing;

/// Why a request is cancelled.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reason {
    /// The caller dropped the call.
    Abandoned,
    /// The client is closed.
    Closed,
    /// Another attempt decided the call.
    Superseded,
}

/// A call whose request may be on its way. If it is dropped before its end, the provider learns of it.
pub(super) struct Sent<'a> {
    client: &'a Client,
    started: &'a Started,
    target: &'a Target,
    /// The options of the request that was sent, of which layers may have changed the headers.
    options: &'a CallOptions,
    has_ended: bool,
}

impl<'a> Sent<'a> {
    pub(super) fn new(client: &'a Client, started: &'a Started, target: &'a Target, options: &'a CallOptions) -> Self {
        Self { client, started, target, options, has_ended: false }
    }

    /// Ends the call, so that dropping this value cancels nothing.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
    }
}

impl Drop for Sent<'_> {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        // A layer that gave up may make the call again, so that only the requests so far are cancelled.
        #[cfg(feature = "tower")]
        if let Some(sent) = self.started.take_sent() {
            for id in sent {
                self.client.cancel(self.started, (self.target, self.options), Reason::Abandoned, Some(id));
            }
            return;
        }
        self.client.cancel(self.started, (self.target, self.options), Reason::Abandoned, None);
    }
}

impl Reason {
    fn payload(self) -> &'static [u8] {
        match self {
            Self::Abandoned => br#"{"reason":"abandoned"}"#,
            Self::Closed => br#"{"reason":"closed"}"#,
            Self::Superseded => br#"{"reason":"superseded"}"#,
        }
    }
}

impl Client {
    /// Asks all instances of the peer to end an attempt of a request, given its id, or all of them. The options
    /// are those with which the request was sent. A provider that does not support this does not receive the message.
    pub(super) fn cancel(
        &self,
        started: &Started,
        (target, options): (&Target, &CallOptions),
        reason: Reason,
        attempt: Option<Id>,
    ) {
        let Ok(link) = self.link(target) else { return };
        let id = Id::random();
        let timeout = stated(started.remaining());
        let keys = self.inner.keys.as_ref();
        // Without a signature, the token shows whose request it is.
        let authorization = options.headers.get(header::AUTHORIZATION).map(String::as_str);
        let authorization = authorization.filter(|_| !keys.is_some_and(Keys::can_sign));
        let draft = Draft {
            kind: MessageKind::Control,
            message_id: id.as_str(),
            correlation_id: started.correlation_id.as_str(),
            caused_by: attempt.as_ref().map(Id::as_str),
            from: &self.inner.agent,
            to: &started.peer,
            capability: &started.capability,
            reply_to: None,
            deadline: Some(started.unix_deadline),
            tenant: started.tenant.as_deref(),
            headers: &[
                (header::CONTROL, Some(CANCEL)),
                (header::TIMEOUT, Some(timeout.as_str())),
                (header::AUTHORIZATION, authorization),
            ],
            payload: reason.payload(),
        };
        let Ok(payload) = draft.encode(keys) else { return };
        let address = address::control(link.transport.kind(), target.address());
        let message = Outgoing::at_most_once(address, payload);
        let transport = std::sync::Arc::clone(&link.transport);
        // A call is mostly cancelled by dropping its future, which cannot wait.
        self.inner.runtime.spawn(async move {
            if let Err(error) = transport.publish(message).await {
                tracing::debug!(%error, "a call was not cancelled");
            }
        });
    }
}
