//! The whole registry as a document: registrations, health, requests and invocations (formats page, "Rows").

use std::collections::BTreeMap;

use capgen_schema::canonical_text::compare_names;
use serde::Serialize;
use serde_json::Value;

use super::{Query, Row, View};
use crate::canonical::{array_parts, canonical, write_string};
use crate::event::{self, violations};
use crate::fact::{KernelAnswer, Stamp, Terminal};
use crate::paths::limited;

/// The member `view` of a fold.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Overview {
    /// Every registration, in the order of queries.
    pub registrations: Vec<Row>,
    /// The health of each agent that has reported it or is reported by a monitor.
    pub health: BTreeMap<String, Health>,
    /// The requests that have an outcome, in the order of caller and id.
    pub requests: Vec<Request>,
    /// The invocations, in the order of their ids.
    pub invocations: Vec<Invocation>,
}

/// The health of an agent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Health {
    /// The id of the event that counts.
    pub event_id: String,
    /// Whether the agent is healthy.
    pub healthy: bool,
}

/// A request that has an outcome.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Request {
    /// The caller.
    pub caller: String,
    /// The id of the request.
    pub request_id: String,
    /// The id of the event that is the outcome.
    pub outcome: String,
    /// `capability.invoked` or `capability.unresolved`.
    pub event_type: &'static str,
    /// The reason of an unresolved request.
    pub reason: Option<String>,
}

/// An invocation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Invocation {
    /// The id of the event that invoked the target.
    pub invocation_id: String,
    /// The caller.
    pub caller: String,
    /// The id of the request.
    pub request_id: String,
    /// The target.
    pub target: String,
    /// The id of the capability.
    pub capability: String,
    /// The version.
    pub version: String,
    /// The status.
    pub status: Status,
    /// The id of the event that ended the invocation.
    pub terminal: Option<String>,
    /// The reason of a failure.
    pub reason: Option<String>,
    /// JSON Pointers into the output, if it violates the schema.
    pub violations: Vec<String>,
}

/// The status of an invocation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The target has not ended it.
    Pending,
    /// The output conforms to the pinned schema.
    Completed,
    /// The target or a monitor reports a failure, or the output violates the pinned schema.
    Failed,
}

/// Parts of a canonical text.
type Parts<'r> = Box<dyn Iterator<Item = String> + 'r>;

impl<'r> View<'r> {
    /// The whole registry. Takes time linear in the state.
    #[must_use]
    pub fn overview(&self) -> Overview {
        Overview {
            registrations: self.find(&Query::All),
            health: self.health(),
            requests: self.requests(),
            invocations: self.invocations(),
        }
    }

    /// The canonical text of the [overview](Self::overview) in parts of at most one row.
    pub(crate) fn parts(&self) -> impl Iterator<Item = String> {
        let view = *self;
        let lazily = move |parts: fn(Self) -> Parts<'r>| std::iter::once(()).flat_map(move |()| parts(view));
        let name = |name: &str| std::iter::once(name.to_owned());
        name("{\"health\":")
            .chain(lazily(Self::health_parts))
            .chain(name(",\"invocations\":"))
            .chain(lazily(|view| Box::new(array_parts(view.invocations().into_iter().map(to_text)))))
            .chain(name(",\"registrations\":"))
            .chain(lazily(|view| {
                let ids = view.in_order(view.index.all().collect());
                Box::new(array_parts(ids.into_iter().filter_map(move |id| view.row(id)).map(to_text)))
            }))
            .chain(name(",\"requests\":"))
            .chain(lazily(|view| Box::new(array_parts(view.requests().into_iter().map(to_text)))))
            .chain(name("}"))
    }

