//! The table of peers from the program itself.

use std::fmt;

use capgen_descriptor::embedded::{EmbeddedPeers, EmbeddedRoute};
use capgen_manifest::Capability;

use super::{FleetSettings, PeerTable, Route};

/// The peers that `capgen::include_fleet!` embedded when the program was built.
#[derive(Clone, Copy)]
pub struct EmbeddedFleet(&'static str);

/// An embedded fleet that cannot be read: the macro and this crate have versions that do not fit together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidFleet(String);

impl EmbeddedFleet {
    /// For the macro.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_macro(text: &'static str) -> Self {
        Self(text)
    }
}

impl PeerTable {
    /// Adds the agents that `capgen::include_fleet!` embedded in the program, and the settings of the keys `calls`,
    /// `keys` and `grants` of the fleet. It reads no files, and links no parser of YAML.
    ///
    /// # Errors
    ///
    /// The crates `capgen-macros` and `capgen-call` have versions that do not fit together.
    pub fn with_embedded(mut self, fleet: &EmbeddedFleet) -> Result<Self, InvalidFleet> {
        let (agents, peers, calls, keys, grants): EmbeddedPeers =
            serde_json::from_str(fleet.0).map_err(|error| invalid(&error))?;
        for (agent, routes, descriptors) in agents {
            let mut capabilities = Vec::new();
            for descriptor in &descriptors {
                let read = Capability::from_descriptor(descriptor);
                capabilities.push(read.map_err(|_| invalid(&format!("a property of `{}`", descriptor.name)))?);
            }
            self.add_agent(&agent, all(routes), &capabilities);
        }
        for (agent, routes) in peers {
            self.set_routes(&agent, all(routes));
        }
        self.settings.set(FleetSettings::of_embedded(calls, keys, grants).map_err(|part| invalid(&part))?);
        Ok(self)
    }
}

fn all(routes: Vec<EmbeddedRoute>) -> Vec<Route> {
    routes.into_iter().map(|(kind, address)| Route { kind, address }).collect()
}

fn invalid(reason: &dyn fmt::Display) -> InvalidFleet {
    InvalidFleet(reason.to_string())
}

impl fmt::Debug for EmbeddedFleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedFleet").finish_non_exhaustive()
    }
}

impl fmt::Display for InvalidFleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the embedded fleet cannot be read: {}; use the same version of `capgen-macros` and `capgen-call`, and build the \
             program again",
            self.0
        )
    }
}

impl std::error::Error for InvalidFleet {}
