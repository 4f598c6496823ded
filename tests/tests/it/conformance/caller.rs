//! The cases for callers: the calls that a program makes, the messages that it must send, and the answers that it gets.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::case::{LONG, SHORT, difference, json_file, manifest, signed_by};

/// A case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct CallerCase {
    /// The number in the list of the protocol.
    case: u32,
    shows: String,
    pub(super) caller: CallerSettings,
    /// Whether an instance of the provider has the contract of the caller, and subscribes to its address.
    #[serde(default)]
    pub(super) has_own_contract: bool,
    steps: Vec<Value>,
}

/// A caller.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallerSettings {
    /// The name of its contract.
    pub(super) contract: String,
    pub(super) retry: Option<Policy>,
    /// The public keys `a1` of agents, in base64url.
    #[serde(default)]
    pub(super) agents: BTreeMap<String, String>,
}

/// When a caller sends requests again.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Policy {
    pub(super) attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first_pause_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) attempt_timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hedge_after_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) heartbeat_ms: Option<u64>,
}

/// A call of a case.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Call {
    pub(super) payload: Value,
    pub(super) timeout_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) idempotency_key: Option<String>,
}

/// A message of a caller.
pub(super) struct Sent {
    /// `requests`, `control` or `contract`.
    pub(super) at: String,
    pub(super) text: String,
}

/// A caller that runs, with at most one call at a time.
pub(super) trait Caller {
    async fn call(&mut self, call: Call);
    /// Drops the call.
    async fn drop_call(&mut self);
    async fn close(&mut self);
    /// The next message, if there is one within a time.
    async fn next(&mut self, patience: Duration) -> Option<Sent>;
    /// Sends a text to where the answers to a message go.
    async fn answer(&mut self, message: &Value, text: String);
    /// The result of the call, as data.
    async fn outcome(&mut self) -> Value;
}

/// The messages of the caller by the names that the case gives them.
type Messages = BTreeMap<String, Value>;

impl CallerCase {
    pub(super) fn all() -> Vec<Self> {
        serde_json::from_str(&json_file("callers")).unwrap_or_else(|error| panic!("callers: {error}"))
    }

    /// The row of the table.
    pub(super) fn row(&self) -> String {
        format!("| {} | {} | passes | passes | passes | passes |", self.case, self.shows)
    }

    /// Runs the steps, up to the first one that fails.
    pub(super) async fn run(&self, caller: &mut impl Caller) -> Result<(), String> {
        let mut messages = Messages::new();
        for (index, step) in self.steps.iter().enumerate() {
            let followed = match step.as_object() {
                Some(step) => follow(step, caller, &mut messages).await,
                None => Err("it is not an object".to_owned()),
            };
            followed.map_err(|why| format!("case {} ({}): step {}: {why}", self.case, self.shows, index + 1))?;
        }
        Ok(())
    }
}

async fn follow(step: &Map<String, Value>, caller: &mut impl Caller, messages: &mut Messages) -> Result<(), String> {
    let known = [
        "call", "drop", "close", "outcome", "waitMs", "message", "messages", "at", "as", "answer", "of", "status",
        "headers", "contract", "signedBy",
    ];
    if let Some(name) = step.keys().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("`{name}` is not known"));
    }
    if let Some(call) = step.get("call") {
        caller.call(serde_json::from_value(call.clone()).map_err(|error| error.to_string())?).await;
    } else if step.contains_key("drop") {
        caller.drop_call().await;
    } else if step.contains_key("close") {
        caller.close().await;
    } else if let Some(milliseconds) = step.get("waitMs").and_then(Value::as_u64) {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    } else if let Some(expected) = step.get("outcome") {
        compare(expected, &caller.outcome().await, messages)?;
    } else if let Some(count) = step.get("messages").and_then(Value::as_u64) {
        for _ in 0..count {
            let message = expect(&json!({}), "requests", caller, messages).await?;
            answer(step, &message, caller).await?;
        }
    } else if let Some(expected) = step.get("message") {
        let at = step.get("at").and_then(Value::as_str).unwrap_or("requests");
        let message = expect(expected, at, caller, messages).await?;
        if let Some(name) = step.get("as").and_then(Value::as_str) {
            messages.insert(name.to_owned(), message);
        }
    } else if let Some(name) = step.get("of").and_then(Value::as_str) {
        answer(step, messages.get(name).ok_or("no message has this name")?, caller).await?;
    } else {
        return Err("there is nothing to do".to_owned());
    }
    Ok(())
}

/// Waits for a message to an address, and compares it; `null` for none.
async fn expect(
    expected: &Value,
    at: &str,
    caller: &mut impl Caller,
    messages: &mut Messages,
) -> Result<Value, String> {
    let sent = caller.next(if expected.is_null() { SHORT } else { LONG }).await;
    let Some(sent) = sent else {
        return if expected.is_null() { Ok(Value::Null) } else { Err("there is no message".to_owned()) };
    };
    if expected.is_null() {
        return Err(format!("there is a message to `{}`: {}", sent.at, sent.text));
    }
    if sent.at != at {
        return Err(format!("the message is for `{}`, not `{at}`: {}", sent.at, sent.text));
    }
    let message: Value = serde_json::from_str(&sent.text).map_err(|error| error.to_string())?;
    messages.insert("message".to_owned(), message.clone());
    compare(expected, &message, messages)?;
    Ok(message)
}

fn compare(expected: &Value, found: &Value, messages: &Messages) -> Result<(), String> {
    match difference(&resolved(expected, messages), found, "") {
        None => Ok(()),
        Some(difference) => Err(format!("{difference} in {found}")),
    }
}

/// A value in which texts such as `$first/messageId` are replaced by the members of messages.
fn resolved(value: &Value, messages: &Messages) -> Value {
    match value {
        Value::String(text) => {
            let member = text.strip_prefix('$').and_then(|rest| rest.split_once('/'));
            let found = member.map(|(name, path)| messages.get(name).and_then(|of| of.pointer(&format!("/{path}"))));
            found.map_or_else(|| value.clone(), |found| found.cloned().unwrap_or_default())
        }
        Value::Array(items) => items.iter().map(|item| resolved(item, messages)).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| (name.clone(), resolved(member, messages))).collect()
        }
        _ => value.clone(),
    }
}

/// Answers a message as a step says.
async fn answer(step: &Map<String, Value>, message: &Value, caller: &mut impl Caller) -> Result<(), String> {
    let mut headers = step.get("headers").cloned().unwrap_or_else(|| json!({}));
    if let Some(status) = step.get("status") {
        headers["capgen-status"] = status.clone();
    }
    if let Some(contract) = step.get("contract").and_then(Value::as_str) {
        let capability = &manifest(contract).capabilities[0];
        headers["capgen-contract"] = capability.hash().to_string().into();
        headers["capgen-version"] = capability.version.as_ref().map(ToString::to_string).into();
    }
    let text = json!({
        "version": 1, "kind": "response", "messageId": "answer", "correlationId": message["correlationId"],
        "causedBy": message["messageId"], "from": message["to"], "to": message["from"],
        "capability": message["capability"], "headers": headers, "payload": step["answer"],
    });
    let text = match step.get("signedBy").and_then(Value::as_str) {
        Some(agent) => signed_by(&text.to_string(), agent)?,
        None => text.to_string(),
    };
    caller.answer(message, text).await;
    Ok(())
}
