//! Mistakes in the skills of a workspace: in their frontmatter, their contracts, and between skills.

mod confirm;
mod conflicts;
mod findings;
mod places;
mod rules;
mod yaml;

use std::collections::{BTreeMap, BTreeSet};

use capgen_diagnostic::{Diagnostic, Source, nearest, quoted};

pub use findings::LintFindings;

use crate::codes;
use crate::inputs::contract::{SkillContract, read, stated_mode};
use crate::inputs::{Aliases, Declared, ManifestNames, Mode, Skill, SkillFile};
use confirm::Confirm;
use conflicts::{Budget, Graph, Reason};
use findings::Collector;
use places::Places;

/// The maximum number of comparisons between names, for suggestions. Suggestions are only a help, so beyond the limit
/// findings have no suggestion, instead of a check that takes long.
const MAX_COMPARISONS: usize = 200_000;

/// A skill to check.
#[derive(Debug)]
pub struct LintSkill {
    /// The text of its `SKILL.md`, at least up to the end of its frontmatter.
    pub source: Source,
    /// The skill with the places of its values.
    pub file: SkillFile,
    /// The capabilities of the manifest that it references.
    pub manifest: Option<ManifestNames>,
}

/// The skills of a workspace, to be checked.
#[derive(Debug)]
pub struct Lint<'l> {
    /// The skills to check.
    pub skills: &'l [LintSkill],
    /// Other skills that may provide capabilities. They are not checked.
    pub others: &'l [Skill],
    /// The tables of aliases.
    pub aliases: &'l Aliases,
    /// The mode in which contracts are read; without one, each in the mode that it states, else in best-effort.
    pub mode: Option<Mode>,
}

impl Lint<'_> {
    /// Checks the skills. Findings are ordered by skill; at most 10,000 are kept.
    ///
    /// Reports values of the frontmatter that are ignored, names and descriptions that the specification of Agent
    /// Skills forbids, mistakes in contracts, required capabilities that no other skill provides, denied capabilities
    /// that the skill requires or that a resolution of it has in conflict, and capabilities that the referenced
    /// manifest does not have.
    ///
    /// The time is linear in the texts, apart from sorting. The search for denied capabilities that are required
    /// indirectly is limited: it ends after 20,000,000 steps, and its resolutions read 200,000 skills together; the
    /// rest is counted as further findings.
    pub fn run(&self) -> LintFindings {
        let mut findings = Collector::default();
        let contracts: Vec<Option<SkillContract>> =
            self.skills.iter().enumerate().map(|(index, skill)| self.contract(index, skill, &mut findings)).collect();
        let others: Vec<Option<SkillContract>> = self.others.iter().map(|skill| self.read(skill).1).collect();
        let mut graph = Graph::default();
        for contract in contracts.iter().chain(&others) {
            graph.add(contract.as_ref(), |token| self.canonical(token));
        }
        let mut denied = graph.conflicts(&mut Budget::default());
        findings.omit(self.confirm(&contracts, &mut denied));
        let mut run = Run { lint: self, graph: &graph, comparisons: MAX_COMPARISONS, findings };
        for (index, (skill, contract)) in self.skills.iter().zip(&contracts).enumerate() {
            if let Some(contract) = contract {
                run.skill(index, skill, contract, denied.get(&index).map_or(&[], Vec::as_slice));
            }
        }
        run.findings.finish()
    }

    /// Removes the conflicts by providers that no resolution has, and returns the number of those that could not be
    /// confirmed.
    fn confirm(
        &self,
        contracts: &[Option<SkillContract>],
        denied: &mut BTreeMap<usize, Vec<(usize, Reason)>>,
    ) -> usize {
        let (mut confirm, mut unknown) = (Confirm::default(), 0);
        for (index, found) in denied {
            let (Some(skill), Some(Some(contract))) = (self.skills.get(*index), contracts.get(*index)) else {
                continue;
            };
            if found.iter().all(|(_, reason)| *reason == Reason::Itself) {
                continue;
            }
            let conflicts = confirm.conflicts(self, skill, contract);
            let has = |place: usize| {
                let token = contract.denies.get(place).map(|token| self.canonical(token));
                token.zip(conflicts.as_ref()).is_some_and(|(token, conflicts)| conflicts.contains(&token))
            };
            let before = found.len();
            found.retain(|(place, reason)| *reason == Reason::Itself || has(*place));
            unknown += if conflicts.is_none() { before - found.len() } else { 0 };
        }
        unknown
    }

    /// The text of a contract and its reading.
    fn read<'s>(&self, skill: &'s Skill) -> (&'s str, Option<SkillContract>) {
        let Declared::Text(text) = &skill.contract else { return ("", None) };
        (text, read(text, self.mode_of(text)).contract)
    }

    fn mode_of(&self, contract: &str) -> Mode {
        self.mode.or_else(|| stated_mode(contract)).unwrap_or_default()
    }

    /// A capability as it is compared between skills.
    fn canonical(&self, token: &str) -> String {
        self.aliases.canonical(&self.mode.unwrap_or_default().normalised(token)).to_owned()
    }

    /// Reports the findings about one skill alone, and returns its contract.
    fn contract(&self, index: usize, skill: &LintSkill, findings: &mut Collector) -> Option<SkillContract> {
        let LintSkill { source, file, manifest } = skill;
        findings.extend(index, file.warnings.iter().cloned());
        findings.extend(index, rules::findings(source, file).into_iter());
        if let (Some(Err(reason)), Some(span)) = (manifest, &file.spans.capabilities) {
            let finding = Diagnostic::new(codes::MANIFEST, reason).at(source, span.clone(), "");
            findings.add(
                index,
                finding.help("write the path of a `capabilities.yaml`, relative to the folder of the skill"),
            );
        }
        let Declared::Text(text) = &file.skill.contract else { return None };
        let reading = read(text, self.mode_of(text));
        if !reading.problems.is_empty() {
            let places = Places::new(source, file.spans.contract.as_ref(), text);
            let problems = reading.problems.into_iter();
            findings.extend(
                index,
                problems.map(|problem| {
                    let finding = Diagnostic::new(problem.code, problem.message).with_severity(problem.severity);
                    places.label(finding, problem.span).help(problem.help)
                }),
            );
            findings.omit(reading.further_problems);
        }
        reading.contract
    }
}

