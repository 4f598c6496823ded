//! The files to create: where they are, and creating all of them or none.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use capgen_diagnostic::Diagnostic;
use capgen_interop::pretty;
use capgen_manifest::{Fleet, capabilities_schema, create_files, fleet_schema, listed_agents, read_source, shown};

use super::{Init, Start, content};
use crate::codes;
use crate::console::Console;
use crate::failure::Failure;
use crate::signals;

/// The name of the manifest in the folder of its agent.
const MANIFEST: &str = "capabilities.yaml";

/// The files of a first manifest.
pub(super) struct Plan {
    /// The new files with their texts.
    files: Vec<(PathBuf, String)>,
    /// Schemas that exist and differ from those of this version, with the name of each one.
    kept: Vec<(PathBuf, &'static str)>,
    /// Whether the manifest is in a fleet.
    is_in_fleet: bool,
}

impl Plan {
    /// Decides which files to create. Writes nothing.
    ///
    /// # Errors
    ///
    /// Every file that exists already, and an agent that the fleet looks for elsewhere.
    pub(super) fn new(arguments: &Init, root: &Path, start: &Start) -> Result<Self, Failure> {
        let mut plan = Self { files: Vec::new(), kept: Vec::new(), is_in_fleet: arguments.out.is_none() };
        let mut findings = Vec::new();
        match &arguments.out {
            Some(out) => {
                let schema = format!("{}/capabilities.schema.json", content::FOLDER);
                plan.add_new(out.clone(), content::manifest(start, &schema)?, &mut findings);
                plan.add_schema(out.parent().unwrap_or(Path::new("")), "capabilities")?;
            }
            None => {
                let path = root.join("agents").join(start.agent.as_str()).join(MANIFEST);
                findings.extend(conflict(root, start, &path)?);
                let schema = format!("../../{}/capabilities.schema.json", content::FOLDER);
                // The fleet may have the manifest under another name, which is reported already.
                let mut present = Vec::new();
                plan.add_new(path, content::manifest(start, &schema)?, &mut present);
                if findings.is_empty() {
                    findings.append(&mut present);
                }
                plan.add_schema(root, "capabilities")?;
            }
        }
        if arguments.fleet {
            let schema = format!("{}/fleet.schema.json", content::FOLDER);
            plan.add_new(root.join("fleet.yaml"), content::fleet(start, &schema)?, &mut findings);
            plan.add_schema(root, "fleet")?;
        }
        if findings.is_empty() { Ok(plan) } else { Err(Failure::Findings(findings)) }
    }

    fn add_new(&mut self, path: PathBuf, text: String, findings: &mut Vec<Diagnostic>) {
        // A link that leads nowhere exists, too.
        if path.symlink_metadata().is_ok() {
            findings.push(exists(&path));
        }
        self.files.push((path, text));
    }

    /// Adds a schema for editors, unless there is one.
    fn add_schema(&mut self, folder: &Path, name: &'static str) -> Result<(), Failure> {
        let path = folder.join(content::FOLDER).join(format!("{name}.schema.json"));
        let text = pretty(&if name == "fleet" { fleet_schema() } else { capabilities_schema() });
        match fs::read(&path) {
            Ok(old) if old == text.as_bytes() => {}
            Ok(_) => self.kept.push((path, name)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.files.push((path, text)),
            Err(error) => return Err(failed("read", &path, &error)),
        }
        Ok(())
    }

    /// The paths of the new files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(path, _)| path.as_path())
    }

    /// Creates the files and their folders, all or none.
    pub(super) fn write(&self) -> Result<(), Failure> {
        signals::remove_temporary_files_at_the_end();
        let mut folders = Vec::new();
        let result = self.create(&mut folders);
        if result.is_err() {
            // Only those that are still empty.
            folders.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
        }
        result
    }

    /// Adds the folders that it creates to `folders`.
    fn create(&self, folders: &mut Vec<PathBuf>) -> Result<(), Failure> {
        for folder in self.paths().filter_map(Path::parent) {
            create_folder(folder, folders).map_err(|error| failed("create", folder, &error))?;
        }
        let files: Vec<(&Path, &str)> = self.files.iter().map(|(path, text)| (path.as_path(), text.as_str())).collect();
        create_files(&files).map_err(|(index, error)| {
            let path = files.get(index).map_or(Path::new(""), |(path, _)| path);
            match error.kind() {
                io::ErrorKind::AlreadyExists => Failure::Findings(vec![exists(path)]),
                _ => failed("create", path, &error),
            }
        })
    }

    /// Prints the files and the next command.
    pub(super) fn report(&self, start: &Start, console: &Console) {
        for path in self.paths() {
            console.tick(&format!("wrote {}", shown(path)));
        }
        for (path, name) in &self.kept {
            let path = shown(path);
            console.line(&format!(
                "  kept {path}, which differs from the schema of this version: `capgen export manifest-schema {name}` prints that"
            ));
        }
        if self.is_in_fleet {
            console.line(&format!("next: edit the manifest, then generate code with `capgen --peer {}`", start.agent));
        } else if let Some(path) = self.paths().next() {
            let path = shown(path);
            console.line(&format!("next: edit the manifest, then generate code with `capgen --capabilities {path}`"));
        }
    }
}

/// Why a manifest at a path would not be that of the agent in the fleet.
fn conflict(root: &Path, start: &Start, path: &Path) -> Result<Option<Diagnostic>, Failure> {
    if !root.join("fleet.yaml").is_file() && !root.join("agents").is_dir() {
        return Ok(None);
    }
    let fleet = Fleet::open(root)?;
    if let Ok(present) = fleet.peer(start.agent.as_str()) {
        return Ok(Some(exists(&present)));
    }
    let Some(file) = fleet.file() else { return Ok(None) };
    let agents = listed_agents(&read_source(&file, &shown(&file))?)?;
    let listed = agents.into_iter().find(|(id, _)| *id == start.agent).map(|(_, listed)| listed);
    let plain = |path: &Path| path.components().filter(|part| *part != Component::CurDir).collect::<PathBuf>();
    Ok(listed.map(|listed| root.join(listed)).and_then(|listed| {
        let is_here = [path, path.parent().unwrap_or(path)].iter().any(|path| plain(path) == plain(&listed));
        (!is_here).then(|| {
            let message = format!("`{}` lists the agent `{}` at `{}`", shown(&file), start.agent, shown(&listed));
            let finding = Diagnostic::new(codes::INIT_LISTED, message).in_file(shown(&file));
            finding.help("write the manifest there with `--out`, or remove the entry")
        })
    }))
}

/// Creates a folder and those above it, and adds each one that is new.
fn create_folder(folder: &Path, created: &mut Vec<PathBuf>) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        create_folder(parent, created)?;
    }
    match fs::create_dir(folder) {
        Ok(()) => created.push(folder.to_owned()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

fn exists(path: &Path) -> Diagnostic {
    let path = shown(path);
    let help = match path.rsplit(['/', '\\']).next() {
        Some("fleet.yaml") => "leave out `--fleet`: agents in `agents/<id>/` need no entry there",
        _ => "add capabilities to this file, or choose another agent or another file with `--out`",
    };
    Diagnostic::new(codes::INIT_EXISTS, format!("`{path}` exists already")).in_file(path).help(help)
}

fn failed(action: &str, path: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot {action} `{}`: {error}", shown(path));
    Failure::Findings(vec![Diagnostic::new(codes::INIT_IO, message).in_file(shown(path))])
}
