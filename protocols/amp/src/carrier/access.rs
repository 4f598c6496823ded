//! Who may call the handlers of an agent, by the roles and scopes that they require or by a rule. The settings have the
//! names and meanings of those of servers of calls.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::iter;
use std::sync::Arc;

use capgen_call::{Authorization, Context, Decision, Grants, Handlers, NoAuthorization, Proof};
use capgen_descriptor::OwnedDescriptor;
use semver::Version;

use super::BoxFuture;
use super::handlers::HandlerExecutor;
use crate::CapabilityName;
use crate::body::NameOrType;
use crate::message::{Did, MessageId};
use crate::policy::Policy;
use crate::provider::{NoPermissions, Permissions, Received};

/// The settings, and the contracts of the handlers.
#[derive(Clone, Default)]
pub(super) struct Access {
    own: Option<Authorization>,
    grants: Grants,
    authorization: Authorization,
    /// Of each handler, by its name, the lowest version first. In a hash table, whose time does not show which names
    /// there are.
    contracts: HashMap<String, Vec<Arc<OwnedDescriptor>>>,
    /// The number of versions of the handler that has the most.
    most: usize,
    /// The handlers of capabilities with other names.
    names: HashMap<CapabilityName, String>,
    /// The number of handlers that a `type` may mean, at most.
    most_asked: usize,
    log: Option<Arc<Log>>,
}

/// A message about whose sender something is decided.
struct Sent {
    caller: Did,
    id: MessageId,
    deadline: u64,
}

/// Receives the reasons of denials, which callers do not get.
type Log = dyn Fn(&Did, &str, &str) + Send + Sync;

impl HandlerExecutor {
    /// Decides who may call, instead of `requiredRoles` and `requiredScopes`. The function is also asked for a
    /// capability without a handler; then the contract is `None`. [`Context::capability`] is the name of the handler.
    ///
    /// A caller that is denied learns neither why nor whether the capability exists: it gets 3001, or 4002 for a query.
    /// The policy of the provider must allow the call, too.
    #[must_use]
    pub fn authorize<F>(self, decide: F) -> Self
    where
        F: Fn(&Context, Option<&OwnedDescriptor>) -> Decision + Send + Sync + 'static,
    {
        self.authorization(Authorization::by_function(decide))
    }

    /// As [`authorize`](Self::authorize), with a rule that may wait, or one that several servers share. A rule that
    /// does not decide within the longest time of an invocation denies.
    #[must_use]
    pub fn authorization(mut self, authorization: Authorization) -> Self {
        self.change(|access| access.own = Some(authorization));
        self
    }

    /// The roles and scopes of agents, in addition to earlier ones. An agent may call a capability if it has all of
    /// `requiredRoles` and `requiredScopes`; its id is its DID without fragment. Grants to principals have no effect:
    /// messages have no tokens.
    ///
    /// Handlers that require roles or scopes do not start without grants, a rule or a policy that
    /// [decides](Policy::decides).
    #[must_use]
    pub fn grants(mut self, grants: Grants) -> Self {
        self.change(|access| access.grants = std::mem::take(&mut access.grants).and(grants));
        self
    }

    /// Everyone may call everything that the policy allows: `requiredRoles` and `requiredScopes` are not checked.
    #[must_use]
    pub fn without_authorization(self) -> Self {
        self.authorization(Authorization::none())
    }

    /// Reports why callers may not call: the caller, the name of the handler, and the reason. For an audit.
    #[must_use]
    pub fn with_denial_log(mut self, log: impl Fn(&Did, &str, &str) + Send + Sync + 'static) -> Self {
        self.change(|access| access.log = Some(Arc::new(log)));
        self
    }

    fn change(&mut self, change: impl FnOnce(&mut Access)) {
        let access = Arc::make_mut(&mut self.access);
        change(access);
        access.update();
    }
}

impl Access {
    pub(super) fn of(handlers: &Handlers) -> Self {
        let mut contracts: HashMap<String, Vec<Arc<OwnedDescriptor>>> = HashMap::new();
        for (name, contract) in handlers.descriptors() {
            let contract = contract.cloned().unwrap_or_else(|| OwnedDescriptor::new(name));
            contracts.entry(name.to_owned()).or_default().push(Arc::new(contract));
        }
        Self { contracts, most: handlers.most_versions(), ..Self::default() }
    }

    /// Adds the handlers of capabilities with other names.
    pub(super) fn add_names(&mut self, names: impl Iterator<Item = (CapabilityName, String)>) {
        self.names.extend(names);
        let meanings = |name: &CapabilityName| self.asked(&NameOrType::Type(name.last_segment().to_owned())).len();
        self.most_asked = self.names.keys().map(meanings).max().unwrap_or(1);
    }

    /// The rule of the present settings.
    fn update(&mut self) {
        let by_grants = || match self.grants.is_empty() {
            true => Authorization::none(),
            false => Authorization::by_requirements(self.grants.clone(), self.all()),
        };
        self.authorization = self.own.clone().unwrap_or_else(by_grants);
    }

    fn all(&self) -> impl Iterator<Item = &OwnedDescriptor> {
        self.contracts.values().flatten().map(|contract| &**contract)
    }

    /// Whether something decides who has the required roles and scopes.
    pub(super) fn check(&self, policy: &Policy) -> Result<(), NoAuthorization> {
        if policy.decides() {
            return Ok(());
        }
        let contracts: Vec<_> = self.all().collect();
        Authorization::of_settings(self.own.clone(), self.grants.clone(), false, &contracts).map(|_| ())
    }

    /// The handler of a capability.
    pub(super) fn handler<'a>(&'a self, name: &'a CapabilityName) -> &'a str {
        self.names.get(name).map_or_else(|| name.last_segment(), String::as_str)
    }

