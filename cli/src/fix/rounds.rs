//! The edits of one text: applied until there are no more, and only if the result has no new errors.

use std::collections::HashMap;

use capgen_diagnostic::{Diagnostic, Severity, Source, fix::apply};

/// An edit can make another one possible, such as one below a key that was misspelt. Schemas nest at most 64 levels
/// deep, and each round corrects all places that are known.
const MAX_ROUNDS: usize = 64;

/// If all edits together give new errors, at most this many findings are tried one by one, each of which costs a check.
const MAX_SINGLE: usize = 100;

/// The findings of a text.
pub(super) struct Found {
    findings: Vec<Diagnostic>,
    is_loaded: bool,
}

impl Found {
    /// The warnings of a text that loads, or all findings of another one.
    pub(super) fn new(read: Result<Vec<Diagnostic>, Vec<Diagnostic>>) -> Self {
        let is_loaded = read.is_ok();
        Self { findings: read.unwrap_or_else(|findings| findings), is_loaded }
    }

    /// Whether the text is not valid YAML or JSON, so that its values are not known.
    fn is_unread(&self) -> bool {
        self.findings.iter().any(|finding| finding.code.as_str().starts_with("E00"))
    }

    /// The errors, each by its code and message: its place changes as other places are edited.
    fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.findings.iter().filter(|finding| finding.severity() == Severity::Error)
    }
}

/// The text with the edits of allowed findings, and the number of findings that they fix; `None` without a change.
pub(super) fn fix(
    source: &Source,
    find: &impl Fn(&Source) -> Found,
    allowed: impl Fn(&Diagnostic) -> bool,
) -> Option<(Source, usize)> {
    let before = find(source);
    let together = rounds(source, find, &allowed)?;
    if is_better(&before, &find(&together.0), &together.2) {
        return Some((together.0, together.1));
    }
    one_by_one(source, before, find, &allowed)
}

/// A text, the number of fixed findings, and the pointers of renamed keys.
type Round = (Source, usize, Vec<String>);

/// Applies edits until there are no more.
fn rounds(source: &Source, find: &impl Fn(&Source) -> Found, allowed: &impl Fn(&Diagnostic) -> bool) -> Option<Round> {
    let mut state: Round = (source.clone(), 0, Vec::new());
    for _ in 0..MAX_ROUNDS {
        let found = find(&state.0);
        let fixed = apply(&state.0, &found.findings, allowed);
        if fixed.text == state.0.text() {
            break;
        }
        state.1 += fixed.applied.len();
        state.2.extend(fixed.applied.iter().filter_map(|index| found.findings.get(*index)).filter_map(renamed));
        state.0 = Source::new(source.path(), fixed.text);
    }
    (state.1 > 0).then_some(state)
}

/// Applies the edits of one finding after the other, each only if its result has no new errors.
fn one_by_one(
    source: &Source,
    mut before: Found,
    find: &impl Fn(&Source) -> Found,
    allowed: &impl Fn(&Diagnostic) -> bool,
) -> Option<(Source, usize)> {
    let (mut text, mut fixed, mut index) = (source.clone(), 0, 0);
    for _ in 0..MAX_SINGLE {
        let Some(at) = (index..before.findings.len()).find(|at| {
            before.findings.get(*at).is_some_and(|finding| !finding.suggestions.is_empty() && allowed(finding))
        }) else {
            break;
        };
        let finding = before.findings.get(at)?;
        let result = apply(&text, std::slice::from_ref(finding), |_| true);
        let next = Source::new(source.path(), result.text);
        let after = find(&next);
        let renamed: Vec<String> = renamed(finding).into_iter().collect();
        if !result.applied.is_empty() && next.text() != text.text() && is_better(&before, &after, &renamed) {
            // The findings before this one are the same as before, unless the text could not be read.
            index = if before.is_unread() { 0 } else { at };
            (text, before, fixed) = (next, after, fixed + 1);
        } else {
            index = at + 1;
        }
    }
    (fixed > 0).then_some((text, fixed))
}

/// The pointer of the key that the edit of a finding writes. Errors below it are not new: a key with a wrong name hides
/// its value from the checks.
fn renamed(finding: &Diagnostic) -> Option<String> {
    let pointer = finding.pointer.as_ref()?;
    let (parent, old) = pointer.rsplit_once('/')?;
    let edit = finding.suggestions.first()?;
    let text = edit.source.text().get(edit.span.clone())?;
    let unquoted = |text: &str| text.trim_matches(['"', '\'']).to_owned();
    (unquoted(text) == old).then(|| format!("{parent}/{}", unquoted(&edit.replacement)))
}

/// Whether a text after edits is valid YAML or JSON and has no error that it did not have before.
fn is_better(before: &Found, after: &Found, renamed: &[String]) -> bool {
    if before.is_unread() {
        // Errors about values could not be found before.
        let errors = |found: &Found| found.errors().count();
        return !after.is_unread() || errors(after) < errors(before);
    }
    // An error about the meaning of a schema is found only if all schemas load.
    if after.is_unread() || (after.is_loaded && !before.is_loaded) {
        return !after.is_unread();
    }
    let mut known: HashMap<(&str, &str), usize> = HashMap::new();
    for error in before.errors() {
        *known.entry((error.code.as_str(), &error.message)).or_default() += 1;
    }
    after.errors().all(|error| {
        let count = known.entry((error.code.as_str(), &error.message)).or_default();
        let is_known = *count > 0;
        *count = count.saturating_sub(1);
        let below = |parent: &String| {
            let rest = error.pointer.as_ref().and_then(|pointer| pointer.strip_prefix(parent.as_str()));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        is_known || renamed.iter().any(below)
    })
}
