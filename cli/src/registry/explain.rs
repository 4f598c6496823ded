//! `capgen registry resolve` and `explain`: the choice of a target, and its reasons.

use std::collections::BTreeMap;

use capgen_diagnostic::visible;
use capgen_registry::{Access, Explanation, Filter, FilterStep, Health, Query, Removed, Requirement, Row};
use clap::Args;
use serde::Serialize;

use super::output::Output;
use super::snapshot::Start;
use crate::console::{Console, count, print};
use crate::failure::{RunResult, Verdict};
use crate::table::table;

#[derive(Args, Debug)]
pub(crate) struct Resolve {
    /// The id of the capability
    #[arg(value_name = "ID")]
    id: String,
    /// The versions that the caller accepts: 1.2.0 (this or a later one of the same major), =1.2.0, or '>=1.2.0 <2.0.0'
    #[arg(long, value_name = "REQUIREMENT")]
    requirement: Requirement,
    /// A role of the caller; may be repeated
    #[arg(long, value_name = "ROLE")]
    role: Vec<String>,
    /// A scope of the caller; may be repeated
    #[arg(long, value_name = "SCOPE")]
    scope: Vec<String>,
    /// The caller, which appears in the question of the explanation; its grants are not applied
    #[arg(long, value_name = "AGENT")]
    caller: Option<String>,
    #[command(flatten)]
    start: Start,
    /// Print JSON, also on a terminal
    #[arg(long)]
    json: bool,
}

pub(super) const RESOLVE_HELP: &str = "\
Examples:
  capgen registry resolve analysis.text.summarize --requirement 1.2.0 --log events.jsonl
  capgen registry resolve core.memory.snapshot --requirement '>=1.0.0 <3.0.0' --role admin --scope memory:read --log sqlite:registry.db

