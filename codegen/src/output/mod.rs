//! The output folder: comparing it with the generated files, and replacing those that are out of date.
//!
//! All checks run before the first write, and all files are complete before the first one is moved to its place. A failure
//! therefore leaves the folder as it was.

mod names;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use capgen_diagnostic::{Diagnostic, is_unsafe};
use capgen_files::{Links, Present, is_marked, read_head, read_present, remove_stale_files, replace_files};
use capgen_manifest::{AgentId, KeptContracts, LoadedContract, Located, PerContract, shown};
use capgen_schema::Hash;
use similar::TextDiff;

use crate::header::contract_hash;
use crate::lower::widened::findings;
use crate::lower::{exceeded_limits, lower};
use crate::regenerate::Locator;
use crate::{Files, Language, Options, Regenerate, codes, print};

pub use capgen_files::MARK;

/// Takes the place of an old text that is too long to be compared. It differs from every generated text.
const TOO_LONG: &str = "(a text that is too long to be compared)\n";

/// The lines of a generated file that may contain its agent.
const HEADER_LINES: usize = 4;

/// The note of a finding about a file whose contract has the same hash.
const SAME_CONTRACT: &str = "the hash of the contract is unchanged: payloads are the same. The difference is in descriptions or \
    other annotations, in other keys of capabilities, in options or the version of capgen, or in edits by hand";

/// The generated files of one agent.
#[derive(Clone, Debug)]
pub struct Output {
    /// The agent.
    pub agent: AgentId,
    /// The path of the contract, for messages.
    pub origin: String,
    /// The hash of the contract.
    pub hash: Hash,
    /// The files, as [`generate`](crate::generate) returns them. Shared, because a program that runs again after each change keeps them.
    pub files: Arc<Files>,
    /// Findings about the types, in source order; see [`check_types`].
    pub warnings: Vec<Diagnostic>,
}

/// The folder and the form of generated code.
#[derive(Clone, Debug)]
pub struct Target<'a> {
    /// The output folder, relative to the working directory. It need not exist.
    pub folder: &'a Path,
    /// The languages to generate.
    pub languages: &'a [Language],
    /// The options of generated code.
    pub options: Options,
    /// The package whose build script writes the files, if they are not checked in.
    pub build_script: Option<&'a str>,
}

impl Target<'_> {
    /// Generates the files of each contract.
    pub fn generate(&self, contracts: &[LoadedContract]) -> Vec<Output> {
        self.generate_by(contracts, Locator::command)
    }

    /// Generates the files of each contract, with the command that `command` finds. The command of a build script takes precedence.
    pub fn generate_by(
        &self,
        contracts: &[LoadedContract],
        command: impl Fn(&mut Locator, &LoadedContract) -> Regenerate,
    ) -> Vec<Output> {
        let mut locator = Locator::new(self.folder);
        let output = |contract| {
            let regenerate = self.regenerate(command(&mut locator, contract));
            self.output(contract, &regenerate)
        };
        contracts.iter().map(output).collect()
    }

    /// Like [`generate`](Self::generate), but a contract whose text, command and options are the same as in the call that filled `kept`
    /// keeps its files.
    pub fn generate_again(&self, contracts: &[LoadedContract], kept: &mut KeptOutputs) -> Vec<Output> {
        let mut locator = Locator::new(self.folder);
        let form = (self.languages.to_vec(), self.options);
        if kept.form != form {
            *kept = KeptOutputs { form, outputs: PerContract::default() };
        }
        kept.outputs.keep_only(contracts);
        let output = |contract| {
            let regenerate = self.regenerate(locator.command(contract));
            let is_current = |(earlier, _): &(Regenerate, Output)| *earlier == regenerate;
            let (_, output) = kept.outputs.get(contract, is_current, || {
                let output = self.output(contract, &regenerate);
                (regenerate.clone(), output)
            });
            output.clone()
        };
        contracts.iter().map(output).collect()
    }

    /// The command of the build script takes precedence.
    fn regenerate(&self, command: Regenerate) -> Regenerate {
        self.build_script.map_or(command, Regenerate::build_script)
    }

    fn output(&self, contract: &LoadedContract, regenerate: &Regenerate) -> Output {
        let model = lower(&contract.manifest);
        let hash = model.hashes().contract;
        let (files, widened) = print(model, self.languages, &self.options, regenerate);
        Output {
            agent: contract.manifest.agent.clone(),
            origin: contract.path().to_owned(),
            hash,
            warnings: findings(contract, &widened),
            files: Arc::new(files),
        }
    }
}

