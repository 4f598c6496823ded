//! `capgen dci parse`: the clauses of a contract, and its mistakes.

use std::io;
use std::ops::Range;

use capgen_dci::SkillContract;
use capgen_dci::contract::{ContractProblem, Setting};
use capgen_diagnostic::{Severity, visible};
use serde::{Serialize, Serializer};

use super::arguments;
use super::input::{Input, report_lines};
use crate::console::{self, Console, count};
use crate::failure::{RunResult, Verdict};

pub(super) fn run(arguments: &arguments::Parse, console: &Console) -> RunResult {
    let input = Input::read(&arguments.contract)?;
    if arguments.json {
        print_json(&input, console)?;
    } else {
        input.report(console);
        if let Some(contract) = &input.reading.contract {
            console::print(&text(contract, &input))?;
        }
    }
    Ok(if input.reading.contract.is_some() { Verdict::Fine } else { Verdict::Findings })
}

/// The clauses, one per line, and the counts that cost a part of the score.
fn text(contract: &SkillContract, input: &Input) -> String {
    let settings = |settings: &[Setting]| -> Vec<String> {
        settings.iter().map(|Setting { key, value }| format!("{key}={value}")).collect()
    };
    let clauses = [
        ("provides", &contract.provides),
        ("expects", &contract.expects),
        ("accepts", &settings(&contract.accepts)),
        ("requires", &contract.requires),
        ("optional", &contract.optional),
        ("denies", &contract.denies),
        ("runtime", &contract.runtime),
        ("model", &contract.model),
        ("policy", &settings(&contract.policy)),
    ];
    let mut text = format!("mode       {}\n", input.mode.name());
    for (name, values) in clauses.into_iter().filter(|(_, values)| !values.is_empty()) {
        text.push_str(&format!("{name:9}  {}\n", visible(&values.join(", "))));
    }
    text.push_str(&format!("canonical  {}\n", visible(&contract.canonical())));
    if contract.invalid_tokens > 0 || contract.unknown_clauses > 0 {
        let tokens = count(contract.invalid_tokens, "invalid token", "invalid tokens");
        let clauses = count(contract.unknown_clauses, "unknown clause", "unknown clauses");
        text.push_str(&format!("ignored    {tokens}, {clauses}\n"));
    }
    text
}

/// The document of `--json`.
#[derive(Serialize)]
struct Document<'i> {
    ok: bool,
    canonical: Option<String>,
    mode: &'static str,
    clauses: Clauses<'i>,
    invalid_tokens: Vec<&'i str>,
    unknown_clauses: Vec<&'i str>,
    errors: Vec<Error<'i>>,
}

#[derive(Serialize)]
struct Clauses<'c> {
    #[serde(rename = "P")]
    provides: &'c [String],
    #[serde(rename = "E")]
    expects: &'c [String],
    #[serde(rename = "A", serialize_with = "object")]
    accepts: &'c [Setting],
    #[serde(rename = "R")]
    requires: &'c [String],
    #[serde(rename = "O")]
    optional: &'c [String],
    #[serde(rename = "D")]
    denies: &'c [String],
    #[serde(rename = "Rt")]
    runtime: &'c [String],
    #[serde(rename = "M")]
    model: &'c [String],
    #[serde(rename = "Pol", serialize_with = "object")]
    policy: &'c [Setting],
}

#[derive(Serialize)]
struct Error<'p> {
    code: &'static str,
    message: &'p str,
    help: &'p str,
    start: usize,
    end: usize,
}

/// Settings as an object that keeps their order.
fn object<S: Serializer>(settings: &[Setting], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(settings.iter().map(|Setting { key, value }| (key, value)))
}

fn print_json(input: &Input, console: &Console) -> io::Result<()> {
    let Input { source, mode, reading } = input;
    let empty = SkillContract::default();
    let contract = reading.contract.as_ref().unwrap_or(&empty);
    let written = |spans: &'_ [Range<usize>]| -> Vec<&str> {
        spans.iter().map(|span| source.text().get(span.clone()).unwrap_or_default()).collect()
    };
    let errors = reading.problems.iter().filter(|problem| problem.severity == Severity::Error);
    let document = Document {
        ok: reading.contract.is_some(),
        canonical: reading.contract.as_ref().map(SkillContract::canonical),
        mode: mode.name(),
        clauses: Clauses {
            provides: &contract.provides,
            expects: &contract.expects,
            accepts: &contract.accepts,
            requires: &contract.requires,
            optional: &contract.optional,
            denies: &contract.denies,
            runtime: &contract.runtime,
            model: &contract.model,
            policy: &contract.policy,
        },
        invalid_tokens: written(&reading.invalid_tokens),
        unknown_clauses: written(&reading.unknown_clauses),
        errors: errors.map(error).collect(),
    };
    console::print_json(&format!("{}\n", serde_json::to_string(&document)?))?;
    let warnings = input.findings().into_iter().filter(|finding| finding.severity() == Severity::Warning);
    report_lines(&warnings.collect::<Vec<_>>(), console);
    Ok(())
}

fn error(problem: &ContractProblem) -> Error<'_> {
    let ContractProblem { code, span, message, help, .. } = problem;
    Error { code: code.as_str(), message, help, start: span.start, end: span.end }
}