    fn health_parts(self) -> Parts<'r> {
        let health = self.state.health.iter();
        let mut health: Vec<_> = health.map(|(agent, health)| (self.state.names.text(*agent), health)).collect();
        health.sort_unstable_by(|(one, _), (other, _)| compare_names(one, other));
        let members = health.into_iter().zip(0_usize..).map(|((agent, (stamp, healthy)), index)| {
            let mut text = if index == 0 { String::new() } else { ",".to_owned() };
            write_string(&mut text, agent);
            text.push(':');
            text.push_str(&to_text(Health { event_id: stamp.event_id.to_string(), healthy: *healthy }));
            text
        });
        Box::new(std::iter::once("{".to_owned()).chain(members).chain(["}".to_owned()]))
    }

    /// The health of each agent that has reported it or is reported by a monitor.
    #[must_use]
    pub fn health(&self) -> BTreeMap<String, Health> {
        let health = self.state.health.iter().map(|(agent, (stamp, healthy))| {
            let event_id = stamp.event_id.to_string();
            (self.state.names.text(*agent).to_owned(), Health { event_id, healthy: *healthy })
        });
        health.collect()
    }

    /// The requests that have an outcome, in the order of caller and id.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        let requests = self.state.outcomes.iter().map(|((caller, request), (stamp, outcome))| Request {
            caller: self.state.names.text(*caller).to_owned(),
            request_id: request.to_string(),
            outcome: stamp.event_id.to_string(),
            event_type: outcome.event_type().as_str(),
            reason: if outcome.invoked { None } else { Some(text(&outcome.payload(), "reason")) },
        });
        let mut requests: Vec<Request> = requests.collect();
        requests.sort_by(|one, other| (&one.caller, &one.request_id).cmp(&(&other.caller, &other.request_id)));
        requests
    }

    /// The invocations, in the order of their ids. Outputs are validated here.
    #[must_use]
    pub fn invocations(&self) -> Vec<Invocation> {
        let outcomes = self.state.outcomes.values().filter(|(_, outcome)| outcome.invoked);
        let mut invocations: Vec<Invocation> =
            outcomes.map(|(stamp, outcome)| self.invocation(stamp, outcome)).collect();
        let key = |one: &Invocation| (one.invocation_id.clone(), one.caller.clone(), one.request_id.clone());
        invocations.sort_by_cached_key(key);
        invocations
    }

    fn invocation(&self, stamp: &Stamp, outcome: &KernelAnswer) -> Invocation {
        let payload = outcome.payload();
        let (id, target) = (stamp.event_id.to_string(), text(&payload, "target_agent_id"));
        let agent = self.state.names.find(&target);
        let terminal = agent.and_then(|agent| self.state.terminals.get(&(id.as_str().into(), agent)));
        let (status, reason, violations) = match terminal {
            None => (Status::Pending, None, Vec::new()),
            Some((_, terminal)) => end(terminal, &payload),
        };
        Invocation {
            invocation_id: id,
            caller: text(&payload, "caller_agent_id"),
            request_id: text(&payload, "request_id"),
            target,
            capability: text(&payload, "capability_id"),
            version: text(&payload, "version"),
            status,
            terminal: terminal.map(|(stamp, _)| stamp.event_id.to_string()),
            reason,
            violations,
        }
    }
}

fn to_text(row: impl Serialize) -> String {
    canonical(&serde_json::to_value(row).unwrap_or_default())
}

fn end(terminal: &Terminal, invoked: &Value) -> (Status, Option<String>, Vec<String>) {
    let payload = terminal.payload();
    if !terminal.completed {
        return (Status::Failed, Some(text(&payload, "reason")), Vec::new());
    }
    let violations = output_violations(invoked, &payload);
    if violations.is_empty() {
        return (Status::Completed, None, violations);
    }
    (Status::Failed, Some("schema-violation".to_owned()), limited(violations))
}

/// The paths at which the output of a completion violates the schema that the invocation pinned.
pub(crate) fn output_violations(invoked: &Value, completed: &Value) -> Vec<String> {
    let schema = invoked.get("output_schema").unwrap_or(&Value::Bool(true));
    violations(schema, completed.get("output").unwrap_or(&Value::Null))
}

fn text(payload: &Value, name: &str) -> String {
    event::text(payload, name).unwrap_or_default().to_owned()
}
