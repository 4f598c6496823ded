//! Older contracts of an agent, and the verdicts on the callers that were built with them, for a table in generated
//! code. Generated servers decide by the table whether they serve such a caller, without a comparison of the contracts.
//!
//! ```
//! use capgen_codegen::history::{OlderContracts, VerdictSettings};
//! use capgen_manifest::{Source, load};
//!
//! let contract = |schema: &str| {
//!     let text = format!(
//!         "version: 1\nagent: agent://shop\ntransports: [{{ kind: memory, topics: {{ requests: shop }} }}]\n\
//!          capabilities: [{{ name: find, inputSchema: {{ {schema} }} }}]\n"
//!     );
//!     load(&Source::new("capabilities.yaml", text)).unwrap().manifest
//! };
//! let current = contract("type: string, maxLength: 2");
//! let mut older = OlderContracts::default();
//! older.add(&current, contract("type: string"));
//! assert!(!older.verdicts(&current, &VerdictSettings::default()).is_empty());
//! ```

mod files;
mod settings;
mod side;
mod table;

use std::collections::BTreeMap;

use capgen_manifest::{Capability, Manifest, Side};

pub use files::OlderFiles;
pub use settings::{VerdictSettings, VerdictSources};
pub use table::{KnownFinding, SideVerdict, Verdicts};

/// The most older contracts of one capability, those that were added first: a generated file has a row for each, and
/// each comparison may take two seconds.
pub const MAX_OLDER: usize = 100;

/// The older contracts of an agent: of each capability, by its name, those that differ from the current one, each hash
/// once.
#[derive(Clone, Debug, Default)]
pub struct OlderContracts {
    capabilities: BTreeMap<String, Vec<Capability>>,
    left_out: usize,
}

impl OlderContracts {
    /// Adds the capabilities of a contract that the current one has in another form. At most [`MAX_OLDER`] of each name
    /// are kept, so the newest contract comes first.
    pub fn add(&mut self, current: &Manifest, contract: Manifest) {
        for capability in contract.capabilities {
            let mut named = current.capabilities.iter().filter(|own| own.name == capability.name).peekable();
            // Callers with the contract of a version that is served reach this version.
            if named.peek().is_none() || named.any(|own| own.hash() == capability.hash()) {
                continue;
            }
            let known = self.capabilities.entry(capability.name.clone()).or_default();
            if known.iter().any(|one| one.hash() == capability.hash()) {
                continue;
            }
            if known.len() < MAX_OLDER { known.push(capability) } else { self.left_out += 1 }
        }
    }

    /// How many capabilities had no room.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// The verdicts on the callers. Depends on the arguments alone: the same input gives the same verdicts on every day
    /// and every machine.
    pub fn verdicts(&self, current: &Manifest, settings: &VerdictSettings) -> Verdicts {
        let mut verdicts = Verdicts::default();
        for (index, provider) in current.capabilities.iter().enumerate() {
            for caller in self.capabilities.get(&provider.name).into_iter().flatten() {
                let verdict = |side| side::verdict(side, caller, (&current.agent, provider), settings);
                verdicts.insert(index, caller.hash().to_string(), [Side::Request, Side::Response].map(verdict));
            }
        }
        verdicts
    }
}

/// The table for the generated servers of one contract.
#[derive(Clone, Debug, Default)]
pub struct HistoryTable {
    /// The rows.
    pub verdicts: Verdicts,
    /// The words after `--history` in the command that generates the files again; empty if there are none.
    pub words: Vec<String>,
}
