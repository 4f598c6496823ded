//! The limits beyond which types are less precise than their schemas, and the warning about them.

use std::collections::BTreeSet;

use capgen_diagnostic::{Diagnostic, quoted};
use capgen_manifest::{Capability, ContractPart, LoadedContract};

use crate::codes;

/// A limit of the type model. Beyond it, a type allows more values than its schema; validators are not affected.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Limit {
    /// A limit of the target, whose text this is.
    Target(&'static str),
    /// How often types may repeat parts of a schema.
    Repetition,
    /// How many branches a union may have after the unions inside it are opened.
    Branches,
    /// How many combinations of schemas may be visited.
    Work,
    /// How many items of an array may have types of their own.
    Positions,
}

/// The parts of capabilities, by index, whose types were widened, and the limits.
pub(crate) type Widened = BTreeSet<(usize, ContractPart, Limit)>;

impl Limit {
    fn text(self) -> &'static str {
        match self {
            Limit::Target(text) => text,
            Limit::Repetition => {
                "its types would repeat more than 4 times the size of the schema, and the schemas of the contract together have used \
                 500 kB more"
            }
            Limit::Branches => {
                "a union would have more than 256 branches, and more branches than the schema has subschemas"
            }
            Limit::Work => {
                "its combined references and unions would take more than 100 steps for each subschema, and the schemas of the contract \
                 together have used 10,000 more"
            }
            Limit::Positions => "an array would have types of their own for more than 64 items",
        }
    }
}

/// One finding for each affected part, in source order.
pub(crate) fn findings(contract: &LoadedContract, widened: &Widened) -> Vec<Diagnostic> {
    let mut findings: Vec<Diagnostic> = Vec::new();
    let mut last = None;
    for &(index, part, limit) in widened {
        let Some(capability) = contract.manifest.capabilities.get(index) else { continue };
        if last.replace((index, part)) != Some((index, part)) {
            let pointer = contract.schema_pointer(index, part);
            let message = format!("the types of {} are less precise than its schema", quoted(&capability.name));
            let label = contract.label(&pointer, format!("the schema of the {}", part_text(capability, part)));
            let finding = Diagnostic::new(codes::WIDENED, message).label(label).pointer(pointer);
            findings.push(finding.help("simplify the schema; validation is exact in any case"));
        }
        if let Some(finding) = findings.last_mut() {
            finding.notes.push(limit.text().to_owned());
        }
    }
    findings
}

/// A part in words: `request`, or ``details of `NO_SEATS` ``.
fn part_text(capability: &Capability, part: ContractPart) -> String {
    match part {
        ContractPart::Request => "request".to_owned(),
        ContractPart::Response => "response".to_owned(),
        ContractPart::Details(at) => {
            let code = capability.errors.get(at).map(|error| quoted(&error.code));
            format!("details of {}", code.unwrap_or_default())
        }
    }
}
