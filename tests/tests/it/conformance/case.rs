//! The files of the cases, and running one.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use capgen_amp::message::SigningKey;
use capgen_manifest::{Manifest, Source, load};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::recordings::recording::Key;
use crate::recordings::signature::sign;

/// Longer than any answer takes on a busy machine.
pub(super) const LONG: Duration = Duration::from_secs(10);
/// How long an answer is waited for that must not arrive.
pub(super) const SHORT: Duration = Duration::from_millis(300);
/// The files, in the order of the table.
const FILES: [&str; 6] = ["skew", "time", "cancel", "repeated", "identity", "errors"];
/// The key of the caller.
pub(super) const KEY: (&str, &str) = ("k1", "a secret of at least 16 bytes");

/// The private key of a provider that has keys of agents and no shared one.
pub(super) const OWN_SEED: [u8; 32] = [9; 32];

/// The private keys of agents: the first three of RFC 8032, section 7.1.
const SEEDS: [(&str, &str); 3] = [
    ("caller", "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"),
    ("other", "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"),
    ("echo", "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7"),
];

/// A case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// The number in the list of the protocol.
    case: u32,
    shows: String,
    pub(super) provider: Settings,
    steps: Vec<Value>,
}

/// A provider.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    /// The names of contracts.
    pub(super) serves: Vec<String>,
    pub(super) handler: Script,
    /// Whether requests must be signed.
    #[serde(default)]
    pub(super) key: bool,
    /// The public keys `a1` of agents, in base64url.
    #[serde(default)]
    pub(super) agents: BTreeMap<String, String>,
    /// The roles of agents.
    #[serde(default)]
    pub(super) grants: BTreeMap<String, Vec<String>>,
    #[serde(default = "yes")]
    pub(super) starts: bool,
}

/// The behaviour of a handler.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    #[serde(default)]
    pub(super) responds: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fails: Option<Fails>,
    #[serde(default, rename = "afterMs")]
    pub(super) after_ms: u64,
}

/// An error of a handler.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fails {
    pub(super) code: String,
    pub(super) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) details: Option<Value>,
}

const fn yes() -> bool {
    true
}

/// The address of a message.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Address {
    Requests,
    Control,
}

/// A provider that runs.
pub(super) trait Provider {
    /// The value of `replyTo` in requests.
    fn reply_to(&self) -> String;
    async fn send(&mut self, to: Address, text: String);
    /// The next message of the provider, if there is one within a time.
    async fn next(&mut self, patience: Duration) -> Option<Value>;
    /// The numbers of handlers that started, and of those that were cancelled.
    async fn counts(&mut self) -> (u64, u64);
}

pub(super) fn json_file(name: &str) -> String {
    std::fs::read_to_string(super::folder().join(format!("{name}.json"))).unwrap()
}

/// The contract of an agent with a capability of this name in `contracts.json`.
pub(super) fn manifest(contract: &str) -> Manifest {
    manifest_of(&[contract]).unwrap_or_else(|error| panic!("{contract}: {error}"))
}

/// The contract of an agent with the capabilities of these names, or the codes of its errors.
pub(super) fn manifest_of(contracts: &[impl AsRef<str>]) -> Result<Manifest, String> {
    let all: BTreeMap<String, Value> = serde_json::from_str(&json_file("contracts")).unwrap();
    let capabilities: Vec<&Value> = contracts.iter().map(|contract| &all[contract.as_ref()]).collect();
    let manifest = json!({
        "version": 1, "agent": "agent://echo", "transports": [{"kind": "memory", "topics": {"requests": "echo"}}],
        "capabilities": capabilities,
    });
    let loaded = load(&Source::new("capabilities.json", manifest.to_string()));
    let codes = |errors: Vec<capgen_manifest::Diagnostic>| {
        errors.iter().map(|error| error.code.as_str()).collect::<Vec<_>>().join(" ")
    };
    loaded.map(|contract| contract.manifest).map_err(codes)
}

