//! Whether a caller that was built with one version of a contract can call a provider with another.

mod refusal;
mod served;

use capgen_manifest::{AgentId, Capability, Manifest, OwnedDescriptor, Side, TransportSettings};
use capgen_schema::{Containment, Json, Schema, Steps};
use semver::Version;

use crate::compare::compare_within;
use crate::side::{sent_in, witness};
use crate::work::Work;
use crate::{AcceptedOn, Assume, Date, Finding, Level, Levels, Sender, Settings};

pub use refusal::{Incompatibility, Refusal, SideMisfit};
pub use served::serves_version;
pub(crate) use served::{recent_enough, supported};

/// The settings of [`can_call`] and [`matrix`](crate::matrix()).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallSettings {
    /// The senders that are assumed.
    pub assume: Assume,
    /// The budget of each decision about two schemas.
    pub steps: Steps,
    /// The budget of all decisions of one run. Everything that is not decided when it is spent counts as incompatible.
    pub budget: Steps,
    /// The release of the provider, if it is known: a capability is not offered by releases before its `since`.
    pub release: Option<Version>,
}

impl Default for CallSettings {
    /// Any peer, an unknown release, 2 million steps for each decision, which take less than a second, and four seconds
    /// for the run.
    fn default() -> Self {
        Self { assume: Assume::AnyPeer, steps: Steps(2_000_000), budget: Steps::of_seconds(4), release: None }
    }
}

/// Whether a caller that was built with the contract `caller` can call a provider with the contract `provider`: the
/// provider offers the capability and serves the version of the caller, accepts every request that the caller sends,
/// and sends only responses that the caller accepts.
///
/// - The names must be equal, or both have the same `id`.
/// - If the release of the provider is known and `since` of the caller's contract is a later version, the provider does
///   not offer the capability yet.
/// - A version of the caller below `minSchemaVersion` of the provider is not served. If the provider has
///   `supportedVersions`, only these and its own version are served. For a caller without a version, only the schemas
///   count.
/// - Contracts with equal hashes fit without an analysis of their schemas.
///
/// With [`Assume::CapgenPeer`], a schema with definitions counts as in [`Assume::AnyPeer`], because the types of
/// definitions may depend on the other capabilities of the contract, which are not known here.
///
/// ```
/// use capgen_evolve::{CallSettings, Refusal, can_call};
/// use capgen_manifest::Capability;
/// use capgen_schema::Schema;
/// let version = |version: &str, schema: &str| -> Result<Capability, Box<dyn std::error::Error>> {
///     let input = Some(Schema::parse_text(schema)?);
///     Ok(Capability { version: Some(version.parse()?), input, ..Capability::new("search") })
/// };
/// let old = version("1.0.0", r#"{"type": "string"}"#)?;
/// let new = version("2.0.0", r#"{"type": "string", "minLength": 1}"#)?;
/// let settings = CallSettings::default();
/// assert!(can_call(&new, &old, &settings).is_ok());
/// let Err(Refusal::Incompatible(reason)) = can_call(&old, &new, &settings) else { return Err("compatible".into()) };
/// assert_eq!(reason.witness.map(|witness| witness.payload.canonical()), Some(r#""""#.to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The first reason for which the call can fail.
pub fn can_call(caller: &Capability, provider: &Capability, settings: &CallSettings) -> Result<(), Refusal> {
    is_served(caller, provider, settings)?;
    if caller.hash() == provider.hash() {
        return Ok(());
    }
    schemas_fit(Party::alone(caller), Party::alone(provider), settings, &Work::new(settings.budget))
}

/// [`can_call`] for descriptors, as generated code, derived capabilities and registries have them. If the hashes are
/// equal, the schemas are not even parsed.
///
/// # Errors
///
/// Those of [`can_call`], and [`Refusal::InvalidDescriptor`] if a descriptor has a property that is invalid in a
/// manifest.
pub fn can_call_described(
    caller: &OwnedDescriptor,
    provider: &OwnedDescriptor,
    settings: &CallSettings,
) -> Result<(), Refusal> {
    let parsed = |descriptor| Capability::from_descriptor(descriptor).map_err(Refusal::InvalidDescriptor);
    if !caller.hash.is_empty() && caller.hash == provider.hash {
        let without_schemas = |descriptor: &OwnedDescriptor| {
            let mut light = descriptor.clone();
            (light.input_schema, light.output_schema) = (None, None);
            light
        };
        return is_served(&parsed(&without_schemas(caller))?, &parsed(&without_schemas(provider))?, settings);
    }
    can_call(&parsed(caller)?, &parsed(provider)?, settings)
}

