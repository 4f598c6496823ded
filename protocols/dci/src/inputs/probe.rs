//! Probes: programs that check whether a skill really offers a capability (decisions 25 and 36).

use std::collections::BTreeMap;

use capgen_diagnostic::{Diagnostic, Source, quoted};

use super::Skill;
use super::contract::is_capability;
use super::document::{Document, Value};
use crate::codes;

/// The longest time of a probe, in ms: ten minutes. A run waits for its probes, so a longer time would look like a run
/// that hangs.
const MAX_TIMEOUT_MS: i64 = 600_000;
/// The most arguments of a probe, its program included. Usual commands have a few; operating systems limit their length
/// too.
const MAX_ARGUMENTS: usize = 1000;

/// A program and its limit of time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// The program and its arguments. No shell interprets them.
    pub command: Vec<String>,
    /// The time in ms after which the program is ended and the probe has failed.
    pub timeout_ms: u64,
}

/// The probes of `.dci/probes.v1.json`, by capability (decision 25).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Probes {
    /// The probes by the capabilities that they check.
    pub by_capability: BTreeMap<String, Probe>,
}

impl Probes {
    /// Reads the text of `.dci/probes.v1.json`.
    ///
    /// # Errors
    ///
    /// All findings, with their JSON Pointers: text that is not JSON, duplicate keys, unknown members, a key that is
    /// not a capability, a command that is empty, and a time outside of 1 ms to 600,000 ms.
    pub fn read(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        Document::read(source, codes::PROBES, |document, root| {
            document.keys(root, "the document", &["schema_version", "probes"])?;
            document.schema_version(root);
            let probes = root.member("probes")?;
            let mut by_capability = BTreeMap::new();
            for member in document.object(&probes, "`probes`")? {
                let value = probes.of(member);
                if !is_capability(&member.key) {
                    let message = format!("{} is not a capability", quoted(&member.key));
                    document.add_key(message, &value, member, None);
                }
                if let Some(probe) = probe(document, &value) {
                    by_capability.insert(member.key.clone(), probe);
                }
            }
            Some(Self { by_capability })
        })
    }
}

fn probe(document: &mut Document<'_>, value: &Value<'_>) -> Option<Probe> {
    document.keys(value, "a probe", &["command", "timeout_ms"])?;
    let command = value.member("command").map(|command| arguments(document, &command));
    let timeout = value.member("timeout_ms");
    let timeout = timeout.and_then(|timeout| document.integer(&timeout, "`timeout_ms`", 1..MAX_TIMEOUT_MS + 1));
    Some(Probe { command: command?, timeout_ms: u64::try_from(timeout?).ok()? })
}

fn arguments(document: &mut Document<'_>, command: &Value<'_>) -> Vec<String> {
    let items = document.array(command, "`command`");
    if items.len() > MAX_ARGUMENTS {
        document.add(format!("`command` has more than {MAX_ARGUMENTS} elements"), command);
        return Vec::new();
    }
    let mut arguments = Vec::new();
    for item in &items {
        let Some(text) = document.text(item, "an element of `command`") else { continue };
        if text.contains('\0') {
            document.add("an element of `command` must not contain U+0000".to_owned(), item);
        }
        arguments.push(text.to_owned());
    }
    let is_list = matches!(command.node.data, capgen_manifest::Data::Array(_));
    if is_list && items.is_empty() || arguments.first().is_some_and(String::is_empty) {
        document.add("`command` must start with a program".to_owned(), command);
    }
    arguments
}

/// Runs probes.
pub trait ProbeRunner {
    /// Whether a probe passes for a skill: the program exits with 0 within its time (decision 36).
    fn passes(&mut self, probe: &Probe, skill: &Skill) -> bool;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(probes: &str) -> Result<Probes, Vec<String>> {
        let text = format!(r#"{{"schema_version": "1", "probes": {probes}}}"#);
        let describe = |finding: Diagnostic| {
            format!("{} {}: {}", finding.code.as_str(), finding.pointer.unwrap_or_default(), finding.message)
        };
        Probes::read(&Source::new("probes", text)).map_err(|findings| findings.into_iter().map(describe).collect())
    }

    #[test]
    fn probes_are_read_by_capability() {
        let probes = read(r#"{"web-search": {"command": ["./probe", "a b", ""], "timeout_ms": 600000}}"#).unwrap();
        let expected = Probe { command: ["./probe", "a b", ""].map(str::to_owned).into(), timeout_ms: 600_000 };
        assert_eq!(probes.by_capability, BTreeMap::from([("web-search".to_owned(), expected)]));
        assert_eq!(read("{}").unwrap(), Probes::default());
    }

    #[test]
    fn every_mistake_is_reported() {
        let one = |member: &str| read(&format!(r#"{{"a": {member}}}"#)).unwrap_err();
        assert_eq!(one("{}").len(), 2);
        let errors = one(r#"{"command": ["a"], "timeout_ms": 1, "shell": true}"#);
        assert_eq!(errors, ["E0838 /probes/a/shell: unknown member `shell` in a probe"]);
        for timeout in ["0", "600001", "-1", "1.5", "\"1\"", "1e30", "null"] {
            let errors = one(&format!(r#"{{"command": ["a"], "timeout_ms": {timeout}}}"#));
            assert_eq!(errors, ["E0838 /probes/a/timeout_ms: `timeout_ms` must be an integer from 1 to 600000"]);
        }
        for (command, pointer) in
            [("[]", ""), ("[\"\"]", ""), ("\"a\"", ""), ("[1]", "/0"), ("[\"a\", \"\\u0000\"]", "/1")]
        {
            let errors = one(&format!(r#"{{"command": {command}, "timeout_ms": 1}}"#));
            assert!(
                errors.len() == 1 && errors[0].starts_with(&format!("E0838 /probes/a/command{pointer}:")),
                "{errors:?}"
            );
        }
        assert!(read(r#"{"-a": {"command": ["a"], "timeout_ms": 1}}"#).is_err());
        assert!(read("[]").is_err());
    }
}
