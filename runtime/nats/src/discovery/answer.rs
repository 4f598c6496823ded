//! The answers as JSON, by version 1 of the protocol of NATS's services (ADR-32).

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Endpoint, EndpointStats, ServiceInfo};

/// A request for discovery.
#[derive(Clone, Copy)]
pub(super) enum Verb {
    Ping,
    Info,
    Stats,
}

impl Verb {
    pub(super) const ALL: [Self; 3] = [Self::Ping, Self::Info, Self::Stats];

    /// The token in the subject.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ping => "PING",
            Self::Info => "INFO",
            Self::Stats => "STATS",
        }
    }

    fn answer_type(self) -> &'static str {
        match self {
            Self::Ping => "io.nats.micro.v1.ping_response",
            Self::Info => "io.nats.micro.v1.info_response",
            Self::Stats => "io.nats.micro.v1.stats_response",
        }
    }
}

#[derive(Serialize)]
pub(super) struct Answer<'a> {
    r#type: &'static str,
    name: &'a str,
    id: &'a str,
    version: &'a str,
    metadata: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoints: Option<Vec<EndpointAnswer<'a>>>,
}

#[derive(Serialize)]
struct EndpointAnswer<'a> {
    name: &'a str,
    subject: &'a str,
    queue_group: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a BTreeMap<String, String>>,
    #[serde(flatten)]
    stats: Option<Numbers>,
}

#[derive(Serialize)]
struct Numbers {
    num_requests: u64,
    num_errors: u64,
    last_error: String,
    /// Nanoseconds.
    processing_time: u64,
    average_processing_time: u64,
}

impl<'a> Answer<'a> {
    pub(super) fn new(
        verb: Verb,
        info: &'a ServiceInfo,
        started: &'a str,
        stats: &dyn Fn(&Endpoint) -> EndpointStats,
    ) -> Self {
        let endpoint = |endpoint: &'a Endpoint| EndpointAnswer {
            name: &endpoint.name,
            subject: &endpoint.subject,
            queue_group: &endpoint.queue_group,
            metadata: matches!(verb, Verb::Info).then_some(&endpoint.metadata),
            stats: matches!(verb, Verb::Stats).then(|| numbers(stats(endpoint))),
        };
        Self {
            r#type: verb.answer_type(),
            name: &info.name,
            id: &info.id,
            version: &info.version,
            metadata: &info.metadata,
            description: matches!(verb, Verb::Info).then_some(&info.description),
            started: matches!(verb, Verb::Stats).then_some(started),
            endpoints: (!matches!(verb, Verb::Ping)).then(|| info.endpoints.iter().map(endpoint).collect()),
        }
    }
}

fn numbers(stats: EndpointStats) -> Numbers {
    let processing_time = u64::try_from(stats.processing_time.as_nanos()).unwrap_or(u64::MAX);
    Numbers {
        num_requests: stats.requests,
        num_errors: stats.errors,
        last_error: stats.last_error,
        processing_time,
        average_processing_time: processing_time.checked_div(stats.requests).unwrap_or(0),
    }
}
