//! The steps of section 7.2, in their order. Each is a function; [`accept`] calls them one after the other.

use std::sync::Arc;

use semver::Version;

use super::Provider;
use super::access::Access;
use super::adapter::Adapter;
use super::payload;
use super::refusal::Refusal;
use crate::body::{Body, CapInvoke, Target};
use crate::catalogue::{Catalogue, Published};
use crate::code::Code;
use crate::message::Message;
use crate::name::CapabilityName;
use crate::negotiate::{Offer, Request, Rule, Selected, negotiate};

/// An invocation that has passed every step.
pub(crate) struct Accepted {
    /// The index of the version in [`Catalogue::published`].
    pub(crate) index: usize,
    /// The rule that selected the version.
    pub(crate) rule: Rule,
    /// The JSON text of `params`, converted by the adapter if there is one, and valid.
    pub(crate) params: String,
    /// The adapter that also converts the result.
    pub(crate) adapter: Option<Arc<Adapter>>,
    pub(crate) timeout_ms: Option<u64>,
}

/// Checks an invocation.
///
/// # Errors
///
/// The refusal of the first step that fails.
pub(crate) fn accept(
    provider: &Provider,
    catalogue: Result<&Catalogue, Refusal>,
    message: &Message,
    access: Access<'_>,
) -> Result<Accepted, Refusal> {
    let invoke = read_body(provider, message)?;
    let configured = configured_name(provider, &invoke.target);
    authorize(access, configured.as_ref(), &invoke)?;
    let catalogue = catalogue?;
    let name = resolve(catalogue, access, configured, &invoke)?;
    let candidates: Vec<_> = allowed_versions(catalogue, access, &name).collect();
    let selected = select(provider, &name, &candidates, &invoke)?;
    let (params, adapter) = check_params(provider, &selected, &name, &invoke)?;
    let CapInvoke { timeout_ms, .. } = invoke;
    Ok(Accepted { index: selected.index, rule: selected.rule, params, adapter, timeout_ms })
}

/// The version that step 5 selected.
struct Chosen<'a> {
    index: usize,
    published: &'a Published,
    rule: Rule,
}

/// Step 1: the shape of the body and its required fields.
fn read_body(provider: &Provider, message: &Message) -> Result<CapInvoke, Refusal> {
    match Body::read(message.kind, &message.body, provider.policy.aliases()) {
        Ok(Body::Invoke(invoke)) => Ok(invoke),
        Ok(_) => Err(Refusal::new(Code::BadRequest, "the message is not an invocation")),
        Err(errors) => Err(Refusal::body(&errors)),
    }
}

/// Step 2: the policy and the permissions for the caller, the name and the requested version. It does not examine the
/// published capabilities, so an answer cannot depend on that.
///
/// A `type` that is neither an alias nor a full name has no name yet. It can only become a name that is visible to the
/// caller, so step 3 reveals nothing about others.
fn authorize(access: Access<'_>, configured: Option<&CapabilityName>, invoke: &CapInvoke) -> Result<(), Refusal> {
    match configured {
        Some(name) if !access.may_ask(name, invoke.target.version()) => Err(Refusal::unauthorized()),
        _ => Ok(()),
    }
}

/// Step 3: the identity of the capability.
fn resolve(
    catalogue: &Catalogue,
    access: Access<'_>,
    configured: Option<CapabilityName>,
    invoke: &CapInvoke,
) -> Result<CapabilityName, Refusal> {
    let name = match configured {
        Some(name) => name,
        None => {
            let text = invoke.target.type_alias().unwrap_or_default();
            let name = visible_name(catalogue, access, text).ok_or_else(not_found)?;
            if !access.may_ask(&name, invoke.target.version()) {
                return Err(Refusal::unauthorized());
            }
            name
        }
    };
    if catalogue.versions(&name).is_empty() { Err(not_found()) } else { Ok(name) }
}

/// Step 4: the policy and the permissions for each version of the resolved capability. Denied versions are not
/// candidates (decision 10). The numbers are indexes into [`Catalogue::published`].
fn allowed_versions<'a>(
    catalogue: &'a Catalogue,
    access: Access<'a>,
    name: &'a CapabilityName,
) -> impl Iterator<Item = (usize, &'a Published)> {
    let versions = catalogue.indexes(name).zip(catalogue.versions(name));
    versions.filter(move |(_, published)| access.may_use(name, published.version()))
}

/// Step 5: the version.
fn select<'a>(
    provider: &Provider,
    name: &CapabilityName,
    candidates: &[(usize, &'a Published)],
    invoke: &CapInvoke,
) -> Result<Chosen<'a>, Refusal> {
    let offers: Vec<Offer<'_>> = candidates
        .iter()
        .map(|(_, published)| Offer {
            version: published.version(),
            supported: published.descriptor().supported_ranges.as_deref().unwrap_or_default(),
        })
        .collect();
    let has_adapter = |from: &Version, to: &Version| provider.adapters.find(name, from, to).is_some();
    let request = match &invoke.target {
        Target::Id(id) => Request::Id(id),
        Target::Version { version, .. } => Request::Exact(version),
        Target::Negotiate { hints, .. } => Request::Hints(hints),
    };
    let mismatch = |mismatch: crate::negotiate::Mismatch| Refusal::new(Code::VersionMismatch, mismatch.to_string());
    let Selected { index, rule } =
        negotiate(provider.policy.mode(), request, &offers, &has_adapter).map_err(mismatch)?;
    let missing = || Refusal::new(Code::InternalError, "the selected version is not published");
    let (index, published) = *candidates.get(index).ok_or_else(missing)?;
    Ok(Chosen { index, published, rule })
}

/// Step 6: `params` are JSON and conform to the input schema, after the adapter has converted them. This is their one
/// check.
fn check_params(
    provider: &Provider,
    chosen: &Chosen<'_>,
    name: &CapabilityName,
    invoke: &CapInvoke,
) -> Result<(String, Option<Arc<Adapter>>), Refusal> {
    let adapter = match &chosen.rule {
        Rule::Adapter { from } => provider.adapters.find(name, from, chosen.published.version()),
        _ => None,
    };
    let of_version = |refusal: Refusal| refusal.of_version(&chosen.published.descriptor().id);
    let params = payload::params(chosen.published, adapter.as_deref(), &invoke.params).map_err(of_version)?;
    Ok((params, adapter))
}

/// The name that a target states, or that the configuration has for its `type`; `None` if it depends on the published
/// capabilities (decision 6).
fn configured_name(provider: &Provider, target: &Target) -> Option<CapabilityName> {
    target.name().cloned().or_else(|| provider.policy.aliases().resolve(target.type_alias()?))
}

/// The one name that the caller can see whose last segment is this text (decision 6).
pub(crate) fn visible_name(catalogue: &Catalogue, access: Access<'_>, text: &str) -> Option<CapabilityName> {
    let mut names = catalogue.names().filter(|name| name.last_segment() == text);
    let mut visible = names.by_ref().filter(|name| allowed_versions(catalogue, access, name).next().is_some());
    let name = visible.next()?;
    visible.next().is_none().then(|| name.clone())
}

pub(crate) fn not_found() -> Refusal {
    Refusal::new(Code::CapabilityNotFound, "there is no capability with this name")
}
