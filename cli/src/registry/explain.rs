//! `capgen registry resolve` and `explain`: the choice of a target, and its reasons.

use std::collections::BTreeMap;

use capgen_diagnostic::visible;
use capgen_registry::{Access, Explanation, Filter, FilterStep, Health, Query, Removed, Row};
use serde::Serialize;

use super::output::Output;
use super::{arguments, snapshot};
use crate::console::{Console, count, print};
use crate::failure::{Outcome, Verdict};
use crate::table::table;

/// The output of a resolution.
#[derive(Serialize)]
struct Resolution {
    target: Option<Row>,
    explanation: Explanation,
}

pub(super) fn resolve(arguments: &arguments::Resolve, console: &Console) -> Outcome {
    print_choice(arguments, Output::json_or_text(arguments.json), console)
}

pub(super) fn run(arguments: &arguments::Resolve, console: &Console) -> Outcome {
    print_choice(arguments, Output::text_or_json(arguments.json), console)
}

fn print_choice(arguments: &arguments::Resolve, output: Output, console: &Console) -> Outcome {
    let arguments::Resolve { id, requirement, role, scope, caller, source, snapshot, .. } = arguments;
    let mut registry = snapshot::registry(source, snapshot.as_deref(), console)?;
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
