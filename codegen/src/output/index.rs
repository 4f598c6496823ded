//! The index of a folder: which agents it lists.
//!
//! It lists the agents of the run and those whose generated files the folder has, so that a run for one agent keeps the
//! others.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use capgen_diagnostic::Diagnostic;
use capgen_files::{Links, has_mark, read_head};
use capgen_manifest::{AgentId, shown};

use super::plan::PlannedFile;
use super::present::{present, source_of};
use super::{Output, Plan};
use crate::codes;
use crate::language::{INDEX, IndexForm, index_forms};
use crate::{Language, Options};

/// The bytes that are read of a file, to find its agent. The lines before that of the agent are far shorter.
const HEAD: u64 = 4 << 10;

/// An index, and the ids of the agents that it lists.
#[derive(Clone, Debug)]
pub(super) struct Index {
    form: IndexForm,
    agents: BTreeSet<String>,
}

impl Index {
    fn text(&self) -> String {
        self.form.print(&self.agents.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

/// The indexes of the outputs for a folder with these names. A file with the name of an index that capgen did not
/// write belongs to the program, and stays: the folder then has no index in this form.
///
/// # Errors
///
/// A file that cannot be read, or that belongs to an agent.
pub(super) fn indexes(
    (base, folder): (&Path, &Path),
    outputs: &[Output],
    names: &[String],
) -> Result<Vec<PlannedFile>, Vec<Diagnostic>> {
    let (mut planned, mut found) = (Vec::new(), Vec::new());
    let mut forms: Vec<IndexForm> = Vec::new();
    for form in outputs.iter().flat_map(|output| output.indexes.0.iter()) {
        if forms.iter().all(|other| other.extension != form.extension) {
            forms.push(*form);
        }
    }
    for form in forms {
        let (name, path) = (form.name(), folder.join(form.name()));
        // Some file systems take them for the same file.
        if names.iter().any(|other| *other != name && other.eq_ignore_ascii_case(&name)) {
            continue;
        }
        let agents = agents(&base.join(folder), form, outputs, names);
        let index = Index { form, agents };
        match present(&base.join(&path), &path, index.text().len()) {
            Ok(Some(old)) if source_of(&old).is_some() => found.push(of_an_agent(&path, source_of(&old))),
            Ok(old) => planned.push(PlannedFile::of_index(path, index.text(), index, old)),
            Err(refused) if refused.iter().all(|finding| finding.code == codes::FOREIGN_FILE) => {}
            Err(refused) => found.extend(refused),
        }
    }
    if found.is_empty() { Ok(planned) } else { Err(found) }
}

/// The ids of the agents with a file in a form: those of the outputs, and those of the folder.
fn agents(folder: &Path, form: IndexForm, outputs: &[Output], names: &[String]) -> BTreeSet<String> {
    let id_of = |name: &str| name.strip_suffix(form.extension)?.strip_suffix('.').map(str::to_owned);
    // The declarations of the agent `x` are not the TypeScript of `x.d`.
    let has_file = |output: &&Output| output.files.contains_key(&format!("{}.{}", output.agent, form.extension));
    let mut agents: BTreeSet<String> =
        outputs.iter().filter(has_file).map(|output| output.agent.as_str().to_owned()).collect();
    let is_of = |name: &str, id: &str| {
        let head = read_head(&folder.join(name), Links::Followed, HEAD).unwrap_or_default();
        has_mark(&head) && source_of(&String::from_utf8_lossy(&head)) == Some(id)
    };
    for name in names {
        // The name of a file may be any text, and the index contains the id.
        let is_id = |id: &String| AgentId::new(id).is_some();
        if let Some(id) = id_of(name).filter(|id| is_id(id) && !agents.contains(id) && is_of(name, id)) {
            agents.insert(id);
        }
    }
    agents
}

/// Makes the index of a folder one file with the agents of all plans, in the first of them that has it.
pub(super) fn merge(plans: &mut [&mut Plan]) {
    let mut merged: HashMap<String, BTreeSet<String>> = HashMap::new();
    let key = |file: &PlannedFile| file.path().to_string_lossy().to_lowercase();
    for file in plans.iter().flat_map(|plan| &plan.files) {
        if let Some(index) = &file.index {
            merged.entry(key(file)).or_default().extend(index.agents.iter().cloned());
        }
    }
    for file in plans.iter_mut().flat_map(|plan| &mut plan.files) {
        let Some(agents) = file.index.as_ref().and_then(|_| merged.get(&key(file))) else { continue };
        let Some(index) = file.index.as_mut().filter(|index| index.agents != *agents) else { continue };
        index.agents.clone_from(agents);
        let text = index.text();
        file.replace_text(text);
    }
}

/// Whether a name is that of an index in some language.
pub(super) fn is_index(name: &str) -> bool {
    name.starts_with(INDEX) && index_forms(Language::ALL, &Options::default()).iter().any(|form| form.name() == name)
}

fn of_an_agent(path: &Path, agent: Option<&str>) -> Diagnostic {
    let message = format!(
        "`{}` is the output of the agent `{}`, which the index of the folder would overwrite",
        path.display(),
        agent.unwrap_or_default(),
    );
    Diagnostic::new(codes::COLLISION, message)
        .help("choose another output folder with `--out`; if that agent no longer exists, delete the file")
        .in_file(shown(path))
}
