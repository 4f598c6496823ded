//! Runtime and model compatibility (decision 12).

use std::collections::BTreeSet;

use capgen_diagnostic::quoted;

use super::corpus::Candidate;
use crate::inputs::{Declared, Host, Mode};
use crate::{Warning, codes};

/// The runtimes that `compatibility` may name besides the runtime of the host.
const KNOWN_RUNTIMES: [&str; 11] = [
    "claude-code",
    "cli",
    "codex",
    "copilot",
    "cursor",
    "gemini-cli",
    "goose",
    "opencode",
    "vscode",
    "windsurf",
    "zed",
];

/// Whether a candidate is compatible with the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Compatibility {
    pub(crate) runtime: bool,
    pub(crate) model: bool,
}

/// The unknown runtimes of all candidates. Most published skills have prose in `compatibility`, so that a warning for
/// each would hide every other one.
#[derive(Default)]
struct Unknown {
    /// The number of candidates that name some.
    candidates: usize,
    /// The number of unknown runtimes of the first of them.
    words: usize,
    /// The first of them, and its first unknown runtime.
    first: Option<(String, String)>,
}

impl Unknown {
    fn warning(self) -> Option<Warning> {
        let (subject, word) = self.first?;
        let word = quoted(&word);
        let message = match (self.candidates, self.words) {
            (1, 1) => format!("`compatibility` names the unknown runtime {word}, which is ignored"),
            (1, words) => format!("`compatibility` names {words} unknown runtimes, such as {word}, which are ignored"),
            (candidates, _) => {
                format!(
                    "`compatibility` of {candidates} skills names unknown runtimes, such as {word}, which are ignored"
                )
            }
        };
        Some(Warning { code: codes::UNKNOWN_RUNTIME, subject, message })
    }
}

/// Compares the declarations of all candidates with the host.
pub(crate) fn compatibilities(
    candidates: &[Candidate],
    host: &Host,
    mode: Mode,
    warnings: &mut Vec<Warning>,
) -> Vec<Compatibility> {
    let mut unknown = Unknown::default();
    let compatibilities = candidates.iter().map(|one| compatibility(one, host, mode, warnings, &mut unknown)).collect();
    warnings.extend(unknown.warning());
    compatibilities
}

fn compatibility(
    candidate: &Candidate,
    host: &Host,
    mode: Mode,
    warnings: &mut Vec<Warning>,
    unknown: &mut Unknown,
) -> Compatibility {
    let structured = candidate.contract().map(|contract| contract.runtime.as_slice()).filter(|list| !list.is_empty());
    let prose = prose(candidate, host, mode, unknown);
    if let (Some(structured), Some(prose)) = (structured, &prose)
        && admissible(structured.iter().map(String::as_str)) != admissible(prose.iter().map(String::as_str))
    {
        let message = "`Rt(...)` and `compatibility` name different runtimes; `Rt(...)` applies".to_owned();
        warnings.push(Warning { code: codes::RUNTIME_MISMATCH, subject: candidate.id.to_string(), message });
    }
    let runtime = mode.normalised(&host.runtime);
    let accepts = |list: &[String]| list.iter().any(|known| is_any(known) || *known == runtime);
    let models = candidate.contract().map_or(&[][..], |contract| &contract.model);
    Compatibility {
        runtime: structured.or(prose.as_deref()).is_none_or(accepts),
        model: models.is_empty() || models.iter().any(|pattern| accepts_model(pattern, host, mode)),
    }
}

fn is_any(name: &str) -> bool {
    name == "*" || name == "all"
}

/// The set of runtimes that a list admits; `None` is every runtime.
fn admissible<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Option<BTreeSet<&'n str>> {
    if names.clone().any(is_any) { None } else { Some(names.collect()) }
}

/// The known runtimes that `compatibility` names; `None` if there are none.
fn prose(candidate: &Candidate, host: &Host, mode: Mode, found: &mut Unknown) -> Option<Vec<String>> {
    let Declared::Text(text) = &candidate.skill.compatibility else { return None };
    let words = text.split(',').map(|word| mode.normalised(word.trim())).filter(|word| !word.is_empty());
    let host = mode.normalised(&host.runtime);
    let is_known = |word: &String| is_any(word) || *word == host || KNOWN_RUNTIMES.contains(&word.as_str());
    let (known, unknown): (Vec<String>, Vec<String>) = words.partition(is_known);
    if let Some(word) = unknown.first() {
        found.candidates += 1;
        if found.first.is_none() {
            (found.first, found.words) = (Some((candidate.id.to_string(), word.clone())), unknown.len());
        }
    }
    Some(known).filter(|known| !known.is_empty())
}

fn accepts_model(pattern: &str, host: &Host, mode: Mode) -> bool {
    if is_any(pattern) {
        return true;
    }
    let Some(model) = &host.model else { return false };
    let model = mode.normalised(model);
    match pattern.strip_suffix('*') {
        Some(prefix) => model.starts_with(prefix),
        None => model == pattern,
    }
}
