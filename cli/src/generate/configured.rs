//! The outputs in `fleet.yaml`: the jobs of `capgen gen` without a selection.

use std::path::PathBuf;

use capgen_codegen::output::languages_of;
use capgen_diagnostic::{Diagnostic, nearest, quoted};
use capgen_interop::import::AnnotatedFormats;
use capgen_manifest::{AnnotatedNames, Fleet, FleetHistory, FleetOutput, FleetText, McpSource, codes, find_root};
use clap::error::ErrorKind;

use super::history::GIT;
use super::job::Job;
use super::{DEFAULT_OUT, Generate};
use crate::arguments::Contracts;
use crate::failure::Failure;
use crate::import::Imported;

/// Whether a run generates the outputs in `fleet.yaml`: if nothing is selected, and there are some.
///
/// # Errors
///
/// If nothing is selected and there are none, or if an argument has an option that outputs have themselves.
pub(super) fn applies(arguments: &Generate) -> Result<bool, Failure> {
    if !super::selection(&arguments.contracts).is_empty() || arguments.imported.mcp.is_some() {
        return Ok(false);
    }
    // A file with errors may have outputs. Its errors are reported with those of the run.
    let may_have_outputs = match fleet(arguments) {
        Ok(fleet) => fleet.is_some_and(|fleet| fleet.outputs().next().is_some()),
        Err(_) => true,
    };
    if !may_have_outputs {
        return Err(nothing_selected());
    }
    if let Some(flag) = set_by_outputs(arguments) {
        let message = format!(
            "`--{flag}` needs a selection: `generate` in fleet.yaml has it for each output\n\nFor example: capgen gen --all --{flag} ..."
        );
        return Err(Failure::usage(ErrorKind::ArgumentConflict, message));
    }
    Ok(true)
}

/// The path of `fleet.yaml`, if there is a fleet.
pub(super) fn file(arguments: &Generate) -> Option<PathBuf> {
    root(arguments).map(|root| root.join("fleet.yaml"))
}

/// The jobs of the outputs: one for the contracts of an output, and one for each of its lists of tools.
///
/// # Errors
///
/// Those of [`Fleet::open`], and languages and formats that do not exist ([`codes::OUTPUT`]).
pub(super) fn jobs(arguments: &Generate) -> Result<Vec<Job>, Failure> {
    let Some(fleet) = fleet(arguments)? else { return Err(nothing_selected()) };
    let (mut jobs, mut findings) = (Vec::new(), Vec::new());
    for output in fleet.outputs() {
        jobs.extend(jobs_of(&fleet, &output, arguments, &mut findings));
    }
    match (findings.is_empty(), jobs.is_empty()) {
        (false, _) => Err(Failure::Findings(findings)),
        // The file changed under `--watch`.
        (true, true) => Err(nothing_selected()),
        (true, false) => Ok(jobs),
    }
}

fn root(arguments: &Generate) -> Option<PathBuf> {
    arguments.contracts.root.clone().or_else(|| find_root(".".as_ref()))
}

fn fleet(arguments: &Generate) -> Result<Option<Fleet>, Vec<Diagnostic>> {
    root(arguments).map(|root| Fleet::open(&root)).transpose()
}

fn nothing_selected() -> Failure {
    let message = "no contracts selected: pass `--peer <ID>` for an agent, `--all` for the whole fleet, or `--capabilities <PATH>` \
                   for a file; or list `outputs` below `generate` in fleet.yaml\n\nFor example: capgen --peer pr-reviewer";
    Failure::usage(ErrorKind::MissingRequiredArgument, message)
}

/// An option of the command line that an output has itself.
fn set_by_outputs(arguments: &Generate) -> Option<&'static str> {
    let Generate { merge_nullable, plain_arrays, calls, standard_schema, single_file, .. } = arguments;
    let set = [
        ("out", arguments.out.as_os_str() != DEFAULT_OUT),
        ("lang", !arguments.lang.is_empty()),
        ("merge-nullable", merge_nullable.is_some()),
        ("plain-arrays", plain_arrays.is_some()),
        ("calls", calls.is_some()),
        ("history", !arguments.history.is_empty()),
        ("standard-schema", standard_schema.is_some()),
        ("single-file", single_file.is_some()),
        ("import-extension", arguments.import_extension.is_some()),
        ("runtime-path", arguments.runtime_path.is_some()),
    ];
    set.into_iter().find(|(_, is_set)| *is_set).map(|(flag, _)| flag)
}

fn jobs_of(fleet: &Fleet, output: &FleetOutput, control: &Generate, findings: &mut Vec<Diagnostic>) -> Vec<Job> {
    let common = Generate {
        contracts: Contracts { root: Some(fleet.root().to_owned()), ..Contracts::default() },
        imported: Imported::default(),
        out: output.folder.clone(),
        lang: languages_of(output).unwrap_or_else(|unknown| {
            findings.extend(unknown);
            Vec::new()
        }),
        ..control.clone()
    };
    let mut jobs = Vec::new();
    if output.all || !output.peers.is_empty() || !output.capabilities.is_empty() {
        let contracts = Contracts {
            peer: output.peers.clone(),
            all: output.all,
            capabilities: output.capabilities.clone(),
            ..common.contracts.clone()
        };
        let history = match &output.history {
            None => Vec::new(),
            Some(FleetHistory::Git) => vec![PathBuf::from(GIT)],
            Some(FleetHistory::Files(files)) => files.clone(),
        };
        jobs.push(Job::with(Generate { contracts, history, ..common.clone() }, output.options.clone()));
    }
    for source in &output.mcp {
        let imported = imported(source, findings);
        jobs.push(Job::with(Generate { imported, ..common.clone() }, output.options.clone()));
    }
    jobs
}

fn imported(source: &McpSource, findings: &mut Vec<Diagnostic>) -> Imported {
    let formats = match &source.annotated {
        None => None,
        Some(AnnotatedNames::All) => Some(AnnotatedFormats::all()),
        Some(AnnotatedNames::Named(names)) => Some(formats(names, findings)),
    };
    Imported {
        mcp: Some(source.file.clone()),
        agent: source.agent.clone(),
        lossy: source.lossy,
        skip: source.skip,
        formats,
    }
}

fn formats(names: &[FleetText], findings: &mut Vec<Diagnostic>) -> AnnotatedFormats {
    for name in names.iter().filter(|name| AnnotatedFormats::named([name.text.as_str()]).is_err()) {
        let known: Vec<&str> = AnnotatedFormats::all().names().collect();
        let message = format!("{} is not a format that a contract checks", quoted(&name.text));
        findings.push(unknown(name, message, &known));
    }
    AnnotatedFormats::named(names.iter().map(|name| name.text.as_str())).unwrap_or_default()
}

/// The finding about an unknown name of a format.
fn unknown(name: &FleetText, message: String, known: &[&str]) -> Diagnostic {
    let finding = name.place.locate(Diagnostic::new(codes::OUTPUT, message));
    match nearest(&name.text, known.iter().copied()) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding.help(format!(
            "the values are {}",
            known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        )),
    }
}