Prints {\"target\", \"explanation\"}. Candidates are filtered by id, version, health and access, and ranked by priority, weight, version, \
order of registration and agent. Deprecated versions are chosen only if no other is left. The exit status is 1 if there is no target; \
then `target` is null, and `explanation.reason` is not-found, no-compatible-version, unhealthy or access-denied.";

pub(super) const EXPLAIN_HELP: &str = "\
Examples:
  capgen registry explain analysis.text.summarize --requirement 1.2.0 --log events.jsonl
  capgen registry explain analysis.text.summarize --requirement 1.2.0 --log events.jsonl --json

Prints a table for each filter with the candidates that it removed and why, the ranking, and the step that decided. --json prints the \
document of `resolve`. The exit status is that of `resolve`.";

/// The output of a resolution.
#[derive(Serialize)]
struct Resolution {
    target: Option<Row>,
    explanation: Explanation,
}

pub(super) fn resolve(arguments: &Resolve, console: &Console) -> RunResult {
    print_choice(arguments, Output::json_or_text(arguments.json), console)
}

pub(super) fn run(arguments: &Resolve, console: &Console) -> RunResult {
    print_choice(arguments, Output::text_or_json(arguments.json), console)
}

fn print_choice(arguments: &Resolve, output: Output, console: &Console) -> RunResult {
    let Resolve { id, requirement, role, scope, caller, start, .. } = arguments;
    let mut registry = start.registry(console)?;
    let access = Access { roles: role.iter().cloned().collect(), scopes: scope.iter().cloned().collect() };
    let view = registry.view();
    let (target, explanation) = view.explain(id, requirement, &access, caller.as_deref());
    let resolution = Resolution { target, explanation };
    if output.human {
        let facts = Facts { rows: view.find(&Query::Id { id, range: None }), health: view.health() };
        print(&text(&resolution, &facts))?;
    } else {
        let _ = output.value(&resolution)?;
    }
    Ok(if resolution.target.is_some() { Verdict::Fine } else { Verdict::Findings })
}

/// The facts that reasons refer to.
struct Facts {
    rows: Vec<Row>,
    health: BTreeMap<String, Health>,
}

fn text(resolution: &Resolution, facts: &Facts) -> String {
    let Explanation { question, registry_hash, filters, ranking, decided_by, .. } = &resolution.explanation;
    let list = |items: &[String]| if items.is_empty() { "none".to_owned() } else { items.join(" ") };
    let mut text = format!(
        "{} {}\nroles: {}\nscopes: {}\n",
        visible(&question.capability),
        visible(&question.requirement),
        visible(&list(&question.roles)),
        visible(&list(&question.scopes)),
    );
    if let Some(caller) = &question.caller {
        text.push_str(&format!("caller: {}\n", visible(caller)));
    }
    for step in filters {
        let left = count(step.left, "candidate", "candidates");
        text.push_str(&format!("\nfilter by {}: {left} left\n", name(step.filter)));
        if !step.removed.is_empty() {
            let rows = step.removed.iter().map(|removed| {
                [removed.agent.clone(), removed.version.clone(), reason(step, removed, resolution, facts)]
            });
            text.push_str(&table(["REMOVED", "VERSION", "REASON"], rows));
        }
    }
    if !ranking.is_empty() {
        let rows = ranking.iter().zip(1_usize..).map(|(row, place)| {
            let (priority, weight) = (row.priority.to_string(), row.weight.to_string());
            [place.to_string(), row.agent.clone(), row.version.clone(), priority, weight, row.event_id.clone()]
        });
        let header = ["RANK", "AGENT", "VERSION", "PRIORITY", "WEIGHT", "REGISTRATION"];
        text.push_str(&format!("\nranking\n{}", table(header, rows)));
    }
    let decided_by = serde_json::to_value(decided_by).unwrap_or_default();
    text.push_str(&format!("\ndecided by: {}\n", decided_by.as_str().unwrap_or_default()));
    text.push_str(&conclusion(resolution));
    text.push_str(&format!("registry hash: {registry_hash}\n"));
    text
}

fn conclusion(resolution: &Resolution) -> String {
    match &resolution.target {
        Some(target) => {
            let note = if resolution.explanation.deprecated { " (deprecated; no other version is left)" } else { "" };
            format!("target: {} {}{note}\n", visible(&target.agent), visible(&target.version))
        }
        None => format!("no target: {}\n", resolution.explanation.reason.unwrap_or_default()),
    }
}

fn name(filter: Filter) -> &'static str {
    match filter {
        Filter::Id => "id",
        Filter::Version => "version",
        Filter::Health => "health",
        Filter::Access => "access",
        Filter::Deprecation => "deprecation",
    }
}

/// Why a filter removed a candidate.
fn reason(step: &FilterStep, removed: &Removed, resolution: &Resolution, facts: &Facts) -> String {
    let question = &resolution.explanation.question;
    let row = facts.rows.iter().find(|row| row.event_id == removed.event_id && row.agent == removed.agent);
    match step.filter {
        Filter::Id => String::new(),
        Filter::Version => format!("does not satisfy {}", question.requirement),
        Filter::Health => {
            let event = facts.health.get(&removed.agent).map(|health| health.event_id.as_str());
            format!("unhealthy since the event {}", event.unwrap_or_default())
        }
        Filter::Access => {
            let lacks = |kind: &str, required: &[String], given: &[String]| {
                let missing: Vec<&str> =
                    required.iter().filter(|name| !given.contains(name)).map(String::as_str).collect();
                (!missing.is_empty()).then(|| format!("{kind} {}", missing.join(" ")))
            };
            let missing = row.map(|row| {
                let roles = lacks("the roles", &row.required_roles, &question.roles);
                roles.into_iter().chain(lacks("the scopes", &row.required_scopes, &question.scopes)).collect::<Vec<_>>()
            });
            format!("the caller lacks {}", missing.unwrap_or_default().join(" and "))
        }
        Filter::Deprecation => {
            let mark = row.and_then(|row| row.deprecated.as_ref());
            let event = mark.map(|mark| mark.event_id.as_str()).unwrap_or_default();
            let reason = mark.and_then(|mark| mark.reason.as_deref()).map(|reason| format!(": {reason}"));
            format!("deprecated by the event {event}{}", reason.unwrap_or_default())
        }
    }
}
