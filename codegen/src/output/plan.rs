//! Comparing an output folder with generated files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use capgen_diagnostic::{Diagnostic, is_unsafe};
use capgen_manifest::{AgentId, shown};
use similar::TextDiff;

use super::index::{self, Index};
use super::present::{present, source_of};
use super::{Output, cannot, check_agents, entries, names};
use crate::header::contract_hash;
use crate::{Files, codes};

/// The note of a finding about a file whose contract has the same hash.
const SAME_CONTRACT: &str = "the hash of the contract is unchanged: payloads are the same. The difference is in descriptions or \
    other annotations, in other keys of capabilities, in options or the version of capgen, or in edits by hand";

/// The note of a finding about a file that is the same for every contract.
const NO_CONTRACT: &str =
    "the file is the same for every contract. The difference is in the version of capgen, or in edits by hand";

/// The changes to an output folder. Creating a plan writes nothing.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The folder that `folder` is relative to.
    pub(super) base: PathBuf,
    /// As it was given, for messages.
    pub(super) folder: PathBuf,
    pub(super) files: Vec<PlannedFile>,
}

/// One file of a [`Plan`].
#[derive(Clone, Debug)]
pub struct PlannedFile {
    /// `None` for a file that the files of several agents share.
    agent: Option<AgentId>,
    /// Below the output folder as it was given, for messages.
    path: PathBuf,
    /// The files that were generated together, and the name of this one.
    files: Arc<Files>,
    name: String,
    old: Old,
    /// The agents of the folder, if the file is the index of them.
    pub(super) index: Option<Index>,
}

/// The present text of a file.
#[derive(Clone, Debug)]
enum Old {
    /// The file does not exist or is empty.
    Missing,
    /// It is the generated text, apart from line ends.
    Same,
    /// With `\n` line ends.
    Other(String),
}

/// How a file compares with the contract.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum State {
    /// Up to date. Line ends are ignored: a checkout may have CRLF.
    Unchanged,
    /// Out of date.
    Stale,
    /// The file does not exist.
    Missing,
}

impl Plan {
    /// Compares `folder`, relative to the working directory, with the generated files. The folder need not exist.
    ///
    /// # Errors
    ///
    /// Every obstacle: agents whose files would have the same name ([`codes::COLLISION`]), names that Windows reserves
    /// ([`codes::RESERVED_NAME`]), files that capgen did not write ([`codes::FOREIGN_FILE`]), and files that cannot be
    /// read ([`codes::OUTPUT_IO`]).
    pub fn new(folder: &Path, outputs: Vec<Output>) -> Result<Self, Vec<Diagnostic>> {
        Self::below(Path::new(""), folder, outputs)
    }

    /// Like [`new`](Self::new), for a folder relative to `base`. Messages and diffs do not show `base`.
    pub(crate) fn below(base: &Path, folder: &Path, outputs: Vec<Output>) -> Result<Self, Vec<Diagnostic>> {
        let agents = outputs.iter().map(|output| (&output.agent, output.origin.as_str()));
        let mut found = check_agents(agents, &[]);
        let entries = match entries(&base.join(folder)) {
            Ok(entries) => entries,
            Err(error) => {
                // Every file in it would fail in the same way.
                found.extend(cannot("read", folder, &error));
                return Err(found);
            }
        };
        found.extend(names::check_against(&outputs, folder, &entries));
        let mut files = Vec::new();
        let mut taken = HashSet::new();
        for output in &outputs {
            for (name, text) in output.files.iter() {
                let path = folder.join(name);
                let is_new = taken.insert(path.to_string_lossy().to_ascii_lowercase());
                if found.is_empty() && !is_new {
                    let message = format!("`{}` would contain the output of two agents", path.display());
                    let finding = Diagnostic::new(codes::COLLISION, message).help("give one of them another id");
                    found.push(finding.in_file(shown(&path)));
                    continue;
                }
                match present(&base.join(&path), &path, text.len()) {
                    Ok(Some(old)) if names::belongs_to_another(&path, &output.agent, source_of(&old)) => {
                        found.push(overwritten(&path, &output.agent, &old));
                    }
                    Ok(old) => {
                        let agent = Some(output.agent.clone());
                        files.push(PlannedFile::new(agent, path, (&output.files, name), old));
                    }
                    Err(refused) => found.extend(refused),
                }
            }
        }
        let shared = outputs.iter().flat_map(|output| output.shared.keys().map(move |name| (&output.shared, name)));
        for (shared, name) in shared {
            let path = folder.join(name);
            // It is the same for every agent.
            if !taken.insert(path.to_string_lossy().to_ascii_lowercase()) {
                continue;
            }
            match present(&base.join(&path), &path, shared.get(name).map_or(0, String::len)) {
                Ok(old) => files.push(PlannedFile::new(None, path, (shared, name), old)),
                Err(refused) => found.extend(refused),
            }
        }
        found.extend(outputs.iter().filter_map(|output| names::check_index(output, folder)));
        if found.is_empty() {
            match index::indexes((base, folder), &outputs, &entries) {
                Ok(indexes) => files.extend(indexes),
                Err(refused) => found.extend(refused),
            }
        }
        if !found.is_empty() {
            return Err(found);
        }
        Ok(Self { base: base.to_owned(), folder: folder.to_owned(), files })
    }

    /// The files, in the order of the outputs, then the files that they share, then the indexes of the folder.
    pub fn files(&self) -> &[PlannedFile] {
        &self.files
    }

