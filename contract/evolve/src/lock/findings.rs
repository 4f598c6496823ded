//! The differences between a lock and contracts as findings with snippets of both files.

use std::collections::BTreeSet;

use capgen_diagnostic::{Diagnostic, Label, Source};
use capgen_manifest::{AgentId, LoadedContract, Member, Node};
use capgen_schema::pointer;

use super::{Lock, LockChange, LockChangeKind, read};
use crate::{TextChange, codes};

/// A lock with the text that it was read from.
#[derive(Clone, Debug)]
pub struct LockFile {
    /// The hashes.
    pub lock: Lock,
    source: Source,
    root: Node,
}

impl LockFile {
    /// Reads the text of a lock.
    ///
    /// # Errors
    ///
    /// Every error of the text: [`codes::LOCK_FORMAT`], or the errors of YAML.
    ///
    /// ```
    /// use capgen_evolve::{Lock, LockFile};
    /// use capgen_manifest::Source;
    /// let lock = Lock::default();
    /// let file = LockFile::read(&Source::new("capgen.lock", lock.text())).map_err(|findings| format!("{findings:?}"))?;
    /// assert_eq!(file.lock, lock);
    /// # Ok::<(), String>(())
    /// ```
    pub fn read(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        let (lock, root) = read::read(source)?;
        Ok(Self { lock, source: source.clone(), root })
    }

    /// The differences between the lock and a contract: [`codes::LOCKED_TRANSPORTS_CHANGED`],
    /// [`codes::LOCKED_CONTRACT_CHANGED`], [`codes::LOCKED_DEFINITION_CHANGED`], [`codes::NOT_LOCKED`] and
    /// [`codes::LOCKED_REMOVED`].
    pub fn findings(&self, contract: &LoadedContract) -> Vec<Diagnostic> {
        let changes = self.lock.changes(&contract.manifest);
        changes.iter().map(|change| self.finding(contract, change)).collect()
    }

    /// A finding for each agent of the lock that is not one of the agents: [`codes::LOCKED_REMOVED`].
    pub fn missing(&self, agents: &BTreeSet<&AgentId>) -> Vec<Diagnostic> {
        let missing = self.lock.agents.keys().filter(|agent| !agents.contains(agent));
        missing
            .map(|agent| {
                let message = format!("the agent `{agent}` is locked, but has no manifest");
                let finding = Diagnostic::new(codes::LOCKED_REMOVED, message);
                let key = self.root.member("agents").and_then(|agents| agents.value.member(agent.as_str()));
                match key {
                    Some(key) => finding.at(&self.source, key.key_span.clone(), ""),
                    None => finding.in_file(self.source.path()),
                }
                .help(UPDATE)
            })
            .collect()
    }

    fn finding(&self, contract: &LoadedContract, change: &LockChange) -> Diagnostic {
        let agent = &contract.manifest.agent;
        if let LockChangeKind::Transports(settings) = &change.kind {
            return self.moved(contract, settings);
        }
        let Some(name) = &change.capability else {
            let message = format!("the agent `{agent}` is not locked");
            let label = contract.label("/agent", "");
            return Diagnostic::new(codes::NOT_LOCKED, message).label(label).help(UPDATE);
        };
        let index = contract.manifest.labels().iter().position(|label| label == name);
        let place = index.map(|index| contract.capability_pointer(index));
        let (code, message, keys) = match &change.kind {
            LockChangeKind::Contract(keys) => {
                (codes::LOCKED_CONTRACT_CHANGED, format!("the contract of `{name}` changed"), keys.as_slice())
            }
            LockChangeKind::Definition(keys) => {
                let changed = match keys.as_slice() {
                    [] => "the lock does not match its definition".to_owned(),
                    keys => format!("{} changed", listed(keys)),
                };
                let message = format!("the definition of `{name}` changed: {changed}");
                (codes::LOCKED_DEFINITION_CHANGED, message, keys.as_slice())
            }
            LockChangeKind::Added | LockChangeKind::Transports(_) => {
                (codes::NOT_LOCKED, format!("the capability `{name}` is not locked"), &[][..])
            }
            LockChangeKind::Removed => {
                let has_several = contract.manifest.versions(name).len() > 1;
                let reason = match has_several {
                    true => "the manifest has several versions of it, which are locked by name and version",
                    false => "the manifest does not have it",
                };
                let message = format!("the capability `{name}` of `{agent}` is locked, but {reason}");
                (codes::LOCKED_REMOVED, message, &[][..])
            }
        };
        let mut finding = Diagnostic::new(code, message);
        if let Some(place) = &place {
            finding.labels.extend(labels(contract, place, keys));
        }
        finding.labels.extend(self.label(agent, "capabilities", Some(name)));
        if let LockChangeKind::Contract(keys) = &change.kind
            && !keys.is_empty()
        {
            finding = finding.note(format!("changed: {}", listed(keys)));
        }
        match code {
            codes::LOCKED_DEFINITION_CHANGED => {
                // The lock has no text, so the old one is not known here.
                let text = index.and_then(|index| contract.manifest.capabilities.get(index)?.description.clone());
                let text = text.filter(|_| keys.iter().any(|key| key == "description"));
                if text.is_some() {
                    let [_, new] = TextChange { old: None, new: text }.lines();
                    finding = finding.note(new).note("`capgen diff` shows the old text too");
                }
                finding.help(format!("a language model may read this text: review it, then {UPDATE}"))
            }
            _ => finding.help(UPDATE),
        }
    }

    /// The finding about transports whose settings differ. It names them, and shows no value.
    fn moved(&self, contract: &LoadedContract, settings: &[String]) -> Diagnostic {
        let agent = &contract.manifest.agent;
        let message = format!("the transports of `{agent}` changed: {}", listed(settings));
        let mut finding = Diagnostic::new(codes::LOCKED_TRANSPORTS_CHANGED, message);
        let present = settings.iter().filter(|place| contract.span(place).is_some());
        finding.labels.extend(present.map(|place| contract.label(place, "changed")));
        if finding.labels.is_empty() {
            finding.labels.push(contract.label("/transports", "changed"));
        }
        finding.labels.extend(self.label(agent, "transports", None));
        finding.help(format!(
            "the owner of an address gets the calls of all callers: make sure that it is right, then {UPDATE}"
        ))
    }

    /// The place of a key of an agent in the lock, or of a member of its value.
    fn label(&self, agent: &AgentId, key: &str, name: Option<&str>) -> Option<Label> {
        let below = |node: &'_ Node, key: &str| node.member(key).cloned();
        let agents: Member = below(&self.root, "agents")?;
        let value = below(&below(&agents.value, agent.as_str())?.value, key)?;
        let place = match name {
            Some(name) => below(&value.value, name)?,
            None => value,
        };
        Some(Label { source: self.source.clone(), span: place.key_span, text: "locked here".to_owned() })
    }
}

const UPDATE: &str = "run `capgen lock`, and check in the result";

/// A label at each key that changed, or at the capability if the manifest has none of them.
fn labels(contract: &LoadedContract, place: &str, keys: &[String]) -> Vec<Label> {
    let present = keys.iter().map(|key| pointer::join(place, key)).filter(|place| contract.span(place).is_some());
    let labels: Vec<Label> = present.map(|place| contract.label(&place, "changed")).collect();
    if labels.is_empty() { vec![contract.label(&pointer::join(place, "name"), "")] } else { labels }
}

fn listed(keys: &[String]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
}
