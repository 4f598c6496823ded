//! The outcomes of earlier uses of skills (section "Reliability Persistence", decision 19).

use std::collections::BTreeMap;
use std::fmt;

use capgen_diagnostic::{Diagnostic, Source};
use capgen_schema::Format;
use capgen_time::Timestamp;
use serde::Serialize;

use super::document::{Document, Value};
use crate::{Score, codes};

/// Where the state of reliability is, relative to its root (decision 19).
pub const RELIABILITY_PATH: &str = ".dci/state/reliability.v1.json";
/// The number of outcomes that are kept of each skill. The specification rates a skill by its last 20 outcomes,
/// `success_rate_last_20` (decision 19).
const OUTCOMES: usize = 20;
/// The number of skills whose outcomes are kept when an outcome is recorded. Far more than a workspace uses; with the
/// longest ids, the file stays below the 32 MiB that are read of it.
const MAX_CANDIDATES: usize = 10_000;
/// The longest id of a skill whose outcomes are recorded, in bytes. The path of a skill below its root has at most as
/// much. It bounds the file, which may have 10,000 ids.
const MAX_ID: usize = 1024;

/// The last outcomes of one skill, at most 20.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Whether each use succeeded, the oldest first.
    pub outcomes: Vec<bool>,
    /// The stored rate of successes.
    pub success_rate: Score,
    /// The time of the last use, as it is stored (RFC 3339).
    pub last_used_at: String,
    /// The stored number of outcomes.
    pub sample_size: u32,
}

/// The state of `.dci/state/reliability.v1.json`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reliability {
    /// Whether it was read from a file. If not, the run's history is ephemeral.
    pub is_persistent: bool,
    /// When the file was written, as it is stored (RFC 3339); `1970-01-01T00:00:00Z` without a file (decision 19).
    pub updated_at: String,
    /// The records by the ids of skills.
    pub candidates: BTreeMap<String, Record>,
}

impl Default for Reliability {
    /// No history.
    fn default() -> Self {
        let updated_at = "1970-01-01T00:00:00Z".to_owned();
        Self { is_persistent: false, updated_at, candidates: BTreeMap::new() }
    }
}

/// The reason why an outcome is not recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidOutcome {
    /// The id is not `skill-name::skill-path`, has control characters, or has more than 1,024 bytes.
    Id,
    /// The time is not one of RFC 3339, such as `2026-11-23T10:00:00Z`.
    Time,
}

impl fmt::Display for InvalidOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InvalidOutcome::Id => {
                "the id of a skill is `skill-name::skill-path`, without control characters and of at most 1,024 bytes"
            }
            InvalidOutcome::Time => "the time must be one of RFC 3339, such as `2026-11-23T10:00:00Z`",
        })
    }
}

impl std::error::Error for InvalidOutcome {}

impl Reliability {
    /// The rate of successes that scoring uses: 1 without outcomes (decision 19).
    pub(crate) fn rate(&self, id: &str) -> Score {
        self.candidates.get(id).filter(|record| record.sample_size > 0).map_or(Score::ONE, |record| record.success_rate)
    }

    /// Reads the text of a state.
    ///
    /// # Errors
    ///
    /// All findings, with their JSON Pointers: text that is not JSON, duplicate keys, and violations of the public
    /// schema.
    pub fn read(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        Document::read(source, codes::RELIABILITY, |document, root| {
            document.keys(root, "the state", &["schema_version", "updated_at", "candidates"])?;
            document.schema_version(root);
            let updated_at = date_time(document, &root.member("updated_at")?, "`updated_at`")?;
            let records = root.member("candidates")?;
            let mut candidates = BTreeMap::new();
            for member in document.object(&records, "`candidates`")? {
                let value = records.of(member);
                if !is_id(&member.key) {
                    let message = "the id of a skill must be `skill-name::skill-path`";
                    document.add_key(message.to_owned(), &value, member, None);
                }
                if let Some(record) = record(document, &value) {
                    candidates.insert(member.key.clone(), record);
                }
            }
            Some(Self { is_persistent: true, updated_at, candidates })
        })
    }

    /// Adds the outcome of a use of the skill `id` at the time `now` (RFC 3339), and returns the skill's record. The
    /// last 20 outcomes are kept, and the rate is that of these. If there are more than 10,000 skills, those whose last
    /// use is the longest ago are removed.
    ///
    /// # Errors
    ///
    /// The id or the time is invalid. Then nothing changes.
    pub fn record(&mut self, id: &str, success: bool, now: &str) -> Result<&Record, InvalidOutcome> {
        if id.len() > MAX_ID || !is_id(id) || id.chars().any(char::is_control) {
            return Err(InvalidOutcome::Id);
        }
        if !Format::DateTime.accepts(now) {
            return Err(InvalidOutcome::Time);
        }
        let mut outcomes = self.candidates.remove(id).map(|record| record.outcomes).unwrap_or_default();
        outcomes.push(success);
        let outcomes = outcomes.split_off(outcomes.len().saturating_sub(OUTCOMES));
        self.remove_oldest();
        self.updated_at = now.to_owned();
        let (successes, count) = (outcomes.iter().filter(|success| **success).count(), outcomes.len());
        let record = Record {
            success_rate: Score::ratio(successes as i128, count as i128),
            last_used_at: now.to_owned(),
            sample_size: u32::try_from(count).unwrap_or(u32::MAX),
            outcomes,
        };
        Ok(self.candidates.entry(id.to_owned()).or_insert(record))
    }