/// The outputs of an earlier run, for [`Target::generate_again`].
#[derive(Debug, Default)]
pub struct KeptOutputs {
    /// The languages and options of the outputs.
    form: (Vec<Language>, Options),
    /// Each with the command in its headers.
    outputs: PerContract<(Regenerate, Output)>,
}

/// The changes to an output folder. Creating a plan writes nothing.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The folder that `folder` is relative to.
    base: PathBuf,
    /// As it was given, for messages.
    folder: PathBuf,
    files: Vec<PlannedFile>,
}

/// One file of a [`Plan`].
#[derive(Clone, Debug)]
pub struct PlannedFile {
    agent: AgentId,
    /// Below the output folder as it was given, for messages.
    path: PathBuf,
    /// The files of the output, and the name of this one.
    files: Arc<Files>,
    name: String,
    old: Old,
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
        match entries(&base.join(folder)) {
            Ok(entries) => found.extend(names::check_against(&outputs, folder, &entries)),
            Err(error) => {
                // Every file in it would fail in the same way.
                found.extend(cannot("read", folder, &error));
                return Err(found);
            }
        }
        let mut files = Vec::new();
        let mut taken = HashSet::new();
        for output in outputs {
            for (name, text) in output.files.iter() {
                let path = folder.join(name);
                let is_new = taken.insert(path.to_string_lossy().to_ascii_lowercase());
                if found.is_empty() && !is_new {
                    let message = format!("`{}` would contain the output of two agents", path.display());
                    let finding = Diagnostic::new(codes::COLLISION, message).help("give one of them another id");
                    found.push(finding.in_file(shown(&path)));
                    continue;
                }
                match existing(&base.join(&path), &path, text.len()) {
                    Ok(Some(old)) if names::belongs_to_another(&path, &output.agent, source_of(&old)) => {
                        let message = format!(
                            "`{}` is the output of the agent `{}`, which the output of `{}` would overwrite",
                            path.display(),
                            source_of(&old).unwrap_or_default(),
                            output.agent
                        );
                        let help = "choose another output folder; if that agent no longer exists, delete the file";
                        found.push(Diagnostic::new(codes::COLLISION, message).help(help));
                    }
                    Ok(old) => {
                        let old = match old {
                            None => Old::Missing,
                            Some(old) if old == *text => Old::Same,
                            Some(old) => Old::Other(old),
                        };
                        let files_of_agent = Arc::clone(&output.files);
                        files.push(PlannedFile {
                            agent: output.agent.clone(),
                            path,
                            files: files_of_agent,
                            name: name.clone(),
                            old,
                        });
                    }
                    Err(refused) => found.extend(refused),
                }
            }
        }
        if !found.is_empty() {
            return Err(found);
        }
        Ok(Self { base: base.to_owned(), folder: folder.to_owned(), files })
    }

    /// The files, in the order of the outputs.
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

    /// Writes the files that are out of date or missing. A file that is up to date keeps its modification time, so build
    /// systems do not rebuild.
    ///
    /// Each file is replaced as a whole, by renaming, and keeps its permissions. A symbolic link in the folder is replaced, not
    /// followed. Temporary files that killed processes left in the folder are removed.
    ///
    /// # Errors
    ///
    /// [`codes::OUTPUT_IO`]. If the text of one file cannot be written, no file has changed.
    pub fn write(&self) -> Result<(), Vec<Diagnostic>> {
        let folder = self.base.join(&self.folder);
        let changed: Vec<_> = self.files.iter().filter(|f| f.state() != State::Unchanged).collect();
        if changed.is_empty() {
            remove_stale_files(&folder);
            return Ok(());
        }
        std::fs::create_dir_all(&folder).map_err(|error| cannot("create", &self.folder, &error))?;
        let paths: Vec<_> = changed.iter().map(|file| self.base.join(&file.path)).collect();
        let files: Vec<_> = paths.iter().zip(&changed).map(|(path, file)| (path.as_path(), file.text())).collect();
        replace_files(&files).map_err(|(index, error)| {
            let path = changed.get(index).map_or(&self.folder, |file| &file.path);
            cannot("write", path, &error)
        })
    }

    /// The generated files in the folder whose agent is neither in this plan nor known to `is_known`, sorted.
    ///
    /// # Errors
    ///
    /// [`codes::OUTPUT_IO`].
    pub fn orphans(&self, is_known: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
        let names = entries(&self.base.join(&self.folder)).map_err(|error| cannot("read", &self.folder, &error))?;
        let planned = |id: &str| self.files.iter().any(|f| f.agent.as_str() == id);
        let is_gone =
            |name: &String| agent_of(name).is_some() && agents_of(name).all(|id| !planned(id) && !is_known(id));
        let gone = names.into_iter().filter(is_gone);
        Ok(gone
            .map(|name| self.folder.join(name))
            .filter(|path| is_marked(&self.base.join(path), Links::Followed, MARK))
            .collect())
    }
}

