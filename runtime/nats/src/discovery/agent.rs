//! The description of an agent from its handlers.

use std::collections::BTreeMap;
use std::time::Duration;

use capgen_call::{Handlers, ServerStats};

use super::{Endpoint, EndpointStats, ServiceInfo};

impl ServiceInfo {
    /// The description of an agent that receives requests at a subject.
    ///
    /// The metadata has `agent`, and `capgen-contract.<capability>` with the hash of each contract. Of a
    /// capability with several versions, this is the highest one, and `capgen-contract.<capability>@<version>` has
    /// each. There is one endpoint, because all capabilities share the subject. Dots in the id of the agent become `-`,
    /// because names of services cannot contain them.
    ///
    /// ```
    /// use capgen_call::Handlers;
    /// use capgen_nats::ServiceInfo;
    /// let handlers = Handlers::new("shop.echo").with_loose("say", async |_, payload| Ok(payload));
    /// let info = ServiceInfo::of(&handlers, "1.0.0", "agents.echo.requests");
    /// assert_eq!((info.name.as_str(), info.metadata["agent"].as_str()), ("shop-echo", "agent://shop.echo"));
    /// ```
    #[must_use]
    pub fn of(handlers: &Handlers, version: impl Into<String>, subject: impl Into<String>) -> Self {
        let agent = handlers.agent();
        let metadata: BTreeMap<String, String> =
            contracts(handlers).chain([("agent".to_owned(), format!("agent://{agent}"))]).collect();
        let endpoint = Endpoint {
            name: "requests".to_owned(),
            subject: subject.into(),
            queue_group: agent.to_owned(),
            metadata: BTreeMap::new(),
        };
        Self {
            name: agent.replace('.', "-"),
            id: String::new(),
            version: version.into(),
            description: format!("The agent {agent}"),
            metadata,
            endpoints: vec![endpoint],
        }
    }
}

/// The entries with the hashes of contracts. Of equal keys, the last is that of the highest version.
fn contracts(handlers: &Handlers) -> impl Iterator<Item = (String, String)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    handlers.contracts().for_each(|(name, _)| *counts.entry(name).or_default() += 1);
    handlers.descriptors().filter_map(|(name, contract)| contract.map(|contract| (name, contract))).flat_map(
        move |(name, contract)| {
            let is_one_of_several = counts.get(name).is_some_and(|count| *count > 1);
            let version = contract.version.as_ref().filter(|_| is_one_of_several);
            let own = version.map(|version| format!("capgen-contract.{name}@{version}"));
            let keys = [Some(format!("capgen-contract.{name}")), own].into_iter().flatten();
            keys.map(move |key| (key, format!("sha256:{}", contract.hash)))
        },
    )
}

impl From<ServerStats> for EndpointStats {
    fn from(stats: ServerStats) -> Self {
        Self {
            requests: stats.received,
            errors: stats.errors,
            last_error: String::new(),
            processing_time: Duration::from_micros(stats.handling_us),
        }
    }
}
