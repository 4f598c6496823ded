//! The inputs of a run: from the options and the files that they name.

use std::collections::HashMap;

use capgen_dci::contract::{read, stated_mode};
use capgen_dci::files::{Programs, Roots, Workspace, WorkspaceOptions, read_consumer};
use capgen_dci::{
    Declared, Exceeded, Host, Inputs, Mode, Overrides, ProbeRunner, Profile, Resolution, ResolveError, Skill, Warning,
    codes,
};
use capgen_diagnostic::{Diagnostic, Severity, quoted};
use clap::error::ErrorKind;

use super::arguments::RunArguments;
use super::discovery;
use super::input::report_lines;
use super::page::id;
use super::suggestions::{Known, Recorder};
use crate::console::{Console, count};
use crate::failure::Failure;

/// Everything that a run decides from.
pub(super) struct Run {
    pub(super) workspace: Workspace,
    required: Vec<String>,
    query: Option<String>,
    host: Host,
    overrides: Overrides,
    profile: Profile,
    allow_probes: bool,
}

impl Run {
    /// Reads the files of a run.
    ///
    /// # Errors
    ///
    /// Contradictory options, and the findings of invalid files.
    pub(super) fn load(arguments: &RunArguments) -> Result<Self, Failure> {
        let overrides = overrides(&arguments.policy)?;
        check_query(arguments)?;
        let roots = roots(arguments);
        let workspace = Workspace::load(&WorkspaceOptions {
            cache: discovery::cache(&roots, !arguments.folders.no_cache),
            roots,
            mode: arguments.mode,
            aliases: arguments.aliases.clone(),
            trusts_workspace_aliases: arguments.workspace_aliases,
            only_verified: arguments.verified,
        })?;
        Ok(Self {
            workspace,
            required: arguments.required.clone(),
            query: arguments.query.clone(),
            host: Host { runtime: arguments.host_runtime.clone(), model: arguments.host_model.clone() },
            overrides,
            profile: arguments.profile,
            allow_probes: arguments.allow_probes,
        })
    }

    pub(super) fn inputs(&self) -> Inputs<'_> {
        Inputs {
            query: self.query.clone(),
            host: self.host.clone(),
            overrides: self.overrides.clone(),
            profile: self.profile,
            ..self.workspace.inputs(&self.required)
        }
    }

    /// Chooses providers. The results of probes are added to `known`.
    pub(super) fn resolve(&self, inputs: &Inputs, known: &mut Known) -> Result<Resolution, Failure> {
        let mut programs = Programs::default();
        let mut recorder = Recorder { runner: &mut programs, known };
        let runner: Option<&mut dyn ProbeRunner> = if self.allow_probes { Some(&mut recorder) } else { None };
        let resolution = self.workspace.resolve(inputs, runner);
        let mut resolution = resolution.map_err(|error| Failure::Findings(vec![failed(&error)]))?;
        resolution.warnings.append(&mut programs.warnings);
        Ok(resolution)
    }

    /// Reports the warnings of the files and of a resolution on standard error.
    pub(super) fn warn(&self, resolution: &Resolution, json: bool, console: &Console) {
        // Providers that were selected by a near name come first, because further warnings are only counted.
        let (first, others): (Vec<&Warning>, Vec<&Warning>) =
            resolution.warnings.iter().partition(|warning| warning.code == codes::NEAR_NAME);
        report(first.into_iter().chain(&self.workspace.warnings).chain(others), json, console);
    }
}

/// Further warnings are counted: a workspace may contain thousands of hostile skills.
const MAX_WARNINGS: usize = 100;

/// Reports warnings on standard error, with `json` as one JSON object on each line (decision 28). As text, those that
/// have the same words about several skills are one.
pub(super) fn report<'w>(warnings: impl Iterator<Item = &'w Warning>, json: bool, console: &Console) {
    let mut findings: Vec<Diagnostic> = Vec::new();
    let further = if json {
        let all: Vec<&Warning> = warnings.collect();
        let finding = |warning: &&Warning| Diagnostic::new(warning.code, &warning.message).in_file(&warning.subject);
        findings.extend(all.iter().take(MAX_WARNINGS).map(finding));
        all.len() - findings.len()
    } else {
        let groups = grouped(warnings);
        findings.extend(groups.iter().take(MAX_WARNINGS).map(|(warning, skills)| {
            let others = count(skills - 1, "other", "others");
            let others = if *skills > 1 { format!(" and {others}") } else { String::new() };
            // Texts for a terminal show no path without a line.
            Diagnostic::new(warning.code, format!("{}{others}: {}", id(&warning.subject), warning.message))
        }));
        groups.len() - findings.len()
    };
    let mut findings: Vec<Diagnostic> =
        findings.into_iter().map(|finding| finding.with_severity(Severity::Warning)).collect();
    if further > 0 {
        let message = format!("{} not shown", count(further, "further warning is", "further warnings are"));
        findings.push(Diagnostic::new(codes::FURTHER_WARNINGS, message));
    }
    if json { report_lines(&findings, console) } else { console.report(&findings) }
}

