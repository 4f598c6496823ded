//! The settings of a server about who may call. They have the names and meanings of those of servers of calls.

use std::sync::Arc;

use capgen_call::{Authorization, Context, Decision, Grants, Principal, TokenVerifier};
use capgen_descriptor::OwnedDescriptor;

use super::McpServerBuilder;

/// The settings of a server about who may call.
#[derive(Default)]
pub(super) struct Access {
    pub(super) own: Option<Authorization>,
    pub(super) grants: Grants,
    pub(super) tokens: Option<Arc<dyn TokenVerifier>>,
    pub(super) principal: Option<Arc<Principal>>,
}

impl McpServerBuilder {
    /// Decides who may call, instead of `requiredRoles` and `requiredScopes`. The function is also asked for a tool
    /// that does not exist; then the contract is `None`, and [`Context::capability`] the name that the client sent.
    /// Otherwise, it is that of the capability. For `tools/list`, it is asked for each tool, and those that it denies
    /// are left out.
    ///
    /// A client that is denied learns neither why nor whether the tool exists. The reason goes to the audit, also if
    /// that does not record all calls.
    pub fn authorize<F>(self, decide: F) -> Self
    where
        F: Fn(&Context, Option<&OwnedDescriptor>) -> Decision + Send + Sync + 'static,
    {
        self.authorization(Authorization::by_function(decide))
    }

    /// As [`authorize`](Self::authorize), with a rule that may wait, or one that several servers share. A rule that
    /// does not decide within the time of a call denies.
    pub fn authorization(mut self, authorization: Authorization) -> Self {
        self.access.own = Some(authorization);
        self
    }

    /// The roles and scopes of principals, in addition to earlier ones and to those of their tokens. A client may call
    /// a tool if its principal has all of `requiredRoles` and `requiredScopes`. Grants to agents have no effect:
    /// nothing in the protocol proves an agent.
    ///
    /// Without grants, a rule, a verifier of tokens or a [`principal`](Self::principal), a server with tools that
    /// require roles or scopes is not built.
    pub fn grants(mut self, grants: Grants) -> Self {
        self.access.grants = self.access.grants.and(grants);
        self
    }

    /// Verifies the tokens of requests over HTTP: the header `Authorization: Bearer <token>`. [`Context::principal`] is
    /// the result, and its roles and scopes count for `requiredRoles` and `requiredScopes`.
    ///
    /// A request without a token, or with an invalid one, is refused with the status 401 before its body is read; one
    /// whose token cannot be verified at the moment, with 503. Each principal has a share of the handlers that run. The
    /// endpoint is not encrypted, so put a proxy with encryption in front of it: everyone who sees a token can use it.
    pub fn tokens(mut self, verifier: Arc<dyn TokenVerifier>) -> Self {
        self.access.tokens = Some(verifier);
        self
    }

    /// The principal of requests over standard input, where there are no tokens: usually the user who started the
    /// process. Requests over HTTP do not have it.
    pub fn principal(mut self, principal: Principal) -> Self {
        self.access.principal = Some(Arc::new(principal));
        self
    }

    /// Everyone may call everything: `requiredRoles` and `requiredScopes` are not checked. With
    /// [`tokens`](Self::tokens), requests over HTTP still need a valid token.
    pub fn without_authorization(self) -> Self {
        self.authorization(Authorization::none())
    }
}
