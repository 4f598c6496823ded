//! The settings of calls that a fleet gives, and accepted findings.

use std::sync::Arc;

use capgen_descriptor::embedded::{EmbeddedAcceptance, EmbeddedCalls, EmbeddedGrant, EmbeddedKey};
use capgen_descriptor::{Assume, Skew};
use capgen_evolve::{Accepted, AcceptedEntry};

/// The breaking changes that a reviewer has accepted until a day, as `capgen-accepted.yaml` lists them for `capgen
/// diff`. A server that compares contracts treats them as compatible; payloads are validated nevertheless.
///
/// They come with the fleet of a [`PeerTable`](crate::PeerTable), or from a text with `AcceptedFindings::from_text`,
/// which needs the feature `files`. Clones are cheap.
#[derive(Clone, Default, Debug)]
pub struct AcceptedFindings(Arc<Accepted>);

/// The settings of calls of a fleet: its keys `calls`, `keys` and `grants`.
#[derive(Clone, Default, Debug)]
pub(crate) struct FleetSettings {
    pub(crate) skew: Option<Skew>,
    pub(crate) assume: Option<Assume>,
    pub(crate) accepted: Option<AcceptedFindings>,
    /// The public keys of agents.
    pub(crate) keys: Vec<FleetKey>,
    /// The roles and scopes of agents.
    pub(crate) grants: Vec<FleetGrant>,
}

/// An agent, the id of its public key, the key in base64url, and the last Unix time in ms at which signatures are
/// accepted.
pub(crate) type FleetKey = EmbeddedKey;

/// An agent, its roles and its scopes.
pub(crate) type FleetGrant = EmbeddedGrant;

impl AcceptedFindings {
    pub(crate) fn new(entries: Vec<AcceptedEntry>) -> Self {
        Self(Arc::new(Accepted::new(entries)))
    }

    /// The entries.
    pub(crate) fn entries(&self) -> &Accepted {
        &self.0
    }
}

impl FleetSettings {
    /// Takes the settings of a fleet, where it has them.
    pub(super) fn set(&mut self, fleet: Self) {
        self.skew = fleet.skew.or(self.skew);
        self.assume = fleet.assume.or(self.assume);
        self.accepted = fleet.accepted.or(self.accepted.take());
        let is_new = |key: &FleetKey| !self.keys.contains(key);
        let keys: Vec<FleetKey> = fleet.keys.into_iter().filter(is_new).collect();
        self.keys.extend(keys);
        self.grants.extend(fleet.grants);
    }

    /// The settings that a program contains, or the one that is invalid.
    pub(super) fn of_embedded(
        (skew, assume, accepted): EmbeddedCalls,
        keys: Vec<EmbeddedKey>,
        grants: Vec<EmbeddedGrant>,
    ) -> Result<Self, &'static str> {
        let skew = skew.map(|name| Skew::from_name(&name).ok_or("the policy")).transpose()?;
        let assume = assume.map(|name| Assume::from_name(&name).ok_or("the assumed senders")).transpose()?;
        let entries = |all: Vec<EmbeddedAcceptance>| all.into_iter().map(entry).collect::<Option<Vec<_>>>();
        let accepted = accepted.map(|all| entries(all).ok_or("an accepted finding")).transpose()?;
        Ok(Self { skew, assume, accepted: accepted.map(AcceptedFindings::new), keys, grants })
    }
}

fn entry((fingerprint, expires, code, agent): EmbeddedAcceptance) -> Option<AcceptedEntry> {
    let reason = "accepted when the program was built".to_owned();
    Some(AcceptedEntry { fingerprint, code, agent, reason, expires: expires.parse().ok()?, span: 0..0 })
}
