//! A workspace with everything that a run decides from, in one call.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use capgen_diagnostic::{Diagnostic, Severity, Source as Text};

use super::{AliasFiles, Discovery, Manifests, Roots, discover, discover_cached, read_probes, read_reliability};
use crate::choose::{Consumer, Corpus, Inputs, Ranked, Resolution, ResolveError, Verified, resolve};
use crate::inputs::contract::{ContractProblem, read, stated_mode};
use crate::inputs::{
    Aliases, Declared, Host, Mode, Overrides, ProbeRunner, Probes, Profile, Rejection, Reliability, Skill, Source,
};
use crate::{Warning, codes};

/// The places of the files of a run, and how they are read. The default is the folder in which the program runs,
/// without a cache.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WorkspaceOptions {
    /// The workspace, other folders of skills, and the consumer.
    pub roots: Roots,
    /// The mode of the run. Without it, the contract of the consumer states it, or else it is the default.
    pub mode: Option<Mode>,
    /// The table of aliases of the caller.
    pub aliases: Option<PathBuf>,
    /// Whether the table of aliases of the workspace is read in strict mode, too.
    pub trusts_workspace_aliases: bool,
    /// Whether a skill with a manifest counts only with the capabilities that the manifest names.
    pub only_verified: bool,
    /// The file of a cache, and the number of skills from which on it is written; see [`discover_cached`].
    pub cache: Option<(PathBuf, usize)>,
}

/// Everything that runs in a workspace decide from.
///
/// ```
/// use capgen_dci::files::{Roots, Workspace, WorkspaceOptions};
/// # let folder = tempfile::tempdir()?;
/// # std::fs::create_dir_all(folder.path().join("skills/a"))?;
/// # let text = "---\nname: a\ndescription: Reads PDF.\nmetadata:\n  contract: DCI/1 P(read-pdf)\n---\n";
/// # std::fs::write(folder.path().join("skills/a/SKILL.md"), text)?;
/// let roots = Roots { workspace: folder.path().to_owned(), ..Roots::default() };
/// let options = WorkspaceOptions { roots, ..WorkspaceOptions::default() };
/// let workspace = Workspace::load(&options).map_err(|findings| format!("{findings:?}"))?;
/// let inputs = workspace.inputs(&["read-pdf"]);
/// let resolution = workspace.resolve(&inputs, None).map_err(|error| format!("{error:?}"))?;
/// assert_eq!(resolution.selection.providers().count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[non_exhaustive]
pub struct Workspace {
    /// The candidates, as the mode of the run reads them.
    pub corpus: Corpus,
    /// The sources that were read.
    pub sources: Vec<Source>,
    /// The skills that are no candidates.
    pub rejections: Vec<Rejection>,
    /// Warnings about files and skills.
    pub warnings: Vec<Warning>,
    /// The skill that requires something.
    pub consumer: Option<Consumer>,
    /// The aliases that apply in the mode.
    pub aliases: Aliases,
    /// The outcomes of earlier uses of the skills.
    pub reliability: Reliability,
    /// The probes of the workspace. They run only if the caller passes a runner.
    pub probes: Probes,
}

impl Workspace {
    /// Finds the skills, and reads the consumer, the aliases, the probes and the history. Everything else is a function
    /// of the result.
    ///
    /// # Errors
    ///
    /// Those of [`discover`], of [`AliasFiles::load`] and of [`read_probes`], and an unreadable contract of the
    /// consumer in strict mode.
    pub fn load(options: &WorkspaceOptions) -> Result<Self, Vec<Diagnostic>> {
        let discovery = match &options.cache {
            Some((file, least_skills)) => discover_cached(&options.roots, file, *least_skills)?,
            None => discover(&options.roots)?,
        };
        let Discovery { skills, consumer, rejections, sources, mut warnings } = discovery;
        let mode = options.mode.or_else(|| consumer.as_ref().and_then(mode_of)).unwrap_or_default();
        let consumer = consumer.map(|skill| read_consumer(&skill, mode, &mut warnings)).transpose()?;
        let files = AliasFiles {
            workspace: options.roots.workspace.clone(),
            file: options.aliases.clone(),
            trusts_workspace: options.trusts_workspace_aliases,
        };
        let (aliases, alias_warnings) = files.load(mode)?;
        let probes = read_probes(&options.roots.workspace)?;
        let (reliability, history_warnings) = read_reliability(&options.roots.workspace);
        warnings.extend(alias_warnings.into_iter().chain(history_warnings));
        let corpus = Corpus::new(skills, mode);
        let corpus = if options.only_verified { only_verified(corpus, &mut warnings) } else { corpus };
        Ok(Self { corpus, sources, rejections, warnings, consumer, aliases, reliability, probes })
    }