    /// Leaves room for one skill.
    fn remove_oldest(&mut self) {
        let Some(excess) = (self.candidates.len() + 1).checked_sub(MAX_CANDIDATES).filter(|excess| *excess > 0) else {
            return;
        };
        let time = |record: &Record| record.last_used_at.parse::<Timestamp>().ok();
        let mut by_age: Vec<_> = self.candidates.iter().map(|(id, record)| (time(record), id.clone())).collect();
        by_age.sort_unstable();
        for (_, id) in by_age.into_iter().take(excess) {
            self.candidates.remove(&id);
        }
    }

    /// The text of the state: JSON with sorted members, on several lines.
    pub fn to_json(&self) -> String {
        let candidates = self.candidates.iter().map(|(id, record)| (id.as_str(), RecordText::new(record))).collect();
        let state = StateText { candidates, schema_version: "1", updated_at: &self.updated_at };
        // Texts, numbers and lists always have a JSON text.
        let text = serde_json::to_string_pretty(&state).unwrap_or_default();
        format!("{text}\n")
    }
}

/// The document, with its members in order whatever features of `serde_json` other crates enable.
#[derive(Serialize)]
struct StateText<'s> {
    candidates: BTreeMap<&'s str, RecordText<'s>>,
    schema_version: &'static str,
    updated_at: &'s str,
}

#[derive(Serialize)]
struct RecordText<'s> {
    last_used_at: &'s str,
    outcomes_last_20: Vec<u8>,
    sample_size: u32,
    success_rate_last_20: Score,
}

impl<'s> RecordText<'s> {
    fn new(record: &'s Record) -> Self {
        Self {
            last_used_at: &record.last_used_at,
            outcomes_last_20: record.outcomes.iter().map(|success| u8::from(*success)).collect(),
            sample_size: record.sample_size,
            success_rate_last_20: record.success_rate,
        }
    }
}

fn record(document: &mut Document<'_>, value: &Value<'_>) -> Option<Record> {
    let keys = ["outcomes_last_20", "success_rate_last_20", "last_used_at", "sample_size"];
    document.keys(value, "a record", &keys)?;
    let list = value.member("outcomes_last_20");
    let items = list.as_ref().map(|list| document.array(list, "`outcomes_last_20`")).unwrap_or_default();
    if let Some(list) = list.as_ref().filter(|_| items.len() > OUTCOMES) {
        document.add(format!("`outcomes_last_20` has more than {OUTCOMES} elements"), list);
    }
    let outcomes = items.iter().map(|item| Some(document.integer(item, "an outcome", 0..2)? == 1)).collect::<Vec<_>>();
    let rate = value.member("success_rate_last_20").and_then(|rate| {
        let number = match &rate.node.data {
            capgen_manifest::Data::Number(number, _) => Some(number.as_f64()),
            _ => None,
        };
        let number = number.filter(|number| (0.0..=1.0).contains(number));
        if number.is_none() {
            document.add("`success_rate_last_20` must be a number from 0 to 1".to_owned(), &rate);
        }
        number
    });
    let last = value.member("last_used_at").and_then(|last| date_time(document, &last, "`last_used_at`"));
    let most = i64::try_from(OUTCOMES).unwrap_or(i64::MAX);
    let size = value.member("sample_size").and_then(|size| document.integer(&size, "`sample_size`", 0..most + 1));
    Some(Record {
        outcomes: outcomes.into_iter().collect::<Option<_>>()?,
        success_rate: Score::from_f64(rate?),
        last_used_at: last?,
        sample_size: u32::try_from(size?).ok()?,
    })
}

fn date_time(document: &mut Document<'_>, value: &Value<'_>, what: &str) -> Option<String> {
    let text = document.text(value, what)?;
    if !Format::DateTime.accepts(text) {
        document.add(format!("{what} must be a time of RFC 3339"), value);
    }
    Some(text.to_owned())
}