impl Case {
    pub(super) fn all() -> Vec<Self> {
        let read = |name| serde_json::from_str::<Vec<Self>>(&json_file(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        FILES.into_iter().flat_map(read).collect()
    }

    /// The row of the table.
    pub(super) fn row(&self) -> String {
        format!("| {} | {} | passes | passes | passes | passes |", self.case, self.shows)
    }

    pub(super) fn error(&self, reason: &str) -> String {
        format!("case {} ({}): {reason}", self.case, self.shows)
    }

    /// Runs the steps, up to the first one that fails.
    pub(super) async fn run(&self, provider: &mut impl Provider) -> Result<(), String> {
        for (index, step) in self.steps.iter().enumerate() {
            let step = step.as_object().ok_or_else(|| self.error("a step is not an object"))?;
            follow(step, provider).await.map_err(|reason| self.error(&format!("step {}: {reason}", index + 1)))?;
        }
        Ok(())
    }
}

async fn follow(step: &Map<String, Value>, provider: &mut impl Provider) -> Result<(), String> {
    let known = [
        "send",
        "cancel",
        "answer",
        "frame",
        "runs",
        "cancelled",
        "waitMs",
        "contract",
        "signature",
        "signedBy",
        "to",
        "mayPrecede",
        "answers",
    ];
    if let Some(unknown) = step.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!("`{unknown}` is not known"));
    }
    if let Some(members) = step.get("send") {
        let to = if step.get("to").is_some_and(|to| to == "control") { Address::Control } else { Address::Requests };
        let text = text(request(provider), members, step)?;
        provider.send(to, text).await;
    } else if let Some(members) = step.get("cancel") {
        let text = text(cancel(), members, step)?;
        provider.send(Address::Control, text).await;
    } else if let Some(expected) = step.get("answer") {
        expect(expected, provider, false, step.get("mayPrecede")).await?;
    } else if let Some(expected) = step.get("answers").and_then(Value::as_array) {
        expect_all(expected, provider).await?;
    } else if let Some(expected) = step.get("frame") {
        expect(expected, provider, true, None).await?;
    } else if let Some(milliseconds) = step.get("waitMs").and_then(Value::as_u64) {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    } else if let Some(expected) = step.get("runs").and_then(Value::as_u64) {
        count(expected, "handlers started", provider, |(runs, _)| runs).await?;
    } else if let Some(expected) = step.get("cancelled").and_then(Value::as_u64) {
        count(expected, "handlers were cancelled", provider, |(_, cancelled)| cancelled).await?;
    } else {
        return Err("there is nothing to do".to_owned());
    }
    Ok(())
}

/// The members of a request that a case does not state.
fn request(provider: &impl Provider) -> Value {
    json!({"kind": "request", "replyTo": provider.reply_to(), "payload": null})
}

/// Those of a cancel.
fn cancel() -> Value {
    json!({"kind": "control", "headers": {"capgen-control": "cancel"}, "payload": {"reason": "abandoned"}})
}

/// The text of a message with these members.
fn text(base: Value, members: &Value, step: &Map<String, Value>) -> Result<String, String> {
    let mut message = json!({
        "version": 1, "from": "agent://caller", "to": "agent://echo", "capability": "search", "deadline": {"now": 5000},
    });
    let id = members["messageId"].as_str().ok_or("a message has no id")?;
    message["correlationId"] = format!("c-{id}").into();
    for (name, value) in base.as_object().into_iter().flatten().chain(members.as_object().into_iter().flatten()) {
        message[name] = value.clone();
    }
    if let Some(contract) = step.get("contract").and_then(Value::as_str) {
        let manifest = manifest(contract);
        let capability = manifest.capabilities.first().ok_or("no capability")?;
        message["headers"]["capgen-contract"] = capability.hash().to_string().into();
        message["headers"]["capgen-version"] = capability.version.as_ref().map(ToString::to_string).into();
    }
    if let Some(shift) = message["deadline"]["now"].as_i64() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|error| error.to_string())?;
        let now = i64::try_from(now.as_millis()).map_err(|error| error.to_string())?;
        message["deadline"] = (now + shift).into();
    }
    let members = message.as_object_mut().ok_or("not an object")?;
    // The payload may be null.
    members.retain(|name, value| name == "payload" || !value.is_null());
    let text = message.to_string();
    if let Some(agent) = step.get("signedBy").and_then(Value::as_str) {
        return signed_by(&text, agent);
    }
    let sign = |secret: &str| sign(&text, &Key { id: KEY.0.to_owned(), secret: secret.to_owned() });
    Ok(match step.get("signature").and_then(Value::as_str) {
        None => text,
        Some("valid") => sign(KEY.1),
        Some(_) => sign("another secret"),
    })
}

