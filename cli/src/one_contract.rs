//! The selection of one contract and one of its capabilities, by the commands about a single capability.

use std::path::PathBuf;

use capgen_diagnostic::{Diagnostic, nearest};
use capgen_manifest::{Capability, LoadedContract, Selection};
use clap::{ArgGroup, Args};

use crate::arguments::contract_path;
use crate::codes;
use crate::failure::Failure;

/// The options that select one contract.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("contract").required(true).args(["capabilities", "peer"])))]
pub(crate) struct OneContract {
    /// Read this manifest
    #[arg(long, value_name = "PATH", value_parser = contract_path())]
    capabilities: Option<PathBuf>,
    /// Read the manifest of this agent in the fleet
    #[arg(long, value_name = "ID")]
    peer: Option<String>,
    /// Root folder of the fleet [default: the current folder or its nearest parent with fleet.yaml or agents/]
    #[arg(long, value_name = "DIR", conflicts_with = "capabilities")]
    root: Option<PathBuf>,
}

impl OneContract {
    /// Reads the contract. `None` cannot happen: one of the two options is required.
    pub(crate) fn load(&self) -> Result<Option<LoadedContract>, Failure> {
        let selection = Selection {
            peers: self.peer.iter().cloned().collect(),
            files: self.capabilities.iter().cloned().collect(),
            root: self.root.clone(),
            start: ".".into(),
            all: false,
        };
        Ok(selection.locate().load()?.into_iter().next())
    }
}

/// The capability of a contract with this name, or with this name and version: `<name>@<version>`. The name alone means
/// the highest version that is not a pre-release.
pub(crate) fn capability<'c>(contract: &'c LoadedContract, name: &str) -> Result<&'c Capability, Failure> {
    if let Some(capability) = contract.manifest.capability(name) {
        return Ok(capability);
    }
    let labels = contract.manifest.labels();
    let message = format!("`{}` has no capability {name:?}", contract.path());
    let finding = Diagnostic::new(codes::UNKNOWN_CAPABILITY, message);
    let names = || labels.iter().map(String::as_str);
    Err(Failure::Findings(vec![match nearest(name, names()) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding.help(format!("its capabilities are {}", listed(names()))),
    }]))
}

/// The first names, and how many more there are: a contract may have thousands.
fn listed<'n>(mut names: impl Iterator<Item = &'n str>) -> String {
    // A user looks for one of them, and a fleet may have thousands.
    const FEW: usize = 20;
    let mut list = names.by_ref().take(FEW).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match names.count() {
        0 => {}
        more => list.push_str(&format!(" and {more} more")),
    }
    list
}
