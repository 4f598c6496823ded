//! The agents of a fleet in a revision, found in the same way as [`capgen_manifest::Fleet`] finds them in a folder.

use std::collections::BTreeSet;
use std::path::Path;

use capgen_diagnostic::Diagnostic;
use capgen_manifest::{AgentId, decode, listed_agents};

use super::git::Revision;

/// The agents of a fleet in a revision.
pub(super) struct OldFleet {
    /// The root of the fleet, relative to the root of the repository: empty, or with `/` at its end.
    prefix: String,
    /// The agents of `fleet.yaml` with their paths.
    listed: Vec<(AgentId, String)>,
    /// The names of the folders in `agents/`.
    folders: Vec<String>,
}

type Result<T> = std::result::Result<T, Vec<Diagnostic>>;

impl OldFleet {
    /// Reads the `fleet.yaml` and lists the folder `agents` of the fleet whose root is now `root`.
    pub(super) fn open(revision: &mut Revision, root: &Path) -> Result<Self> {
        let file = revision.relative(&root.join("fleet.yaml"))?;
        let prefix = file.strip_suffix("fleet.yaml").unwrap_or_default().to_owned();
        let listed = match revision.read(&file)? {
            Some(content) => listed_agents(&decode(revision.shown(&file), content)?)?,
            None => Vec::new(),
        };
        let folders = revision.names(&format!("{prefix}agents"))?;
        Ok(Self { prefix, listed, folders })
    }

    /// The manifest of each agent that `needs` selects: its id, its path and its content.
    pub(super) fn contracts(
        &self,
        revision: &mut Revision,
        needs: impl Fn(&AgentId) -> bool,
    ) -> Result<Vec<(AgentId, String, Vec<u8>)>> {
        let mut found: Vec<(AgentId, String, Vec<u8>)> = Vec::new();
        // Manifests of listed agents do not count as those of the folders that they are in.
        let mut claimed = BTreeSet::new();
        for (id, path) in &self.listed {
            let Some(path) = joined(&self.prefix, path) else { continue };
            if let Some((path, content)) = manifest(revision, &path)? {
                claimed.insert(path.clone());
                found.extend(needs(id).then(|| (id.clone(), path, content)));
            }
        }
        for name in &self.folders {
            let Some(id) = AgentId::new(name).filter(|id| needs(id)) else { continue };
            if self.listed.iter().any(|(listed, _)| *listed == id) {
                continue;
            }
            let path = format!("{}agents/{name}", self.prefix);
            if let Some((path, content)) = manifest(revision, &path)?
                && !claimed.contains(&path)
            {
                found.push((id, path, content));
            }
        }
        Ok(found)
    }
}

/// The manifest at a path, or in the folder at the path.
fn manifest(revision: &mut Revision, path: &str) -> Result<Option<(String, Vec<u8>)>> {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    if matches!(extension.as_deref(), Some("yaml" | "yml" | "json"))
        && let Some(content) = revision.read(path)?
    {
        return Ok(Some((path.to_owned(), content)));
    }
    for name in ["capabilities.yaml", "capabilities.yml", "capabilities.json"] {
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        if let Some(content) = revision.read(&path)? {
            return Ok(Some((path, content)));
        }
    }
    Ok(None)
}

/// A path of `fleet.yaml` relative to the root of the repository; `None` if it leads out of it.
fn joined(prefix: &str, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = prefix.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn paths_are_relative_to_the_repository_and_stay_in_it() {
        let cases = [
            ("", "agents/a", Some("agents/a")),
            ("fleet/", "./agents//a/", Some("fleet/agents/a")),
            ("fleet/", "../a", Some("a")),
            ("", "../a", None),
            ("fleet/", "/a", None),
        ];
        for (prefix, path, expected) in cases {
            assert_eq!(joined(prefix, path).as_deref(), expected, "{prefix} {path}");
        }
    }
}
