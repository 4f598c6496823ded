//! `capgen validate`: payloads from a file or standard input, checked against one side of a capability.

mod lines;
mod read;
mod result;

use std::fs::File;
use std::io;
use std::path::Path;

use capgen_diagnostic::{Diagnostic, nearest};
use capgen_manifest::{Capability, LoadedContract, Selection, Side};

use crate::arguments::Validate;
use crate::codes;
use crate::console::{self, Console, count};
use crate::failure::{Failure, Outcome, Verdict};
pub(crate) use read::{Line, Reader};
pub(crate) use result::{PayloadResult, PayloadValidator, plain, too_long};

pub(crate) fn run(arguments: &Validate, console: &Console) -> Outcome {
    let contracts = selection(arguments).locate().load()?;
    let Some(contract) = contracts.into_iter().next() else {
        return Ok(Verdict::Fine);
    };
    let capability = capability(&contract, &arguments.capability)?;
    let side = Side::from(arguments.side);
    let validator = PayloadValidator::new(capability.schema(side), arguments.redact);
    let mut reader = Reader::new(open(&arguments.payload)?, &shown_payload(&arguments.payload));
    if arguments.lines {
        return lines::run(&validator, &mut reader, arguments.json, console);
    }
    let result = match reader.whole()? {
        Line::Text(payload) => validator.validate(payload, 1),
        Line::TooLong | Line::End => PayloadResult::TooLong,
    };
    let subject = format!("{} of `{}`", side.name(), capability.name);
    report(&result, arguments, &subject, console)?;
    Ok(if result.is_valid() { Verdict::Fine } else { Verdict::Findings })
}

fn selection(arguments: &Validate) -> Selection {
    Selection {
        peers: arguments.peer.iter().cloned().collect(),
        files: arguments.capabilities.iter().cloned().collect(),
        root: arguments.root.clone(),
        start: ".".into(),
        all: false,
    }
}

/// The capability of a contract with this name.
pub(crate) fn capability<'c>(contract: &'c LoadedContract, name: &str) -> Result<&'c Capability, Failure> {
    let capabilities = &contract.manifest.capabilities;
    if let Some(capability) = capabilities.iter().find(|c| c.name == name) {
        return Ok(capability);
    }
    let message = format!("`{}` has no capability {name:?}", contract.path());
    let finding = Diagnostic::new(codes::UNKNOWN_CAPABILITY, message);
    let names = || capabilities.iter().map(|c| c.name.as_str());
    Err(Failure::Findings(vec![match nearest(name, names()) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding.help(format!("its capabilities are {}", listed(names()))),
    }]))
}

/// The first names, and how many more there are: a contract may have thousands.
fn listed<'n>(mut names: impl Iterator<Item = &'n str>) -> String {
    const FEW: usize = 20;
    let mut list = names.by_ref().take(FEW).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match names.count() {
        0 => {}
        more => list.push_str(&format!(" and {more} more")),
    }
    list
}

pub(crate) fn shown_payload(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_owned() } else { format!("`{}`", path.display()) }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

pub(crate) fn open(path: &Path) -> Result<Box<dyn io::Read>, Failure> {
    if is_stdin(path) {
        return Ok(Box::new(io::stdin().lock()));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(read::failed(&shown_payload(path), &error)),
    }
}

/// Prints the result of a single payload: violations to standard output, everything else to standard error.
fn report(result: &PayloadResult, arguments: &Validate, subject: &str, console: &Console) -> Result<(), Failure> {
    if arguments.json {
        let mut line = Vec::new();
        result::write_json(&mut line, result)?;
        return Ok(console::print_json(&(String::from_utf8_lossy(&line) + "\n"))?);
    }
    let reject = |code, problem: &str| {
        let message = format!("{} is {problem}", shown_payload(&arguments.payload));
        console.report(&[Diagnostic::new(code, message)]);
    };
    match result {
        PayloadResult::Valid => console.tick(&format!("valid {subject}")),
        PayloadResult::NotJson(reason) => reject(codes::NOT_JSON, &format!("not valid JSON: {reason}")),
        PayloadResult::TooLong => reject(codes::PAYLOAD_TOO_LARGE, &result::longer_than_limit()),
        PayloadResult::Invalid(violations) => {
            console::print(&violations.iter().map(|v| result::plain(v) + "\n").collect::<String>())?;
            console.line(&format!("not a valid {subject}: {}", count(violations.len(), "violation", "violations")));
        }
    }
    Ok(())
}
