//! `capgen import openapi` and `capgen import a2a`: documents that describe a whole agent.

use capgen_interop::import::{Document, Imported, a2a as cards, agent_id, openapi as operations};
use capgen_manifest::{TransportSettings, shown};

use super::arguments::{OneFile, Openapi};
use super::header::{Header, folder_option};
use super::linked::{self, Room};
use super::manifest::{Import, Manifest, checked};
use super::no_agent;
use crate::failure::Failure;
use crate::input;

pub(super) fn openapi(arguments: &Openapi) -> Result<Manifest, Failure> {
    let (each, each_words) = (arguments.each(), arguments.each_words());
    let Openapi { one: arguments, root_dir, .. } = arguments;
    let document = linked::with_files(
        &arguments.file,
        root_dir.as_deref(),
        super::read_document(&arguments.file)?,
        &mut Room::new(),
    )?;
    let found = operations::operations_and_schemas(&document, arguments.conversion.settings(), each);
    let header = Header { format: "an OpenAPI document", server: found.title.clone(), version: found.version };
    let folder = root_dir.as_deref().map(|folder| folder_option("root-dir", folder, &arguments.output.out));
    manifest(
        arguments,
        &format!("openapi{}{each_words}", folder.unwrap_or_default()),
        (document, found.imported, found.title, header),
    )
}

pub(super) fn a2a(arguments: &OneFile) -> Result<Manifest, Failure> {
    let document = super::read_document(&arguments.file)?;
    let found = cards::skills(&document, arguments.conversion.settings());
    let header = Header { format: "an A2A agent card", server: found.agent.clone(), version: None };
    manifest(arguments, "a2a", (document, found.imported, found.agent, header))
}

fn manifest(
    arguments: &OneFile,
    format: &str,
    (document, imported, name, header): (Document, Imported, Option<String>, Header),
) -> Result<Manifest, Failure> {
    let OneFile { file, conversion, output } = arguments;
    let stem = file.file_stem().filter(|_| !input::is_stdin(file)).and_then(|stem| stem.to_str());
    let named = || [name.as_deref(), stem].into_iter().flatten().find_map(agent_id);
    let agent = conversion.agent.clone().or_else(named).ok_or_else(|| no_agent(&document, &imported))?;
    let transports = vec![TransportSettings::memory(&format!("agents.{agent}.requests"))];
    let text = header.text(format, std::slice::from_ref(file), &conversion.words(), Some(&output.out));
    let import = Import { document, imported, agent, transports, header };
    checked(import, &text, conversion, &shown(file))
}