/// Whether a text is an id of the public schema, `^.+::.+$`.
fn is_id(text: &str) -> bool {
    let is_line_end = |c: char| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let mut rest = text.chars();
    rest.next();
    let path = rest.as_str().split_once("::").map_or("", |(_, path)| path);
    !path.is_empty() && !text.contains(is_line_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: &str = "2026-11-23T10:00:00Z";

    fn read(text: impl Into<String>) -> Result<Reliability, Vec<Diagnostic>> {
        Reliability::read(&Source::new("state", text))
    }

    #[test]
    fn the_last_twenty_outcomes_are_kept() {
        let mut state = Reliability::default();
        for index in 0..25 {
            let record = state.record("a::b", index % 5 != 4, TIME).unwrap();
            assert_eq!(record.sample_size, (index + 1).min(20));
        }
        let record = state.record("a::b", false, "2026-11-24T10:00:00+01:00").unwrap().clone();
        assert_eq!((record.outcomes.len(), record.success_rate), (20, Score::ratio(15, 20)));
        assert_eq!(state.updated_at, record.last_used_at);
        assert_eq!(state.record("c::d", true, TIME).unwrap().success_rate, Score::ONE);
        assert_eq!(state.record("c::d", false, TIME).unwrap().success_rate, Score::ratio(1, 2));
        let again = read(state.to_json()).unwrap();
        assert_eq!(again, Reliability { is_persistent: true, ..state.clone() });
        // A third has no end; it is written with six decimals.
        state.record("c::d", false, TIME).unwrap();
        assert_eq!(read(state.to_json()).unwrap().candidates["c::d"].success_rate.units(), 333_333_000);
    }

    #[test]
    fn the_stored_rate_is_read_as_it_is() {
        let text = r#"{"schema_version": "1", "updated_at": "2026-11-23T10:00:00Z", "candidates": {"a::b": {
            "outcomes_last_20": [1], "success_rate_last_20": 0.25, "last_used_at": "2026-11-23T10:00:00Z", "sample_size": 3}}}"#;
        let record = read(text).unwrap().candidates.remove("a::b").unwrap();
        assert_eq!((record.success_rate, record.sample_size, record.outcomes), (Score::ratio(1, 4), 3, vec![true]));
    }

    #[test]
    fn every_violation_of_the_public_schema_is_found() {
        let valid =
            |record: &str| format!(r#"{{"schema_version": "1", "updated_at": "{TIME}", "candidates": {record}}}"#);
        let pointers = |text: String| -> Vec<String> {
            read(text).unwrap_err().into_iter().map(|finding| finding.pointer.unwrap_or_default()).collect()
        };
        let record = |id: &str, outcomes: &str, rate: &str, last: &str, size: &str| {
            valid(&format!(
                r#"{{"{id}": {{"outcomes_last_20": {outcomes}, "success_rate_last_20": {rate}, "last_used_at": {last}, "sample_size": {size}}}}}"#
            ))
        };
        let time = format!("\"{TIME}\"");
        assert!(read(record("a::b", "[1, 0]", "0.5", &time, "2")).is_ok());
        assert!(read(record("a::b", "[]", "1", &time, "0")).is_ok());
        assert_eq!(pointers(record("a:b", "[]", "1", &time, "0")), ["/candidates/a:b"]);
        let wrong = pointers(record("a::b", "[2]", "1.1", "\"now\"", "21"));
        let members = ["outcomes_last_20/0", "success_rate_last_20", "last_used_at", "sample_size"];
        assert_eq!(wrong, members.map(|member| format!("/candidates/a::b/{member}")));
        let many = format!("[{}]", ["1"; 21].join(", "));
        assert_eq!(pointers(record("a::b", &many, "1", &time, "20")).len(), 1);
        assert_eq!(pointers(valid("{\"a::b\": {}}")).len(), 4);
        assert_eq!(pointers(valid("[]")), ["/candidates"]);
        assert_eq!(pointers(valid("{}").replace("\"1\"", "\"2\"")), ["/schema_version"]);
    }

    #[test]
    fn invalid_outcomes_change_nothing() {
        let mut state = Reliability::default();
        let long = format!("a::{}", "b".repeat(MAX_ID));
        for id in ["", "a", "a:b", "::b", "a::", "::", "a::b\n", "a::\u{2028}", "a\t::b", &long] {
            assert_eq!(state.record(id, true, TIME), Err(InvalidOutcome::Id), "{id:?}");
        }
        for time in ["", "now", "2026-11-23", "2026-11-23T10:00:00"] {
            assert_eq!(state.record("a::b", true, time), Err(InvalidOutcome::Time), "{time:?}");
        }
        assert_eq!(state, Reliability::default());
        for id in [":::b", "a::b::c", "a b::é"] {
            assert!(state.record(id, true, TIME).is_ok(), "{id}");
        }
    }

    #[test]
    fn the_oldest_records_make_room() {
        let mut state = Reliability::default();
        for index in 0..MAX_CANDIDATES {
            // The first ones are the latest, by their offset.
            let now = if index < 2 { "2026-11-23T10:00:00-02:00" } else { "2026-11-23T11:00:00Z" };
            state.record(&format!("s::{index:05}"), true, now).unwrap();
        }
        state.record("new::b", true, TIME).unwrap();
        assert_eq!(state.candidates.len(), MAX_CANDIDATES);
        let is_left = |index: usize| state.candidates.contains_key(&format!("s::{index:05}"));
        assert_eq!([is_left(0), is_left(1), is_left(2), is_left(3)], [true, true, false, true]);
    }
}
