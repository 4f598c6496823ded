//! `capgen init`: a first manifest.

mod arguments;
mod conflict;
mod content;
mod files;
mod out;
mod prompt;

pub(crate) use arguments::Init;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use capgen_diagnostic::{Diagnostic, nearest, quoted};
use capgen_files::is_device_name;
use capgen_interop::import::agent_id;
use capgen_manifest::{AgentId, Capability, TransportSettings, find_root};
use clap::error::ErrorKind;

use crate::codes;
use crate::console::Console;
use crate::failure::{Failure, RunResult, Verdict};
use files::Plan;

/// The name of the first capability if the user has no better one.
const CAPABILITY: &str = "hello";

/// The most capabilities of a first manifest. Far more than a user enters; a larger list is a mistake, such as a file
/// of another kind.
const MAX_CAPABILITIES: usize = 1000;

/// The choices of the user, which are not checked yet.
struct Choices {
    agent: String,
    capabilities: Vec<String>,
    transport: String,
}

/// The choices, checked.
struct Start {
    agent: AgentId,
    capabilities: Vec<String>,
    transport: TransportSettings,
}

pub(crate) fn run(arguments: &Init, console: &Console) -> RunResult {
    out::reject_stdout(arguments.out.as_deref())?;
    let root = arguments.root.clone().or_else(|| find_root(Path::new("."))).unwrap_or_default();
    let defaults = Choices {
        agent: default_agent(arguments, &root),
        capabilities: vec![CAPABILITY.to_owned()],
        transport: TransportSettings::kinds().first().copied().unwrap_or_default().to_owned(),
    };
    let asks = !arguments.yes && io::stdin().is_terminal() && io::stderr().is_terminal();
    let choices = match asks {
        true => prompt::ask(arguments, defaults, &mut io::stdin().lock(), &mut io::stderr())?,
        false => chosen(arguments, defaults)?,
    };
    let start = checked(choices, arguments.out.as_deref())?;
    let plan = Plan::new(arguments, &root, &start)?;
    if asks && !prompt::confirm(plan.paths(), &mut io::stdin().lock(), &mut io::stderr())? {
        console.line("nothing was written");
        return Ok(Verdict::Findings);
    }
    plan.write()?;
    plan.report(console);
    Ok(Verdict::Fine)
}

/// The name of the folder of the fleet as an id.
fn default_agent(arguments: &Init, root: &Path) -> String {
    let beside = arguments.out.as_deref().map(|out| out.parent().unwrap_or(Path::new("")));
    let folder: PathBuf = std::path::absolute(Path::new(".").join(beside.unwrap_or(root))).unwrap_or_default();
    // The path may end with `..`, so only the system knows the name.
    let folder = folder.canonicalize().unwrap_or(folder);
    let name = folder.file_name().and_then(|name| agent_id(&name.to_string_lossy()));
    name.map_or_else(|| "agent".to_owned(), |id| id.to_string())
}

/// The choices without a terminal. A missing option is incorrect usage, unless `--yes` allows its default.
fn chosen(arguments: &Init, defaults: Choices) -> Result<Choices, Failure> {
    let Init { agent, capability, transport, .. } = arguments;
    let missing = [("--agent <ID>", agent.is_none()), ("--capability <NAME>", capability.is_empty())];
    let missing: Vec<&str> = missing.iter().filter(|(_, is_missing)| *is_missing).map(|(option, _)| *option).collect();
    if !missing.is_empty() && !arguments.yes {
        let message = format!("without a terminal, pass {}, or `--yes` for the defaults", missing.join(" and "));
        return Err(Failure::usage(ErrorKind::MissingRequiredArgument, message));
    }
    Ok(Choices {
        agent: agent.clone().unwrap_or(defaults.agent),
        capabilities: if capability.is_empty() { defaults.capabilities } else { capability.clone() },
        transport: transport.clone().unwrap_or(defaults.transport),
    })
}

/// Checks the choices and the path of `--out`, and reports all that are not valid.
fn checked(choices: Choices, out: Option<&Path>) -> Result<Start, Failure> {
    let Choices { agent, capabilities, transport } = choices;
    let agent = agent.strip_prefix("agent://").unwrap_or(&agent).to_owned();
    let mut findings = Vec::new();
    findings.extend(agent_problem(&agent).map(|help| invalid("the id of an agent", &agent, help)));
    for name in capabilities.iter().take(MAX_CAPABILITIES) {
        findings.extend(capability_problem(name).map(|help| invalid("the name of a capability", name, help)));
    }
    if capabilities.len() > MAX_CAPABILITIES {
        let message = format!("more than {MAX_CAPABILITIES} capabilities");
        findings.push(Diagnostic::new(codes::INIT_VALUE, message).help("add the others to the file"));
    }
    findings.extend(transport_problem(&transport).map(|help| invalid("a kind of transport", &transport, help)));
    findings.extend(out.and_then(out::problem));
    let id = AgentId::new(&agent).filter(|_| findings.is_empty());
    let settings = id.and_then(|agent| {
        let transport = TransportSettings::local(&transport, &format!("agents.{agent}.requests"))?;
        Some((agent, transport))
    });
    let (agent, transport) = settings.ok_or(findings)?;
    Ok(Start { agent, capabilities, transport })
}

fn invalid(kind: &str, text: &str, help: String) -> Diagnostic {
    Diagnostic::new(codes::INIT_VALUE, format!("{} is not {kind}", quoted(text))).help(help)
}

/// The rule that an id of an agent violates.
fn agent_problem(text: &str) -> Option<String> {
    match AgentId::new(text) {
        None => Some(AgentId::RULE.to_owned()),
        Some(_) if is_device_name(text) => Some("Windows reserves this name, so no folder can have it".to_owned()),
        Some(_) => None,
    }
}

/// The rule that a name of a capability violates.
fn capability_problem(text: &str) -> Option<String> {
    (!Capability::is_name(text)).then(|| Capability::NAME_RULE.to_owned())
}

/// The kinds of transport if this is not one of them.
fn transport_problem(text: &str) -> Option<String> {
    let kinds = TransportSettings::kinds();
    (!kinds.contains(&text)).then(|| match nearest(text, kinds) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the kinds are {}", kinds.map(|kind| format!("`{kind}`")).join(", ")),
    })
}
