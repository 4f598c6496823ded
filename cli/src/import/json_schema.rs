//! `capgen import json-schema`: files of JSON Schema.

use std::path::{Path, PathBuf};

use capgen_interop::import::{Document, agent_id, json_schema};
use capgen_manifest::{AgentId, TransportSettings};
use clap::error::ErrorKind;

use super::arguments::JsonSchema;
use super::header::{Header, folder_option};
use super::linked::{self, Room};
use super::manifest::{Import, Manifest, checked};
use super::{no_agent, output};
use crate::failure::Failure;
use crate::input;

/// The most files of a folder. Far more than exported schemas; a folder that was chosen by mistake must not take long.
const MAX_FILES: usize = 10_000;

pub(super) fn manifest(arguments: &JsonSchema) -> Result<Manifest, Failure> {
    let JsonSchema { paths, conversion, output, .. } = arguments;
    let has_name = arguments.capability.is_some() || arguments.each;
    if paths.iter().any(|path| input::is_stdin(path)) && !has_name {
        let message = "standard input has no name of a capability: pass `--capability <NAME>`, or `--each`";
        return Err(Failure::usage(ErrorKind::MissingRequiredArgument, message));
    }
    let (mut files, mut room) = (Vec::new(), Room::new());
    for path in expanded(paths)? {
        let source = super::read(&path)?;
        let document = Document::parse_json(&source)?;
        let document = linked::with_files(&path, arguments.root_dir.as_deref(), document, &mut room)?;
        files.push((source.path().to_owned(), document));
    }
    let document = Document::of_files(files);
    let schemas = json_schema::schemas(&document, conversion.settings(), &arguments.naming());
    let file = || paths.first().filter(|path| !input::is_stdin(path)).and_then(|path| path.file_stem()?.to_str());
    let named = || file().and_then(agent_id);
    let agent = conversion.agent.clone().or(schemas.agent).or_else(named);
    let agent = agent.ok_or_else(|| no_agent(&document, &schemas.imported))?;
    let transports = vec![transport(&agent)];
    let header = Header { format: "files of JSON Schema", server: None, version: None };
    let folder = arguments.root_dir.as_deref().map(|folder| folder_option("root-dir", folder, &output.out));
    let words = format!("{}{}{}", folder.unwrap_or_default(), arguments.naming_words(), conversion.words());
    let text = header.text("json-schema", paths, &words, Some(&output.out));
    let import = Import { document, imported: schemas.imported, agent, transports, header };
    checked(import, &text, conversion, "schemas")
}

fn transport(agent: &AgentId) -> TransportSettings {
    TransportSettings::memory(&format!("agents.{agent}.requests"))
}

/// The files, and the JSON files of each folder, sorted by name.
fn expanded(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = path.read_dir().and_then(|entries| entries.take(MAX_FILES).collect::<Result<Vec<_>, _>>());
        let entries = entries.map_err(|error| output::failed(path, "read", &error))?;
        let mut found: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).filter(|p| is_json(p)).collect();
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}
