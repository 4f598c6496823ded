//! The names of the tools of an agent.

use std::collections::{HashMap, HashSet};

use capgen_manifest::{Capability, Manifest, plain_versions};

use super::super::Loss;

/// The names of the tools of an agent, each with the index of its capability, in the order of the manifest.
///
/// A tool has the `wireName` of its capability, if that is a valid and unique name of a tool, or else the name of the
/// capability. That is the tool of the highest version that is not a pre-release. With `all_versions`, the others have
/// tools too: with the suffix `_v1`, or `_v1_2`, `_v1_2_3` or `_v1_2_3_rc_1` if other versions have the same first
/// parts, as in generated code. A version has no tool if its name is that of another tool, or too long for the
/// protocol.
///
/// ```
/// use capgen_interop::tool_names;
/// use capgen_manifest::{AgentId, Capability, Manifest};
/// let book = |version: &str| Capability { version: version.parse().ok(), ..Capability::new("book") };
/// let agent = AgentId::new("trips").ok_or("an invalid id")?;
/// let capabilities = vec![book("2.0.0"), book("1.4.0"), Capability::new("ping")];
/// let manifest = Manifest::new(agent, Vec::new(), capabilities);
/// let names = |all_versions| tool_names(&manifest, all_versions).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
/// assert_eq!(names(false), ["book", "ping"]);
/// assert_eq!(names(true), ["book", "book_v1", "ping"]);
/// # Ok::<(), &str>(())
/// ```
pub fn tool_names(manifest: &Manifest, all_versions: bool) -> Vec<(usize, String)> {
    let plain = plain_names(manifest);
    if !all_versions {
        return plain;
    }
    let others = names_of_others(manifest, &plain);
    // The names without a suffix are the same with all versions. Of others that are equal, none is preferred.
    let mut counts: HashMap<&str, usize> = HashMap::with_capacity(plain.len() + others.len());
    plain.iter().chain(&others).for_each(|(_, name)| *counts.entry(name).or_default() += 1);
    let is_usable = |(_, name): &&(usize, String)| counts.get(name.as_str()) == Some(&1) && is_tool_name(name);
    let mut names: Vec<(usize, String)> = others.iter().filter(is_usable).chain(&plain).cloned().collect();
    names.sort_unstable();
    names
}

/// The names, with suffixes, of the tools of the versions that have none otherwise.
fn names_of_others(manifest: &Manifest, plain: &[(usize, String)]) -> Vec<(usize, String)> {
    let base = |(index, tool): &(usize, String)| Some((manifest.capabilities.get(*index)?.name.as_str(), tool.clone()));
    let bases: HashMap<&str, String> = plain.iter().filter_map(base).collect();
    let name = |(index, capability): (usize, &Capability)| {
        let suffix = manifest.version_suffix(index)?.replace('-', "_");
        Some((index, format!("{}_{suffix}", bases.get(capability.name.as_str())?)))
    };
    let others = manifest.capabilities.iter().enumerate().filter(|(index, _)| !has_tool(plain, *index));
    others.filter_map(name).collect()
}

/// Whether the capability with this index is among the sorted names.
fn has_tool(names: &[(usize, String)], index: usize) -> bool {
    names.binary_search_by_key(&index, |(index, _)| *index).is_ok()
}

/// The versions without a tool, because other tools have their names.
pub(super) fn losses(manifest: &Manifest, names: &[(usize, String)]) -> Vec<Loss> {
    let left_out = manifest.labels().into_iter().enumerate().filter(|(index, _)| !has_tool(names, *index));
    let message = "left out: the name of its tool is that of another one, or too long";
    let loss = |capability| Loss { capability, side: None, pointer: String::new(), message: message.to_owned() };
    left_out.map(|(_, label)| loss(label)).collect()
}

/// The names of the tools of the versions that the names of capabilities alone mean.
fn plain_names(manifest: &Manifest) -> Vec<(usize, String)> {
    let plain = plain_versions(&manifest.capabilities);
    let capabilities = || plain.iter().filter_map(|index| Some((*index, manifest.capabilities.get(*index)?)));
    // The names of capabilities, and the names on the wire that several of them have.
    let mut taken: HashSet<&str> = capabilities().map(|(_, capability)| capability.name.as_str()).collect();
    let mut seen = HashSet::new();
    let on_wire = capabilities().filter_map(|(_, capability)| capability.wire_name.as_deref());
    taken.extend(on_wire.filter(|name| !seen.insert(*name)));
    let is_usable = |name: &&str| is_tool_name(name) && !taken.contains(name);
    let name = |capability: &Capability| {
        capability.wire_name.as_deref().filter(is_usable).unwrap_or(&capability.name).to_owned()
    };
    capabilities().map(|(index, capability)| (index, name(capability))).collect()
}

/// Whether the protocol allows the name for a tool: 1 to 128 characters of `[A-Za-z0-9_.-]`. Every name of a capability
/// is one.
fn is_tool_name(name: &str) -> bool {
    let is_allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    (1..=128).contains(&name.len()) && name.bytes().all(is_allowed)
}
