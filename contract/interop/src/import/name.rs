//! Names of capabilities and ids of agents from any text.

use std::collections::{HashMap, HashSet};

use capgen_manifest::{AgentId, Capability};
use capgen_schema::Hash;

/// The most characters of a name before its suffix. Ids of agents may have 128 bytes, which leaves room for a suffix.
const MAX_BASE: usize = 100;

/// The id of an agent from the name of a server or of a file: each run of characters that an id does not allow becomes
/// `-`. `None` if no character is left.
///
/// ```
/// use capgen_interop::import::agent_id;
/// assert_eq!(agent_id("mcp-servers/everything").unwrap().as_str(), "mcp-servers-everything");
/// assert_eq!(agent_id("✨"), None);
/// ```
pub fn agent_id(text: &str) -> Option<AgentId> {
    AgentId::new(&readable(text, "._-", '-', MAX_BASE))
}

/// A name in the input, from which the name of a capability is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Wanted<'a> {
    /// The name that distinguishes the entry from all others.
    pub(super) wire: &'a str,
    /// The text from which the name is made; often the same.
    pub(super) title: &'a str,
}

/// The names of capabilities for entries of the input. A title that is a valid name stays as it is, if no other entry
/// has the same. Any other is made valid, and gets a suffix, a hash of the wire name, if another entry has or would get
/// that name. So the names do not depend on the order of the entries. `kind` is the name of an entry of whose title no
/// character is left.
///
/// Takes time linear in the names, apart from sorting.
pub(super) fn capability_names(kind: &str, entries: &[Wanted<'_>]) -> Vec<String> {
    let bases: Vec<String> = entries.iter().map(|entry| base(entry.title)).collect();
    // For each base, how many entries want it, and how many of them have it as their title.
    let mut wanted: HashMap<&str, (usize, usize)> = HashMap::new();
    for (entry, base) in entries.iter().zip(&bases) {
        let (all, exact) = wanted.entry(base).or_default();
        *all += 1;
        *exact += usize::from(entry.title == base);
    }
    let mut taken: HashSet<String> = HashSet::new();
    let mut names = vec![String::new(); entries.len()];
    let mut others = Vec::new();
    for (index, (entry, base)) in entries.iter().zip(&bases).enumerate() {
        let (all, exact) = wanted.get(base.as_str()).copied().unwrap_or_default();
        let stays = !base.is_empty() && (all == 1 || (exact == 1 && entry.title == base));
        match names.get_mut(index).filter(|_| stays) {
            Some(name) => {
                taken.insert(base.clone());
                name.clone_from(base);
            }
            None => others.push((*entry, index)),
        }
    }
    // Sorted, so that a longer hash after a collision does not depend on the order of the entries.
    others.sort_unstable();
    for (entry, index) in others {
        let base: String = bases
            .get(index)
            .filter(|base| !base.is_empty())
            .map_or(kind, String::as_str)
            .chars()
            .take(MAX_BASE)
            .collect();
        let hash = Hash::of(entry.wire).to_string();
        let suffixed = |length| format!("{base}_{}", hash.get(..length).unwrap_or(&hash));
        // At most 27 digits fit behind the longest base.
        let name = (8..=27).map(suffixed).find(|name| !taken.contains(name)).unwrap_or_else(|| suffixed(27));
        taken.insert(name.clone());
        if let Some(place) = names.get_mut(index) {
            *place = name;
        }
    }
    names
}

/// The entry itself if it is a valid name, otherwise the nearest valid name; empty if there is none.
fn base(entry: &str) -> String {
    if Capability::is_name(entry) { entry.to_owned() } else { readable(entry, "_-", '_', MAX_BASE) }
}

/// The text with each run of characters other than ASCII letters, digits and `allowed` replaced by `separator`, without
/// such characters at its ends, and with at most `longest` characters.
fn readable(text: &str, allowed: &str, separator: char, longest: usize) -> String {
    let mut name = String::new();
    let mut is_open = false;
    for c in text.chars() {
        if !c.is_ascii_alphanumeric() && !allowed.contains(c) {
            is_open = true;
            continue;
        }
        if std::mem::take(&mut is_open) && !name.is_empty() {
            name.push(separator);
        }
        // A name starts with a letter or a digit.
        if c.is_ascii_alphanumeric() || !name.is_empty() {
            name.push(c);
        }
        if name.len() >= longest {
            break;
        }
    }
    name.truncate(name.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).len());
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(entries: &[&str]) -> Vec<String> {
        let wanted: Vec<Wanted<'_>> = entries.iter().map(|name| Wanted { wire: name, title: name }).collect();
        let names = capability_names("tool", &wanted);
        assert!(names.iter().all(|name| Capability::is_name(name)), "{names:?}");
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{names:?}");
        names
    }

    #[test]
    fn valid_names_stay_and_others_become_readable() {
        let long = "x".repeat(200);
        let found = names(&["a-b_C9", "files.read", "_private", "GET /pets/{petId}", "weather — now", long.as_str()]);
        assert_eq!(found[..5], ["a-b_C9", "files_read", "private", "GET_pets_petId", "weather_now"]);
        assert_eq!(found[5], "x".repeat(100));
    }

    #[test]
    fn names_that_collide_get_a_suffix_which_does_not_depend_on_the_order() {
        let found = names(&["a.b", "a/b", "a_b", "工具", "道具", ""]);
        assert_eq!(found[2], "a_b", "a valid name stays");
        assert!(found[0].starts_with("a_b_") && found[1].starts_with("a_b_"));
        assert!(found[3].starts_with("tool_") && found[5].starts_with("tool_"));
        let reversed = names(&["", "道具", "工具", "a_b", "a/b", "a.b"]);
        assert_eq!(found, reversed.into_iter().rev().collect::<Vec<_>>());
        // An entry that has the name with the suffix keeps it.
        let again = names(&["a.b", "a/b", &found[0]]);
        assert_eq!(again[2], found[0]);
        assert!(again[0].starts_with(&found[0]) && again[0] != found[0]);
    }

    #[test]
    fn titles_that_are_equal_get_a_suffix_from_their_wire_names() {
        let entry = |wire, title| Wanted { wire, title };
        let found =
            capability_names("operation", &[entry("GET /a", "get"), entry("GET /b", "get"), entry("GET /c", "c")]);
        assert!(found[0].starts_with("get_") && found[1].starts_with("get_") && found[0] != found[1]);
        assert_eq!(found[2], "c");
    }

    #[test]
    fn ids_of_agents_are_valid() {
        for (text, id) in
            [("secure-filesystem-server", "secure-filesystem-server"), ("../../a b/", "a-b"), ("v1.2", "v1.2")]
        {
            assert_eq!(agent_id(text).unwrap().as_str(), id);
        }
        assert!(agent_id("\u{202e}").is_none());
        assert!(agent_id(&"é".repeat(9)).is_none());
    }
}
