//! NATS's service discovery: answers to `$SRV.PING`, `$SRV.INFO` and `$SRV.STATS`.

mod agent;
mod answer;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use async_nats::Subscriber;
use capgen_call::TransportError;
use capgen_time::{Clock as _, SystemClock, Timestamp};
use futures_core::Stream as _;
use tokio::task::JoinHandle;

use crate::subject;
use crate::transport::{Link, NatsTransport};
use answer::{Answer, Verb};

/// An instance of an agent, as tools see it: `nats micro info` of the `nats` command line, or `nc.services.client()` in
/// JavaScript.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServiceInfo {
    /// The kind of the service, such as the id of the agent; only letters, digits, `-` and `_`.
    pub name: String,
    /// The id of this instance, with the same characters. If it is empty, [`Discovery::start`] chooses one.
    pub id: String,
    /// A semantic version, such as `1.0.0`.
    pub version: String,
    /// A description.
    pub description: String,
    /// More properties, such as `agent` and `contract`, the hash of the contract.
    pub metadata: BTreeMap<String, String>,
    /// The addresses at which it receives requests.
    pub endpoints: Vec<Endpoint>,
}

/// An address at which a service receives requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Endpoint {
    /// The name, such as that of a capability; only letters, digits, `-` and `_`.
    pub name: String,
    /// The address.
    pub subject: String,
    /// The group of its subscription; empty for none.
    pub queue_group: String,
    /// More properties, such as the hash of the capability.
    pub metadata: BTreeMap<String, String>,
}

/// The numbers of an endpoint since its start.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct EndpointStats {
    /// The number of requests.
    pub requests: u64,
    /// The number of requests that were answered with an error.
    pub errors: u64,
    /// The last error, without secrets; empty for none.
    pub last_error: String,
    /// The time that was spent on requests.
    pub processing_time: Duration,
}

/// Answers requests for discovery until it is dropped, or the transport is closed.
///
/// ```no_run
/// use std::collections::BTreeMap;
///
/// use capgen_nats::{Discovery, Endpoint, EndpointStats, NatsTransport, ServiceInfo};
///
/// # async fn run(transport: NatsTransport) -> Result<(), capgen_call::TransportError> {
/// let endpoint = Endpoint {
///     name: "review-pr".to_owned(),
///     subject: "agents.pr-reviewer.requests".to_owned(),
///     queue_group: "pr-reviewer".to_owned(),
///     metadata: BTreeMap::new(),
/// };
/// let service = ServiceInfo {
///     name: "pr-reviewer".to_owned(),
///     id: String::new(),
///     version: "1.0.0".to_owned(),
///     description: "Reviews pull requests.".to_owned(),
///     metadata: BTreeMap::from([("contract".to_owned(), "sha256:…".to_owned())]),
///     endpoints: vec![endpoint],
/// };
/// let discovery = Discovery::start(&transport, service, |_| EndpointStats::default()).await?;
/// println!("instance {}", discovery.id());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Discovery {
    id: String,
    task: JoinHandle<()>,
}

/// The parts of an answer.
struct Service {
    info: ServiceInfo,
    started: String,
    stats: Box<dyn Fn(&Endpoint) -> EndpointStats + Send + Sync>,
}

impl Discovery {
    /// Subscribes to the subjects of discovery. `stats` is called for each endpoint when someone asks for the
    /// statistics.
    ///
    /// # Errors
    ///
    /// [`TransportError::Unsupported`] if a name, the id or the version is invalid; otherwise those of
    /// [`Transport::subscribe`](capgen_call::Transport::subscribe).
    pub async fn start(
        transport: &NatsTransport,
        mut info: ServiceInfo,
        stats: impl Fn(&Endpoint) -> EndpointStats + Send + Sync + 'static,
    ) -> Result<Self, TransportError> {
        let link = &transport.link;
        link.usable()?;
        if info.id.is_empty() {
            // The last token of an inbox is unique.
            info.id = link.client.new_inbox().rsplit('.').next().unwrap_or_default().to_owned();
        }
        check(&info)?;
        let mut subscriptions = Vec::new();
        for verb in Verb::ALL {
            let all = format!("$SRV.{}", verb.name());
            let of_name = format!("{all}.{}", info.name);
            let of_instance = format!("{of_name}.{}", info.id);
            for address in [all, of_name, of_instance] {
                subscriptions.push((verb, link.subscribe(&address, None).await?));
            }
        }
        let id = info.id.clone();
        let started = Timestamp::from_ms(SystemClock.now_ms()).unwrap_or(Timestamp::LAST).to_string();
        let service = Service { info, started, stats: Box::new(stats) };
        let closed = link.closed();
        let link = Arc::clone(link);
        let task = tokio::spawn(async move {
            tokio::select! {
                () = answer_all(&link, &service, subscriptions) => {}
                () = closed => {}
            }
        });
        Ok(Self { id, task })
    }

    /// The id of this instance.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl Drop for Discovery {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer_all(link: &Link, service: &Service, mut subscriptions: Vec<(Verb, Subscriber)>) {
    loop {
        let (verb, message) = std::future::poll_fn(|context| next(&mut subscriptions, context)).await;
        // The reply address comes from the sender of the request.
        let Some(reply) = message.reply.filter(|reply| subject::check(reply).is_ok()) else { continue };
        let answer = Answer::new(verb, &service.info, &service.started, &service.stats);
        let Ok(json) = serde_json::to_vec(&answer) else { continue };
        if link.client.publish(reply, json.into()).await.is_err() {
            tracing::warn!(verb = verb.name(), "an answer for service discovery is too large");
        }
    }
}

/// The first message of any subscription. Never ready if all of them have ended.
fn next(subscriptions: &mut [(Verb, Subscriber)], context: &mut Context<'_>) -> Poll<(Verb, async_nats::Message)> {
    for (verb, subscriber) in subscriptions {
        if let Poll::Ready(Some(message)) = Pin::new(subscriber).poll_next(context) {
            return Poll::Ready((*verb, message));
        }
    }
    Poll::Pending
}

fn check(info: &ServiceInfo) -> Result<(), TransportError> {
    let names = [&info.name, &info.id].into_iter().chain(info.endpoints.iter().map(|endpoint| &endpoint.name));
    for name in names {
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
            let reason =
                format!("{name:?} as a name in service discovery: only letters, digits, `-` and `_` are allowed");
            return Err(TransportError::Unsupported(reason));
        }
    }
    if semver::Version::parse(&info.version).is_err() {
        return Err(TransportError::Unsupported(format!("{:?} is not a semantic version", info.version)));
    }
    Ok(())
}
