//! The choice of the rule that decides who may call.

use capgen_descriptor::OwnedDescriptor;

use super::handlers::Handlers;
use crate::authorization::{Authorization, Grants};
use crate::build_error::BuildError;
use crate::peers::FleetGrant;

/// How a server decides who may call.
#[derive(Default)]
pub(super) struct Authority {
    pub(super) own: Option<Authorization>,
    pub(super) grants: Grants,
}

impl Authority {
    /// The decision for the capabilities of an agent.
    pub(super) fn of(mut self, handlers: &Handlers, fleet: &[FleetGrant]) -> Result<Authorization, BuildError> {
        if let Some(own) = self.own {
            return Ok(own);
        }
        for (agent, roles, scopes) in fleet {
            self.grants = self.grants.agent(agent, &texts(roles), &texts(scopes));
        }
        let contracts = || handlers.descriptors().filter_map(|(name, contract)| Some((name, contract?)));
        let needs =
            |contract: &OwnedDescriptor| !contract.required_roles.is_empty() || !contract.required_scopes.is_empty();
        let mut names: Vec<String> =
            contracts().filter(|(_, contract)| needs(contract)).map(|(name, _)| name.to_owned()).collect();
        names.dedup();
        if self.grants.is_empty() && !names.is_empty() {
            return Err(BuildError::NoAuthorization(names));
        }
        Ok(Authorization::by_requirements(self.grants, contracts().map(|(_, contract)| contract)))
    }
}

fn texts(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}
