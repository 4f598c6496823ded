//! A client and a server in Rust whose messages the test carries.

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use capgen::call::{
    BoxFuture, CallError, CallOptions, Client, Clock, Context, Delivery, Failure, Handlers, Health, IncomingContent,
    Keys, MemoryBroker, MemoryTransport, Outgoing, PeerTable, Retry, Server, Status, SubscribeOptions, Subscription,
    SystemClock, Transport, TransportError,
};
use capgen::{Capability, Payload};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::contracts::{Ping, Review09, Review10, Review11, Review20, Review21, manifest};
use super::recording::{Answer, Call, Handler, Key, Outcome, Provider, Recording};

/// The address of the requests in the contracts.
const ADDRESS: &str = "agents.shop.requests";
/// The address for answers to messages that name none.
const REPLIES: &str = "replies.1";
/// How long the tests wait for something that happens, even on a machine that is busy.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// How long the tests wait for an answer that does not come.
pub(super) const SILENCE: Duration = Duration::from_millis(300);

/// The answers to the messages of a caller.
pub(crate) trait Script {
    async fn answer(&mut self, text: &str) -> Answer;
}

/// A clock that stands still.
struct Still(u64);

impl Clock for Still {
    fn now_ms(&self) -> u64 {
        self.0
    }
}

fn keys(key: &Key) -> Keys {
    Keys::signing_with(&key.id, key.secret.as_bytes()).unwrap()
}

/// A client of `shop`.
pub(crate) struct RustCaller {
    client: Client,
    contract: String,
    broker: MemoryTransport,
    sent: mpsc::UnboundedReceiver<Sent>,
}

/// A message, and the result of its publication.
type Sent = (Outgoing, oneshot::Sender<Result<(), TransportError>>);

impl RustCaller {
    pub(crate) async fn start(recording: &Recording) -> Self {
        let (broker, caller) = (MemoryBroker::new(), &recording.caller);
        let (sender, sent) = mpsc::unbounded_channel();
        let transport = Carried { inner: broker.connect(), sent: sender };
        let builder = Client::builder("desk")
            .transport(Arc::new(transport))
            .peers(PeerTable::new().with_manifest(&manifest(&caller.contract)))
            .clock(Arc::new(Still(recording.clock_ms)));
        let builder = caller.key.iter().fold(builder, |builder, key| builder.keys(keys(key)));
        let builder = caller.max_in_flight.iter().fold(builder, |builder, calls| builder.max_in_flight(*calls));
        let builder = caller.attempts.iter().fold(builder, |builder, count| builder.retry(Retry::attempts(*count)));
        let client = builder.build().await.unwrap();
        Self { client, contract: caller.contract.clone(), broker: broker.connect(), sent }
    }

    /// The outcome of a call whose messages a script answers.
    pub(crate) async fn call(&mut self, call: &Call, script: &mut impl Script) -> Outcome {
        let client = self.client.clone();
        let contract = self.contract.clone();
        let mut outcome = pin!(outcome(&client, &contract, call));
        loop {
            tokio::select! {
                biased;
                Some((message, published)) = self.sent.recv() => {
                    // Peers before the change receive nothing at other addresses.
                    let answer = match message.address == ADDRESS {
                        true => script.answer(std::str::from_utf8(&message.payload).unwrap()).await,
                        false if message.reply_to.is_some() => Answer::NoResponders,
                        false => Answer::Nothing,
                    };
                    let result = match answer {
                        Answer::Disconnected => Err(TransportError::Disconnected("the test has no connection".to_owned())),
                        _ => Ok(()),
                    };
                    let _ = published.send(result);
                    self.reply(&message, answer).await;
                    if call.is_abandoned {
                        self.client.close();
                    }
                }
                outcome = &mut outcome => return outcome,
            }
        }
    }

    async fn reply(&self, message: &Outgoing, answer: Answer) {
        let Some(inbox) = message.reply_to.clone() else { return };
        let (address, reply_to, text) = match answer {
            Answer::Response(text) => (inbox, None, text),
            // The broker reports that nothing receives messages to this address.
            Answer::NoResponders => ("nowhere".to_owned(), Some(inbox), String::new()),
            Answer::Nothing | Answer::Disconnected => return,
        };
        self.broker.publish(outgoing(address, reply_to, text)).await.unwrap();
    }
}

