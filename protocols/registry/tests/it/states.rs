//! States that are read from files, entry by entry.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

use std::io::BufReader;
use std::sync::Arc;

use capgen_registry::{
    Configuration, Event, EventType, FoldReport, InvalidState, Registry, State, UnreadableState, canonical,
};
use serde_json::{Value, json};

use crate::support::{Followed, completed, deprecated, event, fold_under, health, registered, requested, updated};

const COUNT: &str = "core.text.count";

/// Events that lead to entries in every list.
fn events() -> Vec<Event> {
    let mut followed = Followed::new(&json!({}));
    for event in [
        registered("a", 1, COUNT, "1.0.0", json!({"weight": 0.5, "tags": ["é"]})),
        event(
            "a",
            2,
            EventType::Registered,
            json!({"capability_id": COUNT, "version": "1.0.0", "input_schema": {"minimum": 1.5}}),
        ),
        registered("b", 3, COUNT, "1.1.0", json!({})),
        updated("a", 4, COUNT, "1.0.0", json!({"priority": 3, "weight": 1e300})),
        deprecated("b", 5, COUNT, Some("1.1.0")),
        deprecated("b", 6, COUNT, None),
        health("b", 7, EventType::Heartbeat),
    ] {
        followed.append(&event);
    }
    let invoked = followed.answer(&requested("c", 8, COUNT, "1.0.0", json!([1.5])));
    followed.append(&completed("a", 9, &invoked.id().unwrap().to_string(), json!({"z": 1, "a": [2.5]})));
    followed.answer(&requested("c", 10, "core.text.none", "1.0.0", Value::Null));
    followed.log
}

/// The output of a fold over the events.
fn output() -> Value {
    serde_json::from_str(&fold_under(&Arc::default(), &events()).report().to_json()).unwrap()
}

fn read(text: &str, capacity: usize) -> Result<String, UnreadableState> {
    let mut registry = Registry::new(Arc::default());
    registry.read_state(BufReader::with_capacity(capacity, text.as_bytes()), None)?;
    Ok(FoldReport::of(&mut registry).to_json())
}

#[test]
fn a_state_is_read_in_any_notation() {
    let output = output();
    let mut expected = output.clone();
    expected.as_object_mut().unwrap().remove("invalid");
    let expected = canonical(&expected);
    let pretty = serde_json::to_string_pretty(&output).unwrap();
    // The state before its format, and the members in another order.
    let members = output["state"].as_object().unwrap().iter();
    let reversed: Vec<String> = members.rev().map(|(name, value)| format!("{name:?} :\t{value}")).collect();
    let reversed = format!("{{\"view\": [], \"state\": {{{}}} }}\n", reversed.join(" ,\n"));
    for text in [&output.to_string(), &pretty, &reversed, &output["state"].to_string()] {
        for capacity in [1, 7, 1 << 16] {
            assert_eq!(read(text, capacity).unwrap(), expected);
        }
    }
}

#[test]
fn reading_and_parsing_refuse_the_same_states() {
    let config = Configuration::default();
    let state = output()["state"].clone();
    let mut edits: Vec<Value> = Vec::new();
    let mut edit = |change: &dyn Fn(&mut Value)| {
        let mut state = state.clone();
        change(&mut state);
        edits.push(state);
    };
    for list in ["registrations", "updates", "deprecations", "health", "outcomes", "terminals"] {
        edit(&|state| drop(state.as_object_mut().unwrap().remove(list)));
        edit(&|state| state[list] = json!({}));
        edit(&|state| state[list][0]["extra"] = 1.into());
        edit(&|state| state[list][0] = json!([]));
        edit(&|state| state[list].as_array_mut().unwrap().reverse());
        edit(&|state| {
            let entry = state[list][0].clone();
            state[list].as_array_mut().unwrap().insert(0, entry);
        });
        for part in ["agent", "version", "hash", "event_id", "producer", "value"] {
            edit(&|state| state[list][0][part] = 5.into());
        }
    }
    edit(&|state| state["outcomes"][0]["value"]["extra"] = 1.into());
    edit(&|state| state["format"] = "other".into());
    edit(&|state| state["config_hash"] = "other".into());
    edit(&|state| state["extra"] = 1.into());
    let mut refused = 0;
    for state in edits {
        let parsed = State::parse(&state, &config, None);
        for (text, place) in [(state.to_string(), ""), (json!({"hash": "", "state": state}).to_string(), "/state")] {
            match (&parsed, read(&text, 64)) {
                (Ok(parsed), Ok(_)) => assert_eq!(parsed.to_json(), canonical(&state)),
                (Err(expected), Err(UnreadableState::Invalid { at, reason })) => {
                    assert_eq!((at, &reason), (place, expected), "{state}");
                    refused += 1;
                }
                (parsed, read) => panic!("{parsed:?} {read:?}: {state}"),
            }
        }
    }
    assert!(refused > 80, "{refused}");
}

#[test]
fn documents_that_are_not_states_are_refused() {
    for text in ["[]", "7", "null", "{}", "{\"state\":[]}", "{\"state\":{}}", "{\"format\":1,\"state\":{}}"] {
        let at = if text == "{\"state\":{}}" { "/state" } else { "" };
        match read(text, 3) {
            Err(UnreadableState::Invalid { at: found, reason: InvalidState::Format }) => {
                assert_eq!(found, at, "{text}")
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    let state = output()["state"].to_string();
    let twice = state.replacen("\"agent\":", "\"agent\":\"x\",\"agent\":", 1);
    let deep = format!("{{\"registrations\":[{}]}}", "[".repeat(1 << 20));
    for text in
        ["", "{", "{\"a\":1}}", "{\"a\":1,}", "x", &state[..state.len() - 1], &format!("{state}{state}"), &twice, &deep]
    {
        assert!(matches!(read(text, 64), Err(UnreadableState::NotJson(_))), "{}", &text[..text.len().min(60)]);
    }
    // A second list of one name.
    let repeated = state.replacen("{\"config_hash\"", "{\"health\":[],\"config_hash\"", 1);
    assert!(matches!(read(&repeated, 64), Err(UnreadableState::Invalid { reason: InvalidState::NotCanonical, .. })));
}
