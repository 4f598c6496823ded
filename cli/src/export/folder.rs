//! Writing a folder of exported files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use capgen_diagnostic::Diagnostic;
use capgen_files::{Links, Unreadable, has_content, read, replace_files};
use capgen_interop::{CONTRACT_FILE, CONTRACT_FORMAT, pretty};
use capgen_manifest::shown;
use capgen_schema::Json;

use crate::codes;
use crate::console::{self, Console, count};
use crate::failure::{Failure, RunResult, Verdict};
use crate::signals;
use crate::summary::{self, File};

/// The largest `contract.json` that is read, in bytes. A contract has at most 32 MiB, and its export repeats little of
/// it.
const MAX_CONTRACT: u64 = 64 << 20;

/// Writes the files, and removes those that an earlier export wrote for capabilities that no longer exist.
pub(crate) fn write(folder: &Path, files: &BTreeMap<String, Json>, json: bool, console: &Console) -> RunResult {
    signals::remove_temporary_files_at_the_end();
    let failed = |error: &io::Error| failed(folder, error);
    fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    let earlier = earlier(folder)?;
    let contents: Vec<(PathBuf, String)> = files.iter().map(|(name, json)| (folder.join(name), pretty(json))).collect();
    let changed: Vec<(&Path, &str)> = contents
        .iter()
        .filter(|(path, text)| !has_content(path, Links::Followed, text.as_bytes()))
        .map(|(path, text)| (path.as_path(), text.as_str()))
        .collect();
    replace_files(&changed).map_err(|(_, error)| failed(&error))?;
    for name in earlier.iter().filter(|name| !files.contains_key(*name)) {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&error)),
            _ => {}
        }
    }
    if json {
        let written: BTreeSet<&Path> = changed.iter().map(|(path, _)| *path).collect();
        let entry = |(path, _): &(PathBuf, String)| {
            let status = if written.contains(path.as_path()) { "written" } else { "unchanged" };
            File { path: summary::shown(path), status, is_index: false }
        };
        let files: Vec<File> = contents.iter().map(entry).collect();
        console::print_json(&format!("{}\n", serde_json::json!({ "files": files })))?;
    }
    let (changed, all) = (changed.len(), count(files.len(), "file", "files"));
    console.tick(&format!("wrote {changed} of {all} in {}", shown(folder)));
    Ok(Verdict::Fine)
}

/// The files of an earlier export.
fn earlier(folder: &Path) -> Result<BTreeSet<String>, Failure> {
    match read(&folder.join(CONTRACT_FILE), Links::Followed, MAX_CONTRACT) {
        Ok(bytes) => {
            let contract: Option<Json> = std::str::from_utf8(&bytes).ok().and_then(|text| text.parse().ok());
            let contract = contract.filter(|contract| contract.get(CONTRACT_FORMAT).is_some());
            contract.as_ref().map(files_of).ok_or_else(|| foreign(folder))
        }
        Err(error) if error.is_missing() => {
            let mut entries = fs::read_dir(folder).map_err(|error| failed(folder, &error))?;
            if entries.next().is_none() { Ok(BTreeSet::new()) } else { Err(foreign(folder)) }
        }
        Err(Unreadable::TooLong { .. }) => Err(foreign(folder)),
        Err(error) => Err(failed(folder, &error.into())),
    }
}

/// The files that a contract names, if they are in the folder itself. The text may have been edited.
fn files_of(contract: &Json) -> BTreeSet<String> {
    let capabilities = contract.get("capabilities").and_then(Json::as_array).unwrap_or_default();
    let members = capabilities.iter().filter_map(Json::as_object).flatten();
    let names = members.filter_map(|(_, value)| value.get("file")?.as_str());
    let is_schema = |name: &&str| {
        let mut parts = Path::new(name).components();
        name.ends_with(".schema.json") && matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
    };
    names.filter(is_schema).map(str::to_owned).collect()
}

fn foreign(folder: &Path) -> Failure {
    let message = format!("`{}` has files that an export of JSON Schema did not write", shown(folder));
    let finding = Diagnostic::new(codes::EXPORT_FOREIGN, message);
    Failure::Findings(vec![finding.help("choose a new or an empty folder")])
}

fn failed(folder: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot write `{}`: {error}", shown(folder));
    Failure::Findings(vec![Diagnostic::new(codes::EXPORT_FAILED, message)])
}