fn outgoing(address: String, reply_to: Option<String>, text: String) -> Outgoing {
    let (delivery, message_id) = (Delivery::AtMostOnce, String::new());
    Outgoing { address, reply_to, payload: text.into(), delivery, message_id }
}

async fn outcome(client: &Client, contract: &str, call: &Call) -> Outcome {
    match (call.capability.as_str(), contract) {
        ("ping", _) => typed::<Ping>(client, call).await,
        (_, "0.9.0") => typed::<Review09>(client, call).await,
        (_, "1.0.0") => typed::<Review10>(client, call).await,
        (_, "1.1.0") => typed::<Review11>(client, call).await,
        (_, "2.0.0") => typed::<Review20>(client, call).await,
        (_, "2.1.0") => typed::<Review21>(client, call).await,
        other => panic!("{other:?}"),
    }
}

async fn typed<C: Capability>(client: &Client, call: &Call) -> Outcome {
    let request: C::Request = serde_json::from_value(call.payload.clone()).unwrap();
    let options = options(call);
    let result = match call.is_event {
        true => client.send::<C>(&request, &options).await.map(|()| None),
        false => client.call_with::<C>(&request, &options).await.map(Some),
    };
    match result {
        Ok(response) => {
            let response = response.map(|response| serde_json::from_slice(&response.to_json().unwrap()).unwrap());
            Outcome { status: Status::Ok.as_str().to_owned(), response, ..Outcome::default() }
        }
        Err(error) => failed(&error),
    }
}

/// The clock of all recordings, as Unix time in ms.
const CLOCK_MS: u64 = 1_795_903_200_000;

fn options(call: &Call) -> CallOptions {
    let served = call.served.as_ref();
    let options = served.map_or_else(CallOptions::new, |served| {
        // The deadline is by the clock of the system there, and has the same distance from it as from the recorded
        // clock.
        let deadline = SystemClock.now_ms() + (served.deadline - CLOCK_MS);
        Context::of_request("someone", "ask", &served.message_id, Some(deadline)).child_options()
    });
    let options = options.peer("shop");
    let options = call.timeout_ms.iter().fold(options, |options, ms| options.timeout(Duration::from_millis(*ms)));
    let options = if call.is_stored { options.at_least_once() } else { options };
    let options = call.tenant.iter().fold(options, CallOptions::tenant);
    let options = call.session.iter().fold(options, CallOptions::session);
    let options = call.idempotency_key.iter().fold(options, CallOptions::idempotency_key);
    call.headers.iter().fold(options, |options, (name, value)| options.header(name, value))
}

fn failed(error: &CallError) -> Outcome {
    let violation = |violation: &capgen::Violation| json!({"path": violation.path, "message": violation.message, "keyword": violation.keyword.as_str()});
    let text = |text: &[u8]| {
        serde_json::from_slice(text).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(text).into_owned()))
    };
    Outcome {
        status: error.status.as_str().to_owned(),
        code: Some(error.code.clone()),
        message: Some(error.message.clone()),
        retryable: Some(error.retryable),
        side: error.side.map(|side| side.name().to_owned()),
        violations: error.violations.iter().map(violation).collect(),
        truncated: error.violations.is_truncated(),
        finding: error.finding().cloned(),
        response: error.response().map(text),
    }
}

/// A server of `shop`.
pub(crate) struct RustProvider {
    server: Option<Server>,
    broker: MemoryTransport,
    replies: Subscription,
    handled: Arc<Mutex<Vec<Value>>>,
    stops: bool,
}

