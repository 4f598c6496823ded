//! Places, duplicates and idempotency keys.

use serde_json::json;

use super::events::{DAY, MINUTE, NOW, event, heartbeat, id, invalid, notice, with};
use super::{Check, Harness, equal};

pub(super) const ALL: [(&str, Check); 8] = [
    ("offsets-count-in-each-partition", offsets),
    ("a-rejected-event-has-no-effect-on-the-others", mixed),
    ("a-known-event-is-a-duplicate", duplicates),
    ("a-duplicate-is-recognised-before-other-checks", duplicates_first),
    ("another-content-of-an-identity-is-stored", identity_faults),
    ("the-first-content-of-a-derived-id-is-kept", derived_ids),
    ("an-idempotency-key-has-one-event", idempotency_keys),
    ("only-valid-events-claim-keys", invalid_claims),
];

fn offsets(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    let keyed = |number, key| with("a", &id(NOW, number), "agent.heartbeat", json!({}), json!({"partition_key": key}));
    let events = [
        heartbeat("a", NOW, 1),
        heartbeat("b", NOW, 2),
        keyed(3, json!("shared * key.>")),
        heartbeat("a", NOW, 4),
        keyed(5, json!("shared * key.>")),
        keyed(6, json!(null)),
        keyed(7, json!("")),
        keyed(8, json!("nul \u{0}, é, 😀, \n")),
    ];
    let found = log.append(NOW, &events)?;
    let expected = ["a/0", "b/0", "shared * key.>/0", "a/1", "shared * key.>/1", "a/2", "/0", "nul \u{0}, é, 😀, \n/0"];
    equal("places", found, expected.map(str::to_owned).to_vec())?;
    let places = log.all()?.into_iter().map(|record| format!("{}/{}", record.partition, record.offset)).collect();
    equal("places of records", places, expected.map(str::to_owned).to_vec())
}

