//! One requester and its requests.

use std::process;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use capgen_amp::Code;
use capgen_amp::carrier::http::{self, HttpPeer};
use capgen_amp::carrier::tcp::{self, TcpPeer};
use capgen_amp::carrier::{Peer, PeerError};
use capgen_amp::cbor::Value;
use capgen_amp::message::SigningKey;
use capgen_amp::requester::{Answer, Exchange, ExchangeEvent, Reaction, Requester};
use capgen_schema::Violation;
use capgen_time::{Clock as _, SystemClock};
use serde_json::json;

use super::arguments::RequesterOptions;
use super::{details, invalid_url};
use crate::amp::{keys, secret};
use crate::console::{self, Console};
use crate::failure::{Failure, RunResult, Verdict};

/// The time for the report of a wrong answer. The command needs no answer to it, and has its result already.
const REPORT: Duration = Duration::from_secs(1);

/// A requester that is connected to a provider.
pub(super) struct Client<'a> {
    pub(super) requester: Requester,
    options: &'a RequesterOptions,
    peer: Box<dyn Peer>,
    ids: SigningKey,
    requests: u32,
    console: &'a Console,
}

/// Why a request has no result: a code of AMP, if there is one, a message, and more about it.
pub(super) struct Failed {
    code: Option<u64>,
    message: String,
    details: Option<Value>,
}

impl<'a> Client<'a> {
    pub(super) fn new(options: &'a RequesterOptions, console: &'a Console) -> Result<Self, Failure> {
        let keys = keys::keys("--key", &options.key)?.with_did_key();
        let peer = peer(&options.url)?;
        let key = secret::read(&options.secret_file, console)?;
        let requester = Requester::new(options.me.clone(), key.clone(), Arc::new(keys));
        Ok(Self { requester, options, peer, ids: key, requests: 0, console })
    }

    /// The random part of the id of the next request. Only the requester can derive it, and the time and the process
    /// make it unique.
    pub(super) fn random(&mut self) -> [u8; 8] {
        self.requests += 1;
        let time = SystemClock.since_1970().as_nanos();
        let context = format!("capgen amp request {time} {} {}", process::id(), self.requests);
        let mut random = [0; 8];
        random.iter_mut().zip(self.ids.derive(context.as_bytes())).for_each(|(to, from)| *to = from);
        random
    }

    /// Sends a request, and waits for the message that ends it.
    pub(super) async fn answer(&self, mut exchange: Exchange) -> Result<Answer, Failed> {
        let timeout = Duration::from_millis(self.options.timeout);
        let mut answers = self.peer.request(Bytes::from_owner(exchange.bytes()), timeout).await?;
        // A message that is not the answer does not end the exchange. If nothing else comes, it is the reason.
        let mut rejected: Option<Failed> = None;
        while let Some(received) = answers.next().await {
            let received = match received {
                Ok(received) => received,
                Err(error) => return Err(rejected.unwrap_or_else(|| error.into())),
            };
            match self.requester.step(&mut exchange, ExchangeEvent::Received(&received), SystemClock.now_ms()) {
                Reaction::Done(Answer::Failed(error)) => {
                    let message = error.message.unwrap_or_default();
                    return Err(Failed { details: error.details, ..Failed::new(Some(error.code), message) });
                }
                Reaction::Done(Answer::Refused(error)) => {
                    return Err(Failed { details: error.details, ..Failed::new(Some(error.code), error.message) });
                }
                Reaction::Done(Answer::InvalidResult { violations, .. }) => {
                    return Err(Failed::invalid_result(&violations));
                }
                Reaction::Done(answer) => return Ok(answer),
                Reaction::Invalid { rejection, reply } => {
                    self.console.line(&format!("ignored an answer: {rejection}"));
                    let code = Some(u64::from(rejection.code.number()));
                    rejected = Some(Failed::new(code, rejection.message));
                    if let Some(reply) = reply {
                        // The sender of a wrong answer learns of it (section 9). An `ERROR` has no answer.
                        let _ = self.peer.request(reply.into(), REPORT).await;
                    }
                }
                Reaction::Progress(kind, _) => self.console.line(kind.name()),
                Reaction::None => {}
            }
        }
        Err(rejected.unwrap_or_else(|| PeerError::NoAnswer.into()))
    }
}

impl Failed {
    fn new(code: Option<u64>, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None }
    }

    /// A result that the provider must not give: it is not JSON.
    fn invalid_result(violations: &[Violation]) -> Self {
        let entry = |violation: &Violation| -> Value {
            let Violation { path, message, keyword } = violation;
            let fields = [("path", path.as_str()), ("keyword", keyword.as_str()), ("message", message.as_str())];
            Value::Map(fields.into_iter().collect())
        };
        let list = Value::Array(violations.iter().map(entry).collect());
        let details = Value::Map([("violations", list)].into_iter().collect());
        Self { details: Some(details), ..Self::new(None, "the result is invalid") }
    }

    /// Another message than the one that answers the request.
    pub(super) fn unexpected() -> Self {
        Self::new(None, "the answer is of another type")
    }

    /// An answer that a provider must not give.
    pub(super) fn bad_answer(message: &str) -> Self {
        Self::new(Some(u64::from(Code::BadRequest.number())), message)
    }

    /// Reports the error.
    pub(super) fn report(&self, json: bool, console: &Console) -> RunResult {
        let Self { code, message, details } = self;
        if json {
            let mut error = json!({ "code": code, "message": message });
            if let (Some(details), Some(error)) = (details, error.as_object_mut()) {
                error.insert("details".to_owned(), details.to_diagnostic());
            }
            console::print_json(&format!("{}\n", json!({ "error": error })))?;
        } else {
            match code.map(|number| (number, Code::from_number(number))) {
                Some((_, Some(code))) => console.line(&format!("{code}: {message}")),
                Some((number, None)) => console.line(&format!("{number}: {message}")),
                None => console.line(message),
            }
            details.iter().flat_map(details::lines).for_each(|line| console.line(&line));
        }
        Ok(Verdict::Findings)
    }
}

impl From<PeerError> for Failed {
    fn from(error: PeerError) -> Self {
        let code = match &error {
            PeerError::Refused { code, .. } if *code > 0 => Some(*code),
            PeerError::Timeout => Some(u64::from(Code::Timeout.number())),
            _ => None,
        };
        match error {
            PeerError::Refused { message, .. } if code.is_some() => Self::new(code, message),
            error => Self::new(code, error.to_string()),
        }
    }
}

fn peer(url: &str) -> Result<Box<dyn Peer>, Failure> {
    if url.starts_with("amp") {
        let peer = TcpPeer::new(url, tcp::ClientOptions::default());
        return peer.map(|peer| Box::new(peer) as Box<dyn Peer>).map_err(|error| invalid_url(url, &error.to_string()));
    }
    let peer = HttpPeer::new(url, http::ClientOptions::default());
    peer.map(|peer| Box::new(peer) as Box<dyn Peer>).map_err(|error| invalid_url(url, &error.to_string()))
}
