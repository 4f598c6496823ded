//! `capgen dci skill`: the frontmatter of a `SKILL.md` from a manifest.

use std::path::PathBuf;

use capgen_dci::contract::is_capability;
use capgen_dci::{Skill, SkillContract, Source as Place, codes};
use capgen_diagnostic::{Diagnostic, Severity, Source, quoted, shortened};
use capgen_manifest::{Manifest, plain_capabilities};
use serde_json::Value;

use super::arguments;
use crate::console::{self, Console};
use crate::failure::{Failure, RunResult, Verdict};

/// Longer descriptions are shortened. It is the limit of the specification of Agent Skills.
const MAX_DESCRIPTION: usize = 1024;

pub(super) fn run(arguments: &arguments::Skill, console: &Console) -> RunResult {
    let Some(loaded) = arguments.contract.load()? else { return Ok(Verdict::Fine) };
    let manifest = &loaded.manifest;
    // Versions of one capability have one name.
    let names = || plain_capabilities(&manifest.capabilities).map(|capability| &capability.name);
    let invalid = names().filter(|name| !is_capability(name)).map(|name| {
        let message = format!("{} is not a capability of DCI/1 and is left out", quoted(name));
        let finding = Diagnostic::new(codes::INVALID_CAPABILITY, message).with_severity(Severity::Warning);
        finding.in_file(loaded.path())
    });
    console.report(&invalid.collect::<Vec<_>>());
    let provides = names().filter(|name| is_capability(name)).cloned().collect();
    let contract = SkillContract { provides, ..SkillContract::default() };
    let text = frontmatter(manifest, &contract, &arguments.manifest);
    // The limits of skills may be lower than those of manifests.
    let source = Source::new("SKILL.md", text);
    Skill::read(&source, ".".to_owned(), Place::WorkspaceLocal, PathBuf::new()).map_err(Failure::Findings)?;
    console::print(source.text())?;
    Ok(if contract.provides.is_empty() { Verdict::Findings } else { Verdict::Fine })
}

/// The frontmatter. JSON strings are strings of YAML, too.
fn frontmatter(manifest: &Manifest, contract: &SkillContract, path: &str) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let agent = manifest.agent.as_str();
    let described = manifest.capabilities.iter().filter_map(|capability| capability.description.as_deref());
    let descriptions = described.collect::<Vec<_>>().join(" ");
    let description = if descriptions.is_empty() { format!("Calls the agent {agent}.") } else { descriptions };
    format!(
        "---\nname: {}\ndescription: {}\nmetadata:\n  capabilities: {}\n  contract: {}\n---\n",
        quoted(agent),
        quoted(&shortened(&description, MAX_DESCRIPTION)),
        quoted(&shortened(path, MAX_DESCRIPTION)),
        quoted(&contract.canonical())
    )
}
