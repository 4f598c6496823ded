//! Suggestions for runs that select nothing or fail, on standard error (decision 42).

use std::collections::BTreeMap;

use capgen_dci::{Change, Decision, Outcome, Probe, ProbeRunner, Resolution, Skill, Suggestion, codes, suggest};
use capgen_diagnostic::{Diagnostic, Severity, shortened, visible_json};
use serde_json::json;

use super::arguments::RunArguments;
use super::command::Words;
use super::page::{MAX_ID_TO_COPY, listed};
use super::run::Run;
use crate::console::Console;

/// The results of the probes that a run has started, so that none is started again.
#[derive(Default)]
pub(super) struct Known(BTreeMap<(Vec<String>, String), bool>);

/// Runs probes, and keeps their results.
pub(super) struct Recorder<'r> {
    pub(super) runner: &'r mut dyn ProbeRunner,
    pub(super) known: &'r mut Known,
}

impl ProbeRunner for Recorder<'_> {
    fn passes(&mut self, probe: &Probe, skill: &Skill) -> bool {
        let passes = self.runner.passes(probe, skill);
        self.known.0.insert((probe.command.clone(), skill.id()), passes);
        passes
    }
}

impl ProbeRunner for Known {
    /// A probe that did not run for a skill might pass, and a suggestion is to try it.
    fn passes(&mut self, probe: &Probe, skill: &Skill) -> bool {
        self.0.get(&(probe.command.clone(), skill.id())).copied().unwrap_or(true)
    }
}

/// Reports the suggestions for a run. `command` adds the options that are not those of the run.
pub(super) fn report(
    (run, arguments): (&Run, &RunArguments),
    resolution: &Resolution,
    decision: Decision,
    known: &mut Known,
    (json, console): (bool, &Console),
    command: impl Fn(&RunArguments) -> Words,
) {
    let inputs = run.inputs();
    let runner: Option<&mut dyn ProbeRunner> = if arguments.allow_probes { Some(known) } else { None };
    for suggestion in suggest(&run.workspace.corpus, &inputs, resolution, decision, runner) {
        let command = command(&changed(arguments, &suggestion.change)).line();
        if json {
            console.line(&visible_json(&line(&suggestion, &command)));
        } else {
            let finding = Diagnostic::new(codes::SUGGESTION, message(&suggestion)).with_severity(Severity::Warning);
            console.report(&[finding.help(remedy(&suggestion.change, &command))]);
        }
    }
}

/// The options with a change.
fn changed(arguments: &RunArguments, change: &Change) -> RunArguments {
    let mut arguments = arguments.clone();
    match change {
        Change::Profile(profile) => arguments.profile = *profile,
        Change::Policy(values) => {
            arguments.policy.retain(|(key, _)| values.iter().all(|(other, _)| other != key));
            arguments.policy.extend(values.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        }
        Change::Probe(_) => arguments.allow_probes = true,
    }
    arguments
}

fn remedy(change: &Change, command: &str) -> String {
    match change {
        Change::Probe(capability) => {
            format!("add a probe for `{capability}` to `.dci/probes.v1.json`, and run `{command}`")
        }
        _ => format!("run `{command}`"),
    }
}

/// The change and its effect, in words.
fn message(suggestion: &Suggestion) -> String {
    let change = match &suggestion.change {
        Change::Profile(profile) => format!("`--profile {}`", profile.name()),
        Change::Policy(values) => {
            let options: Vec<String> = values.iter().map(|(key, value)| format!("--policy {key}={value}")).collect();
            format!("`{}`", options.join(" "))
        }
        Change::Probe(capability) => format!("a probe for `{capability}` that passes"),
    };
    let ids: Vec<String> = suggestion.selected.iter().map(|id| shortened(id, MAX_ID_TO_COPY)).collect();
    let mut effects = Vec::new();
    if !ids.is_empty() {
        effects.push(format!("selects {}", listed(&ids)));
    }
    if !suggestion.missing.is_empty() {
        let missing = listed(&suggestion.missing);
        effects.push(match suggestion.outcome {
            Outcome::Emulated => format!("emulates {missing}"),
            _ => format!("leaves {missing} missing"),
        });
    }
    format!("{change} {}", effects.join(" and "))
}

/// The suggestion as one JSON object.
fn line(suggestion: &Suggestion, command: &str) -> String {
    let kind = match suggestion.change {
        Change::Profile(_) => "profile",
        Change::Policy(_) => "policy",
        Change::Probe(_) => "probe",
    };
    let Suggestion { selected, missing, outcome, change } = suggestion;
    json!({
        "code": codes::SUGGESTION.as_str(),
        "severity": Severity::Warning.name(),
        "message": message(suggestion),
        "help": remedy(change, command),
        "suggestion": {
            "kind": kind, "command": command, "selected": selected, "missing": missing, "outcome": outcome.name(),
        },
    })
    .to_string()
}