    pub(super) fn has_handler(&self, name: &str) -> bool {
        self.contracts.contains_key(name)
    }

    fn contracts(&self, handler: &str) -> &[Arc<OwnedDescriptor>] {
        self.contracts.get(handler).map(Vec::as_slice).unwrap_or_default()
    }

    /// The contract of the handler that runs a published version; `None` if there is no handler.
    pub(super) fn contract(&self, handler: &str, version: &Version) -> Option<&OwnedDescriptor> {
        let contracts = self.contracts(handler);
        Some(contracts.get(index(contracts, version)?)?)
    }

    /// The handlers that a message may be about.
    fn asked(&self, asked: &NameOrType) -> BTreeSet<String> {
        match asked {
            NameOrType::Name(name) => [self.handler(name).to_owned()].into(),
            // A capability with this last segment, or a handler with this name.
            NameOrType::Type(text) => {
                let named = self.names.iter().filter(|(name, _)| name.last_segment() == text);
                named.map(|(_, handler)| handler.clone()).chain([text.clone()]).collect()
            }
        }
    }

    /// The permissions of the sender of a message; `None` if nothing is decided.
    pub(super) fn decide(
        self: &Arc<Self>,
        received: &Received,
        asked: Option<&NameOrType>,
    ) -> Option<BoxFuture<'static, Arc<dyn Permissions>>> {
        if !self.authorization.is_active() {
            return None;
        }
        let Some(asked) = asked else {
            return Some(Box::pin(async { Arc::new(NoPermissions) as Arc<dyn Permissions> }));
        };
        let (handlers, access) = (self.asked(asked), Arc::clone(self));
        let most = if matches!(asked, NameOrType::Type(_)) { self.most_asked } else { 1 };
        let message = Sent { caller: received.sender().clone(), id: received.id(), deadline: received.expires() };
        Some(Box::pin(async move {
            let mut decided: BTreeMap<String, Vec<bool>> = BTreeMap::new();
            let mut denial = None;
            for handler in &handlers {
                let decisions = access.decisions(&message, handler).await;
                let reason = reason(&decisions);
                if let (Some(log), Some(reason)) = (&access.log, &reason) {
                    log(&message.caller, handler, reason);
                }
                denial = denial.or(reason);
                // As many for each name.
                let allowed = decisions.iter().map(|it| *it == Decision::Allow).chain(iter::repeat(false));
                decided.insert(handler.clone(), allowed.take(access.most.max(decisions.len())).collect());
            }
            // As often as for the `type` that may mean the most handlers.
            if let (false, Some(last)) = (decided.values().flatten().any(|it| *it), handlers.last()) {
                for _ in handlers.len()..most {
                    let _ = access.decisions(&message, last).await;
                }
            }
            Arc::new(Decided { access, decided, denial }) as Arc<dyn Permissions>
        }))
    }

    /// The decisions about the versions of a handler.
    async fn decisions(&self, message: &Sent, handler: &str) -> Vec<Decision> {
        let context = context(&message.caller, handler, message.id, message.deadline);
        let mut versions = Vec::with_capacity(self.most);
        versions.extend(self.contracts(handler).iter().map(|contract| &**contract));
        self.authorization.decide_versions(&context, &versions, self.most).await
    }
}

/// The reason of a denial of all versions. One is copied, however many versions there are.
fn reason(decisions: &[Decision]) -> Option<String> {
    match decisions.first() {
        Some(Decision::Deny { reason }) if !decisions.contains(&Decision::Allow) => Some(reason.clone()),
        _ => None,
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("authorization", &self.authorization).finish_non_exhaustive()
    }
}

/// The index of the contract with a version or, if there is none, of the one that runs the plain name: the highest
/// version that is not a pre-release, or else the highest one.
fn index(contracts: &[Arc<OwnedDescriptor>], version: &Version) -> Option<usize> {
    let own = |contract: &Arc<OwnedDescriptor>| contract.version.as_deref()?.parse::<Version>().ok();
    let is_equal = |contract| own(contract).is_some_and(|own| own.cmp_precedence(version).is_eq());
    let is_release = |contract| own(contract).is_none_or(|own| own.pre.is_empty());
    let found = contracts.iter().position(is_equal).or_else(|| contracts.iter().rposition(is_release));
    found.or_else(|| contracts.len().checked_sub(1))
}

/// The context of a message, whose signature proves its sender.
pub(super) fn context(caller: &Did, handler: &str, message: MessageId, deadline: u64) -> Context {
    let key = caller.as_str().split_once('#').map_or("", |(_, key)| key);
    let context = Context::of_request(caller.without_fragment(), handler, &message.to_string(), Some(deadline));
    context.with_proof(Proof::AgentKey { key_id: key.into() })
}

/// The decisions about the handlers that a message asks for.
#[derive(Debug)]
struct Decided {
    access: Arc<Access>,
    /// By the name of the handler, for each of its contracts, followed by `false` as often as others have more.
    decided: BTreeMap<String, Vec<bool>>,
    /// Why a handler is denied, if one is.
    denial: Option<String>,
}

impl Permissions for Decided {
    fn allow(&self, name: &CapabilityName, version: Option<&Version>) -> bool {
        let handler = self.access.handler(name);
        // Nothing was decided about others.
        let Some(decided) = self.decided.get(handler) else { return false };
        match version.and_then(|version| index(self.access.contracts(handler), version)) {
            Some(index) => decided.get(index) == Some(&true),
            None => decided.contains(&true),
        }
    }

    fn denial(&self) -> Option<String> {
        self.denial.clone().filter(|_| !self.decided.values().flatten().any(|is_allowed| *is_allowed))
    }
}
