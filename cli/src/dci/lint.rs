//! `capgen dci lint`: mistakes in the skills of a workspace.

use std::collections::BTreeSet;
use std::path::Path;

use capgen_dci::files::{
    AliasFiles, Discovery, Manifests, Roots, discover, misnamed_skills, read_probes, read_skill_text,
};
use capgen_dci::{Aliases, Lint, LintFindings, LintSkill, Skill, SkillFile, Source as Place, Warning, codes};
use capgen_diagnostic::{Diagnostic, Severity, Source, quoted};

use super::arguments;
use crate::arguments::Format;
use crate::check::report;
use crate::console::{Console, count};
use crate::failure::{Failure, RunResult, Verdict};

pub(super) fn run(arguments: &arguments::Lint, console: &Console) -> RunResult {
    let workspace = &arguments.workspace;
    let Discovery { skills, rejections, warnings, .. } =
        discover(&Roots { workspace: workspace.clone(), ..Roots::default() })?;
    let others = others(arguments)?;
    let mut findings = Vec::new();
    let aliases = documents(arguments, &mut findings);
    let rejected = |reason: &str| -> BTreeSet<&str> {
        let rejections = rejections.iter().filter(|rejection| rejection.reason == reason);
        rejections.map(|rejection| rejection.path.as_str()).collect()
    };
    findings.extend(unreadable(&rejected("unreadable"), warnings));
    findings.extend(rejected("link-outside-root").into_iter().map(link));
    findings.extend(misnamed_skills(workspace));
    for path in rejected("unparseable") {
        // A link in place of the file was examined by the discovery.
        let file = workspace.join(path).join("SKILL.md");
        let file = file.canonicalize().unwrap_or(file);
        findings.extend(read(workspace, &file, path).err().into_iter().flatten());
    }
    let mut manifests = Manifests::default();
    let mut checked = Vec::with_capacity(skills.len());
    for skill in &skills {
        match read(workspace, &skill.file, &skill.path) {
            Ok((source, file)) => checked.push(LintSkill { source, manifest: manifests.names(skill), file }),
            Err(found) => findings.extend(found),
        }
    }
    let lint = Lint { skills: &checked, others: &others, aliases: &aliases, mode: arguments.mode };
    let LintFindings { findings: found, further } = lint.run();
    findings.extend(found);
    report(&findings, arguments.format, console)?;
    let of = |severity| findings.iter().filter(|finding| finding.severity() == severity).count();
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    if further > 0 {
        console.line(&format!("{} not shown", count(further, "further finding", "further findings")));
    }
    if arguments.format == Format::Human {
        let skills = count(skills.len() + rejections.len(), "skill", "skills");
        let (errors, warnings) = (count(errors, "error", "errors"), count(warnings, "warning", "warnings"));
        let summary = format!("checked {skills}: {errors}, {warnings}");
        if findings.is_empty() { console.tick(&summary) } else { console.line(&summary) }
    }
    let failed = errors > 0 || (arguments.strict && !findings.is_empty());
    Ok(if failed { Verdict::Findings } else { Verdict::Fine })
}

/// The text of a skill of the workspace, and the skill.
fn read(workspace: &Path, file: &Path, path: &str) -> Result<(Source, SkillFile), Vec<Diagnostic>> {
    let shown = capgen_manifest::shown(&workspace.join(path).join("SKILL.md"));
    let source = read_skill_text(file, &shown)?;
    let folder = file.parent().unwrap_or(workspace).to_owned();
    let file = Skill::read(&source, path.to_owned(), Place::WorkspaceLocal, folder)?;
    Ok((source, file))
}

/// The skills outside the workspace, which may provide capabilities.
fn others(arguments: &arguments::Lint) -> Result<Vec<Skill>, Failure> {
    if arguments.installed.is_empty() && arguments.mount.is_empty() {
        return Ok(Vec::new());
    }
    let (workspace, installed, mounts) =
        (arguments.workspace.clone(), arguments.installed.clone(), arguments.mount.clone());
    let all = discover(&Roots { workspace, installed, mounts, ..Roots::default() })?.skills;
    Ok(all.into_iter().filter(|skill| skill.source != Place::WorkspaceLocal).collect())
}

/// The skills whose `SKILL.md` cannot be read.
fn unreadable<'f>(paths: &'f BTreeSet<&str>, warnings: Vec<Warning>) -> impl Iterator<Item = Diagnostic> + 'f {
    let warnings = warnings.into_iter();
    let warnings =
        warnings.filter(|warning| warning.code == codes::EXCLUDED && paths.contains(warning.subject.as_str()));
    warnings.map(|Warning { code, subject, message }| {
        Diagnostic::new(code, format!("`{subject}`: {message}")).with_severity(Severity::Error)
    })
}

/// The finding about a link that leaves the workspace.
fn link(path: &str) -> Diagnostic {
    let message =
        format!("{}: a link that leaves the workspace is not followed, so that its skills are excluded", quoted(path));
    Diagnostic::new(codes::EXCLUDED, message)
        .help("copy the skills into the workspace, or pass their folder with --mount")
}

/// The tables of aliases. The findings of the documents in `.dci` are added to the others.
fn documents(arguments: &arguments::Lint, findings: &mut Vec<Diagnostic>) -> Aliases {
    let (workspace, file) = (arguments.workspace.clone(), arguments.aliases.clone());
    let files = AliasFiles { workspace, file, trusts_workspace: true };
    findings.extend(read_probes(&arguments.workspace).err().into_iter().flatten());
    match files.load(arguments.mode.unwrap_or_default()) {
        Ok((aliases, warnings)) => {
            let warning = |Warning { code, subject, message }| Diagnostic::new(code, message).in_file(subject);
            findings.extend(warnings.into_iter().map(warning));
            aliases
        }
        Err(found) => {
            findings.extend(found);
            Aliases::default()
        }
    }
}
