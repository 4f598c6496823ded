//! The choice of the rule that decides who may call.

use std::sync::Arc;

use super::handlers::Handlers;
use super::tokens::Tokens;
use crate::authorization::{Authorization, Grants};
use crate::build_error::BuildError;
use crate::envelope::Keys;
use crate::peers::FleetGrant;
use crate::transport::Transport;

/// How a server decides who may call.
#[derive(Default)]
pub(super) struct Authority {
    pub(super) own: Option<Authorization>,
    pub(super) grants: Grants,
    pub(super) tokens: Option<Tokens>,
}

impl Authority {
    /// The decision for the capabilities of an agent.
    pub(super) fn of(mut self, handlers: &Handlers, fleet: &[FleetGrant]) -> Result<Authorization, BuildError> {
        for (agent, roles, scopes) in fleet {
            self.grants = self.grants.agent(agent, &texts(roles), &texts(scopes));
        }
        let contracts: Vec<_> = handlers.descriptors().filter_map(|(_, contract)| contract).collect();
        Ok(Authorization::of_settings(self.own, self.grants, self.tokens.is_some(), &contracts)?)
    }
}

/// Checks that a token is either in a message that is signed, or not visible to others.
pub(super) fn check_tokens(
    tokens: Option<&Tokens>,
    keys: Option<&Keys>,
    channels: &[(Arc<dyn Transport>, String)],
) -> Result<(), BuildError> {
    let Some(tokens) = tokens else { return Ok(()) };
    if !tokens.is_enough {
        return if keys.is_some() { Ok(()) } else { Err(BuildError::TokensWithoutKeys) };
    }
    match channels.iter().find(|(transport, _)| !transport.is_encrypted()) {
        Some((transport, _)) => Err(BuildError::TokensInTheClear(transport.kind())),
        None => Ok(()),
    }
}

fn texts(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}
