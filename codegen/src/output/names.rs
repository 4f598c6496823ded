//! Which file names can exist in the same folder on every file system.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capgen_files::is_device_name;
use capgen_manifest::{AgentId, Diagnostic};

use super::Output;
use crate::language::{INDEX, IndexForm, SHARED, index_forms};
use crate::{Language, Options, codes};

/// Reports agents whose files in these languages would have the same name on some file system, and agents whose files
/// Windows would not create.
pub(super) fn check<'a>(
    agents: impl IntoIterator<Item = (&'a AgentId, &'a str)>,
    languages: &[Language],
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut seen: BTreeMap<String, (&str, &str)> = BTreeMap::new();
    let mut files: BTreeMap<String, (&str, &str)> = BTreeMap::new();
    let indexes = index_forms(languages, &Options::default());
    for (agent, origin) in agents {
        let id = agent.as_str();
        if is_device_name(id) {
            found.push(
                Diagnostic::new(codes::RESERVED_NAME, format!("the id of agent `{id}` is a device name on Windows"))
                    .note(format!("in `{origin}`"))
                    .in_file(origin)
                    .help("give the agent another id"),
            );
        }
        // Another run may select other languages, in which the names would differ only in case too.
        match seen.entry(id.to_ascii_lowercase()) {
            Entry::Occupied(other) => {
                found.push(collision(*other.get(), (id, origin)));
                continue;
            }
            Entry::Vacant(place) => _ = place.insert((id, origin)),
        }
        found.extend(is_index((id, origin), &indexes, |name| name));
        for extension in languages.iter().flat_map(|language| language.extensions()) {
            let name = format!("{id}.{extension}");
            match files.entry(name.to_ascii_lowercase()) {
                Entry::Vacant(place) => _ = place.insert((id, origin)),
                // A language may have the same extension as another one.
                Entry::Occupied(other) if other.get().0 == id => {}
                Entry::Occupied(other) => found.push(shared_file(&name, *other.get(), (id, origin))),
            }
        }
    }
    found
}

/// The finding about an agent whose file in one of these forms would have the name of the index of a folder on some
/// file system. `file` shows the path of a file in the folder.
fn is_index((id, origin): (&str, &str), forms: &[IndexForm], file: impl Fn(String) -> String) -> Option<Diagnostic> {
    let form = forms.first().filter(|_| id.eq_ignore_ascii_case(INDEX))?;
    let (own, index) = (file(format!("{id}.{}", form.extension)), file(form.name()));
    let message = format!(
        "`{own}`, the file of the agent `{id}`, would have the name of `{index}`, which exports all agents of the folder"
    );
    let help = "give the agent another id, or generate it only in languages without such a file: `--lang rust`, into its own folder with `--out`";
    Some(Diagnostic::new(codes::COLLISION, message).note(format!("in `{origin}`")).in_file(origin).help(help))
}

/// The finding about the output of an agent that would have the name of the index of the folder.
pub(super) fn check_index(output: &Output, folder: &Path) -> Option<Diagnostic> {
    let agent = (output.agent.as_str(), output.origin.as_str());
    is_index(agent, &output.indexes.0, |name| folder.join(name).display().to_string())
}

/// The extension of one agent's file can be the end of another one's id: `x.d.ts` has the types of `x.js`, and is the
/// TypeScript of `x.d`.
fn shared_file(name: &str, (a, first): (&str, &str), (b, second): (&str, &str)) -> Diagnostic {
    Diagnostic::new(codes::COLLISION, format!("agents `{a}` and `{b}` would both have the file `{name}`"))
        .note(format!("in `{first}` and in `{second}`"))
        .help("give one of them another id, or generate them, or the languages, into different folders")
}

/// The agents whose output may have that file name. `a.d.ts` may belong to the agent `a` or to `a.d`; the agent for the
/// longest extension comes first.
pub(super) fn agents_of(name: &str) -> impl Iterator<Item = &str> {
    let extensions = Language::ALL.iter().rev().flat_map(|language| language.extensions());
    extensions.filter_map(|extension| name.strip_suffix(extension)?.strip_suffix('.'))
}

/// The names of the files of outputs, each of those that they share once, apart from the indexes of the folder.
pub(crate) fn file_names(outputs: &[Output]) -> impl Iterator<Item = &String> {
    let shared: BTreeSet<&String> = outputs.iter().flat_map(|output| output.shared.keys()).collect();
    outputs.iter().flat_map(|output| output.files.keys()).chain(shared)
}

/// Whether a file with this name has the code that the files of a folder share.
pub(super) fn is_shared(name: &str) -> bool {
    agents_of(name).any(|stem| stem == SHARED)
}

/// The longest extension of a generated file that the name ends with.
pub(super) fn extension_of(name: &str) -> Option<&str> {
    name.get(agent_of(name)?.len()..)
}

pub(super) fn agent_of(name: &str) -> Option<&str> {
    agents_of(name).next()
}

/// Whether a file is the output of another agent, `source`, than the one that it is planned for.
pub(super) fn belongs_to_another(path: &Path, agent: &AgentId, source: Option<&str>) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    source.is_some_and(|source| source != agent.as_str() && agents_of(name).any(|id| id == source))
}

fn collision((a, first): (&str, &str), (b, second): (&str, &str)) -> Diagnostic {
    let message = if a == b {
        format!("two contracts belong to agent `{a}`, so their files would have the same names")
    } else {
        format!("agents `{a}` and `{b}` differ only in case, so their files would have the same names on many systems")
    };
    Diagnostic::new(codes::COLLISION, message)
        .note(format!("in `{first}` and in `{second}`"))
        .in_file(second)
        .help("give one of them another id, or generate them into different folders")
}

/// Reports existing files whose names differ from an output only in case.
pub(super) fn check_against(outputs: &[Output], folder: &Path, entries: &[String]) -> Vec<Diagnostic> {
    let mut existing: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for entry in entries {
        existing.entry(entry.to_ascii_lowercase()).or_default().push(entry);
    }
    let mut found = Vec::new();
    for name in file_names(outputs) {
        let alike = existing.get(&name.to_ascii_lowercase()).into_iter().flatten();
        for entry in alike.filter(|&&entry| entry != name) {
            let message =
                format!("`{name}` differs only in case from `{}`, which exists", folder.join(entry).display());
            let finding = Diagnostic::new(codes::COLLISION, message).help("delete or rename the existing file");
            found.push(finding.in_file(capgen_manifest::shown(&folder.join(entry))));
        }
    }
    found
}
