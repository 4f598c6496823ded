//! The monitor: it marks agents that stopped sending heartbeats, and ends overdue invocations (decision 11).
//!
//! All of it is a function of the state and the time. So a monitor needs no memory of its own, and two monitors do no
//! harm: both append the same facts, of which one counts.

use std::time::Duration;

use serde_json::Value;

use crate::event::generated::{AgentUnavailableRequest, CapabilityFailedRequest};
use crate::event::value_of;
use crate::{EventId, EventType, Status, View};

/// The limits of a monitor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MonitorLimits {
    /// An agent whose last heartbeat is older than this is unavailable. Agents that never sent one are not observed.
    pub heartbeat: Duration,
    /// An invocation whose request is older than this has failed.
    pub invocation: Duration,
}

impl Default for MonitorLimits {
    /// 30 s without a heartbeat, and 10 minutes for an invocation.
    fn default() -> Self {
        Self { heartbeat: Duration::from_secs(30), invocation: Duration::from_secs(600) }
    }
}

/// An event that a monitor should append.
#[derive(Clone, PartialEq, Debug)]
pub struct Overdue {
    /// `agent.unavailable` or `capability.failed`.
    pub kind: EventType,
    /// The agent: the one that is unavailable, or the target of the invocation.
    pub agent: String,
    /// The payload.
    pub payload: Value,
}

/// The events that a monitor should append at a time, in Unix ms: first the agents, in the order of their ids, then the
/// invocations. Takes time linear in the number of agents and invocations.
///
/// The times are those in the ids of the last heartbeat and of the request, whose distance from the log's clock is
/// bounded when they are appended.
#[must_use]
pub fn overdue(view: &View<'_>, limits: &MonitorLimits, now: u64) -> Vec<Overdue> {
    let is_old = |id: &str, limit: Duration| {
        let millis = id.parse::<EventId>().ok().and_then(EventId::millis);
        let limit = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        millis.is_some_and(|millis| now.saturating_sub(millis) > limit)
    };
    let silent =
        view.health().into_iter().filter(|(_, health)| health.healthy && is_old(&health.event_id, limits.heartbeat));
    let silent = silent.map(|(agent, _)| Overdue {
        kind: EventType::Unavailable,
        payload: value_of(&AgentUnavailableRequest::new().with_agent_id(&*agent).with_reason("missed heartbeats")),
        agent,
    });
    let pending = view
        .invocations()
        .into_iter()
        .filter(|invocation| invocation.status == Status::Pending && is_old(&invocation.request_id, limits.invocation));
    let pending = pending.map(|invocation| Overdue {
        kind: EventType::Failed,
        payload: value_of(&CapabilityFailedRequest {
            agent_id: Some(invocation.target.clone()),
            invocation_id: invocation.invocation_id,
            reason: "timeout".to_owned(),
            message: None,
        }),
        agent: invocation.target,
    });
    silent.chain(pending).collect()
}
