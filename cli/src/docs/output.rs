//! The output folder: comparing it with the pages, replacing those that are out of date, and removing those that are
//! left over.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use capgen_diagnostic::Diagnostic;
use capgen_files::{Links, Present, Unreadable, is_marked, read_present, remove_stale_files, replace_files};

use crate::codes;
use crate::summary::shown;

/// The most findings about files of one kind. A site has many pages, and one change of a contract can concern all of
/// them. The first ones show which kind of change it is.
const MAX_FINDINGS: usize = 20;

/// The changes to an output folder.
pub(super) struct Plan {
    folder: PathBuf,
    /// Below the folder.
    files: Vec<Planned>,
    /// Pages that no longer belong to the site, below the folder, sorted.
    leftovers: Vec<PathBuf>,
}

/// A file of the site.
pub(super) struct Planned {
    path: String,
    text: String,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unchanged,
    OutOfDate,
    Missing,
}

impl Plan {
    /// Compares the folder with the files of the site. Writes nothing.
    ///
    /// # Errors
    ///
    /// Every file that capgen did not write, links in place of folders, and files and folders that cannot be read.
    pub(super) fn new(folder: &Path, files: BTreeMap<String, String>) -> Result<Self, Vec<Diagnostic>> {
        let mut found = linked_folders(folder, files.keys());
        let mut planned = Vec::with_capacity(files.len());
        for (path, text) in files {
            match state(&folder.join(&path), &text) {
                Ok(state) => planned.push(Planned { path, text, state }),
                Err(findings) => found.extend(findings),
            }
        }
        let names: BTreeSet<String> = planned.iter().map(|file| file.path.to_ascii_lowercase()).collect();
        let leftovers = leftovers(folder, &names).map_err(|(path, error)| vec![cannot("read", &path, &error)])?;
        if found.is_empty() {
            return Ok(Self { folder: folder.to_owned(), files: planned, leftovers });
        }
        Err(first(found, "files that capgen did not write"))
    }

    /// The number of files of the site.
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// The files that are out of date or missing.
    pub(super) fn changed(&self) -> impl Iterator<Item = &Planned> {
        self.files.iter().filter(|file| file.state != State::Unchanged)
    }

    /// The pages that no longer belong to the site.
    pub(super) fn leftovers(&self) -> &[PathBuf] {
        &self.leftovers
    }

    /// A finding for each file that differs from the site.
    pub(super) fn findings(&self) -> Vec<Diagnostic> {
        let finding = |path: &Path, problem: &str| {
            let path = shown(&self.folder.join(path));
            let finding = Diagnostic::new(codes::SITE_STALE, format!("`{path}` {problem}")).in_file(path);
            finding.help("run the same command without `--check`, and check in the result")
        };
        let changed = self.changed().map(|file| match file.state {
            State::Missing => finding(Path::new(&file.path), "is missing"),
            State::OutOfDate | State::Unchanged => finding(Path::new(&file.path), "is out of date"),
        });
        let leftovers = self.leftovers.iter().map(|path| finding(path, "is left over: its page no longer exists"));
        first(changed.chain(leftovers).collect(), "files that differ")
    }

    /// Writes the files that are out of date or missing, each as a whole, then removes the pages that are left over.
    ///
    /// # Errors
    ///
    /// The first file or folder that cannot be written or removed. If the text of one file cannot be written, no file
    /// has changed.
    pub(super) fn write(&self) -> Result<(), Vec<Diagnostic>> {
        let failed = |verb: &str, path: &Path, error: &io::Error| vec![cannot(verb, path, error)];
        let paths: Vec<(PathBuf, &str)> =
            self.changed().map(|file| (self.folder.join(&file.path), file.text.as_str())).collect();
        let folders: BTreeSet<&Path> = paths.iter().filter_map(|(path, _)| path.parent()).collect();
        for folder in folders {
            fs::create_dir_all(folder).map_err(|error| failed("create", folder, &error))?;
        }
        remove_stale_files(&self.folder);
        let files: Vec<(&Path, &str)> = paths.iter().map(|(path, text)| (path.as_path(), *text)).collect();
        replace_files(&files).map_err(|(index, error)| {
            let path = files.get(index).map_or(self.folder.as_path(), |(path, _)| path);
            failed("write", path, &error)
        })?;
        for path in &self.leftovers {
            let path = self.folder.join(path);
            fs::remove_file(&path).map_err(|error| failed("remove", &path, &error))?;
            // Fails if the folder has other files, which stay.
            let _ = path.parent().map(fs::remove_dir);
        }
        Ok(())
    }
}

