//! Skills.

use std::path::PathBuf;

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

/// A text of the frontmatter that is optional.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Declared {
    /// There is none.
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
    /// The path of its folder relative to its root, with `/` between the segments; `.` for the root itself (decision 10).
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
}

impl Skill {
    /// The canonical id, `skill-name::skill-path`.
    pub fn id(&self) -> String {
        format!("{}::{}", self.name, self.path)
    }
}
