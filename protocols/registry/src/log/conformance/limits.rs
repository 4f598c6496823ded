//! The windows of ids, and the quota.

use serde_json::json;

use super::events::{DAY, MINUTE, NOW, event, heartbeat, id, invalid, notice, registration};
use super::{Check, Harness, equal};
use crate::log::AppendOptions;

pub(super) const ALL: [(&str, Check); 7] = [
    ("ids-ahead-of-the-clock-are-rejected", future),
    ("ids-behind-the-producers-last-one-are-rejected", past),
    ("invalid-events-count-for-the-last-id", past_of_invalid),
    ("an-import-may-contain-old-events", import),
    ("ids-of-monitors-are-near-the-clock", monitors),
    ("invalid-events-are-limited", invalid_events),
    ("subjects-are-limited", subjects),
];

fn future(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    equal("at the limit", log.one(NOW, &heartbeat("a", NOW + MINUTE, 1))?, "a/0".to_owned())?;
    equal("beyond", log.one(NOW, &heartbeat("a", NOW + MINUTE + 1, 2))?, "future".to_owned())?;
    equal("an unknown type", log.one(NOW, &event("b", &id(NOW + DAY, 3), "x.y", json!({})))?, "future".to_owned())
}

fn past(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    equal("too old", log.one(NOW, &heartbeat("a", NOW - DAY - 1, 1))?, "past".to_owned())?;
    equal("a day old", log.one(NOW, &heartbeat("a", NOW - DAY, 2))?, "a/0".to_owned())?;
    equal("next", log.one(NOW, &heartbeat("a", NOW - MINUTE, 3))?, "a/1".to_owned())?;
    let behind = NOW - 2 * MINUTE;
    equal("behind", harness.open("{}")?.one(NOW, &heartbeat("a", behind, 4))?, "a/2".to_owned())?;
    equal("too far behind", log.one(NOW, &heartbeat("a", behind - 1, u128::MAX))?, "past".to_owned())?;
    // The greatest id counts, not the last one.
    equal("of another", log.one(NOW, &heartbeat("b", behind - 1, 5))?, "b/0".to_owned())?;
    let kernel = notice("00000000-0000-8000-8000-000000000001", "payload");
    equal("the kernel", log.one(NOW + DAY, &kernel)?, "capgen.kernel/0".to_owned())
}

fn past_of_invalid(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    equal("invalid", log.one(NOW, &invalid("a", NOW, 1))?, "a/0".to_owned())?;
    equal("behind", log.one(NOW, &heartbeat("a", NOW - MINUTE - 1, 2))?, "past".to_owned())?;
    equal("not behind", log.one(NOW, &heartbeat("a", NOW - MINUTE, 3))?, "a/1".to_owned())
}

fn import(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    let options = AppendOptions { now: NOW, import: true };
    let events = [heartbeat("a", NOW, 1), heartbeat("a", NOW - 9 * DAY, 2), heartbeat("a", NOW + DAY, 3)];
    let found = log.append_with(&events, &options)?;
    equal("results", found, vec!["a/0".to_owned(), "a/1".to_owned(), "future".to_owned()])?;
    equal("without import", log.one(NOW, &heartbeat("a", NOW - 9 * DAY, 4))?, "past".to_owned())
}

fn monitors(harness: &Harness<'_>) -> Result<(), String> {
    let until = id(NOW + 10 * DAY, 0);
    let mut log = harness.open(&format!(r#"{{"monitors": [{{"agent": "m", "until": "{until}"}}]}}"#))?;
    equal("too old", log.one(NOW, &heartbeat("m", NOW - MINUTE - 1, 1))?, "past".to_owned())?;
    equal("in the window", log.one(NOW, &heartbeat("m", NOW - MINUTE, 2))?, "m/0".to_owned())?;
    equal("behind the clock", log.one(NOW + MINUTE, &heartbeat("m", NOW - 1, 3))?, "past".to_owned())?;
    let later = NOW + 10 * DAY;
    equal("not a monitor any more", log.one(later + DAY, &heartbeat("m", later, 4))?, "m/1".to_owned())
}

fn invalid_events(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    let events: Vec<_> = (0..103).map(|number| invalid("a", NOW, number)).collect();
    let rejected = log.append(NOW, &events)?.into_iter().filter(|result| result == "quota").count();
    equal("rejected", rejected, 3)?;
    equal("valid", log.one(NOW, &heartbeat("a", NOW, 200))?, "a/100".to_owned())?;
    equal("of another", log.one(NOW, &invalid("b", NOW, 201))?, "b/0".to_owned())?;
    let known = invalid("a", NOW, 0);
    equal("a duplicate", log.one(NOW, &known)?, format!("a/0 of {}", id(NOW, 0)))?;
    equal("within a minute", log.one(NOW + MINUTE - 1, &invalid("a", NOW, 202))?, "quota".to_owned())?;
    equal("after a minute", log.one(NOW + MINUTE, &invalid("a", NOW, 203))?, "a/101".to_owned())
}

fn subjects(harness: &Harness<'_>) -> Result<(), String> {
    let config = r#"{"quota": 3}"#;
    let mut log = harness.open(config)?;
    let input = |number| json!({"capability_id": "core.text.summarize", "requirement": "1.0.0", "input": number});
    let request = |number: u8| event("a", &id(NOW, 50 + u128::from(number)), "capability.requested", input(number));
    let events = [
        registration("a", 1, "1.0.0", json!({})),
        registration("a", 2, "1.0.0", json!({"side_effects": "pure"})),
        heartbeat("a", NOW, 3),
        heartbeat("a", NOW, 4),
        request(1),
        request(2),
        registration("a", 5, "1.0.1", json!({})),
        registration("a", 6, "1.0.0", json!({"priority": 1})),
        registration("b", 7, "1.0.1", json!({})),
        invalid("a", NOW, 8),
        event("a", &id(NOW, 9), "some.type", json!({})),
    ];
    let found = log.append(NOW, &events)?;
    let expected = ["a/0", "a/1", "a/2", "a/3", "a/4", "quota", "quota", "a/5", "b/0", "a/6", "a/7"];
    equal("results", found, expected.map(str::to_owned).to_vec())?;
    equal("in another connection", harness.open(config)?.one(NOW, &request(3))?, "quota".to_owned())?;
    let metadata = json!({"priority": 1, "weight": 2});
    let payload = json!({"capability_id": "core.text.summarize", "version": "1.0.1", "metadata": metadata});
    let update = event("b", &id(NOW, 10), "capability.updated", payload);
    equal("two subjects at once", log.one(NOW, &update)?, "b/1".to_owned())?;
    equal("one more", log.one(NOW, &heartbeat("b", NOW, 11))?, "quota".to_owned())
}