impl PlannedFile {
    /// The agent whose contract the file is generated from.
    pub fn agent(&self) -> &AgentId {
        &self.agent
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

    /// Whether the present file was generated from a contract with the same hash: names, versions and schemas are equal apart
    /// from annotations. The file may differ in documentation, in other properties of capabilities, because of options or
    /// another version of capgen, or because it was edited.
    pub fn has_same_contract(&self) -> bool {
        let old = self.old().and_then(contract_hash);
        old.is_some() && old == contract_hash(self.text())
    }

    /// The generated text.
    fn text(&self) -> &str {
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
            finding = finding.note(SAME_CONTRACT);
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

/// Loads contracts whose output in these languages goes to one folder.
///
/// # Errors
///
/// Those of [`Located::load`] and, at the same time, those of [`check_agents`].
pub fn load(located: Located, languages: &[Language]) -> Result<Vec<LoadedContract>, Vec<Diagnostic>> {
    load_again(located, languages, &mut KeptContracts::default())
}

/// Like [`load`], but files whose text is the same as in the load that filled `kept` are not parsed again; see
/// [`Located::load_and_check`].
///
/// # Errors
///
/// Those of [`load`].
pub fn load_again(
    located: Located,
    languages: &[Language],
    kept: &mut KeptContracts,
) -> Result<Vec<LoadedContract>, Vec<Diagnostic>> {
    let check = |agents: &[(AgentId, String)]| {
        check_agents(agents.iter().map(|(agent, path)| (agent, path.as_str())), languages)
    };
    located.load_and_check(kept, check)
}

/// The findings about the types that would be generated from a contract in these languages: a warning ([`codes::WIDENED`]) for each side
/// whose types are less precise than its schema, because of a limit.
pub fn check_types(contract: &LoadedContract, languages: &[Language]) -> Vec<Diagnostic> {
    findings(contract, &exceeded_limits(&contract.manifest, languages))
}

/// Reports agents whose files in these languages would have the same name on some file system ([`codes::COLLISION`]), and agents
/// whose files Windows would not create ([`codes::RESERVED_NAME`]). Each agent comes with the path of its contract.
pub fn check_agents<'a>(
    agents: impl IntoIterator<Item = (&'a AgentId, &'a str)>,
    languages: &[Language],
) -> Vec<Diagnostic> {
    names::check(agents, languages)
}

/// The finding ([`codes::ORPHAN`]) for one of [`Plan::orphans`].
pub fn orphan(path: &Path) -> Diagnostic {
    let agent = path.file_name().and_then(|name| agent_of(name.to_str()?)).unwrap_or_default();
    Diagnostic::new(
        codes::ORPHAN,
        format!("`{}` is generated, but its agent `{agent}` no longer exists", path.display()),
    )
    .in_file(shown(path))
    .help("delete it; if the agent is outside the fleet, also pass its contract with `--capabilities`")
}

/// The text of an existing output, with `\n` line ends; `None` if the file does not exist. Messages show its path as
/// `shown`.
fn existing(path: &Path, shown: &Path, length: usize) -> Result<Option<String>, Vec<Diagnostic>> {
    match read_present(path, length).map_err(|error| cannot("read", shown, &error))? {
        None => Ok(None),
        Some(Present::Text(text)) => Ok(Some(text)),
        Some(Present::TooLong) => Ok(Some(TOO_LONG.to_owned())),
        Some(Present::Irregular) => {
            let message = format!("`{}` exists and is not a regular file", shown.display());
            let finding = Diagnostic::new(codes::OUTPUT_IO, message).help("move it, or choose another output folder");
            Err(vec![finding.in_file(capgen_manifest::shown(shown))])
        }
        Some(Present::Foreign) => {
            let (message, help) = match has_header(path) {
                true => (
                    format!("the first line of `{}` does not contain `{MARK}`", shown.display()),
                    "the other lines are generated: restore the first line, or delete the file to generate it again"
                        .to_owned(),
                ),
                false => (
                    format!("`{}` exists and was not written by capgen", shown.display()),
                    format!(
                        "move it, or choose another output folder; a generated file contains `{MARK}` in its first line"
                    ),
                ),
            };
            Err(vec![Diagnostic::new(codes::FOREIGN_FILE, message).help(help).in_file(capgen_manifest::shown(shown))])
        }
    }
}

/// Whether a file without the mark has the other lines of a generated file's header.
fn has_header(path: &Path) -> bool {
    /// The header is far shorter.
    const HEAD: u64 = 16 << 10;
    let Ok(head) = read_head(path, Links::Followed, HEAD) else { return false };
    let text = String::from_utf8_lossy(&head);
    let mut header = text.lines().take(4 * HEADER_LINES);
    source_of(&text).is_some() && header.any(|line| line.contains("Contract: sha256:"))
}

/// The agent in the header of a generated file.
fn source_of(text: &str) -> Option<&str> {
    text.lines().take(HEADER_LINES).find_map(|line| line.split_once("Source: agent://").map(|(_, id)| id.trim_end()))
}

/// The agents whose output may have that file name. `a.d.ts` may belong to the agent `a` or to `a.d`; the agent for the
/// longest extension comes first.
fn agents_of(name: &str) -> impl Iterator<Item = &str> {
    let extensions = Language::ALL.iter().rev().flat_map(|language| language.extensions());
    extensions.filter_map(|extension| name.strip_suffix(extension)?.strip_suffix('.'))
}

fn agent_of(name: &str) -> Option<&str> {
    agents_of(name).next()
}

/// The names in a folder, sorted; empty if the folder does not exist. Names that are not UTF-8 are left out: capgen writes
/// no such names.
fn entries(folder: &Path) -> std::io::Result<Vec<String>> {
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let names: std::io::Result<Vec<_>> = entries.map(|entry| Ok(entry?.file_name().into_string().ok())).collect();
    let mut names: Vec<String> = names?.into_iter().flatten().collect();
    names.sort_unstable();
    Ok(names)
}

fn cannot(verb: &str, path: &Path, error: &std::io::Error) -> Vec<Diagnostic> {
    let message = format!("cannot {verb} `{}`: {error}", path.display());
    vec![Diagnostic::new(codes::OUTPUT_IO, message).in_file(shown(path))]
}
