//! Who may call a capability.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use capgen_descriptor::OwnedDescriptor;

use crate::build_error::NoAuthorization;
use crate::context::Context;
use crate::identity::Principal;
use crate::needed::{Names, Required};
use crate::transport::BoxFuture;
use crate::wait::caught;

/// Whether a caller may call a capability.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// It may.
    Allow,
    /// It may not.
    Deny {
        /// Why, for the audit and the log of the provider. The caller does not learn it.
        reason: String,
    },
}

impl Decision {
    /// The caller may not call the capability, for a reason that it does not learn.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: reason.into() }
    }
}

/// A rule of a provider, if more than a function is needed: it may ask another service.
pub trait Authorize: Send + Sync + 'static {
    /// Whether the caller of a request may call its capability. `capability` is its contract; `None` if the provider
    /// does not have it. A rule that does not look at the contract cannot show which capabilities exist.
    ///
    /// For a capability with several versions, it is asked for each of them. A rule that denies is asked as often for
    /// every other capability, also for one that the provider does not have: neither the time nor the records of
    /// another service show which ones there are.
    fn authorize<'a>(
        &'a self,
        context: &'a Context,
        capability: Option<&'a OwnedDescriptor>,
    ) -> BoxFuture<'a, Decision>;
}

/// A rule that is a function.
struct Function<F>(F);

impl<F> Authorize for Function<F>
where
    F: Fn(&Context, Option<&OwnedDescriptor>) -> Decision + Send + Sync + 'static,
{
    fn authorize<'a>(
        &'a self,
        context: &'a Context,
        capability: Option<&'a OwnedDescriptor>,
    ) -> BoxFuture<'a, Decision> {
        Box::pin(async move { (self.0)(context, capability) })
    }
}

/// Roles and scopes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Rights {
    roles: BTreeSet<String>,
    scopes: BTreeSet<String>,
}

impl Rights {
    fn add(&mut self, roles: &[impl AsRef<str>], scopes: &[impl AsRef<str>]) {
        self.roles.extend(roles.iter().map(|role| role.as_ref().to_owned()));
        self.scopes.extend(scopes.iter().map(|scope| scope.as_ref().to_owned()));
    }
}

/// The rights that all capabilities of an agent need together.
struct Needed {
    roles: Names,
    scopes: Names,
}

/// The text between a caller and the kind of right that it does not have.
const MISSING: &str = " does not have the ";

/// The caller of a request, and its rights.
struct Caller<'a> {
    /// Those of its token.
    token: Option<&'a Principal>,
    grant: Option<&'a Rights>,
}

/// The roles and scopes of agents and principals, for capabilities with `requiredRoles` or `requiredScopes`. The key
/// `grants` of `fleet.yaml` has those of agents.
///
/// A grant to an agent counts only for requests that the agent is proved to have sent: with a key of its own, not with
/// a shared one.
///
/// ```
/// use capgen_call::Grants;
/// let grants = Grants::new()
///     .agent("concierge", &["booker"], &["trips:write"])
///     .principal("https://login.example.com", "alice", &["admin"], &[]);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Grants {
    agents: BTreeMap<String, Rights>,
    /// By issuer and subject.
    principals: BTreeMap<(String, String), Rights>,
}

impl Grants {
    /// No grants.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives roles and scopes to an agent, given by its id without `agent://`.
    #[must_use]
    pub fn agent(mut self, id: &str, roles: &[&str], scopes: &[&str]) -> Self {
        self.agents.entry(id.to_owned()).or_default().add(roles, scopes);
        self
    }

    /// Gives roles and scopes to a principal, in addition to those of its tokens.
    #[must_use]
    pub fn principal(mut self, issuer: &str, subject: &str, roles: &[&str], scopes: &[&str]) -> Self {
        self.principals.entry((issuer.to_owned(), subject.to_owned())).or_default().add(roles, scopes);
        self
    }

    /// These grants and others.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        for (id, rights) in others.agents {
            let own = self.agents.entry(id).or_default();
            own.roles.extend(rights.roles);
            own.scopes.extend(rights.scopes);
        }
        for (id, rights) in others.principals {
            let own = self.principals.entry(id).or_default();
            own.roles.extend(rights.roles);
            own.scopes.extend(rights.scopes);
        }
        self
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty() && self.principals.is_empty()
    }

    /// Whether a caller has the rights that a capability needs. The rights of the principal count, if the request is
    /// for one, and otherwise those of the agent.
    fn check(&self, context: &Context, asked: Asked<'_>, all: &Needed) -> Decision {
        if asked.needs_nothing() {
            return Decision::Allow;
        }
        if let Some(principal) = context.principal() {
            let id = (principal.issuer.clone(), principal.subject.clone());
            let caller = Caller { token: Some(principal), grant: self.principals.get(&id) };
            let owner = || format!("the principal `{}` of `{}`", principal.subject, principal.issuer);
            return caller.decision(asked, all, owner);
        }
        if context.proof().proves_agent() {
            let agent = context.caller();
            let caller = Caller { token: None, grant: self.agents.get(agent) };
            return caller.decision(asked, all, || format!("the agent `{agent}`"));
        }
        Decision::deny("nothing proves who calls: the request has neither a key of an agent nor a token")
    }
}