/// The text with a signature by the key `a1` of an agent.
pub(super) fn signed_by(text: &str, agent: &str) -> Result<String, String> {
    let (_, seed) = SEEDS.iter().find(|(known, _)| *known == agent).ok_or("the agent has no key")?;
    let key = SigningKey::from_hex(seed).map_err(|error| error.to_string())?;
    let signature = URL_SAFE_NO_PAD.encode(key.sign(format!("capgen-envelope-v1\n{text}").as_bytes()));
    let auth = json!({"kind": "ed25519", "keyId": "a1", "signature": signature});
    let open = text.strip_suffix('}').ok_or("not an object")?;
    Ok(format!("{open},\"auth\":{auth}}}"))
}

/// Waits for an answer, or a frame, that has the expected members; `null` for none. An answer to another request may
/// precede it.
async fn expect(
    expected: &Value,
    provider: &mut impl Provider,
    expects_frame: bool,
    other: Option<&Value>,
) -> Result<(), String> {
    let start = Instant::now();
    let patience = if expected.is_null() { SHORT } else { LONG };
    while let Some(message) = provider.next(patience.saturating_sub(start.elapsed())).await {
        if is_frame(&message) != expects_frame || other == Some(&message["causedBy"]) {
            continue;
        }
        let message = with_status(message);
        return match difference(expected, &message, "") {
            None => Ok(()),
            Some(difference) => Err(format!("{difference} in {message}")),
        };
    }
    if expected.is_null() { Ok(()) } else { Err("there is no message".to_owned()) }
}

/// Waits for answers in any order.
async fn expect_all(expected: &[Value], provider: &mut impl Provider) -> Result<(), String> {
    let mut left: Vec<&Value> = expected.iter().collect();
    while !left.is_empty() {
        let Some(message) = answer(provider).await else { return Err("there is no message".to_owned()) };
        let found = left.iter().position(|expected| difference(expected, &message, "").is_none());
        let Some(found) = found else { return Err(format!("{message} is not expected")) };
        left.remove(found);
    }
    Ok(())
}

/// The next message, without frames.
async fn answer(provider: &mut impl Provider) -> Option<Value> {
    loop {
        let message = with_status(provider.next(LONG).await?);
        if !is_frame(&message) {
            return Some(message);
        }
    }
}

fn is_frame(message: &Value) -> bool {
    message["headers"]["capgen-frame"].is_string()
}

/// The message with its status, whose header may be absent.
fn with_status(mut message: Value) -> Value {
    message["status"] = message["headers"]["capgen-status"].as_str().unwrap_or("ok").into();
    message
}

/// The first member that differs from the expected ones.
pub(super) fn difference(expected: &Value, found: &Value, path: &str) -> Option<String> {
    match (expected, found) {
        (Value::Object(members), Value::Object(_)) => {
            members.iter().find_map(|(name, value)| difference(value, &found[name], &format!("{path}/{name}")))
        }
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
            (items.iter().zip(others).enumerate())
                .find_map(|(index, (item, other))| difference(item, other, &format!("{path}/{index}")))
        }
        // A header may have JSON.
        (Value::Object(_), Value::String(text)) => match serde_json::from_str::<Value>(text) {
            Ok(found) if found.is_object() => difference(expected, &found, path),
            _ => Some(format!("{path:?} is {found}, and must be {expected}")),
        },
        _ if expected == found => None,
        _ => Some(format!("{path:?} is {found}, and must be {expected}")),
    }
}

/// Waits until a number is as expected. A smaller one may still grow.
async fn count(
    expected: u64,
    subject: &str,
    provider: &mut impl Provider,
    of: impl Fn((u64, u64)) -> u64,
) -> Result<(), String> {
    let start = Instant::now();
    loop {
        let found = of(provider.counts().await);
        if found == expected {
            return Ok(());
        }
        if found > expected || start.elapsed() > LONG {
            return Err(format!("{found} {subject}, and {expected} must have"));
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