/// [`can_call_described`], where findings that a reviewer has accepted count as compatible: for each side, if all of
/// its breaking findings are accepted. They are those that [`compare`](crate::compare()) has for the contracts of the
/// caller and the provider, as the old and the new version. Returns the last day on which the entries accept them all,
/// or `None` if no entry was needed.
///
/// ```
/// use capgen_evolve::{Accepted, AcceptedEntry, CallSettings, Refusal, can_call_accepting};
/// use capgen_manifest::{AgentId, Capability, OwnedDescriptor};
/// use capgen_schema::Schema;
/// let version = |schema: &str| -> Result<OwnedDescriptor, Box<dyn std::error::Error>> {
///     let input = Some(Schema::parse_text(schema)?);
///     Ok(Capability { input, ..Capability::new("search") }.to_descriptor(None))
/// };
/// let (old, new) = (version(r#"{"type": "string"}"#)?, version(r#"{"type": "string", "minLength": 1}"#)?);
/// let (agent, today): (AgentId, _) = ("search".parse()?, "2027-01-31".parse().map_err(|_| "a day")?);
/// let can_call = |accepted: &Accepted| {
///     can_call_accepting(&old, &new, &CallSettings::default(), accepted.on(&agent, today))
/// };
/// let Err(Refusal::Incompatible(reason)) = can_call(&Accepted::default()) else { return Err("compatible".into()) };
/// let fingerprint = reason.finding.ok_or("a finding")?.fingerprint.to_string();
/// let reason = "empty texts were never sent".to_owned();
/// let entry = AcceptedEntry { fingerprint, code: None, agent: None, reason, expires: today, span: 0..0 };
/// assert_eq!(can_call(&Accepted::new(vec![entry])), Ok(Some(today)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Those of [`can_call_described`], with the first finding that is not accepted.
pub fn can_call_accepting(
    caller: &OwnedDescriptor,
    provider: &OwnedDescriptor,
    settings: &CallSettings,
    accepted: AcceptedOn<'_>,
) -> Result<Option<Date>, Refusal> {
    if !caller.hash.is_empty() && caller.hash == provider.hash {
        return can_call_described(caller, provider, settings).map(|()| None);
    }
    let parsed = |descriptor| Capability::from_descriptor(descriptor).map_err(Refusal::InvalidDescriptor);
    let (caller, provider) = (parsed(caller)?, parsed(provider)?);
    is_served(&caller, &provider, settings)?;
    if caller.hash() == provider.hash() {
        return Ok(None);
    }
    let work = Work::new(settings.budget);
    fit(Party::alone(&caller), Party::alone(&provider), settings, &work, Some(accepted))
}

/// [`can_call`] for the payloads of one side alone, without the rules about names and versions.
///
/// # Errors
///
/// The reason for which a payload of this side can be invalid.
pub fn can_call_side(
    side: Side,
    caller: &Capability,
    provider: &Capability,
    settings: &CallSettings,
) -> Result<(), Refusal> {
    let (caller, provider) = (with_side(side, caller), with_side(side, provider));
    schemas_fit(Party::alone(&caller), Party::alone(&provider), settings, &Work::new(settings.budget))
}

/// Why payloads of one side can be invalid, with all changes that break the side: for programs that remove
/// [accepted](crate::Accepted) ones later. `None` if [`can_call_side`] has no error.
pub fn side_misfit(
    side: Side,
    caller: &Capability,
    provider: &Capability,
    settings: &CallSettings,
) -> Option<SideMisfit> {
    let (caller, provider) = (with_side(side, caller), with_side(side, provider));
    let work = Work::new(settings.budget);
    let misfit = misfit_of(side, Party::alone(&caller), Party::alone(&provider), settings, &work)?;
    let mut findings = breaking_findings(&caller, &provider, settings, &work);
    findings.retain(|finding| finding.side == Some(side));
    Some(SideMisfit { undecided: misfit.undecided, findings })
}

/// The capability with the schema of this side alone: the budget is for it, also that for the findings.
fn with_side(side: Side, capability: &Capability) -> Capability {
    let mut capability = capability.clone();
    match side {
        Side::Request => capability.output = None,
        Side::Response => capability.input = None,
    }
    capability
}

/// The rules about names and versions.
pub(crate) fn is_served(caller: &Capability, provider: &Capability, settings: &CallSettings) -> Result<(), Refusal> {
    let is_same_id = caller.id.is_some() && caller.id == provider.id;
    if caller.name != provider.name && !is_same_id {
        return Err(Refusal::OtherCapability { caller: caller.name.clone(), provider: provider.name.clone() });
    }
    let since = caller.since.as_ref().and_then(|since| since.parse::<Version>().ok());
    if let (Some(since), Some(release)) = (since, &settings.release)
        && release.cmp_precedence(&since).is_lt()
    {
        return Err(Refusal::NotOfferedYet { since, release: release.clone() });
    }
    caller.version.as_ref().map_or(Ok(()), |version| serves_version(provider, version))
}

/// A capability, and the capabilities of the contract that it belongs to, if they are known.
#[derive(Clone, Copy)]
pub(crate) struct Party<'c> {
    pub(crate) capability: &'c Capability,
    pub(crate) contract: Option<&'c [Capability]>,
}

