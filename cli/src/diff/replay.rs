//! `capgen diff --replay`: recorded payloads, checked against the new version and the old one.

use std::path::Path;

use capgen_manifest::{LoadedContract, Selection, Side};
use capgen_schema::Violations;
use serde::{Serialize, Serializer};

use super::arguments::{Diff, DiffFormat};
use super::{pairs, usage};
use crate::console::{self, Console, count};
use crate::failure::{Failure, RunResult, Verdict};
use crate::one_contract::capability;
use crate::validate::{Line, PayloadResult, PayloadValidator, Reader, open, shown_payload, too_long, violation_lines};

/// The result, and the JSON document of `--format json`.
#[derive(Serialize, Default)]
struct Tally {
    /// How many payloads were read.
    payloads: usize,
    /// How many of them the new version rejects.
    rejected: usize,
    /// How many of the rejected ones the old version accepts; `None` without an old version.
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted_before: Option<usize>,
    /// The first payload that the new version rejects; one that the old version accepts, if there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<Rejected>,
}

#[derive(Serialize)]
struct Rejected {
    /// Its line, counted from 1.
    line: usize,
    /// Whether the old version accepts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted_before: Option<bool>,
    #[serde(skip_serializing_if = "is_empty", serialize_with = "as_list")]
    violations: Violations,
    /// Whether the payload has more violations.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Why it is not a payload at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub(super) fn run(arguments: &Diff, payloads: &Path, selection: &Selection, console: &Console) -> RunResult {
    if !matches!(arguments.format, DiffFormat::Human | DiffFormat::Json) {
        return Err(usage("`--replay` has the formats `human` and `json`"));
    }
    let (Some(name), Some(side)) = (&arguments.capability, arguments.side.map(Side::from)) else {
        return Err(usage("`--replay` needs `--capability` and `--side`"));
    };
    let (old, new) = versions(arguments, selection, console)?;
    let capability = capability(&new, name)?;
    let validator = PayloadValidator::new(capability.schema(side), false);
    let old = old.as_ref().and_then(|old| old.manifest.capability(name));
    let before = old.map(|old| PayloadValidator::new(old.schema(side), false));
    let mut reader = Reader::new(open(payloads)?, &shown_payload(payloads));
    let tally = tally(&mut reader, &validator, before.as_ref())?;
    if arguments.format == DiffFormat::Json {
        console::print_json(&(serde_json::to_string(&tally).map_err(std::io::Error::from)? + "\n"))?;
    } else {
        print(&tally, &format!("{}s of `{name}`", side.name()), console)?;
    }
    Ok(if tally.rejected == 0 { Verdict::Fine } else { Verdict::Findings })
}

/// The old version, if there is one, and the new version of the only selected contract.
fn versions(
    arguments: &Diff,
    selection: &Selection,
    console: &Console,
) -> Result<(Option<LoadedContract>, LoadedContract), Failure> {
    let pair = match pairs(&arguments.against, selection) {
        Ok(pairs) => {
            let mut pairs = pairs.into_iter().filter_map(|pair| Some((pair.old, pair.new?)));
            (pairs.next(), pairs.next().is_some())
        }
        // The default of `--against` is only a wish here: payloads can be checked without an old version.
        Err(Failure::Findings(findings)) if arguments.is_against_head() => {
            let contracts = selection.locate().load()?;
            for finding in &findings {
                console.line(&format!("no old version: {}", capgen_diagnostic::render::message(finding)));
            }
            let is_several = contracts.len() > 1;
            (contracts.into_iter().next().map(|new| (None, new)), is_several)
        }
        Err(failure) => return Err(failure),
    };
    match pair {
        (Some(pair), false) => Ok(pair),
        _ => Err(usage("`--replay` needs one contract: select it with `--peer <ID>` or `--capabilities <PATH>`")),
    }
}

fn tally(
    reader: &mut Reader,
    validator: &PayloadValidator,
    before: Option<&PayloadValidator>,
) -> Result<Tally, Failure> {
    let mut tally = Tally { accepted_before: before.map(|_| 0), ..Tally::default() };
    loop {
        let number = tally.payloads + 1;
        let (result, accepted_before) = match reader.next_line()? {
            Line::End => return Ok(tally),
            Line::TooLong => (PayloadResult::TooLong, before.map(|_| false)),
            Line::Text(payload) => {
                let result = validator.validate(payload, number);
                let is_accepted = |before: &PayloadValidator| before.validate(payload, number).is_valid();
                let before = if result.is_valid() { None } else { before.map(is_accepted) };
                (result, before)
            }
        };
        tally.payloads = number;
        if result.is_valid() {
            continue;
        }
        tally.rejected += 1;
        if let Some(count) = tally.accepted_before.as_mut().filter(|_| accepted_before == Some(true)) {
            *count += 1;
        }
        // The change affects no payload that both versions reject.
        let is_better = |first: &Rejected| first.accepted_before == Some(false) && accepted_before == Some(true);
        if tally.first.as_ref().is_none_or(is_better) {
            tally.first = Some(Rejected::new(number, accepted_before, result));
        }
    }
}

impl Rejected {
    fn new(line: usize, accepted_before: Option<bool>, result: PayloadResult) -> Self {
        let (violations, error) = match result {
            PayloadResult::Valid => (Violations::default(), None),
            PayloadResult::Invalid(violations) => (violations, None),
            PayloadResult::NotJson(reason) => (Violations::default(), Some(format!("not valid JSON: {reason}"))),
            PayloadResult::TooLong => (Violations::default(), Some(too_long())),
        };
        Self { line, accepted_before, truncated: violations.is_truncated(), violations, error }
    }
}

fn is_empty(violations: &Violations) -> bool {
    violations.is_empty()
}

fn as_list<S: Serializer>(violations: &Violations, serializer: S) -> Result<S::Ok, S::Error> {
    violations[..].serialize(serializer)
}

/// Prints the result: the first payload to standard output, the summary to standard error.
fn print(tally: &Tally, subject: &str, console: &Console) -> Result<(), Failure> {
    if let Some(first) = &tally.first {
        let before = if first.accepted_before == Some(true) { ", accepted by the old version" } else { "" };
        let mut lines: Vec<String> =
            violation_lines(&first.violations).iter().map(|line| format!("  {line}")).collect();
        lines.extend(first.error.iter().map(|error| format!("  {}", capgen_diagnostic::visible(error))));
        console::print(&format!("line {}: rejected{before}\n{}\n", first.line, lines.join("\n")))?;
    }
    let before = tally.accepted_before.map(|count| format!(", of which the old version accepts {count}"));
    let text = format!(
        "{} ({subject}): {} rejected{}",
        count(tally.payloads, "payload", "payloads"),
        tally.rejected,
        before.unwrap_or_default()
    );
    if tally.rejected == 0 {
        console.tick(&text)
    } else {
        console.line(&text)
    }
    Ok(())
}