    /// The inputs of a run that requires these capabilities, in any notation of the mode. Without any, those of the
    /// consumer apply. The query, the host, the policy and the profile have their defaults.
    pub fn inputs<T: AsRef<str>>(&self, required: &[T]) -> Inputs<'_> {
        let mut normalised = Vec::new();
        for text in required {
            let text = self.corpus.mode().normalised(text.as_ref());
            if !normalised.contains(&text) {
                normalised.push(text);
            }
        }
        Inputs {
            required: normalised,
            query: None,
            consumer: self.consumer.clone(),
            host: Host::default(),
            overrides: Overrides::default(),
            profile: Profile::default(),
            aliases: &self.aliases,
            reliability: &self.reliability,
            probes: &self.probes,
        }
    }

    /// Chooses providers. Probes run only with a runner, such as [`Programs`](super::Programs), whose warnings the
    /// caller adds.
    ///
    /// # Errors
    ///
    /// Those of [`resolve`].
    pub fn resolve(
        &self,
        inputs: &Inputs<'_>,
        runner: Option<&mut dyn ProbeRunner>,
    ) -> Result<Resolution, ResolveError> {
        resolve(&self.corpus, inputs, runner)
    }

    /// The selected candidates with manifests, by their ids, each with the capabilities that its manifest names.
    pub fn verified(&self, resolution: &Resolution) -> BTreeMap<Arc<str>, Verified> {
        let mut manifests = Manifests::default();
        let verified = |one: &Ranked| {
            let candidate = self.corpus.candidate(&one.scored.id)?;
            let names = manifests.names(&candidate.skill)?.ok()?;
            Some((Arc::clone(&one.scored.id), Verified::new(candidate, &names, self.corpus.mode())))
        };
        resolution.selection.providers().filter_map(verified).collect()
    }
}

/// The corpus with verified capabilities only. A manifest that cannot be read names nothing.
fn only_verified(corpus: Corpus, warnings: &mut Vec<Warning>) -> Corpus {
    let mut manifests = Manifests::default();
    corpus.only_verified(|skill| match manifests.names(skill)? {
        Ok(names) => Some(names),
        Err(message) => {
            warnings.push(Warning { code: codes::MANIFEST, subject: skill.id(), message });
            None
        }
    })
}

/// The mode that the contract of a consumer states.
fn mode_of(consumer: &Skill) -> Option<Mode> {
    match &consumer.contract {
        Declared::Text(text) => stated_mode(text),
        Declared::Absent | Declared::NotText => None,
    }
}

/// The consumer. Its contract must be readable in strict; in best-effort, an unreadable one counts as absent (decision
/// 28).
fn read_consumer(skill: &Skill, mode: Mode, warnings: &mut Vec<Warning>) -> Result<Consumer, Vec<Diagnostic>> {
    let (contract, problems) = match &skill.contract {
        Declared::Absent => (None, Vec::new()),
        Declared::NotText => (None, vec![not_text(skill)]),
        Declared::Text(text) => {
            let reading = read(text, mode);
            let source = Text::new(format!("<contract of {}>", skill.name), text);
            let errors =
                reading.problems.iter().filter(|problem: &&ContractProblem| problem.severity == Severity::Error);
            let errors = errors.map(|problem| problem.finding(&source)).collect();
            (reading.contract, errors)
        }
    };
    if contract.is_none() && !problems.is_empty() {
        if mode == Mode::Strict {
            return Err(problems);
        }
        let message = "the contract of the consumer is unreadable and counts as absent".to_owned();
        warnings.push(Warning { code: codes::UNREADABLE_CONSUMER, subject: skill.id(), message });
    }
    Ok(Consumer { id: skill.id(), contract })
}

fn not_text(skill: &Skill) -> Diagnostic {
    Diagnostic::new(codes::NOT_TEXT, "`metadata.contract` is not a string")
        .with_severity(Severity::Error)
        .in_file(skill.id())
}