impl<'c> Party<'c> {
    fn alone(capability: &'c Capability) -> Self {
        Self { capability, contract: None }
    }

    /// The schema of the payloads that this party sends; `None` if it is the schema itself.
    fn sent(self, assume: Assume, schema: &Schema) -> Option<Schema> {
        match self.contract {
            Some(contract) => Sender::new(contract).sent(assume, schema),
            None if !schema.definitions().is_empty() => None,
            None => Sender::new(std::slice::from_ref(self.capability)).sent(assume, schema),
        }
    }
}

/// The error of the first side that does not fit, with the change that explains it.
pub(crate) fn schemas_fit(
    caller: Party<'_>,
    provider: Party<'_>,
    settings: &CallSettings,
    work: &Work,
) -> Result<(), Refusal> {
    fit(caller, provider, settings, work, None).map(drop)
}

/// The last day on which accepted findings make the sides fit that do not fit otherwise; `None` if all of them fit.
fn fit(
    caller: Party<'_>,
    provider: Party<'_>,
    settings: &CallSettings,
    work: &Work,
    accepted: Option<AcceptedOn<'_>>,
) -> Result<Option<Date>, Refusal> {
    let (mut findings, mut until) = (None, None);
    for side in Side::ALL {
        let Some(misfit) = misfit_of(side, caller, provider, settings, work) else { continue };
        let all: &Vec<Finding> =
            findings.get_or_insert_with(|| breaking_findings(caller.capability, provider.capability, settings, work));
        let of_side = || all.iter().filter(|finding| finding.side == Some(side));
        let until_of = |finding| accepted.and_then(|accepted| accepted.until(finding));
        if let Some(finding) = of_side().find(|finding| until_of(finding).is_none()) {
            // If the first findings are accepted, their payload proves nothing.
            let is_first = of_side().next() == Some(finding);
            let witness = if is_first { misfit.witness } else { finding.witness.clone().or(misfit.witness) };
            let finding = Some(Box::new(finding.clone()));
            return Err(Refusal::Incompatible(Incompatibility { witness, finding, ..misfit }));
        }
        // Without a finding, the comparison did not end within the budget.
        let day = of_side().filter_map(until_of).min();
        let Some(day) = day else { return Err(Refusal::Incompatible(misfit)) };
        until = Some(until.map_or(day, |earlier: Date| earlier.min(day)));
    }
    Ok(until)
}

/// The first side that does not fit, without the finding. This is much cheaper than [`schemas_fit`], which compares the
/// contracts to find it.
pub(crate) fn misfit(
    caller: Party<'_>,
    provider: Party<'_>,
    settings: &CallSettings,
    work: &Work,
) -> Option<Incompatibility> {
    Side::ALL.into_iter().find_map(|side| misfit_of(side, caller, provider, settings, work))
}

/// Why a side does not fit, without the finding.
fn misfit_of(
    side: Side,
    caller: Party<'_>,
    provider: Party<'_>,
    settings: &CallSettings,
    work: &Work,
) -> Option<Incompatibility> {
    let (sender, receiver) = match side {
        Side::Request => (caller, provider),
        Side::Response => (provider, caller),
    };
    // A side without a schema accepts every JSON value.
    let accepted = receiver.capability.schema(side)?;
    let anything = Schema::parse(&Json::Bool(true)).ok();
    let declared = sender.capability.schema(side).or(anything.as_ref())?;
    let answer = match work.contains(accepted, declared, settings.steps) {
        Containment::Yes => return None,
        answer => match sender.sent(settings.assume, declared) {
            Some(sent) => sent_in(accepted, &sent, declared, settings.steps, work),
            None => answer,
        },
    };
    let (witness, undecided) = match answer {
        Containment::Yes => return None,
        Containment::No(payload) => (witness(accepted, payload), None),
        Containment::Undecided(undecided) => (None, Some(undecided)),
    };
    Some(Incompatibility { side, witness, undecided, finding: None })
}

/// The findings that explain why sides do not fit.
fn breaking_findings(caller: &Capability, provider: &Capability, settings: &CallSettings, work: &Work) -> Vec<Finding> {
    let contract = |capability: &Capability| {
        // Capabilities are compared by name.
        let capability = Capability { name: caller.name.clone(), ..capability.clone() };
        let transports = vec![TransportSettings::memory("calls")];
        Some(Manifest::new(AgentId::new("provider")?, transports, vec![capability]))
    };
    let (Some(old), Some(new)) = (contract(caller), contract(provider)) else { return Vec::new() };
    let settings = Settings { assume: settings.assume, steps: settings.steps, budget: settings.budget };
    let mut findings = compare_within(&old, &new, settings, &Levels::default(), work).findings;
    findings.retain(|finding| finding.level == Level::Breaking);
    findings
}