/// The checks of the second pass, which know all skills.
struct Run<'l> {
    lint: &'l Lint<'l>,
    graph: &'l Graph,
    comparisons: usize,
    findings: Collector,
}

impl Run<'_> {
    fn skill(&mut self, index: usize, skill: &LintSkill, contract: &SkillContract, denied: &[(usize, Reason)]) {
        let missing = self.missing(contract);
        let unverified = self.unverified(skill, contract);
        if missing.is_empty() && unverified.is_empty() && denied.is_empty() {
            return;
        }
        let Declared::Text(text) = &skill.file.skill.contract else { return };
        let mode = self.lint.mode_of(text);
        let places = Places::new(&skill.source, skill.file.spans.contract.as_ref(), text);
        let values = places::by_value(text, mode);
        let mut found = Vec::new();
        let mut add = |clause, token: &str, finding: Diagnostic| {
            let span = values.get(&(clause, token.to_owned())).cloned().unwrap_or(0..text.len());
            found.push((span.start, places.label(finding, span)));
        };
        for (token, near) in missing {
            let message = format!("no other skill provides {}", quoted(token));
            let help = near.map_or_else(|| MISSING_HELP.to_owned(), |near| format!("did you mean `{near}`?"));
            add("R", token, Diagnostic::new(codes::NO_PROVIDER, message).help(help));
        }
        for (token, near) in unverified {
            let message = format!("the manifest has no capability {}", quoted(token));
            let help = near.map_or_else(|| UNVERIFIED_HELP.to_owned(), |near| format!("did you mean `{near}`?"));
            add("P", token, Diagnostic::new(codes::NOT_IN_MANIFEST, message).help(help));
        }
        for (place, reason) in denied {
            let Some(token) = contract.denies.get(*place) else { continue };
            let why = match reason {
                Reason::Itself => "the skill requires it".to_owned(),
                Reason::Providers(capability) => {
                    let name = self.graph.name(*capability);
                    format!("every provider of {} requires it", quoted(name))
                }
            };
            let message = format!("{} is denied, but {why}", quoted(token));
            add("D", token, Diagnostic::new(codes::DENIED_AND_REQUIRED, message).help(DENIED_HELP));
        }
        found.sort_by_key(|(start, _)| *start);
        self.findings.extend(index, found.into_iter().map(|(_, finding)| finding));
    }

    /// The required capabilities that no other skill provides, each with a similar one that exists.
    fn missing<'c>(&mut self, contract: &'c SkillContract) -> Vec<(&'c str, Option<String>)> {
        let own: BTreeSet<String> = contract.provides.iter().map(|token| self.lint.canonical(token)).collect();
        let mut missing = Vec::new();
        for token in &contract.requires {
            let canonical = self.lint.canonical(token);
            if self.graph.providers(&canonical) == usize::from(own.contains(&canonical)) {
                let near = self.near(&canonical, self.graph.provided());
                missing.push((token.as_str(), near));
            }
        }
        missing
    }

    /// The provided capabilities that the manifest of the skill does not have, each with a similar one of the manifest.
    fn unverified<'c>(&mut self, skill: &LintSkill, contract: &'c SkillContract) -> Vec<(&'c str, Option<String>)> {
        let Some(Ok(names)) = &skill.manifest else { return Vec::new() };
        let mode = self.lint.mode.unwrap_or_default();
        let known: BTreeSet<String> = names.iter().map(|name| mode.normalised(name)).collect();
        let unknown = contract.provides.iter().filter(|token| !known.contains(&mode.normalised(token)));
        let unknown: Vec<&String> = unknown.collect();
        let suggestion = |token: &&'c String| (token.as_str(), self.near(token, names.iter().map(String::as_str)));
        unknown.iter().map(suggestion).collect()
    }

    /// The name that a token was probably meant to be, as long as comparisons are left.
    fn near<'n>(&mut self, token: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
        let mut left = self.comparisons;
        let names = names.take(left).inspect(|_| left -= 1);
        let near = nearest(token, names.filter(|name| *name != token)).map(str::to_owned);
        self.comparisons = left;
        near
    }
}

const MISSING_HELP: &str = "add a skill that provides it, or an alias in `.dci/aliases.v1.json`; `--installed` and `--mount` name further folders of skills";
const UNVERIFIED_HELP: &str = "add the capability to the manifest, or remove it from `P(...)`";
const DENIED_HELP: &str =
    "remove it from `D(...)`, or require something else: the resolution of this skill has this conflict";
