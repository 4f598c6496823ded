//! Conflicts of the new manifest with the agents that the fleet has already.

use std::path::Path;

use capgen_codegen::regenerate::Locator;
use capgen_codegen::{Language, codes as codegen, output};
use capgen_diagnostic::{Diagnostic, quoted};
use capgen_manifest::{AgentId, Fleet, find_root, listed_agents, read_source, shown};

use super::files::exists;
use crate::codes;
use crate::failure::Failure;

/// Why a manifest at a path below `agents/` would not be that of the agent in the fleet, or would make the fleet
/// invalid.
///
/// # Errors
///
/// The findings in `fleet.yaml`, and folders in `agents/` whose names are not valid ids.
pub(super) fn in_fleet(root: &Path, agent: &AgentId, path: &Path) -> Result<Option<Diagnostic>, Failure> {
    if !root.join("fleet.yaml").is_file() && !root.join("agents").is_dir() {
        return Ok(None);
    }
    Place::new(&Fleet::open(root)?, path)?.conflict(agent)
}

/// The same for the path of `--out`. There is no conflict if the path is not that of a manifest in a fleet.
///
/// # Errors
///
/// Folders in `agents/` whose names are not valid ids.
pub(super) fn with_out(agent: &AgentId, out: &Path) -> Result<Option<Diagnostic>, Failure> {
    // The folder may not exist yet, and then the system does not know the path `<folder>/..`.
    let folder = out.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    let fleet = find_root(folder).and_then(|root| Fleet::open(&root).ok());
    // A fleet around the file that cannot be read need not have anything to do with the file.
    let Some(fleet) = fleet else { return Ok(None) };
    let place = Place::new(&fleet, out)?;
    if place.owner().is_some() { place.conflict(agent) } else { Ok(None) }
}

/// The path of a new manifest in a fleet.
struct Place<'a> {
    fleet: &'a Fleet,
    path: &'a Path,
    /// The agents in `fleet.yaml` with their paths.
    listed: Vec<(AgentId, String)>,
}

impl<'a> Place<'a> {
    fn new(fleet: &'a Fleet, path: &'a Path) -> Result<Self, Failure> {
        let source = fleet.file().map(|file| read_source(&file, &shown(&file))).transpose()?;
        let listed = source.as_ref().map(listed_agents).transpose()?.unwrap_or_default();
        Ok(Self { fleet, path, listed })
    }

    fn conflict(&self, agent: &AgentId) -> Result<Option<Diagnostic>, Failure> {
        let peers = self.fleet.peers()?;
        let mut others = peers.iter().filter(|(id, _)| id != agent);
        // On many systems, the manifest of an agent whose id differs only in case is found, too.
        if let Some(finding) = others.find_map(|(id, path)| Self::collision(agent, id, path)) {
            return Ok(Some(finding));
        }
        if let Ok(present) = self.fleet.peer(agent.as_str()) {
            return Ok(Some(exists(&present)));
        }
        Ok(match self.listed.iter().find(|(id, _)| id == agent) {
            Some((_, listed)) if self.is_at(&self.fleet.root().join(listed)) => None,
            Some((_, listed)) => Some(self.elsewhere(agent, listed)),
            None => self.owner().filter(|owner| owner != agent.as_str()).map(|owner| self.of_another(agent, &owner)),
        })
    }

    /// The id for which the fleet would read the manifest at this path. `fleet.yaml` goes before the names of folders.
    fn owner(&self) -> Option<String> {
        let root = self.fleet.root();
        if let Some((id, _)) = self.listed.iter().find(|(_, listed)| self.is_at(&root.join(listed))) {
            return Some(id.to_string());
        }
        let path = std::path::absolute(self.path).ok()?;
        let name = path.parent()?.file_name()?;
        self.is_at(&root.join("agents").join(name)).then(|| name.to_string_lossy().into_owned())
    }

    /// Whether the manifest is this file, or the fleet finds it in this folder.
    fn is_at(&self, place: &Path) -> bool {
        let Some(name) = self.path.file_name().map(Path::new) else { return false };
        let locator = Locator::new(self.path.parent().unwrap_or(Path::new("")));
        let is_same = |path: &Path| locator.relative_path(path).as_deref() == Some(name);
        let is_found = ["capabilities.yaml", "capabilities.yml"].iter().any(|known| Path::new(known) == name);
        is_same(place) || (is_found && is_same(&place.join(name)))
    }

    fn elsewhere(&self, agent: &AgentId, listed: &str) -> Diagnostic {
        let file = shown(&self.fleet.root().join("fleet.yaml"));
        let message = format!("`{file}` lists the agent `{agent}` at `{}`", shown(&self.fleet.root().join(listed)));
        let finding = Diagnostic::new(codes::INIT_CONFLICT, message).in_file(file);
        finding.help("write the manifest there with `--out`, or remove the entry")
    }

    fn of_another(&self, agent: &AgentId, owner: &str) -> Diagnostic {
        let path = shown(self.path);
        let message = format!("`{path}` is the manifest of the agent {} in the fleet, not of `{agent}`", quoted(owner));
        let finding = Diagnostic::new(codes::INIT_CONFLICT, message).in_file(path);
        finding.help("choose that agent, or another file with `--out`")
    }

    /// A finding if generated files of both agents would have the same name.
    fn collision(agent: &AgentId, other: &AgentId, path: &Path) -> Option<Diagnostic> {
        let agents = [(other, ""), (agent, "")];
        let findings = output::check_agents(agents, &Language::DEFAULT);
        let finding = findings.into_iter().find(|finding| finding.code == codegen::COLLISION)?;
        let finding = Diagnostic::new(codes::INIT_CONFLICT, finding.message).in_file(shown(path));
        Some(finding.note(format!("`{}` is the manifest of `{other}`", shown(path))).help("choose another agent"))
    }
}
