//! The findings about schemas that load and probably mean something else than their author thinks.

use capgen_diagnostic::shortened;
use capgen_schema::{Problem, Schema, Steps};

use crate::{Capability, ContractPart, DeclaredError, Diagnostic, LoadedContract, Side};

/// The work for one schema: a fifth of a second at most, so that a contract with many hostile schemas is still checked
/// in a reasonable time. Usual schemas take a hundredth of it.
const STEPS: Steps = Steps(500_000);

/// The most characters of a JSON Pointer in a note. The names in it come from the contract, and can be long.
const MAX_POINTER: usize = 200;

/// The findings of [`Schema::meaning`] about each side of a contract and the details of each declared error: an error
/// for one of which no value is valid, unless its schema is `false`, which states that on purpose, and warnings. Takes
/// up to a fifth of a second for each schema.
pub fn check_meaning(contract: &LoadedContract) -> Vec<Diagnostic> {
    findings(contract, |schema| schema.meaning(STEPS))
}

/// The errors of [`check_meaning`] alone, which take much less time.
pub fn check_values(contract: &LoadedContract) -> Vec<Diagnostic> {
    findings(contract, |schema| schema.accepts_no_value(STEPS).into_iter().collect())
}

fn findings(contract: &LoadedContract, find: impl Fn(&Schema) -> Vec<Problem>) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for (index, capability) in contract.manifest.capabilities.iter().enumerate() {
        for part in capability.parts() {
            let Some(schema) = capability.schema(part) else { continue };
            let at = contract.schema_pointer(index, part);
            findings.extend(find(schema).into_iter().map(|problem| {
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
