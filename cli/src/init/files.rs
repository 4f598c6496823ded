//! The files to create: where they are, and creating all of them or none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use capgen_codegen::regenerate::quoted_path;
use capgen_diagnostic::Diagnostic;
use capgen_files::{Links, Unreadable, create_files, read};
use capgen_interop::pretty;
use capgen_manifest::{capabilities_schema, fleet_schema, shown};

use super::{Init, Start, conflict, content};
use crate::codes;
use crate::console::Console;
use crate::failure::Failure;
use crate::signals;

/// The name of the manifest in the folder of its agent.
pub(super) const MANIFEST: &str = "capabilities.yaml";

/// The files of a first manifest.
pub(super) struct Plan {
    /// The new files with their texts.
    files: Vec<(PathBuf, String)>,
    /// Schemas that exist and differ from those of this version, with the name of each one.
    kept: Vec<(PathBuf, &'static str)>,
    /// The options with which capgen generates code.
    selection: String,
}

impl Plan {
    /// Decides which files to create. Writes nothing.
    ///
    /// # Errors
    ///
    /// Every file that exists already, and a conflict with the fleet.
    pub(super) fn new(arguments: &Init, root: &Path, start: &Start) -> Result<Self, Failure> {
        let mut plan = Self { files: Vec::new(), kept: Vec::new(), selection: selection(arguments, start) };
        let mut findings = Vec::new();
        // The fleet may have the manifest under another name, which is a conflict already.
        let mut present = Vec::new();
        match &arguments.out {
            Some(out) => {
                let schema = format!("{}/capabilities.schema.json", content::FOLDER);
                findings.extend(conflict::with_out(&start.agent, out)?);
                plan.add_new(out.clone(), content::manifest(start, &schema)?, &mut present);
                plan.add_schema(out.parent().unwrap_or(Path::new("")), "capabilities")?;
            }
            None => {
                let path = root.join("agents").join(start.agent.as_str()).join(MANIFEST);
                findings.extend(conflict::in_fleet(root, &start.agent, &path)?);
                let schema = format!("../../{}/capabilities.schema.json", content::FOLDER);
                plan.add_new(path, content::manifest(start, &schema)?, &mut present);
                plan.add_schema(root, "capabilities")?;
            }
        }
        if findings.is_empty() {
            findings = present;
        }
        if arguments.fleet {
            let schema = format!("{}/fleet.schema.json", content::FOLDER);
            plan.add_new(
                root.join("fleet.yaml"),
                content::fleet(start, &schema, &content::languages(root))?,
                &mut findings,
            );
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
        match read(&path, Links::Followed, text.len() as u64) {
            Ok(old) if old == text.as_bytes() => {}
            Ok(_) | Err(Unreadable::TooLong { .. }) => self.kept.push((path, name)),
            Err(error) if error.is_missing() => self.files.push((path, text)),
            Err(error) => return Err(failed("read", &path, &error.into())),
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
    pub(super) fn report(&self, console: &Console) {
        for path in self.paths() {
            console.tick(&format!("wrote {}", shown(path)));
        }
        for (path, name) in &self.kept {
            let path = shown(path);
            console.line(&format!(
                "  kept {path}, which differs from the schema of this version: `capgen export manifest-schema {name}` prints that"
            ));
        }
        console.line(&format!("next: edit the manifest, then generate code with `capgen {}`", self.selection));
    }
}

/// The options that generate code of the new manifest in the same working directory.
fn selection(arguments: &Init, start: &Start) -> String {
    let root = arguments.root.as_deref().map_or(String::new(), |root| format!(" --root {}", argument(root)));
    match &arguments.out {
        Some(out) => format!("--capabilities {}", argument(out)),
        None if arguments.fleet => format!("gen{root}"),
        None => format!("--peer {}{root}", start.agent),
    }
}

/// A path as an argument, which must not look like an option.
fn argument(path: &Path) -> String {
    let is_option = path.as_os_str().as_encoded_bytes().starts_with(b"-");
    if is_option { quoted_path(&Path::new(".").join(path)) } else { quoted_path(path) }
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

/// The finding about a file that is there already.
pub(super) fn exists(path: &Path) -> Diagnostic {
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