impl RustProvider {
    pub(crate) async fn start(recording: &Recording) -> Self {
        let (provider, handled) = (&recording.provider, Arc::default());
        let broker = provider.max_transport_message.map_or_else(MemoryBroker::new, MemoryBroker::with_max_message);
        let server = Server::builder(handlers(provider, &handled))
            .listen(Arc::new(broker.connect()), ADDRESS)
            .clock(Arc::new(Still(recording.clock_ms)));
        let server = provider.key.iter().fold(server, |server, key| server.keys(keys(key)));
        let server = provider.tenants.iter().fold(server, |server, tenant| server.tenant(tenant));
        let server = if provider.compares { server.skew(capgen::call::Skew::Strict) } else { server };
        let room = provider.max_requests.iter();
        let server = room.fold(server, |server, requests| server.max_concurrent(*requests).max_waiting(0));
        let server = provider.max_message.iter().fold(server, |server, bytes| server.max_message(*bytes));
        let server = Some(server.start().await.unwrap());
        let broker = broker.connect();
        let replies = broker.subscribe(REPLIES, SubscribeOptions::default()).await.unwrap();
        let stops = matches!(provider.handler, Some(Handler::Stops));
        Self { server, broker, replies, handled, stops }
    }

    /// The answer to a message, if there is one within a time; more than one is an error.
    pub(crate) async fn deliver(&mut self, text: &str, patience: Duration) -> Option<String> {
        let envelope: Value = serde_json::from_str(text).unwrap_or_default();
        let named = envelope["replyTo"].as_str().and_then(|address| address.strip_prefix("memory://"));
        let mut named = self.broker.subscribe(named.unwrap_or("unnamed"), SubscribeOptions::default()).await.unwrap();
        let message = outgoing(ADDRESS.to_owned(), Some(REPLIES.to_owned()), text.to_owned());
        self.broker.publish(message).await.unwrap();
        if self.stops {
            self.handled(1).await;
            self.server.take().unwrap().shutdown(Duration::ZERO).await;
        }
        let replies = &mut self.replies;
        let mut next =
            async || tokio::select! { message = named.next() => message, message = replies.next() => message };
        let IncomingContent::Message(answer) = timeout(patience, next()).await.ok()??.content else {
            panic!("the server receives nothing")
        };
        let more = timeout(Duration::from_millis(5), next()).await;
        assert!(more.is_err(), "a second answer: {more:?}");
        Some(String::from_utf8(answer.to_vec()).unwrap())
    }

    /// The payloads that reached the handler. If there are fewer than expected, they get some time.
    pub(crate) async fn handled(&self, expected: usize) -> Vec<Value> {
        let count = || self.handled.lock().unwrap().len();
        let enough = async {
            while count() < expected {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let _ = timeout(PATIENCE, enough).await;
        self.handled.lock().unwrap().clone()
    }
}

fn handlers(provider: &Provider, handled: &Arc<Mutex<Vec<Value>>>) -> Handlers {
    let manifest = manifest(&provider.contract);
    manifest.capabilities.iter().fold(Handlers::new("shop"), |handlers, capability| {
        let (handled, handler) = (Arc::clone(handled), provider.handler.clone());
        handlers.with_json(capability, move |_, payload| {
            handled.lock().unwrap().push(payload);
            let handler = handler.clone();
            async move {
                match handler.unwrap() {
                    Handler::Responds(response) => Ok(response),
                    Handler::Fails { code, message, retryable: true } => Err(Failure::new(code, message).retryable()),
                    Handler::Fails { code, message, .. } => Err(Failure::new(code, message)),
                    Handler::Breaks => panic!("the handler of a recording breaks on purpose"),
                    Handler::Waits | Handler::Stops => std::future::pending().await,
                }
            }
        })
    })
}

/// A transport whose messages the test carries.
struct Carried {
    inner: MemoryTransport,
    sent: mpsc::UnboundedSender<Sent>,
}

impl Transport for Carried {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn publish(&self, message: Outgoing) -> BoxFuture<'_, Result<(), TransportError>> {
        let (published, result) = oneshot::channel();
        let sent = self.sent.send((message, published));
        Box::pin(async move {
            sent.map_err(|_| TransportError::Closed)?;
            result.await.map_err(|_| TransportError::Closed)?
        })
    }

    fn subscribe(
        &self,
        address: &str,
        options: SubscribeOptions,
    ) -> BoxFuture<'_, Result<Subscription, TransportError>> {
        self.inner.subscribe(address, options)
    }

    fn new_inbox(&self) -> String {
        self.inner.new_inbox()
    }

    fn max_message(&self) -> usize {
        self.inner.max_message()
    }

    fn health(&self) -> Health {
        self.inner.health()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.inner.close()
    }
}
