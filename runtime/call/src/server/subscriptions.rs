//! The subscriptions of a server: to requests, and to control messages.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::handlers::Handlers;
use super::serve::Channel;
use crate::address;
use crate::build_error::BuildError;
use crate::id::Id;
use crate::transport::{Delivery, SubscribeOptions, Subscription, Transport, TransportError};

/// The subscriptions to requests, and to control messages.
#[derive(Default)]
pub(super) struct Subscriptions {
    pub(super) requests: Vec<(Channel, Subscription)>,
    pub(super) control: Vec<Subscription>,
}

/// Subscribes a server to its addresses.
pub(super) struct Subscriber<'h> {
    pub(super) handlers: &'h Handlers,
    /// The queue group.
    pub(super) group: String,
    pub(super) delivery: Delivery,
    /// The requests that wait until a task takes them.
    pub(super) capacity: usize,
    /// The id of this instance.
    pub(super) instance: Id,
}

/// The contracts of a server whose callers can ask for an instance that serves them: a bound for subscriptions, which
/// each cost the broker memory. Agents have far fewer capabilities.
const MAX_CONTRACTS: usize = 256;

impl Subscriber<'_> {
    /// Subscribes to the requests at an address, and to the addresses that are derived from it.
    pub(super) async fn subscribe(
        &self,
        transport: Arc<dyn Transport>,
        address: &str,
        subscriptions: &mut Subscriptions,
    ) -> Result<(), BuildError> {
        let of_group = SubscribeOptions { group: Some(self.group.clone()), ..SubscribeOptions::default() };
        let options = SubscribeOptions { delivery: self.delivery, capacity: self.capacity, ..of_group.clone() };
        let subscription = transport.subscribe(address, options).await.map_err(BuildError::Transport)?;
        let kind = transport.kind();
        let loss = "callers do not find the instances that serve their contract";
        let others = optional(transport.as_ref(), by_contract(kind, address, self.handlers), &of_group, loss).await?;
        // For all instances, and for this one.
        let of_instance = address::control_of_instance(kind, address, self.instance.as_str());
        let addresses = vec![address::control(kind, address), of_instance];
        let loss = "calls of this server are not cancelled";
        let control = optional(transport.as_ref(), addresses, &SubscribeOptions::default(), loss).await?;
        let channel = Channel { transport, has_control: !control.is_empty() };
        subscriptions.requests.extend(others.into_iter().map(|subscription| (channel.clone(), subscription)));
        subscriptions.requests.push((channel, subscription));
        subscriptions.control.extend(control);
        Ok(())
    }
}

/// The addresses of the requests of callers that ask for an instance with their contract.
fn by_contract(kind: &str, address: &str, handlers: &Handlers) -> Vec<String> {
    let hashes: BTreeSet<&str> = handlers.contracts().map(|(_, hash)| hash).filter(|hash| !hash.is_empty()).collect();
    hashes.into_iter().take(MAX_CONTRACTS).map(|hash| address::of_contract(kind, address, hash)).collect()
}

/// The subscriptions to addresses without which a server works, but not completely, as `loss` states. None if the
/// broker refuses one of them, because its user may only receive requests.
async fn optional(
    transport: &dyn Transport,
    addresses: Vec<String>,
    options: &SubscribeOptions,
    loss: &str,
) -> Result<Vec<Subscription>, BuildError> {
    let mut subscriptions = Vec::new();
    for address in addresses {
        match transport.subscribe(&address, options.clone()).await {
            Ok(subscription) => subscriptions.push(subscription),
            Err(error @ (TransportError::Refused(_) | TransportError::Unsupported(_))) => {
                tracing::warn!(%error, address, "{loss}");
                return Ok(Vec::new());
            }
            Err(error) => return Err(BuildError::Transport(error)),
        }
    }
    Ok(subscriptions)
}
