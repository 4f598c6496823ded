//! Registration from contracts: the events that announce the capabilities of a manifest.

use std::fmt;

use capgen_manifest::{Capability, Determinism, Manifest, SideEffects};
use capgen_schema::Schema;
use semver::Version;
use serde_json::Value;

use crate::event::generated::{
    CapabilityRegisteredRequest, CapabilityRegisteredRequestMetadata,
    CapabilityRegisteredRequestMetadataDeterminismClass, CapabilityRegisteredRequestMetadataSideEffects,
    CapabilityUpdatedRequest, CapabilityUpdatedRequestMetadata,
};
use crate::event::{Offer, payload_errors, value_of};
use crate::{EventType, Query, Row, View};

/// A capability of a manifest, and the step that its registration needs.
#[derive(Clone, PartialEq, Debug)]
pub struct Announcement {
    /// The name in the manifest.
    pub name: String,
    /// The id of the capability: the key `id`, or the agent's id and the name, separated by a dot.
    pub capability: String,
    /// The version.
    pub version: String,
    /// The step.
    pub step: AnnouncementStep,
}

/// The step that the registration of a capability needs.
#[derive(Clone, PartialEq, Debug)]
pub enum AnnouncementStep {
    /// An event of the type `capability.registered` with this payload.
    Register(Value),
    /// The version is registered with the same contract; an event of the type `capability.updated` with this payload
    /// changes its tags or latency.
    Update(Value),
    /// Nothing: the version is registered like this, by this event.
    AlreadyRegistered {
        /// The id of the event.
        event_id: String,
    },
}

/// A capability that cannot be registered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnnouncementError {
    /// The [label](Manifest::labels) in the manifest: the name, or `<name>@<version>` if there are several versions.
    pub name: String,
    /// The reason.
    pub reason: AnnouncementFault,
}

/// Why a capability cannot be registered.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AnnouncementFault {
    /// It has no version.
    MissingVersion,
    /// The version has build metadata.
    BuildMetadata,
    /// The id, or the one that is made of the agent's id and the name, is not a valid id of the registry.
    InvalidId(String),
    /// The agent has registered this version with another contract, by this event. A contract of a version never
    /// changes.
    OtherContract {
        /// The version.
        version: String,
        /// The id of the event.
        event_id: String,
    },
    /// Another capability of the manifest has the same id and version.
    Duplicate(String),
    /// The event would have this many bytes, which is more than [`MAX_REGISTRATION`](crate::event::MAX_REGISTRATION).
    TooLarge(usize),
    /// Properties are longer than the registry allows, at these JSON Pointers of the payload.
    InvalidPayload(Vec<String>),
}

/// Compares the capabilities of a manifest with the registrations of an agent, and returns a step for each capability,
/// in the order of the manifest. `agent` may differ from the manifest's: several agents can offer one contract.
///
/// # Errors
///
/// The capabilities that cannot be registered. Then nothing should be announced.
pub fn announce(
    manifest: &Manifest,
    agent: &str,
    view: &View<'_>,
) -> Result<Vec<Announcement>, Vec<AnnouncementError>> {
    let (mut steps, mut errors) = (Vec::new(), Vec::new());
    for (capability, name) in manifest.capabilities.iter().zip(manifest.labels()) {
        match step(manifest, capability, agent, view) {
            Ok(announcement) if has(&steps, &announcement) => {
                let reason = AnnouncementFault::Duplicate(announcement.capability);
                errors.push(AnnouncementError { name, reason });
            }
            Ok(announcement) => steps.push(announcement),
            Err(reason) => errors.push(AnnouncementError { name, reason }),
        }
    }
    if errors.is_empty() { Ok(steps) } else { Err(errors) }
}

fn has(steps: &[Announcement], announcement: &Announcement) -> bool {
    steps.iter().any(|step| step.capability == announcement.capability && step.version == announcement.version)
}

/// The id of a capability in the registry: the key `id`, or the agent's id and the name, separated by a dot (section
/// 9).
#[must_use]
pub fn capability_id(manifest: &Manifest, capability: &Capability) -> String {
    id_of(capability.id.as_deref(), manifest.agent.as_str(), &capability.name)
}

pub(crate) fn id_of(id: Option<&str>, agent: &str, name: &str) -> String {
    id.map_or_else(|| format!("{agent}.{name}"), str::to_owned)
}

