//! `capgen registry register`: announcing the capabilities of a manifest.

use std::sync::Arc;

use capgen_diagnostic::Diagnostic;
use capgen_registry::live::{AppendError, Writer};
use capgen_registry::{Announcement, AnnouncementStep, Checked, Checker, Producer, Registry, announce};
use serde_json::{Value, json};

use super::log::{self, Access};
use super::output::Output;
use super::{arguments, config, events, key};
use crate::codes;
use crate::console::{Console, print_part, visible};
use crate::failure::{Failure, Outcome, Verdict};

pub(super) fn run(arguments: &arguments::Register, console: &Console) -> Outcome {
    let config = config::read(arguments.source.config.as_deref())?;
    let key = key::signing_key(arguments.signing_key.as_ref(), console)?;
    let Some(contract) = arguments.contract.load()? else { return Ok(Verdict::Fine) };
    let agent = arguments.agent.clone().unwrap_or_else(|| contract.manifest.agent.as_str().to_owned());
    let checker = Arc::new(Checker::new(config.clone()));
    let access = if arguments.dry_run { Access::Read } else { Access::Create };
    let mut log = arguments.source.open(access, checker.clone())?;
    let mut registry = Registry::new(config);
    events::read(&mut *log, 0, |record| {
        if let Checked::Valid(_, facts) = checker.check(&record.event) {
            facts.into_iter().for_each(|fact| registry.join(fact));
        }
        Ok(())
    })?;
    let view = registry.view();
    let announcements = if arguments.dry_run {
        announce(&contract.manifest, &agent, &view).map_err(AppendError::Announcement)
    } else {
        let writer = Writer::new(log, Producer::new(agent.as_str()));
        let mut writer = key.into_iter().fold(writer, Writer::signed);
        writer.register(&contract.manifest, &view)
    };
    let announcements = announcements.map_err(|error| failed(error, contract.path()))?;
    let output = Output::text_or_json(arguments.json);
    for announcement in &announcements {
        let flow = if output.human {
            print_part(&format!("{}\n", visible(&text(announcement, &agent))))?
        } else {
            output.value(&document(announcement, &agent))?
        };
        if flow.is_break() {
            break;
        }
    }
    Ok(Verdict::Fine)
}

fn status(announcement: &Announcement) -> &'static str {
    match announcement.step {
        AnnouncementStep::Register(_) => "registered",
        AnnouncementStep::Update(_) => "updated",
        AnnouncementStep::AlreadyRegistered { .. } => "already-registered",
    }
}

fn document(announcement: &Announcement, agent: &str) -> Value {
    let Announcement { capability, version, step } = announcement;
    let event_id = if let AnnouncementStep::AlreadyRegistered { event_id } = step { Some(event_id) } else { None };
    json!({"agent": agent, "capability": capability, "version": version, "status": status(announcement), "event_id": event_id})
}

fn text(announcement: &Announcement, agent: &str) -> String {
    let Announcement { capability, version, step } = announcement;
    let status = match step {
        AnnouncementStep::Register(_) => "registered".to_owned(),
        AnnouncementStep::Update(_) => "updated tags and latency of".to_owned(),
        AnnouncementStep::AlreadyRegistered { event_id } => {
            return format!("already registered {capability} {version} of {agent}, by the event {event_id}");
        }
    };
    format!("{status} {capability} {version} of {agent}")
}

fn failed(error: AppendError, path: &str) -> Failure {
    match error {
        AppendError::Announcement(errors) => {
            let finding = |error: &capgen_registry::AnnouncementError| {
                let message = format!("{path}: {error}");
                Diagnostic::new(codes::REGISTRY_ANNOUNCEMENT, message).in_file(path)
            };
            Failure::Findings(errors.iter().map(finding).collect())
        }
        error => append_failed(&error),
    }
}

/// The finding about an event that a command writes and that was not appended.
pub(super) fn append_failed(error: &AppendError) -> Failure {
    match error {
        AppendError::Log(error) => log::failed(error),
        error => {
            let help = "if the configuration has keys for the producer, pass one of them with `--signing-key`";
            Failure::Findings(vec![Diagnostic::new(codes::REGISTRY_LOG, error.to_string()).help(help)])
        }
    }
}
