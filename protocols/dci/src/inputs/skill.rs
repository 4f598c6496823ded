//! Skills.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use capgen_diagnostic::Diagnostic;
use capgen_schema::{Hash, HashBuilder};

use super::frontmatter::{self, Frontmatter, Spans};

/// Where a skill was found, in the order in which the sources are read (section "Discovery Scope").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    /// `skills/**/SKILL.md` of the workspace.
    WorkspaceLocal,
    /// A folder of skills that a runtime has installed.
    RuntimeInstalled,
    /// A folder that was mounted explicitly.
    ExternalMounts,
}

impl Source {
    /// The name in reports: `workspace-local`, `runtime-installed` or `external-mounts`.
    pub const fn name(self) -> &'static str {
        match self {
            Source::WorkspaceLocal => "workspace-local",
            Source::RuntimeInstalled => "runtime-installed",
            Source::ExternalMounts => "external-mounts",
        }
    }
}

/// The names and ids of the capabilities of a manifest, or the reason why the manifest cannot be used.
pub type ManifestNames = Result<Arc<BTreeSet<String>>, String>;

/// A text of the frontmatter that is optional.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Declared {
    /// The key is missing.
    #[default]
    Absent,
    /// The text.
    Text(String),
    /// The value is not a string.
    NotText,
}

/// A skill, as its `SKILL.md` describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skill {
    /// `name` of the frontmatter.
    pub name: String,
    /// `description` of the frontmatter.
    pub description: String,
    /// The path of its folder relative to its root, with `/` between the segments; `.` for the root itself (decision
    /// 10).
    pub path: String,
    /// The top-level `compatibility` of the frontmatter.
    pub compatibility: Declared,
    /// `metadata.contract` of the frontmatter.
    pub contract: Declared,
    /// `metadata.capabilities` of the frontmatter: the path of a capgen manifest, relative to the folder of the skill.
    pub capabilities: Declared,
    /// The source in which it was found first.
    pub source: Source,
    /// The folder of `SKILL.md`. It appears in no report.
    pub folder: PathBuf,
    /// The file that was read: `SKILL.md` in that folder, or the target of a link in its place (decision 44). It
    /// appears in no report.
    pub file: PathBuf,
    /// The folder that the skill must not refer out of: the workspace, or a folder of skills outside of it. It appears
    /// in no report.
    pub boundary: PathBuf,
}

/// A skill with the places of its values in `SKILL.md`.
#[derive(Clone, Debug)]
pub struct SkillFile {
    /// The skill.
    pub skill: Skill,
    /// Where its values are.
    pub spans: Spans,
    /// Values that were ignored.
    pub warnings: Vec<Diagnostic>,
}

impl Skill {
    /// Reads a `SKILL.md`, of which only the frontmatter matters. `path` is that of its folder relative to its root,
    /// `place` the source in which it was found, and `folder` its folder.
    ///
    /// # Errors
    ///
    /// All findings: no frontmatter at the start, more than 32 MiB of it, YAML that the reader of manifests rejects,
    /// and a `name` or `description` that is not a non-empty string (decision 10).
    pub fn read(
        source: &capgen_diagnostic::Source,
        path: String,
        place: Source,
        folder: PathBuf,
    ) -> Result<SkillFile, Vec<Diagnostic>> {
        let found = frontmatter::read(source).map_err(|invalid| invalid.findings)?;
        let (spans, warnings) = (found.spans.clone(), found.warnings.clone());
        let depth = if path == "." { 0 } else { path.split('/').count() };
        let boundary = folder.ancestors().nth(depth).unwrap_or(&folder).to_owned();
        let skill = Skill { boundary, ..Skill::from_frontmatter(found, path, place, folder) };
        Ok(SkillFile { skill, spans, warnings })
    }

    pub(crate) fn from_frontmatter(found: Frontmatter, path: String, place: Source, folder: PathBuf) -> Self {
        Skill {
            name: found.name,
            description: found.description,
            path,
            compatibility: found.compatibility,
            contract: found.contract,
            capabilities: found.capabilities,
            source: place,
            file: folder.join("SKILL.md"),
            folder,
            boundary: PathBuf::new(),
        }
    }

    /// SHA-256 of everything in the skill that can influence a report: all of it, except its places in the file system.
    pub(crate) fn metadata_hash(&self) -> Hash {
        let mut hash = HashBuilder::new();
        for text in [&self.name, &self.description, &self.path] {
            hash.add_framed(text);
        }
        for declared in [&self.compatibility, &self.contract, &self.capabilities] {
            match declared {
                Declared::Absent => hash.add_framed("absent"),
                Declared::NotText => hash.add_framed("not-text"),
                Declared::Text(text) => {
                    hash.add_framed("text");
                    hash.add_framed(text);
                }
            }
        }
        hash.add_framed(self.source.name());
        hash.finish()
    }

    /// The canonical id, `skill-name::skill-path`.
    pub fn id(&self) -> String {
        format!("{}::{}", self.name, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_except_the_folder_changes_the_hash() {
        let text = |text: &str| Declared::Text(text.to_owned());
        let skill = Skill {
            name: "a".to_owned(),
            description: "b".to_owned(),
            path: "c".to_owned(),
            compatibility: Declared::Absent,
            contract: text("d"),
            capabilities: Declared::Absent,
            source: Source::WorkspaceLocal,
            folder: PathBuf::from("e"),
            file: PathBuf::from("e/SKILL.md"),
            boundary: PathBuf::new(),
        };
        let changes: [fn(&mut Skill); 9] = [
            |skill| skill.name = "x".to_owned(),
            |skill| skill.description = "x".to_owned(),
            |skill| (skill.name, skill.description) = ("ab".to_owned(), String::new()),
            |skill| skill.path = "x".to_owned(),
            |skill| skill.compatibility = Declared::NotText,
            |skill| (skill.contract, skill.capabilities) = (Declared::Absent, Declared::Text("d".to_owned())),
            |skill| skill.contract = Declared::Text("x".to_owned()),
            |skill| skill.capabilities = Declared::Text("absent".to_owned()),
            |skill| skill.source = Source::ExternalMounts,
        ];
        let mut hashes = vec![skill.metadata_hash()];
        for change in changes {
            let mut other = skill.clone();
            change(&mut other);
            hashes.push(other.metadata_hash());
        }
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 10);
        let moved = Skill { folder: PathBuf::from("x"), file: PathBuf::from("x/y"), ..skill.clone() };
        assert_eq!(moved.metadata_hash(), skill.metadata_hash());
    }
}
