//! `capgen import mcp`: the tools of an MCP server.

use std::path::Path;

use capgen_interop::import::{Document, agent_id, mcp};
use capgen_manifest::{AgentId, TransportSettings, shown};

use super::arguments::{Conversion, Mcp};
use super::header::Header;
use super::manifest::{Import, Manifest, checked};
use super::{no_agent, output};
use crate::console::Console;
use crate::failure::{Failure, Outcome};
use crate::input;

pub(super) fn run(arguments: &Mcp, console: &Console) -> Outcome {
    let Mcp { file, conversion, output } = arguments;
    let import = from_file(file, conversion)?;
    let header = import.header.text("mcp", std::slice::from_ref(file), conversion, Some(&output.out));
    let manifest = checked(import, &header, conversion, &shown(file))?;
    manifest.report(console);
    output::write(output, &manifest, console)
}

/// The contract of the tools in a file, to generate code from.
pub(crate) fn contract(file: &Path, conversion: &Conversion) -> Result<Manifest, Failure> {
    let mut manifest = checked(from_file(file, conversion)?, "", conversion, &shown(file))?;
    manifest.contract.file = file.to_owned();
    Ok(manifest)
}

/// Reads the tools in a file.
pub(crate) fn from_file(file: &Path, conversion: &Conversion) -> Result<Import, Failure> {
    let document = Document::parse_json_or_lines(&super::read(file)?)?;
    let tools = mcp::tools(&document, conversion.settings());
    let stem = file.file_stem().filter(|_| !input::is_stdin(file)).and_then(|stem| stem.to_str());
    let names = [tools.server.as_deref(), stem];
    let Some(agent) = conversion.agent.clone().or_else(|| names.into_iter().flatten().find_map(agent_id)) else {
        return Err(no_agent());
    };
    let header = Header { format: "the tools of an MCP server", server: tools.server, version: tools.server_version };
    let transports = vec![transport(&agent)];
    Ok(Import { document, imported: tools.imported, agent, transports, header })
}

/// The transport of a server that a program starts or connects to. The manifest of a peer contains no command.
fn transport(agent: &AgentId) -> TransportSettings {
    TransportSettings::mcp(agent.as_str())
}
