//! `capgen matrix`: which versions of a capability work together.

mod arguments;
mod versions;

pub(crate) use arguments::{History, Matrix};

use capgen_diagnostic::visible;
use capgen_evolve::{Assume, CallSettings, Compatibility, MatrixVersion, Refusal, can_call_side, matrix};
use capgen_manifest::{Capability, Side, may_run};
use capgen_schema::Steps;
use capgen_site::Labels;
use serde_json::{Value, json};

use crate::console::{self, Console};
use crate::failure::{RunResult, Verdict};
use crate::one_contract::capability;
use arguments::MatrixFormat;
use versions::{Version, Versions, versions};

/// `cells[requester][provider]`. The last provider may be the agent.
type Cells = Vec<Vec<Compatibility>>;

pub(crate) fn run(arguments: &Matrix, console: &Console) -> RunResult {
    let Some(current) = arguments.contract.load()? else { return Ok(Verdict::Fine) };
    capability(&current, &arguments.capability)?;
    let Versions { all: versions, served } = versions(arguments, &current, console)?;
    let compared: Vec<MatrixVersion<'_>> = versions
        .iter()
        .map(|version| MatrixVersion { capability: &version.capability, contract: &version.contract })
        .collect();
    let settings = CallSettings {
        assume: Assume::from(arguments.assume),
        steps: Steps::default(),
        budget: Steps::of_seconds(arguments.budget),
        ..CallSettings::default()
    };
    let mut cells = matrix(&compared, &settings);
    let mut providers: Vec<&str> = versions.iter().map(|version| version.label.as_str()).collect();
    if served.len() > 1 {
        add_agent(&versions, &served, &settings, &mut cells);
        providers.push(AGENT);
    }
    match arguments.format {
        MatrixFormat::Table => console::print(&table(&versions, &providers, &cells))?,
        MatrixFormat::Json => {
            console::print_json(&(document(&arguments.capability, &versions, &providers, &cells) + "\n"))?
        }
        MatrixFormat::Html => {
            let requesters: Vec<&str> = versions.iter().map(|version| version.label.as_str()).collect();
            let labels = Labels { requesters: &requesters, providers: &providers };
            console::print(&capgen_site::compatibility_page(&arguments.capability, labels, &cells))?;
        }
    }
    Ok(Verdict::Fine)
}

/// The column of an agent that serves several versions.
const AGENT: &str = "agent";

/// Adds the column of the agent: how calls of each requester end. A provider runs the version with the contract of the
/// requester. Otherwise, it tries those of the requester's compatibility line, or all if it serves none of that line,
/// and the highest that accepts a request runs it.
fn add_agent(versions: &[Version], served: &[usize], settings: &CallSettings, cells: &mut Cells) {
    let capability = |index: usize| versions.get(index).map(|version| &version.capability);
    for (requester, row) in cells.iter_mut().enumerate() {
        let Some(caller) = capability(requester) else { continue };
        let version = |index: &usize| capability(*index)?.version.as_ref();
        let may_run = may_run(caller.version.as_ref(), served.iter().map(version));
        let hash = caller.hash();
        let own = served.iter().copied().find(|&index| capability(index).is_some_and(|other| other.hash() == hash));
        let candidates = served.iter().rev().copied().filter(|index| match own {
            Some(own) => *index == own,
            None => may_run(version(index)),
        });
        let candidates = candidates.filter_map(|index| Some((row.get(index)?, capability(index)?)));
        let cell = of_agent(caller, candidates, settings);
        row.extend(cell);
    }
}

/// How calls end, given the results of the versions that may run them, in the order in which they are tried.
fn of_agent<'v>(
    caller: &Capability,
    candidates: impl Iterator<Item = (&'v Compatibility, &'v Capability)>,
    settings: &CallSettings,
) -> Option<Compatibility> {
    let (mut refused, mut excluded) = (None, None);
    for (cell, provider) in candidates {
        match cell {
            Compatibility::Full | Compatibility::Partial(_) => return Some(cell.clone()),
            Compatibility::Incompatible { refusal: Refusal::Incompatible(_), .. } => {
                refused.get_or_insert(cell);
                // It may accept some requests, and give responses that the requester rejects.
                if can_call_side(Side::Response, caller, provider, settings).is_err() {
                    return Some(cell.clone());
                }
            }
            // It does not serve this version, so others are tried.
            Compatibility::Incompatible { .. } => drop(excluded.get_or_insert(cell)),
        }
    }
    refused.or(excluded).cloned()
}

/// A cell in one word.
fn word(cell: &Compatibility) -> &'static str {
    match cell {
        Compatibility::Full => "full",
        Compatibility::Partial(_) => "partial",
        Compatibility::Incompatible { .. } => "no",
    }
}

fn table(versions: &[Version], providers: &[&str], cells: &Cells) -> String {
    let corner = "requester \\ provider".to_owned();
    let header = std::iter::once(corner).chain(providers.iter().map(ToString::to_string)).collect();
    let mut rows: Vec<Vec<String>> = vec![header];
    for (version, row) in versions.iter().zip(cells) {
        let words = row.iter().map(|cell| word(cell).to_owned());
        rows.push(std::iter::once(version.label.clone()).chain(words).collect());
    }
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count()).max();
    let widths: Vec<usize> = (0..=providers.len()).filter_map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let padded: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        text.push_str(&visible(padded.join("  ").trim_end()));
        text.push('\n');
    }
    let mut details = String::new();
    for (requester, row) in versions.iter().zip(cells) {
        for (provider, cell) in providers.iter().zip(row) {
            for reason in cell.reasons() {
                let pair = format!("requester {}, provider {provider}", requester.label);
                details.push_str(&visible(&format!("{pair}: {}: {reason}", word(cell))));
                details.push('\n');
            }
        }
    }
    if details.is_empty() { text } else { format!("{text}\n{details}") }
}

fn document(capability: &str, versions: &[Version], providers: &[&str], cells: &Cells) -> String {
    let listed: Vec<Value> = versions
        .iter()
        .map(|Version { label, source, capability, .. }| {
            let version = capability.version.as_ref().map(ToString::to_string);
            json!({ "label": label, "version": version, "hash": capability.hash().to_string(), "source": source })
        })
        .collect();
    let cell = |cell: &Compatibility| {
        let mut value = json!({ "status": cell.name() });
        let texts = cell.reasons();
        if let (Some(members), false) = (value.as_object_mut(), texts.is_empty()) {
            members.insert("reasons".to_owned(), json!(texts));
            if let Compatibility::Incompatible { refusal: Refusal::Incompatible(reason), .. } = cell {
                members.insert("side".to_owned(), json!(reason.side.name()));
                let code = reason.finding.as_ref().map(|finding| finding.code.as_str());
                members.insert("code".to_owned(), json!(code));
                // As text: a JSON value would lose the digits of numbers.
                let witness = reason.witness.as_ref().map(|witness| witness.payload.canonical());
                members.insert("witness".to_owned(), json!(witness));
            }
        }
        value
    };
    let rows: Vec<Vec<Value>> = cells.iter().map(|row| row.iter().map(cell).collect()).collect();
    json!({ "capability": capability, "versions": listed, "providers": providers, "cells": rows }).to_string()
}