fn step(
    manifest: &Manifest,
    capability: &Capability,
    agent: &str,
    view: &View<'_>,
) -> Result<Announcement, AnnouncementFault> {
    let id = capability_id(manifest, capability);
    let version = capability.version.as_ref().ok_or(AnnouncementFault::MissingVersion)?;
    if !version.build.is_empty() {
        return Err(AnnouncementFault::BuildMetadata);
    }
    let payload = value_of(&payload(&id, version, capability));
    let paths = payload_errors(EventType::Registered, &payload);
    if paths.iter().any(|path| path == "/payload/capability_id") {
        return Err(AnnouncementFault::InvalidId(id));
    }
    let offer = Offer::read(&payload).ok().filter(|_| paths.is_empty());
    let offer = offer.ok_or(AnnouncementFault::InvalidPayload(paths))?;
    let version = version.to_string();
    let rows = view.find(&Query::Id { id: &id, range: None });
    let step = match rows.into_iter().find(|row| row.agent == agent && row.version == version) {
        None => AnnouncementStep::Register(payload),
        Some(row) if row.contract_hash != offer.contract_hash.to_string() => {
            return Err(AnnouncementFault::OtherContract { version, event_id: row.event_id });
        }
        Some(row) => match changes(&row, capability) {
            None => AnnouncementStep::AlreadyRegistered { event_id: row.event_id },
            Some(metadata) => AnnouncementStep::Update(value_of(&CapabilityUpdatedRequest {
                agent_id: None,
                capability_id: id.clone(),
                version: version.clone(),
                metadata,
            })),
        },
    };
    Ok(Announcement { name: capability.name.clone(), capability: id, version, step })
}

fn payload(id: &str, version: &Version, capability: &Capability) -> CapabilityRegisteredRequest {
    let list = |items: &[String]| (!items.is_empty()).then(|| distinct(items));
    let schema = |schema: Option<&Schema>| schema.map(|schema| schema.source().to_value());
    CapabilityRegisteredRequest {
        agent_id: None,
        capability_id: id.to_owned(),
        version: version.to_string(),
        input_schema: schema(capability.input.as_ref()),
        output_schema: schema(capability.output.as_ref()),
        metadata: Some(CapabilityRegisteredRequestMetadata {
            tags: list(&capability.tags),
            latency_class: capability.latency.clone(),
            side_effects: capability.side_effects.map(side_effects),
            determinism_class: capability.determinism.map(determinism_class),
            required_roles: list(&capability.required_roles),
            required_scopes: list(&capability.required_scopes),
            ..CapabilityRegisteredRequestMetadata::new()
        }),
    }
}

const fn side_effects(class: SideEffects) -> CapabilityRegisteredRequestMetadataSideEffects {
    match class {
        SideEffects::Pure => CapabilityRegisteredRequestMetadataSideEffects::Pure,
        SideEffects::Idempotent => CapabilityRegisteredRequestMetadataSideEffects::Idempotent,
        SideEffects::External => CapabilityRegisteredRequestMetadataSideEffects::External,
    }
}

const fn determinism_class(class: Determinism) -> CapabilityRegisteredRequestMetadataDeterminismClass {
    match class {
        Determinism::Deterministic => CapabilityRegisteredRequestMetadataDeterminismClass::Deterministic,
        Determinism::Nondeterministic => CapabilityRegisteredRequestMetadataDeterminismClass::Nondeterministic,
    }
}

/// The tags and the latency that differ from the registered ones; `None` if none does. A latency cannot be removed.
fn changes(row: &Row, capability: &Capability) -> Option<CapabilityUpdatedRequestMetadata> {
    let tags = Some(distinct(&capability.tags)).filter(|tags| row.tags != *tags);
    let latency_class = capability.latency.clone().filter(|latency| row.latency_class.as_ref() != Some(latency));
    let is_changed = tags.is_some() || latency_class.is_some();
    is_changed.then(|| CapabilityUpdatedRequestMetadata {
        tags,
        latency_class,
        ..CapabilityUpdatedRequestMetadata::new()
    })
}

fn distinct(items: &[String]) -> Vec<String> {
    items.iter().collect::<std::collections::BTreeSet<_>>().into_iter().cloned().collect()
}

impl fmt::Display for AnnouncementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "capability `{}`: {}", self.name, self.reason)
    }
}

impl fmt::Display for AnnouncementFault {
    /// The error and its fix.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingVersion => f.write_str("missing version; add `version`, such as `version: 1.0.0`"),
            Self::BuildMetadata => {
                f.write_str("the version has build metadata, which registrations do not have; remove it")
            }
            Self::InvalidId(id) => {
                write!(f, "`{id}` is not a valid id: give it an `id`, such as `namespace.agent.capability`")
            }
            Self::OtherContract { version, event_id } => write!(
                f,
                "version {version} is registered with another contract, by event {event_id}; a registered contract never \
                 changes, so raise the version"
            ),
            Self::Duplicate(id) => {
                write!(f, "another capability has the id `{id}` and the same version; give one of them another `id`")
            }
            Self::TooLarge(bytes) => write!(
                f,
                "the registration would have {bytes} bytes, and at most {} are allowed; make its schemas smaller",
                crate::event::MAX_REGISTRATION
            ),
            Self::InvalidPayload(paths) => {
                write!(f, "the registry does not accept the properties at {}", paths.join(", "))
            }
        }
    }
}

impl std::error::Error for AnnouncementError {}