/// The distinct warnings apart from their subjects, in order, each with the number of its subjects.
fn grouped<'w>(warnings: impl Iterator<Item = &'w Warning>) -> Vec<(&'w Warning, usize)> {
    let mut places: HashMap<(&str, &str), usize> = HashMap::new();
    let mut groups: Vec<(&Warning, usize)> = Vec::new();
    for warning in warnings {
        // Each excluded skill is named: it is missing although the user sees it.
        if warning.code == codes::EXCLUDED {
            groups.push((warning, 1));
            continue;
        }
        let place = *places.entry((warning.code.as_str(), &warning.message)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, count)) => *count += 1,
            None => groups.push((warning, 1)),
        }
    }
    groups
}

/// The folders of skills, and the consumer.
fn roots(arguments: &RunArguments) -> Roots {
    Roots { consumer: arguments.consumer.clone(), ..arguments.folders.roots() }
}

/// Whether `--query` has capabilities to rank for. This is a question of usage, which is answered before anything else
/// is read (decision 43).
fn check_query(arguments: &RunArguments) -> Result<(), Failure> {
    if arguments.query.is_none() || !arguments.required.is_empty() {
        return Ok(());
    }
    // Whatever is wrong with the consumer itself is reported later, with everything else.
    let Ok(consumer) = read_consumer(&roots(arguments)) else { return Ok(()) };
    let requires = |skill: &Skill| {
        let Declared::Text(text) = &skill.contract else { return Ok(false) };
        let mode = arguments.mode.or_else(|| stated_mode(text)).unwrap_or_default();
        match read(text, mode).contract {
            Some(contract) => Ok(!contract.requires.is_empty()),
            None if mode == Mode::Strict => Err(()),
            None => Ok(false),
        }
    };
    match consumer.as_ref().map_or(Ok(false), requires) {
        Ok(false) => Err(nothing_required()),
        Ok(true) | Err(()) => Ok(()),
    }
}

fn overrides(policy: &[(String, String)]) -> Result<Overrides, Failure> {
    let mut overrides = Overrides::default();
    for (index, (key, value)) in policy.iter().enumerate() {
        if policy.iter().take(index).any(|(other, _)| other == key) {
            let message = format!("--policy sets {} more than once", quoted(key));
            return Err(Failure::usage(ErrorKind::ArgumentConflict, message));
        }
        // The parser of the option accepted it already.
        let _ = overrides.set(key, value);
    }
    Ok(overrides)
}

fn nothing_required() -> Failure {
    let message = "--query ranks the providers of required capabilities, and none is required: add --require CAP, or use \
                   `capgen dci search TEXT` to rank skills by their words alone";
    Failure::usage(ErrorKind::MissingRequiredArgument, message)
}

fn failed(error: &ResolveError) -> Diagnostic {
    match error {
        ResolveError::ProbeNotAllowed(_) => Diagnostic::new(codes::PROBE_NOT_ALLOWED, error.to_string())
            .help("pass --allow-probes if you trust `.dci/probes.v1.json` of the workspace"),
        ResolveError::Exceeded(exceeded, candidate) => {
            let help = match exceeded {
                Exceeded::Instances => "lower `max-dependency-depth` or `max-providers`",
                Exceeded::Depth => "lower `max-dependency-depth`",
                Exceeded::Steps => "exclude the skills that require or provide very many capabilities, with --disable",
                _ => "exclude the skills that require or deny very many capabilities, with --disable",
            };
            let finding = Diagnostic::new(codes::RUN_LIMIT, exceeded.to_string()).help(help);
            match candidate {
                Some(candidate) => finding.note(format!("the requirements of {} were being resolved", id(candidate))),
                None => finding,
            }
        }
        _ => Diagnostic::new(codes::RUN_LIMIT, error.to_string()),
    }
}
