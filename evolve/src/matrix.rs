//! Which versions of a capability can be used together: requesters against providers, as in section 3.2 of the draft of AMP RFC 004.

use std::collections::BTreeSet;

use capgen_manifest::{Capability, Side};
use capgen_schema::{Kind, NodeId, Schema, pointer};

use crate::call::{Party, is_served, schemas_fit};
use crate::{Assume, CallSettings, Refusal};

/// A version of a capability.
#[derive(Clone, Copy, Debug)]
pub struct MatrixVersion<'c> {
    /// The capability.
    pub capability: &'c Capability,
    /// All capabilities of its contract.
    pub contract: &'c [Capability],
}

/// The compatibility of a requester and a provider.
#[derive(Clone, PartialEq, Debug)]
pub enum Compatibility {
    /// Every call works, and the provider has everything that the requester knows.
    Full,
    /// Calls work, but with restrictions: one sentence for each of them, without a full stop; at least one.
    Partial(Vec<String>),
    /// A call can fail, for this reason.
    Incompatible(Refusal),
}

impl Compatibility {
    /// `full`, `partial` or `incompatible`.
    pub const fn name(&self) -> &'static str {
        match self {
            Compatibility::Full => "full",
            Compatibility::Partial(_) => "partial",
            Compatibility::Incompatible(_) => "incompatible",
        }
    }
}

/// The compatibility of every requester with every provider: `matrix(..)[requester][provider]`.
///
/// The compatibility is *full* if a requester that was built with one version [can call](crate::can_call) a provider with the other, and
/// nothing that the requester's contract declares is unknown to the provider. It is *partial* if calls work, but
///
/// - the provider will stop serving the version of the requester (`deprecatedVersions`);
/// - the provider's contract does not declare a property that the requester's contract declares: the provider ignores this property of a
///   request, or does not promise it in a response;
/// - or calls work only if both are built with capgen ([`Assume::CapgenPeer`]), and the settings assume any peer.
///
/// Otherwise it is *incompatible*. Properties that only the provider knows do not matter: the requester does not use them.
/// Takes one [`can_call`](crate::can_call) for each pair.
pub fn matrix(versions: &[MatrixVersion<'_>], settings: &CallSettings) -> Vec<Vec<Compatibility>> {
    let row = |requester| versions.iter().map(|provider| compatibility(requester, provider, settings)).collect();
    versions.iter().map(row).collect()
}

fn compatibility(
    requester: &MatrixVersion<'_>,
    provider: &MatrixVersion<'_>,
    settings: &CallSettings,
) -> Compatibility {
    let (caller, callee) = (requester.capability, provider.capability);
    if let Err(refusal) = is_served(caller, callee, settings) {
        return Compatibility::Incompatible(refusal);
    }
    let mut restrictions = Vec::new();
    if let Some(version) = &caller.version
        && callee.deprecated_versions.iter().any(|range| range.matches(version))
    {
        restrictions.push(format!("the provider will stop serving version {version}"));
    }
    if caller.hash() != callee.hash() {
        let from = Party { capability: caller, contract: Some(requester.contract) };
        let to = Party { capability: callee, contract: Some(provider.contract) };
        if let Err(refusal) = schemas_fit(from, to, settings) {
            let as_capgen = CallSettings { assume: Assume::CapgenPeer, ..settings.clone() };
            if settings.assume == Assume::CapgenPeer || schemas_fit(from, to, &as_capgen).is_err() {
                return Compatibility::Incompatible(refusal);
            }
            restrictions.push(format!("works only if both are built with capgen: otherwise {refusal}"));
        }
        restrictions.extend(missing(caller, callee));
    }
    if restrictions.is_empty() { Compatibility::Full } else { Compatibility::Partial(restrictions) }
}

/// The properties that the requester's contract declares and the provider's contract does not.
fn missing(requester: &Capability, provider: &Capability) -> Vec<String> {
    let mut missing = Vec::new();
    for side in Side::ALL {
        // A provider without a schema may know every property.
        let (Some(known), Some(offered)) = (requester.schema(side), provider.schema(side)) else { continue };
        let (Some(known), Some(offered)) = (declared(known), declared(offered)) else { continue };
        let unknown: BTreeSet<&String> = known.difference(&offered).collect();
        for path in &unknown {
            // Properties of an object that is missing itself are not listed.
            let is_inside =
                unknown.iter().any(|other| path.strip_prefix(other.as_str()).is_some_and(|rest| rest.starts_with('/')));
            if !is_inside {
                missing.push(format!("the provider does not know `{path}` of the {}", side.name()));
            }
        }
    }
    missing
}

/// The most places of a schema that are compared. With more, missing properties are not listed.
const MAX_PLACES: usize = 10_000;

/// The paths of the properties that a schema declares, with `*` for the items of arrays and undeclared properties; `None` if there are
/// too many. Recursive schemas are followed once.
fn declared(schema: &Schema) -> Option<BTreeSet<String>> {
    let mut paths = BTreeSet::new();
    let mut open: Vec<(NodeId, String, Vec<NodeId>)> = vec![(schema.root(), String::new(), Vec::new())];
    let mut visited = 0;
    while let Some((id, path, mut within)) = open.pop() {
        let id = schema.resolve(id);
        visited += 1;
        if visited > MAX_PLACES {
            return None;
        }
        if within.contains(&id) {
            continue;
        }
        within.push(id);
        let Kind::Assertions(group) = &schema.node(id).kind else { continue };
        for (name, child) in &group.properties {
            let path = pointer::join(&path, name);
            // A property that no object may have is not known.
            if !matches!(schema.node(schema.resolve(*child)).kind, Kind::Bool(false)) {
                paths.insert(path.clone());
                open.push((*child, path, within.clone()));
            }
        }
        let below = group.items.into_iter().chain(group.additional_properties);
        open.extend(below.map(|child| (child, format!("{path}/*"), within.clone())));
        let in_place = schema.node(id).kind.in_place().filter(|child| Some(*child) != group.not);
        open.extend(in_place.map(|child| (child, path.clone(), within.clone())));
    }
    Some(paths)
}
