//! Calls through the layers of the client.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use capgen_manifest::Side;
use capgen_payload::Violations;
use tokio::time::timeout_at;

use super::Client;
use super::attempt::{Reply, Request, too_late};
use super::outgoing::{CallResponse, ClientLayers, OutgoingCall, failed};
use super::repeat::IsValid;
use super::started::Started;
use crate::layered::driven;
use crate::options::CallOptions;
use crate::outcome::{CallError, code};

impl Client {
    /// The response to a request through layers.
    pub(super) async fn exchange_through(
        &self,
        layers: &ClientLayers,
        started: &Started,
        request: &Request<'_>,
        is_valid: IsValid<'_>,
    ) -> Result<Reply, CallError> {
        // An invalid response is an error for the layers; the call itself then reports its violations.
        let invalid: Mutex<Option<Reply>> = Mutex::new(None);
        let lock = || invalid.lock().unwrap_or_else(PoisonError::into_inner);
        let call = |core| {
            let names = [&*started.peer, &*started.capability];
            let (payload, is_repeatable) =
                (Bytes::copy_from_slice(request.payload), request.target.contract.is_repeatable());
            let headers = request.options.headers.clone();
            layers.call(OutgoingCall::new(names, payload, is_repeatable, started.remaining(), headers, core))
        };
        let work = |call: OutgoingCall| async move {
            *lock() = None;
            started.take_sent();
            let options = CallOptions { headers: call.headers, ..request.options.clone() };
            let request = Request { options: &options, ..*request };
            let reply = self.exchange_with_instances(started, &request, is_valid).await?;
            if is_valid(&reply.payload) {
                return Ok(CallResponse(reply));
            }
            *lock() = Some(reply);
            let message = "the response violates its schema".to_owned();
            Err(CallError::violation(Side::Response, message, Violations::default()))
        };
        // A layer may wait without an end, and repeat without one.
        let Ok(driven) = timeout_at(started.deadline, driven(call, work)).await else { return Err(too_late(started)) };
        match driven {
            Some(Ok(CallResponse(reply))) => Ok(reply),
            Some(Err(error)) => {
                let error = failed(error);
                let is_violation = error.code == code::SCHEMA_VIOLATION && error.side == Some(Side::Response);
                lock().take().filter(|_| is_violation).ok_or(error)
            }
            None => Err(CallError::new(code::ABANDONED, "a layer panicked")),
        }
    }
}
