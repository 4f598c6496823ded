//! The answers of a registry, computed from the JSON of its state as the formats page specifies, without indexes.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use capgen_registry::{Access, Configuration, Requirement, canonical, hash_of};
use semver::Version;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::random::Setting;

/// The parts of keys in each list that the registry hash covers.
const LISTS: [(&str, &[&str]); 4] = [
    ("registrations", &["agent", "capability", "version", "contract_hash"]),
    ("updates", &["agent", "capability", "version", "field"]),
    ("deprecations", &["agent", "capability", "version"]),
    ("health", &["agent"]),
];

fn entries<'s>(state: &'s Value, list: &str) -> &'s [Value] {
    state[list].as_array().unwrap()
}

/// The hashes of entries by the hashes of their keys.
type Bucket = BTreeMap<[u8; 32], [u8; 32]>;
/// The buckets by the second byte of the hashes of keys.
type Node = BTreeMap<u8, Bucket>;

/// `registry_hash` (formats page, "State").
pub(crate) fn registry_hash(state: &Value) -> String {
    let mut nodes: BTreeMap<u8, Node> = BTreeMap::new();
    for (list, parts) in LISTS {
        for entry in entries(state, list) {
            let key: Vec<Value> =
                std::iter::once(list.into()).chain(parts.iter().map(|part| entry[*part].clone())).collect();
            let key = *hash_of(&key.into()).as_bytes();
            nodes.entry(key[0]).or_default().entry(key[1]).or_default().insert(key, *hash_of(entry).as_bytes());
        }
    }
    let node = |buckets: &Node| {
        over((0..=255).map(|byte| buckets.get(&byte).map_or([0; 32], |bucket| over(bucket.values().copied()))))
    };
    let root =
        if nodes.is_empty() { [0; 32] } else { over((0..=255).map(|byte| nodes.get(&byte).map_or([0; 32], node))) };
    root.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn over(hashes: impl Iterator<Item = [u8; 32]>) -> [u8; 32] {
    let bytes: Vec<u8> = hashes.flatten().collect();
    Sha256::digest(&bytes).into()
}

/// The rows of all registrations, in the order of `Find` (formats page, "Rows").
pub(crate) fn rows(state: &Value, setting: &Setting) -> Vec<Value> {
    let mut contracts: BTreeMap<[String; 3], Vec<&Value>> = BTreeMap::new();
    for entry in entries(state, "registrations") {
        let part = |name: &str| text(&entry[name]);
        contracts.entry(["agent", "capability", "version"].map(part)).or_default().push(entry);
    }
    let mut rows: Vec<Value> = contracts
        .into_values()
        .map(|mut contracts| {
            contracts.sort_by_key(|entry| stamp(entry));
            row(state, setting, contracts[0], &contracts[1..])
        })
        .collect();
    rows.sort_by_key(|row| (text(&row["capability"]), Reverse(version(row)), text(&row["agent"])));
    rows
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn version(row: &Value) -> Version {
    Version::parse(row["version"].as_str().unwrap()).unwrap()
}

fn stamp(entry: &Value) -> (String, String, String) {
    (text(&entry["event_id"]), text(&entry["producer"]), text(&entry["hash"]))
}

fn row(state: &Value, setting: &Setting, winner: &Value, others: &[&Value]) -> Value {
    let is_about = |entry: &Value, parts: &[&str]| parts.iter().all(|part| entry[*part] == winner[*part]);
    let registered = &winner["value"]["metadata"];
    let mut metadata = json!({"priority": 0, "weight": 1, "tags": [], "latency_class": null});
    for name in ["priority", "weight", "tags", "latency_class"] {
        let updates = entries(state, "updates").iter().filter(|update| {
            is_about(update, &["agent", "capability", "version"])
                && update["field"] == name
                && stamp(update) > stamp(winner)
        });
        let updated = updates.map(|update| &update["value"]).next();
        if let Some(value) = updated.or(registered.get(name)) {
            metadata[name] = value.clone();
        }
    }
    if let Some(cap) = setting.json["priority_cap"][winner["agent"].as_str().unwrap()].as_i64() {
        metadata["priority"] = cap.min(metadata["priority"].as_i64().unwrap()).into();
    }
    let deprecations =
        || entries(state, "deprecations").iter().filter(|entry| is_about(entry, &["agent", "capability"]));
    let mark =
        |entry: &Value, scope: &str| json!({"event_id": entry["event_id"], "scope": scope, "reason": entry["value"]});
    let of_version =
        deprecations().find(|entry| entry["version"] == winner["version"]).map(|entry| mark(entry, "version"));
    let of_all = deprecations().find(|entry| entry["version"].is_null() && stamp(entry) > stamp(winner));
    let health = entries(state, "health").iter().find(|entry| is_about(entry, &["agent"]));
    json!({
        "agent": winner["agent"],
        "capability": winner["capability"],
        "version": winner["version"],
        "event_id": winner["event_id"],
        "contract_hash": winner["contract_hash"],
        "conflicts": others.iter().map(|entry| json!({"event_id": entry["event_id"], "contract_hash": entry["contract_hash"]})).collect::<Vec<_>>(),
        "deprecated": of_version.or(of_all.map(|entry| mark(entry, "all"))),
        "healthy": health.is_none_or(|health| health["value"] == true),
        "priority": metadata["priority"],
        "weight": metadata["weight"],
        "tags": sorted(&metadata["tags"]),
        "latency_class": metadata["latency_class"],
        "side_effects": registered["side_effects"],
        "determinism_class": registered["determinism_class"],
        "required_roles": sorted(&registered["required_roles"]),
        "required_scopes": sorted(&registered["required_scopes"]),
    })
}

fn sorted(list: &Value) -> Vec<String> {
    let mut items: Vec<String> = list.as_array().into_iter().flatten().map(text).collect();
    items.sort();
    items
}

/// The target of a question and its explanation, by scanning all rows (decision 9, formats page, "Explanation").
pub(crate) fn explain(
    rows: &[Value],
    config: &Configuration,
    (capability, requirement): (&str, &Requirement),
    access: &Access,
) -> Value {
    let mut left: Vec<&Value> = rows.iter().filter(|row| row["capability"] == capability).collect();
    let mut filters = vec![json!({"filter": "id", "left": left.len(), "removed": []})];
    let mut reason = "not-found";
    let has = |row: &Value, list: &str, names: &std::collections::BTreeSet<String>| {
        sorted(&row[list]).iter().all(|name| names.contains(name))
    };
    let steps: [(&str, &str, Condition<'_>); 3] = [
        ("version", "no-compatible-version", &|row| requirement.matches(&version(row))),
        ("health", "unhealthy", &|row| row["healthy"] == true),
        ("access", "access-denied", &|row| {
            has(row, "required_roles", &access.roles) && has(row, "required_scopes", &access.scopes)
        }),
    ];
    for (name, failure, passes) in steps {
        if !left.is_empty() {
            reason = failure;
            filters.push(filter(name, &mut left, passes));
        }
    }
    if !left.is_empty() {
        let has_current = left.iter().any(|row| row["deprecated"].is_null());
        filters.push(filter("deprecation", &mut left, &|row| !has_current || row["deprecated"].is_null()));
    }
    left.sort_by_key(|row| rank(row));
    let decided_by = match &*left {
        [] => filters.last().unwrap()["filter"].clone(),
        [_] => filters.iter().rev().find(|step| step["removed"] != json!([])).unwrap_or(&filters[0])["filter"].clone(),
        [one, other, ..] => difference(one, other).into(),
    };
    let ranked = |row: &&Value| {
        let members = ["agent", "version", "event_id", "priority", "weight"];
        members.iter().map(|name| ((*name).to_owned(), row[*name].clone())).collect::<Value>()
    };
    json!({
        "target": left.first(),
        "explanation": {
            "question": {
                "capability": capability, "requirement": requirement.as_str(), "caller": null,
                "roles": access.roles, "scopes": access.scopes,
            },
            "filters": filters,
            "ranking": left.iter().map(ranked).collect::<Vec<_>>(),
            "decided_by": decided_by,
            "reason": if left.is_empty() { Some(reason) } else { None },
            "deprecated": left.first().is_some_and(|row| !row["deprecated"].is_null()),
            "config_hash": config.hash().to_string(),
            "policy_hash": config.policy_hash().to_string(),
        },
    })
}

type Condition<'f> = &'f dyn Fn(&Value) -> bool;

fn filter(name: &str, left: &mut Vec<&Value>, passes: Condition<'_>) -> Value {
    let (passed, removed): (Vec<&Value>, Vec<&Value>) = left.iter().copied().partition(|row| passes(row));
    *left = passed;
    let removed: Vec<Value> = removed
        .iter()
        .map(|row| json!({"agent": row["agent"], "version": row["version"], "event_id": row["event_id"]}))
        .collect();
    json!({"filter": name, "left": left.len(), "removed": removed})
}

/// The keys of the rank, of which the least is the best: the integer and the fraction of a weight are exact.
type Rank = (Reverse<i64>, Reverse<(i128, u64)>, Reverse<Version>, String, String);

fn rank(row: &Value) -> Rank {
    let weight = &row["weight"];
    let integer = weight.as_i64().map(i128::from).or(weight.as_u64().map(i128::from));
    let weight = integer.map_or_else(
        || {
            let value = weight.as_f64().unwrap();
            // A fraction is at least 0, so its bits have the order of its value.
            (value.floor() as i128, (value - value.floor()).to_bits())
        },
        |integer| (integer, 0),
    );
    let priority = row["priority"].as_i64().unwrap();
    (Reverse(priority), Reverse(weight), Reverse(version(row)), text(&row["event_id"]), text(&row["agent"]))
}

fn difference(one: &Value, other: &Value) -> &'static str {
    let (one, other) = (rank(one), rank(other));
    let steps = [
        ("priority", one.0 != other.0),
        ("weight", one.1 != other.1),
        ("version", one.2 != other.2),
        ("registration-order", one.3 != other.3),
    ];
    steps.into_iter().find(|(_, differs)| *differs).map_or("agent", |(step, _)| step)
}

/// The canonical texts of values.
pub(crate) fn texts<'v>(values: impl IntoIterator<Item = &'v Value>) -> Vec<String> {
    values.into_iter().map(canonical).collect()
}