    /// A finding ([`codes::STALE`]) for each file that is out of date or missing. `fix` is their help.
    pub fn stale(&self, fix: &str) -> Vec<Diagnostic> {
        self.files.iter().filter_map(|file| file.finding(fix)).collect()
    }

    /// The unified diff from the present files to the generated ones, for `patch -p1`. Empty if nothing differs.
    pub fn diff(&self) -> String {
        self.files.iter().map(PlannedFile::diff).collect()
    }
}

/// The finding about a file of another agent, whose text is `old`.
fn overwritten(path: &Path, agent: &AgentId, old: &str) -> Diagnostic {
    let message = format!(
        "`{}` is the output of the agent `{}`, which the output of `{agent}` would overwrite",
        path.display(),
        source_of(old).unwrap_or_default(),
    );
    Diagnostic::new(codes::COLLISION, message)
        .help("choose another output folder; if that agent no longer exists, delete the file")
}

impl PlannedFile {
    /// A file that exists with the text `old`, if there is one.
    fn new(agent: Option<AgentId>, path: PathBuf, (files, name): (&Arc<Files>, &str), old: Option<String>) -> Self {
        let (files, name) = (Arc::clone(files), name.to_owned());
        let mut file = Self { agent, path, files, name, old: Old::Missing, index: None };
        file.compare(old);
        file
    }

    /// The index of a folder.
    pub(super) fn of_index(path: PathBuf, text: String, index: Index, old: Option<String>) -> Self {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let files = Arc::new(Files::from([(name.clone(), text)]));
        Self { index: Some(index), ..Self::new(None, path, (&files, &name), old) }
    }

    /// Plans another text.
    pub(super) fn replace_text(&mut self, text: String) {
        let old = self.old().map(str::to_owned);
        self.files = Arc::new(Files::from([(self.name.clone(), text)]));
        self.compare(old);
    }

    fn compare(&mut self, old: Option<String>) {
        self.old = match old {
            None => Old::Missing,
            Some(old) if old == self.text() => Old::Same,
            Some(old) => Old::Other(old),
        };
    }

    /// Whether it is the index of the folder, which exports the files of its agents.
    pub fn is_index(&self) -> bool {
        self.index.is_some()
    }

    /// The agent whose contract the file is generated from; `None` for a file with the code that the files of several
    /// agents share, which is the same for every contract.
    pub fn agent(&self) -> Option<&AgentId> {
        self.agent.as_ref()
    }

    /// The output folder as it was given, and the file's name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How the generated file compares with the present one.
    pub fn state(&self) -> State {
        match &self.old {
            Old::Missing => State::Missing,
            Old::Same => State::Unchanged,
            Old::Other(_) => State::Stale,
        }
    }

    /// Whether the present file was generated from a contract with the same hash: names, versions and schemas are equal
    /// apart from annotations. The file may differ in documentation, in other properties of capabilities, because of
    /// options or another version of capgen, or because it was edited. A file without an agent depends on no contract,
    /// apart from the index, which depends on the agents of the folder.
    pub fn has_same_contract(&self) -> bool {
        if self.agent.is_none() {
            return self.old().is_some() && !self.is_index();
        }
        let old = self.old().and_then(contract_hash);
        old.is_some() && old == contract_hash(self.text())
    }

    /// The name, without the folder.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The generated text.
    pub(super) fn text(&self) -> &str {
        self.files.get(&self.name).map_or("", String::as_str)
    }

    /// The present text; `None` if there is none.
    fn old(&self) -> Option<&str> {
        match &self.old {
            Old::Missing => None,
            Old::Same => Some(self.text()),
            Old::Other(old) => Some(old),
        }
    }

    /// Whether the file is up to date apart from differences that leave the hash of its contract unchanged.
    pub(crate) fn is_accepted(&self) -> bool {
        self.state() == State::Unchanged || self.has_same_contract()
    }

    /// The unified diff of this file; empty if it is unchanged.
    pub fn diff(&self) -> String {
        if self.state() == State::Unchanged {
            return String::new();
        }
        unified_diff(&self.path, self.old(), self.text())
    }

    fn finding(&self, fix: &str) -> Option<Diagnostic> {
        let message = match self.state() {
            State::Unchanged => return None,
            State::Stale => format!("`{}` is out of date", self.path.display()),
            State::Missing => format!("`{}` is missing", self.path.display()),
        };
        let mut finding = Diagnostic::new(codes::STALE, message);
        if self.has_same_contract() {
            finding = finding.note(if self.agent.is_none() { NO_CONTRACT } else { SAME_CONTRACT });
        }
        Some(finding.help(fix).in_file(shown(&self.path)))
    }
}

/// The unified diff from the old text of a file, or from nothing, to the new one, for `patch -p1`.
pub fn unified_diff(path: &Path, old: Option<&str>, new: &str) -> String {
    let path = path.display().to_string().replace('\\', "/");
    // A line end would end the header.
    let escape = |c: char| if is_unsafe(c) { c.escape_unicode().collect() } else { String::from(c) };
    let path: String = path.trim_start_matches('/').chars().map(escape).collect();
    let old_name = old.map_or_else(|| "/dev/null".to_owned(), |_| format!("a/{path}"));
    let diff = TextDiff::from_lines(old.unwrap_or_default(), new);
    diff.unified_diff().header(&old_name, &format!("b/{path}")).to_string()
}
