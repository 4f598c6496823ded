//! Accepted findings: those that a reviewer has accepted until a day, with a reason.

#[cfg(feature = "parse")]
mod read;

use std::collections::BTreeMap;

use capgen_manifest::AgentId;

use crate::{Date, Finding, Fingerprint};

#[cfg(feature = "parse")]
pub use read::read_accepted;

/// The name of the file of accepted findings.
pub const ACCEPTED_FILE: &str = "capgen-accepted.yaml";

/// One entry of the file of accepted findings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptedEntry {
    /// The fingerprint of the finding.
    pub fingerprint: String,
    /// The code that the finding must have, if the entry names it.
    pub code: Option<String>,
    /// The agent whose finding it is, if the entry names it. Equal changes of two agents have the same fingerprint.
    pub agent: Option<String>,
    /// Why the finding is accepted. Not empty.
    pub reason: String,
    /// The last day, in UTC, on which the finding is accepted.
    pub expires: Date,
    /// The span of the entry in its file, in bytes.
    pub span: std::ops::Range<usize>,
}

/// The entries of the files of accepted findings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Accepted {
    by_fingerprint: BTreeMap<String, Vec<AcceptedEntry>>,
}

/// The entries that count for the findings of an agent on a day.
#[derive(Clone, Copy, Debug)]
pub struct AcceptedOn<'a> {
    accepted: &'a Accepted,
    agent: &'a AgentId,
    today: Date,
}

/// Whether a finding is accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Acceptance {
    /// No entry matches the finding.
    None,
    /// The entry accepts the finding.
    Accepted(AcceptedEntry),
    /// The entry accepted the finding until a day in the past.
    Expired(AcceptedEntry),
}

impl Accepted {
    /// The entries of a file.
    pub fn new(entries: Vec<AcceptedEntry>) -> Self {
        let mut accepted = Self::default();
        for entry in entries {
            accepted.by_fingerprint.entry(entry.fingerprint.clone()).or_default().push(entry);
        }
        accepted
    }

    /// Whether an entry accepts the finding of an agent on the day `today`. Of several entries that match, the one that
    /// expires last counts.
    pub fn acceptance(&self, agent: &AgentId, finding: &Finding, today: Date) -> Acceptance {
        match self.last(agent, finding) {
            None => Acceptance::None,
            Some(entry) if entry.expires < today => Acceptance::Expired(entry.clone()),
            Some(entry) => Acceptance::Accepted(entry.clone()),
        }
    }

    /// The last day on which an entry accepts the finding of an agent, also if it has passed; `None` if none matches.
    pub fn until(&self, agent: &AgentId, finding: &Finding) -> Option<Date> {
        self.last(agent, finding).map(|entry| entry.expires)
    }

    /// Of the entries that match, the one that expires last.
    fn last(&self, agent: &AgentId, finding: &Finding) -> Option<&AcceptedEntry> {
        let entries = self.by_fingerprint.get(finding.fingerprint.as_str()).into_iter().flatten();
        entries.filter(|entry| entry.matches(agent, finding)).max_by_key(|entry| entry.expires)
    }

    /// The entries that count for the findings of an agent on the day `today`.
    pub fn on<'a>(&'a self, agent: &'a AgentId, today: Date) -> AcceptedOn<'a> {
        AcceptedOn { accepted: self, agent, today }
    }

    /// The entries, by fingerprint.
    pub fn entries(&self) -> impl Iterator<Item = &AcceptedEntry> {
        self.by_fingerprint.values().flatten()
    }

    /// The entries whose fingerprints have the [old form](Fingerprint::OLD_LEN), in the order of the file. They accept
    /// nothing.
    pub fn of_old_form(&self) -> Vec<&AcceptedEntry> {
        let mut old: Vec<_> = self.by_fingerprint.values().flatten().filter(|entry| entry.is_of_old_form()).collect();
        old.sort_by_key(|entry| entry.span.start);
        old
    }

    /// The entries that match none of the findings, in the order of the file, without those of the old form.
    pub fn unused<'e>(&'e self, findings: &[(&AgentId, &Finding)]) -> Vec<&'e AcceptedEntry> {
        let mut unused: Vec<_> = self
            .by_fingerprint
            .values()
            .flatten()
            .filter(|entry| {
                !entry.is_of_old_form() && !findings.iter().any(|(agent, finding)| entry.matches(agent, finding))
            })
            .collect();
        unused.sort_by_key(|entry| entry.span.start);
        unused
    }
}

impl AcceptedOn<'_> {
    /// The last day on which a finding is accepted; `None` if it is not accepted today.
    pub fn until(&self, finding: &Finding) -> Option<Date> {
        match self.accepted.acceptance(self.agent, finding, self.today) {
            Acceptance::Accepted(entry) => Some(entry.expires),
            Acceptance::None | Acceptance::Expired(_) => None,
        }
    }
}

impl AcceptedEntry {
    fn is_of_old_form(&self) -> bool {
        self.fingerprint.len() == Fingerprint::OLD_LEN
    }

    fn matches(&self, agent: &AgentId, finding: &Finding) -> bool {
        self.fingerprint == finding.fingerprint.as_str()
            && self.code.as_ref().is_none_or(|code| code == finding.code.as_str())
            && self.agent.as_ref().is_none_or(|name| name == agent.as_str())
    }
}

impl Acceptance {
    /// A sentence for readers, without a full stop; `None` if no entry matches.
    pub fn note(&self) -> Option<String> {
        match self {
            Acceptance::None => None,
            Acceptance::Accepted(entry) => Some(format!("accepted until {}: {}", entry.expires, entry.reason)),
            Acceptance::Expired(entry) => {
                Some(format!("no longer accepted: the entry expired on {} ({})", entry.expires, entry.reason))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use capgen_diagnostic::Code;

    use super::*;
    use crate::Level;

    fn finding() -> Finding {
        Finding {
            code: Code::new("E0701"),
            level: Level::Breaking,
            capability: "call".to_owned(),
            side: None,
            old_pointer: None,
            new_pointer: None,
            message: String::new(),
            help: None,
            witness: None,
            texts: None,
            fingerprint: Fingerprint::of(&["a"]),
        }
    }

    #[test]
    fn an_entry_accepts_until_the_end_of_its_last_day() {
        let finding = finding();
        let agent = AgentId::new("agent").unwrap();
        let date = |text: &str| text.parse::<Date>().unwrap();
        let entry = AcceptedEntry {
            fingerprint: finding.fingerprint.to_string(),
            code: None,
            agent: None,
            reason: "x".to_owned(),
            expires: date("2024-02-29"),
            span: 0..0,
        };
        let accepted = Accepted::new(vec![entry.clone()]);
        let on = |text: &str| accepted.acceptance(&agent, &finding, date(text));
        assert_eq!(on("2024-02-29"), Acceptance::Accepted(entry.clone()));
        assert_eq!(on("2024-03-01"), Acceptance::Expired(entry));
        assert_eq!(accepted.until(&agent, &finding), Some(date("2024-02-29")));
        assert!(accepted.unused(&[(&agent, &finding)]).is_empty());
        assert_eq!(accepted.unused(&[]).len(), 1);
    }
}