/// The first findings, and how many more there are.
fn first(mut findings: Vec<Diagnostic>, kind: &str) -> Vec<Diagnostic> {
    let more = findings.len().saturating_sub(MAX_FINDINGS);
    findings.truncate(MAX_FINDINGS);
    if let Some(last) = findings.last_mut().filter(|_| more > 0) {
        last.notes.push(format!("there are {more} more {kind}"));
    }
    findings
}

fn state(path: &Path, text: &str) -> Result<State, Vec<Diagnostic>> {
    match read_present(path, text.len()).map_err(|error| vec![cannot("read", path, &error)])? {
        None => Ok(State::Missing),
        Some(Present::Text(present)) if present == text => Ok(State::Unchanged),
        Some(Present::Text(_) | Present::TooLong) => Ok(State::OutOfDate),
        Some(Present::Irregular) => Err(vec![cannot("replace", path, &Unreadable::Irregular.into())]),
        Some(Present::Foreign) => {
            let path = shown(path);
            let finding =
                Diagnostic::new(codes::SITE_FOREIGN, format!("`{path}` exists and was not written by capgen"));
            Err(vec![finding.in_file(path).help("move it, or choose another output folder")])
        }
    }
}

/// A finding for each folder of the site that is a link: files in it would be written somewhere else. The folder of the
/// site itself may be a link, because the user names it.
fn linked_folders<'p>(root: &Path, files: impl Iterator<Item = &'p String>) -> Vec<Diagnostic> {
    let folders: BTreeSet<&Path> = files.flat_map(|path| Path::new(path).ancestors().skip(1)).collect();
    let below = folders.into_iter().filter(|folder| !folder.as_os_str().is_empty()).map(|folder| root.join(folder));
    let links = below.filter(|folder| folder.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()));
    let finding = |folder: PathBuf| {
        let folder = shown(&folder);
        let finding = Diagnostic::new(codes::SITE_FOREIGN, format!("`{folder}` is a link, not a folder of the site"));
        finding.in_file(folder).help("remove the link, or choose another output folder")
    };
    links.map(finding).collect()
}

fn cannot(verb: &str, path: &Path, error: &io::Error) -> Diagnostic {
    let path = shown(path);
    Diagnostic::new(codes::SITE_IO, format!("cannot {verb} `{path}`: {error}")).in_file(path)
}

/// The files in the folders of a site that `capgen docs` wrote and that are not `planned`, whose names are in lower
/// case.
fn leftovers(folder: &Path, planned: &BTreeSet<String>) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let mut folders: Vec<PathBuf> = ["", "agents", "assets"].map(PathBuf::from).to_vec();
    let capabilities = Path::new("capabilities");
    for (name, is_folder) in entries(folder, capabilities)? {
        folders.extend(is_folder.then(|| capabilities.join(name)));
    }
    let mut found = Vec::new();
    for below in folders {
        for (name, is_folder) in entries(folder, &below)? {
            let path = below.join(name);
            let is_planned = planned.contains(&shown(&path).to_ascii_lowercase());
            // The mark of generated code is another one.
            if !is_folder && !is_planned && is_marked(&folder.join(&path), Links::Refused, capgen_site::MARK) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The regular files and folders in a folder of the site, each with whether it is a folder. Links are left out: they
/// are not followed. Empty if the folder does not exist or is itself a link.
fn entries(root: &Path, below: &Path) -> Result<Vec<(String, bool)>, (PathBuf, io::Error)> {
    let folder = root.join(below);
    let is_link = !below.as_os_str().is_empty() && folder.symlink_metadata().is_ok_and(|m| m.is_symlink());
    if is_link {
        return Ok(Vec::new());
    }
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err((folder, error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| (folder.clone(), error))?;
        let kind = entry.file_type().map_err(|error| (folder.clone(), error))?;
        // capgen writes no names that are not UTF-8.
        if let (Ok(name), false) = (entry.file_name().into_string(), kind.is_symlink()) {
            found.push((name, kind.is_dir()));
        }
    }
    Ok(found)
}
