//! The finding about sources without any skill: where skills were searched, and where there are some (decision 44).

use std::fs;
use std::path::Path;

use capgen_diagnostic::{Diagnostic, quoted};

use super::discover::{Roots, SKILLS};
use super::skill_file::SKILL_FILE;
use crate::codes;
use crate::inputs::Rejection;

/// The most entries of folders that are examined: the finding is a hint, and must not take longer than the search
/// itself.
const MAX_ENTRIES: usize = 20_000;
/// The deepest folder below one of the usual places. Skills are in its subfolders, or in groups of these.
const MAX_DEPTH: usize = 3;
/// The most folders and files that the finding names. They fit on a line or two, and one of them is enough to find the
/// mistake.
const MAX_NAMED: usize = 5;
/// The usual places of skills that a workspace has besides `skills`.
const USUAL: [&str; 2] = [".claude/skills", ".agents/skills"];
/// The folder whose subfolders may have skills.
const PLUGINS: &str = "plugins";

/// The finding about these roots. `excluded` lists the links that were not followed, and the folders that cannot be
/// read.
pub(super) fn finding(roots: &Roots, excluded: &[Rejection]) -> Diagnostic {
    let shown = |path: &Path| quoted(&capgen_manifest::shown(path));
    let mut searched = vec![quoted(&capgen_manifest::shown(&roots.workspace.join(SKILLS)))];
    let others: Vec<&Path> = roots.installed.iter().chain(&roots.mounts).map(AsRef::as_ref).collect();
    searched.extend(others.iter().map(|folder| shown(folder)));
    let mut finding = Diagnostic::new(codes::NO_SKILLS, format!("no `{SKILL_FILE}` was found"));
    finding = finding.note(format!("searched: {}", first(&searched)));
    if !excluded.is_empty() {
        let listed: Vec<String> = excluded.iter().map(|one| format!("{} ({})", quoted(&one.id), one.reason)).collect();
        finding = finding.note(format!("excluded: {}", first(&listed)));
    }
    let mut search = Search { entries: MAX_ENTRIES, misnamed: Vec::new() };
    search.count(&roots.workspace.join(SKILLS), 0);
    others.iter().for_each(|folder| {
        search.count(folder, 0);
    });
    let mut help = "pass a workspace with `skills/`, or a folder of skills with --installed or --mount".to_owned();
    let places: Vec<(String, usize)> = usual(&roots.workspace)
        .into_iter()
        .filter_map(|place| {
            let depth = if place == "." { MAX_DEPTH - 1 } else { 0 };
            let skills = search.count(&roots.workspace.join(&place), depth);
            (skills > 0).then_some((place, skills))
        })
        .collect();
    if let Some((place, _)) = places.first() {
        let listed: Vec<String> =
            places.iter().map(|(place, skills)| format!("{} ({skills})", quoted(place))).collect();
        finding = finding.note(format!("skills exist in: {}", first(&listed)));
        let place = shown(&roots.workspace.join(place));
        let parent = match place.strip_suffix("/skills`") {
            Some(parent) => format!(", or {parent}` as the workspace"),
            None => String::new(),
        };
        help = format!("pass --installed {place}{parent}");
    } else if !search.misnamed.is_empty() {
        help = format!("rename the files to `{SKILL_FILE}`, in upper case");
    }
    if !search.misnamed.is_empty() {
        finding = finding.note(format!("these names are not `{SKILL_FILE}`: {}", first(&search.misnamed)));
    }
    finding.help(help)
}

/// The warnings about files in the folder of skills that are named like `SKILL.md`, apart from their case: they are no
/// skills. Only names are read, of at most 20,000 entries.
pub fn misnamed_skills(workspace: &Path) -> Vec<Diagnostic> {
    let mut search = Search { entries: MAX_ENTRIES, misnamed: Vec::new() };
    search.count(&workspace.join(SKILLS), 0);
    let warning = |path: &String| {
        let message = format!("{path} is not named `{SKILL_FILE}`, so it is not read");
        Diagnostic::new(codes::NAME_OF_FILE, message).help(format!("rename the file to `{SKILL_FILE}`"))
    };
    search.misnamed.iter().map(warning).collect()
}

/// The first of some texts, and how many more there are.
fn first(texts: &[String]) -> String {
    let listed = texts.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
    match texts.len().saturating_sub(MAX_NAMED) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

/// The places in which a workspace may have skills, in order: also those of plugins, and the workspace itself, if a
/// caller names the folder of the skills instead.
fn usual(workspace: &Path) -> Vec<String> {
    let mut places: Vec<String> = USUAL.map(str::to_owned).into();
    let plugins = fs::read_dir(workspace.join(PLUGINS)).into_iter().flatten().take(MAX_ENTRIES);
    let mut names: Vec<String> = plugins.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort_unstable();
    places.extend(names.into_iter().map(|name| format!("{PLUGINS}/{name}/{SKILLS}")));
    places.push(".".to_owned());
    places
}

struct Search {
    /// The number of entries that may still be examined.
    entries: usize,
    /// The paths of files that are named like `SKILL.md`, apart from their case.
    misnamed: Vec<String>,
}

impl Search {
    /// The number of skills in a folder and its subfolders. Only names are read.
    fn count(&mut self, folder: &Path, depth: usize) -> usize {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Some(left) = self.entries.checked_sub(1) else { break };
            self.entries = left;
            names.push(entry.file_name());
        }
        names.sort_unstable();
        let mut skills = 0;
        for name in names {
            let path = folder.join(&name);
            if path.is_dir() {
                if depth < MAX_DEPTH {
                    skills += self.count(&path, depth + 1);
                }
            } else if name == SKILL_FILE {
                skills += 1;
            } else if name.eq_ignore_ascii_case(SKILL_FILE) {
                let path = quoted(&capgen_manifest::shown(&path));
                if !self.misnamed.contains(&path) {
                    self.misnamed.push(path);
                }
            }
        }
        skills
    }
}