impl Caller<'_> {
    /// The denial names the first role or scope that the caller does not have.
    fn decision(&self, asked: Asked<'_>, all: &Needed, owner: impl Fn() -> String) -> Decision {
        let token = |rights: fn(&Principal) -> &BTreeSet<String>| self.token.map(rights);
        let grant = |rights: fn(&Rights) -> &BTreeSet<String>| self.grant.map(rights);
        let roles = [token(|it| &it.roles), grant(|it| &it.roles)];
        let scopes = [token(|it| &it.scopes), grant(|it| &it.scopes)];
        // Both, so that the time does not depend on the first result.
        let role = missing(&roles, asked, &asked.requirements.roles, &all.roles);
        let scope = missing(&scopes, asked, &asked.requirements.scopes, &all.scopes);
        let (kind, name) = match (role, scope) {
            (Some(role), _) => ("role", role),
            (None, Some(scope)) => ("scope", scope),
            (None, None) => return Decision::Allow,
        };
        // One allocation of one size, whichever name is missing.
        let mut reason = owner();
        reason.reserve_exact(MISSING.len() + "scope ``".len() + all.roles.longest().max(all.scopes.longest()));
        reason.extend([MISSING, kind, " `", name, "`"]);
        Decision::Deny { reason }
    }
}

/// The first name that a capability needs and the caller does not have.
fn missing<'a>(
    owned: &[Option<&BTreeSet<String>>],
    asked: Asked<'_>,
    required: &'a Required,
    all: &'a Names,
) -> Option<&'a String> {
    all.missing(required, asked.is_unknown, |name| owned.iter().flatten().any(|names| names.contains(name)))
}

/// The rights that a caller needs for a capability of an agent, read once by [`Authorization::requirements`]. They
/// belong to that authorization; an empty value needs all rights that the capabilities of an agent need together.
#[derive(Clone, Default, Debug)]
pub struct Requirements {
    roles: Required,
    scopes: Required,
}

/// The capability that a caller asks for.
#[derive(Clone, Copy)]
struct Asked<'a> {
    requirements: &'a Requirements,
    /// Whether the agent does not have it. Then all rights are needed, and the requirements only take their time.
    is_unknown: bool,
}

impl Asked<'_> {
    fn needs_nothing(self) -> bool {
        self.requirements.roles.is_empty & self.requirements.scopes.is_empty & !self.is_unknown
    }
}

/// The decision who may call the capabilities of an agent, for servers of any protocol. Clones are cheap.
///
/// A caller that is denied must not learn whether the capability exists: answer it with one constant message, in the
/// same way for capabilities that the agent does not have. [`ServerBuilder`](crate::ServerBuilder) does it.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use capgen_call::{Authorization, CapabilityContract, Context, Decision, Grants, Proof};
///
/// let mut contract = CapabilityContract::new("book");
/// contract.required_roles = vec!["booker".to_owned()];
/// let contract = contract.to_descriptor(None);
/// let grants = Grants::new().agent("concierge", &["booker"], &[]);
/// let authorization = Authorization::by_requirements(grants, [&contract]);
///
/// let context = Context::of_request("concierge", "book", "m1", None);
/// assert_ne!(authorization.decide(&context, Some(&contract)).await, Decision::Allow);
/// let context = context.with_proof(Proof::AgentKey { key_id: "2026-11".into() });
/// assert_eq!(authorization.decide(&context, Some(&contract)).await, Decision::Allow);
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Authorization(Option<Arc<Rule>>);

enum Rule {
    Requirements {
        grants: Grants,
        /// The rights that all capabilities together need.
        all: Needed,
    },
    Own(Arc<dyn Authorize>),
}

impl Authorization {
    /// The message of the answer to every caller that is denied, with the code
    /// [`FORBIDDEN`](crate::code::FORBIDDEN). It shows neither why, nor whether the capability exists.
    pub const DENIED: &'static str = "the caller may not call this capability";

