//! The results of recordings that may differ on purpose, each with the reason.

use serde_json::Value;

use super::recording::{Peer, Recording};

/// The role of the peer of today.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Caller,
    Provider,
}

/// A result that may be another one.
pub(crate) struct Difference {
    role: Role,
    peer: Peer,
    scenarios: &'static [&'static str],
    /// Places in the result, and the values there as JSON; no text if there is nothing any more.
    changes: &'static [(&'static str, &'static str)],
    pub(crate) reason: &'static str,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        role: Role::Provider,
        peer: Peer::Rust,
        scenarios: &["errors/key-reused"],
        changes: &[("/answers/1/payload/code", r#""EAGENTRPC_KEY_REUSED""#)],
        reason: "a key that is used for another payload has a code of its own",
    },
    Difference {
        role: Role::Provider,
        peer: Peer::TypeScript,
        scenarios: &["errors/key-reused"],
        changes: &[
            ("/answers/1/headers/capgen-status", r#""error""#),
            ("/answers/1/payload", r#"{"code": "EAGENTRPC_KEY_REUSED", "message": ""}"#),
            ("/handled/1", ""),
        ],
        reason: "servers in TypeScript learn idempotency keys",
    },
    Difference {
        role: Role::Provider,
        peer: Peer::TypeScript,
        scenarios: &["served/same-key", "errors/failure-kept"],
        changes: &[("/handled/1", "")],
        reason: "servers in TypeScript learn idempotency keys",
    },
    Difference {
        role: Role::Provider,
        peer: Peer::Rust,
        scenarios: UNREADABLE,
        changes: UNREADABLE_CHANGES,
        reason: UNREADABLE_REASON,
    },
    Difference {
        role: Role::Provider,
        peer: Peer::TypeScript,
        scenarios: UNREADABLE,
        changes: UNREADABLE_CHANGES,
        reason: UNREADABLE_REASON,
    },
    Difference {
        role: Role::Provider,
        peer: Peer::TypeScript,
        scenarios: &["errors/failure-reserved"],
        changes: &[("/answers/0/payload/code", r#""EAGENTRPC_HANDLER_FAILED""#)],
        reason: "codes of the protocol have meanings of their own, as in Rust",
    },
    Difference {
        role: Role::Provider,
        peer: Peer::TypeScript,
        scenarios: &[
            "signed/missing",
            "signed/wrong-secret",
            "signed/unknown-key",
            "requests/signed-changed",
            "requests/signed-internal",
            "requests/unsigned-deadline-passed",
        ],
        changes: &[("/answers/0/auth", "")],
        reason: "an answer to a request that proves nothing need not be signed, as in Rust",
    },
    Difference {
        role: Role::Provider,
        peer: Peer::TypeScript,
        scenarios: &["requests/replayed"],
        changes: &[
            ("/answers/1/headers/capgen-status", r#""error""#),
            ("/answers/1/payload", r#"{"code": "EAGENTRPC_AUTH_FAILED", "message": ""}"#),
            ("/answers/1/auth", ""),
            ("/handled/1", ""),
        ],
        reason: "servers in TypeScript learn to reject replays",
    },
    Difference {
        role: Role::Provider,
        peer: Peer::Rust,
        scenarios: &["requests/kind-control"],
        changes: &[("/answers/0", "null")],
        reason: "a control message at an address of requests is dropped",
    },
];

/// Requests that are valid by the contract of the caller alone.
const UNREADABLE: &[&str] = &[
    "errors/request-violation",
    "errors/request-violation-truncated",
    "errors/request-violation-newer",
    "errors/request-violation-required",
    "signed/violation",
];
const UNREADABLE_CHANGES: &[(&str, &str)] = &[("/answers/0/payload/code", r#""EVERSION_SKEW""#)];
const UNREADABLE_REASON: &str = "if contracts differ, a payload that the provider cannot read is a skew of versions";

/// The name of a recording without the languages.
fn scenario_of(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}

/// The recorded result, and those that are as good.
pub(crate) fn results(role: Role, name: &str, recording: &Recording, recorded: &Value) -> Vec<Value> {
    let peer = if role == Role::Caller { recording.caller.peer } else { recording.provider.peer };
    let scenario = scenario_of(name);
    let matching = DIFFERENCES
        .iter()
        .filter(|difference| (difference.role, difference.peer) == (role, peer))
        .filter(|difference| difference.scenarios.contains(&scenario));
    let changed = matching.map(|difference| {
        let mut result = recorded.clone();
        for (pointer, value) in difference.changes {
            let value = if value.is_empty() { None } else { Some(serde_json::from_str(value).unwrap()) };
            set(&mut result, pointer, value);
        }
        assert!(result != *recorded, "{name}: it changes nothing that {}", difference.reason);
        result
    });
    std::iter::once(recorded.clone()).chain(changed).collect()
}

/// Sets a value, or removes it. Objects on the way are made if they do not exist.
pub(crate) fn set(value: &mut Value, pointer: &str, new: Option<Value>) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    if value.pointer(parent).is_none() {
        set(value, parent, Some(serde_json::json!({})));
    }
    match (value.pointer_mut(parent).unwrap(), new) {
        (Value::Array(items), Some(new)) => items[name.parse::<usize>().unwrap()] = new,
        (Value::Array(items), None) => drop(items.remove(name.parse().unwrap())),
        (Value::Object(members), Some(new)) => drop(members.insert(name.to_owned(), new)),
        (Value::Object(members), None) => drop(members.remove(name)),
        (other, _) => panic!("{pointer}: {other}"),
    }
}

#[test]
fn every_difference_is_of_recordings() {
    let recordings = super::recording::all();
    for Difference { role, peer, scenarios, reason, .. } in DIFFERENCES {
        for scenario in *scenarios {
            let exists = recordings.iter().any(|(name, recording)| {
                let recorded = if *role == Role::Caller { recording.caller.peer } else { recording.provider.peer };
                scenario_of(name) == *scenario && recorded == *peer
            });
            assert!(exists, "{scenario}: no {peer:?} for which {reason}");
        }
    }
}