fn mixed(harness: &Harness<'_>) -> Result<(), String> {
    let key = "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=";
    let mut log = harness.open(&format!(r#"{{"keys": {{"signer": {{"k": "{key}"}}}}}}"#))?;
    let events = [
        heartbeat("a", NOW, 1),
        event("a", "018F0000-0000-7000-8000-000000000001", "agent.heartbeat", json!({})),
        heartbeat("signer", NOW, 2),
        // It would keep an id and an idempotency key of an agent that signs.
        event("signer", &id(NOW, 8), "some.other_type", json!({})),
        heartbeat("a", NOW + MINUTE + 1, 3),
        heartbeat("a", NOW - MINUTE - 1, 4),
        invalid("a", NOW, 5),
        event("a", &id(NOW, 6), "some.other_type", json!({"any": [1]})),
        heartbeat("a", NOW, 7),
    ];
    let found = log.append(NOW, &events)?;
    let expected = ["a/0", "envelope", "signature", "signature", "future", "past", "a/1", "a/2", "a/3"];
    equal("results", found, expected.map(str::to_owned).to_vec())?;
    equal("records", log.all()?.len(), 4)
}

fn duplicates(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    let (first, second) = (heartbeat("a", NOW, 1), heartbeat("a", NOW, 2));
    let with_null =
        with("a", &id(NOW, 1), "agent.heartbeat", json!({}), json!({"causation_id": null, "signature": null}));
    let of_first = format!("a/0 of {}", id(NOW, 1));
    let found = log.append(NOW, &[first.clone(), first.clone(), second.clone(), with_null])?;
    equal("in a batch", found, vec!["a/0".to_owned(), of_first.clone(), "a/1".to_owned(), of_first.clone()])?;
    equal("in another append", log.one(NOW, &second)?, format!("a/1 of {}", id(NOW, 2)))?;
    equal("in another connection", harness.open("{}")?.one(NOW, &first)?, of_first)?;
    equal("records", log.all()?.len(), 2)
}

fn duplicates_first(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    let known = heartbeat("a", NOW, 1);
    equal("append", log.one(NOW, &known)?, "a/0".to_owned())?;
    equal("next day", log.one(NOW + DAY, &heartbeat("a", NOW + DAY, 2))?, "a/1".to_owned())?;
    let duplicate = format!("a/0 of {}", id(NOW, 1));
    equal("in the past", log.one(NOW + DAY, &known)?, duplicate.clone())?;
    equal("in the future", log.one(0, &known)?, duplicate)
}

fn identity_faults(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    let content = |reason: &str| event("a", &id(NOW, 1), "agent.heartbeat", json!({"reason": reason}));
    equal("first", log.one(NOW, &content("one"))?, "a/0".to_owned())?;
    equal("second", log.one(NOW, &content("two"))?, "a/1 fault".to_owned())?;
    equal("third", log.one(NOW, &content("three"))?, "a/2 fault".to_owned())?;
    equal("again", log.one(NOW, &content("two"))?, format!("a/1 of {} fault", id(NOW, 1)))?;
    let first_again = format!("a/0 of {} fault", id(NOW, 1));
    equal("the first again", harness.open("{}")?.one(NOW, &content("one"))?, first_again)?;
    let of_another = event("b", &id(NOW, 1), "agent.heartbeat", json!({}));
    equal("another agent", log.one(NOW, &of_another)?, "b/0".to_owned())
}

fn derived_ids(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    let derived = "00000000-0000-8000-8000-000000000001";
    let first = notice(derived, "payload");
    let duplicate = format!("capgen.kernel/0 of {derived}");
    equal("first", log.one(NOW, &first)?, "capgen.kernel/0".to_owned())?;
    equal("again", log.one(NOW, &first)?, duplicate.clone())?;
    equal("another content", log.one(NOW, &notice(derived, "contract"))?, format!("{duplicate} fault"))?;
    equal("records", log.all()?.len(), 1)
}

fn idempotency_keys(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    let keyed = |agent: &str, number, reason: &str, partition: Option<&str>| {
        let members = json!({"idempotency_key": "k", "partition_key": partition});
        with(agent, &id(NOW, number), "agent.heartbeat", json!({"reason": reason}), members)
    };
    equal("first", log.one(NOW, &keyed("a", 1, "x", None))?, "a/0".to_owned())?;
    equal("same payload", log.one(NOW, &keyed("a", 2, "x", None))?, format!("a/0 of {}", id(NOW, 1)))?;
    equal("same partition", log.one(NOW, &keyed("a", 3, "x", Some("a")))?, format!("a/0 of {}", id(NOW, 1)))?;
    equal("another payload", log.one(NOW, &keyed("a", 4, "y", None))?, "idempotency-key".to_owned())?;
    equal("another partition", log.one(NOW, &keyed("a", 5, "y", Some("p")))?, "p/0".to_owned())?;
    equal("another producer", log.one(NOW, &keyed("b", 6, "y", Some("a")))?, "a/1".to_owned())?;
    let another_content = event("a", &id(NOW, 8), "agent.heartbeat", json!({}));
    equal("another identity", log.one(NOW, &another_content)?, "a/2".to_owned())?;
    let of_its_identity = format!("a/0 of {} fault", id(NOW, 1));
    equal("a duplicate with the id of another event", log.one(NOW, &keyed("a", 8, "x", None))?, of_its_identity)?;
    let of_another_type =
        with("a", &id(NOW, 7), "agent.recovered", json!({"reason": "x"}), json!({"idempotency_key": "k"}));
    equal("another type", harness.open("{}")?.one(NOW, &of_another_type)?, "idempotency-key".to_owned())
}

fn invalid_claims(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    let keyed =
        |number, payload| with("a", &id(NOW, number), "agent.heartbeat", payload, json!({"idempotency_key": "k"}));
    equal("invalid", log.one(NOW, &keyed(1, json!({"reason": 1})))?, "a/0".to_owned())?;
    equal("valid", log.one(NOW, &keyed(2, json!({"reason": "x"})))?, "a/1".to_owned())?;
    equal("same payload", log.one(NOW, &keyed(3, json!({"reason": "x"})))?, format!("a/1 of {}", id(NOW, 2)))?;
    equal("invalid again", log.one(NOW, &keyed(4, json!({"reason": 1})))?, "idempotency-key".to_owned())
}
