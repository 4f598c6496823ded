//! The settings of a server about who may call.

use std::sync::Arc;

use capgen_descriptor::OwnedDescriptor;

use super::builder::ServerBuilder;
use super::tokens::Tokens;
use crate::authorization::{Authorization, Decision, Grants};
use crate::context::Context;
use crate::envelope::Keys;
use crate::token::TokenVerifier;

impl ServerBuilder {
    /// Accepts only signed requests, rejects replays, and signs responses.
    ///
    /// If there are keys of agents when the server starts, each of them has a share of the server, and callers about
    /// which nothing is proved have one together.
    pub fn keys(mut self, keys: Keys) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Decides who may call, instead of `requiredRoles` and `requiredScopes`. The function is also asked for a
    /// capability that the agent does not have; then its contract is `None`. A caller that is denied learns neither why
    /// nor whether the capability exists. The reason goes to the audit, also if that does not record all calls.
    ///
    /// ```
    /// use capgen_call::{Decision, Handlers, Server};
    /// let server = Server::builder(Handlers::new("trips")).authorize(|context, _| {
    ///     let is_staff = context.principal().is_some_and(|principal| principal.roles.contains("staff"));
    ///     if is_staff { Decision::Allow } else { Decision::deny("the caller is not on the staff") }
    /// });
    /// ```
    pub fn authorize<F>(self, decide: F) -> Self
    where
        F: Fn(&Context, Option<&OwnedDescriptor>) -> Decision + Send + Sync + 'static,
    {
        self.authorization(Authorization::by_function(decide))
    }

    /// As [`authorize`](Self::authorize), with a rule that may wait, or one that several servers share.
    pub fn authorization(mut self, authorization: Authorization) -> Self {
        self.authority.own = Some(authorization);
        self
    }

    /// The roles and scopes of agents and principals, in addition to earlier ones. A caller may call a capability if
    /// its principal or, without one, its proved agent has all of `requiredRoles` and `requiredScopes`.
    ///
    /// Without grants, a rule or a verifier of tokens, a server with capabilities that require roles or scopes does not
    /// start.
    pub fn grants(mut self, grants: Grants) -> Self {
        self.authority.grants = self.authority.grants.and(grants);
        self
    }

    /// Verifies the tokens of requests: the header `authorization`, `Bearer <token>`. [`Context::principal`] is the
    /// result, and its roles and scopes count for `requiredRoles` and `requiredScopes`. A request with an invalid token
    /// is refused. The server needs keys: a token in a message that is not signed is ignored, because anyone who saw
    /// the token could have sent it.
    pub fn tokens(mut self, verifier: Arc<dyn TokenVerifier>) -> Self {
        self.authority.tokens = Some(Tokens { verifier, is_enough: false });
        self
    }

    /// As [`tokens`](Self::tokens), but a token authenticates a request that is not signed; a request with neither is
    /// refused. Only a message with the same token cancels a request that is not signed. All transports must be
    /// encrypted. The operator of the broker can still read and use the tokens.
    pub fn bearer_only(mut self, verifier: Arc<dyn TokenVerifier>) -> Self {
        self.authority.tokens = Some(Tokens { verifier, is_enough: true });
        self
    }

    /// Everyone may call everything: `requiredRoles` and `requiredScopes` are not checked.
    pub fn without_authorization(self) -> Self {
        self.authorization(Authorization::none())
    }
}
