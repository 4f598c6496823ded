//! `capgen import mcp`: the tools of an MCP server.

use std::path::Path;

use capgen_interop::import::{Document, agent_id, mcp};
#[cfg(feature = "mcp")]
use capgen_interop::pretty;
use capgen_manifest::{AgentId, Source, TransportSettings, shown};

use super::arguments::{Conversion, Mcp};
use super::header::Header;
use super::manifest::{Import, Manifest, checked};
use super::no_agent;
use crate::console::Console;
use crate::failure::Failure;
use crate::input;

/// The name of a running server in findings.
const SERVER: &str = "<server>";

pub(super) fn manifest(arguments: &Mcp, console: &Console) -> Result<Manifest, Failure> {
    let Mcp { file, conversion, output, .. } = arguments;
    let (import, source) = match file {
        Some(file) => (from_file(file, conversion)?, shown(file)),
        None => (from_server(arguments, console)?, SERVER.to_owned()),
    };
    let header = import.header.text("mcp", file.as_slice(), &conversion.words(), Some(&output.out));
    checked(import, &header, conversion, &source)
}

/// The contract of the tools in a file, to generate code from.
pub(crate) fn contract(file: &Path, conversion: &Conversion) -> Result<Manifest, Failure> {
    let mut manifest = checked(from_file(file, conversion)?, "", conversion, &shown(file))?;
    manifest.contract.file = file.to_owned();
    Ok(manifest)
}

/// Reads the tools in a file.
pub(crate) fn from_file(file: &Path, conversion: &Conversion) -> Result<Import, Failure> {
    let stem = file.file_stem().filter(|_| !input::is_stdin(file)).and_then(|stem| stem.to_str());
    import(&super::read(file)?, stem, conversion)
}

/// Asks a server for its tools.
#[cfg(feature = "mcp")]
fn from_server(arguments: &Mcp, console: &Console) -> Result<Import, Failure> {
    let tools = arguments.server.tools(console)?;
    let mut import = import(&Source::new(SERVER, pretty(&tools.to_json())), None, &arguments.conversion)?;
    if let Some(url) = &arguments.server.http {
        import.transports = vec![transport(&import.agent).set("url", public_part(url, console))];
    }
    Ok(import)
}

/// The URL for the manifest, which is checked in: hosted servers take keys in the query.
#[cfg(feature = "mcp")]
fn public_part<'u>(url: &'u str, console: &Console) -> &'u str {
    let public = url.find(['?', '#']).and_then(|end| url.get(..end)).unwrap_or(url);
    if public != url {
        console.line("note: the query of the URL is not written to the manifest, because it may contain a secret");
    }
    public
}

/// The parser requires a file.
#[cfg(not(feature = "mcp"))]
fn from_server(_: &Mcp, _: &Console) -> Result<Import, Failure> {
    Err(crate::missing::failure("mcp"))
}

fn import(source: &Source, name: Option<&str>, conversion: &Conversion) -> Result<Import, Failure> {
    let document = Document::parse_json_or_lines(source)?;
    let tools = mcp::tools(&document, conversion.settings());
    let names = [tools.server.as_deref(), name];
    let Some(agent) = conversion.agent.clone().or_else(|| names.into_iter().flatten().find_map(agent_id)) else {
        return Err(no_agent(&document, &tools.imported));
    };
    let header = Header { format: "the tools of an MCP server", server: tools.server, version: tools.server_version };
    let transports = vec![transport(&agent)];
    Ok(Import { document, imported: tools.imported, agent, transports, header })
}

/// The transport of a server that a program starts or connects to. The manifest of a peer contains no command.
fn transport(agent: &AgentId) -> TransportSettings {
    TransportSettings::mcp(agent.as_str())
}
