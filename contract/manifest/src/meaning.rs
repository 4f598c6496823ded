//! The findings about schemas that load and probably mean something else than their author thinks.

use capgen_diagnostic::shortened;
use capgen_schema::codes::ACCEPTS_NO_VALUE;
use capgen_schema::{Anchor, Kind, Problem, Schema, Steps};

use crate::{Capability, ContractPart, DeclaredError, Diagnostic, LoadedContract, Side};

/// The work for one schema: a fifth of a second at most, so that a contract with many hostile schemas is still checked
/// in a reasonable time. Usual schemas take a hundredth of it.
const STEPS: Steps = Steps(500_000);

/// The most characters of a JSON Pointer in a note. The names in it come from the contract, and can be long.
const MAX_POINTER: usize = 200;

/// The findings of [`Schema::meaning`] about each side of a contract and the details of each declared error: an error
/// for one of which no value is valid, and warnings. The schema `false` of a response states on purpose that there is
/// never one; that of a request is an error, because it leaves nothing to call. Takes up to a fifth of a second for
/// each schema.
pub fn check_meaning(contract: &LoadedContract) -> Vec<Diagnostic> {
    findings(contract, |schema, part| {
        never_called(schema, part).map_or_else(
            || schema.meaning(STEPS).into_iter().map(|problem| advised(problem, part)).collect(),
            |problem| vec![problem],
        )
    })
}

/// The errors of [`check_meaning`] alone, which take much less time.
pub fn check_values(contract: &LoadedContract) -> Vec<Diagnostic> {
    findings(contract, |schema, part| accepts_no_value(schema, part).into_iter().collect())
}

/// The error of [`check_values`] about one part of a capability.
pub fn accepts_no_value(schema: &Schema, part: ContractPart) -> Option<Problem> {
    let of_values = || schema.accepts_no_value(STEPS).map(|problem| advised(problem, part));
    never_called(schema, part).or_else(of_values)
}

/// The problem of a part. A request `false` is an error too, so the help does not suggest it.
fn advised(problem: Problem, part: ContractPart) -> Problem {
    match (problem.code, part) {
        (ACCEPTS_NO_VALUE, ContractPart::Request) => {
            Problem { help: Some("correct the keywords that exclude each other".to_owned()), ..problem }
        }
        _ => problem,
    }
}

/// The error about the request `false`.
fn never_called(schema: &Schema, part: ContractPart) -> Option<Problem> {
    let is_false = matches!(schema.node(schema.root()).kind, Kind::Bool(false));
    (is_false && part == ContractPart::Request).then(|| Problem {
        code: ACCEPTS_NO_VALUE,
        pointer: String::new(),
        anchor: Anchor::Value,
        message: "no request conforms to the schema `false`, so the capability can never be called".to_owned(),
        label: "accepts nothing".to_owned(),
        help: Some("write the schema of its requests, or remove the capability".to_owned()),
        fix: None,
    })
}

fn findings(contract: &LoadedContract, find: impl Fn(&Schema, ContractPart) -> Vec<Problem>) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for (index, capability) in contract.manifest.capabilities.iter().enumerate() {
        for part in capability.parts() {
            let Some(schema) = capability.schema(part) else { continue };
            let at = contract.schema_pointer(index, part);
            findings.extend(find(schema, part).into_iter().map(|problem| {
                let pointer = format!("{at}{}", problem.pointer);
                let label = contract.label(&pointer, problem.label);
                let comma = if problem.pointer.is_empty() { "" } else { ", " };
                let place = format!("{}{comma}{}", name(capability, part), shortened(&problem.pointer, MAX_POINTER));
                let mut finding = Diagnostic::new(problem.code, problem.message).label(label);
                finding.help = problem.help;
                finding.pointer(pointer).note(format!("at: capability `{}`, {place}", capability.name))
            }));
        }
    }
    findings
}

/// The name of a part in a note.
fn name(capability: &Capability, part: ContractPart) -> String {
    let side = match part {
        ContractPart::Request => Side::Request,
        ContractPart::Response => Side::Response,
        ContractPart::Details(index) => {
            let code = capability.errors.get(index).map(|error| error.code.as_str()).unwrap_or_default();
            return format!("error `{code}`, {}", DeclaredError::SCHEMA_KEY);
        }
    };
    side.schema_key().to_owned()
}