    /// Everyone may call everything.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// A caller may call a capability if its principal or, without one, its proved agent has all of `requiredRoles` and
    /// `requiredScopes`. Any caller may call a capability without them.
    ///
    /// `capabilities` are those of the agent. A request for one that is not among them is allowed if the caller has
    /// the rights for all of them: it could call any of them, so that it learns nothing from the answer.
    #[must_use]
    pub fn by_requirements<'a>(grants: Grants, capabilities: impl IntoIterator<Item = &'a OwnedDescriptor>) -> Self {
        let mut all = Rights::default();
        for capability in capabilities {
            all.add(&capability.required_roles, &capability.required_scopes);
        }
        // Without any requirement, nothing is decided, and nothing costs time.
        if all.roles.is_empty() && all.scopes.is_empty() {
            return Self::none();
        }
        let all = Needed { roles: Names::new(all.roles), scopes: Names::new(all.scopes) };
        Self(Some(Arc::new(Rule::Requirements { grants, all })))
    }

    /// The decision of a server by its settings: its own rule if it has one, and otherwise the requirements of its
    /// capabilities, whose roles and scopes the grants give or, if `has_principals`, principals such as those of
    /// tokens.
    ///
    /// # Errors
    ///
    /// Capabilities have requirements, and there is no rule, no grant and no principal.
    pub fn of_settings(
        own: Option<Self>,
        grants: Grants,
        has_principals: bool,
        capabilities: &[&OwnedDescriptor],
    ) -> Result<Self, NoAuthorization> {
        if let Some(own) = own {
            return Ok(own);
        }
        if grants.is_empty() && !has_principals {
            let needs = |it: &&&OwnedDescriptor| !it.required_roles.is_empty() || !it.required_scopes.is_empty();
            let names: BTreeSet<_> = capabilities.iter().filter(needs).map(|it| it.name.clone()).collect();
            if !names.is_empty() {
                return Err(NoAuthorization(names.into_iter().collect()));
            }
        }
        Ok(Self::by_requirements(grants, capabilities.iter().copied()))
    }

    /// A function decides. The requirements of capabilities are not checked.
    #[must_use]
    pub fn by_function<F>(decide: F) -> Self
    where
        F: Fn(&Context, Option<&OwnedDescriptor>) -> Decision + Send + Sync + 'static,
    {
        Self::by(Arc::new(Function(decide)))
    }

    /// A rule decides. The requirements of capabilities are not checked.
    #[must_use]
    pub fn by(rule: Arc<dyn Authorize>) -> Self {
        Self(Some(Arc::new(Rule::Own(rule))))
    }

    /// Whether there is something to decide. If not, everyone may call everything.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.0.is_some()
    }

    /// Whether the caller of a request may call its capability, given the contract; `None` if the agent does not have
    /// the capability. A rule that panics denies.
    pub async fn decide(&self, context: &Context, capability: Option<&OwnedDescriptor>) -> Decision {
        self.decide_by(context, capability, &self.requirements(capability)).await
    }

    /// The rights that a caller needs for a capability, given its contract; none with `None`. A server that reads them
    /// once for each capability saves the time in each decision.
    #[must_use]
    pub fn requirements(&self, capability: Option<&OwnedDescriptor>) -> Requirements {
        let Some(Rule::Requirements { all: Needed { roles, scopes }, .. }) = self.0.as_deref() else {
            return Requirements::default();
        };
        Requirements {
            roles: roles.required(capability.map(|it| &*it.required_roles), |name| roles.place(name)),
            scopes: scopes.required(capability.map(|it| &*it.required_scopes), |name| scopes.place(name)),
        }
    }

    /// [`decide`](Self::decide) with the [`requirements`](Self::requirements) of the capability. Without a capability,
    /// those of any other one make the steps equal to those for that one, and do not change the decision.
    pub async fn decide_by(
        &self,
        context: &Context,
        capability: Option<&OwnedDescriptor>,
        requirements: &Requirements,
    ) -> Decision {
        match self.0.as_deref() {
            None => Decision::Allow,
            Some(Rule::Requirements { grants, all }) => {
                grants.check(context, Asked { requirements, is_unknown: capability.is_none() }, all)
            }
            Some(Rule::Own(rule)) => {
                let panicked = || Decision::deny("the rule panicked");
                let start = || rule.authorize(context, capability);
                let Ok(deciding) = catch_unwind(AssertUnwindSafe(start)) else { return panicked() };
                caught(deciding).await.unwrap_or_else(panicked)
            }
        }
    }
}

impl Authorization {
    /// The decisions about the versions of a capability, in their order. If there are none, because the agent does not
    /// have the capability, it is one decision, without a contract.
    ///
    /// If all of them deny, the rule was asked `most` times: as often as for the capability of the agent that has the
    /// most versions. So neither the time nor the rule's own records show how many versions there are. The last
    /// question is repeated for that, and the answers do not count.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use capgen_call::{Authorization, Context, Decision};
    /// let authorization = Authorization::by_function(|_, _| Decision::deny("closed"));
    /// let context = Context::of_request("concierge", "book", "m1", None);
    /// assert_eq!(authorization.decide_versions(&context, &[], 2).await, [Decision::deny("closed")]);
    /// # }
    /// ```
    pub async fn decide_versions(
        &self,
        context: &Context,
        versions: &[&OwnedDescriptor],
        most: usize,
    ) -> Vec<Decision> {
        let count = versions.len().max(1);
        let most = most.max(count);
        let mut decisions = Vec::with_capacity(most);
        let mut is_allowed = false;
        // One loop for all names, so that its steps are the same.
        while decisions.len() < if is_allowed { count } else { most } {
            let version = versions.get(decisions.len()).or(versions.last());
            let decision = self.decide(context, version.copied()).await;
            is_allowed |= decision == Decision::Allow && decisions.len() < count;
            decisions.push(decision);
        }
        decisions.truncate(count);
        decisions
    }
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut authorization = f.debug_struct("Authorization");
        match self.0.as_deref() {
            None => authorization.field("rule", &"none"),
            Some(Rule::Requirements { grants, .. }) => authorization.field("grants", grants),
            Some(Rule::Own(_)) => authorization.field("rule", &"own"),
        };
        authorization.finish()
    }
}
