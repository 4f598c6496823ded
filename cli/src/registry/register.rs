//! `capgen registry register`: announcing the capabilities of a manifest.

use std::sync::Arc;

use capgen_diagnostic::{Diagnostic, visible};
use capgen_manifest::LoadedContract;
use capgen_registry::live::{AppendError, Registered, Writer};
use capgen_registry::log::{Log, MemoryLog, Rejection};
use capgen_registry::{
    Announcement, AnnouncementError, AnnouncementFault, AnnouncementStep, Checker, Producer, Registry, Restored,
    announce,
};
use clap::Args;
use serde_json::{Value, json};

use super::arguments::Source;
use super::key::{self, Signing};
use super::log::{self, Access};
use super::output::Output;
use crate::codes;
use crate::console::{Console, print_part};
use crate::failure::{Failure, RunResult, Verdict};
use crate::one_contract::OneContract;

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Register {
    #[command(flatten)]
    contract: OneContract,
    /// The agent that offers the capabilities [default: the agent of the manifest]
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    signing: Signing,
    /// Append nothing; print the steps
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON document per capability
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
Examples:
  capgen registry register --peer payments --log sqlite:registry.db
  capgen registry register --capabilities capabilities.yaml --agent pr-reviewer-2 --log sqlite:registry.db --config registry.json

Appends capability.registered for each capability of the manifest: its schemas, sideEffects, determinism, latency, tags, requiredRoles and \
requiredScopes. The id is the `id` of the capability, or that of the manifest's agent, a dot and the `name`. Every capability needs a `version`.

A version that is already registered with the same contract is reported; if its tags or latency differ, capability.updated is appended. A version \
that is registered with another contract is an error, and then nothing is appended.

--json prints {\"agent\", \"capability\", \"version\", \"status\", \"event_id\"}; a status is registered, updated or already-registered; with \
--dry-run, to-register or to-update instead of the first two.";

pub(super) fn run(arguments: &Register, console: &Console) -> RunResult {
    let config = arguments.source.configuration()?;
    let key = key::signing_key(&arguments.signing, console)?;
    let Some(contract) = arguments.contract.load()? else { return Ok(Verdict::Fine) };
    let agent = arguments.agent.clone().unwrap_or_else(|| contract.manifest.agent.as_str().to_owned());
    let checker = Arc::new(Checker::new(config.clone()));
    let access = if arguments.dry_run { Access::Read } else { Access::Create };
    // A log that does not exist is created only if there is something to append.
    let is_new = arguments.source.log.is_missing();
    let mut log = if is_new { None } else { Some(arguments.source.open(access, checker.clone())?) };
    let mut registry = match &mut log {
        Some(log) => {
            let (restored, _) =
                Restored::start(&mut **log, None, checker.clone()).map_err(|error| log::failed(&error))?;
            restored.into_registry()
        }
        None => Registry::new(config),
    };
    let announced = announce(&contract.manifest, &agent, &registry.view());
    let announced = announced.map_err(|errors| failed(AppendError::Announcement(errors), &contract))?;
    // A dry run appends to a log in memory, so that it fails where the log would reject the events.
    let log: Box<dyn Log> = match log {
        _ if arguments.dry_run => Box::new(MemoryLog::new(checker)),
        Some(log) => log,
        None => arguments.source.open(access, checker)?,
    };
    let writer = Writer::new(log, Producer::new(agent.as_str()));
    let mut writer = key.into_iter().fold(writer, Writer::signed);
    let (mut registered, rejected) = match writer.register_announced(announced) {
        Err(AppendError::Registration { registered, rejected }) => (registered, Some(rejected)),
        result => (result.map_err(|error| failed(error, &contract))?, None),
    };
    if arguments.dry_run {
        registered = registered.into_iter().map(|registered| planned(registered.announcement)).collect();
    }
    show(arguments, &agent, &registered)?;
    match rejected {
        None => Ok(Verdict::Fine),
        Some(rejected) => Err(failed(AppendError::Registration { registered, rejected }, &contract)),
    }
}

/// The step of a dry run, which has no event.
fn planned(announcement: Announcement) -> Registered {
    let event_id = match &announcement.step {
        AnnouncementStep::AlreadyRegistered { event_id } => event_id.clone(),
        _ => String::new(),
    };
    Registered { announcement, event_id }
}

fn show(arguments: &Register, agent: &str, registered: &[Registered]) -> Result<(), Failure> {
    let output = Output::text_or_json(arguments.json);
    for registered in registered {
        let flow = if output.human {
            print_part(&format!("{}\n", visible(&text(registered, agent, arguments.dry_run))))?
        } else {
            output.value(&document(registered, agent, arguments.dry_run))?
        };
        if flow.is_break() {
            break;
        }
    }
    Ok(())
}

fn status(announcement: &Announcement, dry_run: bool) -> &'static str {
    match announcement.step {
        AnnouncementStep::Register(_) if dry_run => "to-register",
        AnnouncementStep::Register(_) => "registered",
        AnnouncementStep::Update(_) if dry_run => "to-update",
        AnnouncementStep::Update(_) => "updated",
        AnnouncementStep::AlreadyRegistered { .. } => "already-registered",
    }
}

fn document(Registered { announcement, event_id }: &Registered, agent: &str, dry_run: bool) -> Value {
    let Announcement { capability, version, .. } = announcement;
    let event_id = Some(event_id).filter(|id| !id.is_empty());
    let status = status(announcement, dry_run);
    json!({"agent": agent, "capability": capability, "version": version, "status": status, "event_id": event_id})
}

fn text(Registered { announcement, event_id }: &Registered, agent: &str, dry_run: bool) -> String {
    let Announcement { capability, version, step, .. } = announcement;
    let status = match step {
        AnnouncementStep::Register(_) if dry_run => "would register",
        AnnouncementStep::Register(_) => "registered",
        AnnouncementStep::Update(_) if dry_run => "would update tags and latency of",
        AnnouncementStep::Update(_) => "updated tags and latency of",
        AnnouncementStep::AlreadyRegistered { .. } => {
            return format!("already registered {capability} {version} of {agent}, by the event {event_id}");
        }
    };
    format!("{status} {capability} {version} of {agent}")
}

fn failed(error: AppendError, contract: &LoadedContract) -> Failure {
    match error {
        AppendError::Announcement(errors) => {
            Failure::Findings(errors.iter().map(|error| announcement_failed(error, contract)).collect())
        }
        error => append_failed(&error),
    }
}

/// The finding about a capability that cannot be registered, at its place in the manifest.
fn announcement_failed(error: &AnnouncementError, contract: &LoadedContract) -> Diagnostic {
    let index = contract.manifest.labels().iter().position(|label| *label == error.name).unwrap_or(0);
    let (key, label) = match &error.reason {
        AnnouncementFault::MissingVersion => ("", "no `version`"),
        AnnouncementFault::BuildMetadata => ("/version", "build metadata"),
        AnnouncementFault::OtherContract { .. } => ("/version", "registered with another contract"),
        AnnouncementFault::InvalidId(_) => ("/id", "not a valid id of the registry"),
        AnnouncementFault::Duplicate(_) => ("/id", "the same id and version"),
        AnnouncementFault::TooLarge(_) => ("", "too large"),
        // The payload has other names than the manifest.
        AnnouncementFault::InvalidPayload(paths) => {
            let has = |name: &str| paths.iter().any(|path| path.contains(name));
            let keys = [
                ("latency", "/latency"),
                ("tags", "/tags"),
                ("roles", "/requiredRoles"),
                ("scopes", "/requiredScopes"),
            ];
            (keys.into_iter().find(|(name, _)| has(name)).map_or("", |(_, key)| key), "longer than 255 characters")
        }
        _ => ("", "cannot be registered"),
    };
    let pointer = format!("{}{key}", contract.capability_pointer(index));
    let finding = Diagnostic::new(codes::REGISTRY_ANNOUNCEMENT, error.to_string());
    finding.label(contract.label(&pointer, label)).pointer(pointer)
}

/// The finding about an event that a command writes and that was not appended.
pub(super) fn append_failed(error: &AppendError) -> Failure {
    match error {
        AppendError::Log(error) => log::failed(error),
        AppendError::Rejected(rejection) => rejected(error, rejection),
        AppendError::Registration { rejected: all, .. } => match all.first() {
            Some((_, rejection)) => rejected(error, rejection),
            None => Failure::Findings(Vec::new()),
        },
        error => Failure::Findings(vec![Diagnostic::new(codes::REGISTRY_LOG, error.to_string())]),
    }
}

/// The finding about rejected events, with the remedy for the first of them.
fn rejected(error: &AppendError, rejection: &Rejection) -> Failure {
    let help = match rejection.reason() {
        "signature" => "pass a key that the configuration has for the producer with `--signing-key`",
        "quota" => "raise `quota` in the configuration, or wait a minute if the producer has appended invalid events",
        "future" | "past" => "check the clock of this machine; a monitor and the log must agree within 60 s",
        "envelope" => "an agent id has 1 to 255 characters, and the kernel registers nothing",
        _ => "`capgen registry fold` lists the invalid events of a log with their reasons",
    };
    Failure::Findings(vec![Diagnostic::new(codes::REGISTRY_LOG, error.to_string()).help(help)])
}
