//! A denied call takes the same steps whether or not the agent has the capability.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};

use capgen::call::{
    Audit, AuditError, AuditRecord, Authorization, Authorize, BoxFuture, CapabilityContract, Clock, Context, Decision,
    Grants, Handlers, ServerBuilder, SystemClock,
};
use capgen_descriptor::OwnedDescriptor;
use serde_json::{Value, json};

use crate::fixture::raw::{Raw, agent_keys, code, signed_by};

/// The calls of a server to the clock, the rule and the audit, in order.
#[derive(Clone, Default)]
struct Steps(Arc<Mutex<Vec<&'static str>>>);

impl Steps {
    fn add(&self, step: &'static str) {
        self.0.lock().unwrap().push(step);
    }

    fn take(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Clock for Steps {
    fn now_ms(&self) -> u64 {
        self.add("clock");
        SystemClock.now_ms()
    }
}

/// Waits, and then allows `alice` to call capabilities without a version.
impl Authorize for Steps {
    fn authorize<'a>(
        &'a self,
        context: &'a Context,
        capability: Option<&'a OwnedDescriptor>,
    ) -> BoxFuture<'a, Decision> {
        self.add("asked");
        Box::pin(async move {
            tokio::task::yield_now().await;
            self.add("decided");
            let has_version = capability.is_some_and(|it| it.version.is_some());
            if context.caller() == "alice" && !has_version { Decision::Allow } else { Decision::deny("no") }
        })
    }
}

impl Audit for Steps {
    fn record(&self, record: AuditRecord) -> BoxFuture<'_, Result<(), AuditError>> {
        self.add(match record {
            AuditRecord::Call(call) if call.denied.is_some() => "denial recorded",
            AuditRecord::Call(_) => "call recorded",
            _ => "violation recorded",
        });
        Box::pin(async { Ok(()) })
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        Box::pin(async { Ok(()) })
    }

    fn lost(&self) -> u64 {
        0
    }
}

fn version(version: &str) -> CapabilityContract {
    let mut contract = CapabilityContract::new("book");
    contract.version = Some(version.parse().unwrap());
    contract.required_roles = vec!["booker".to_owned()];
    contract
}

/// `book` in three versions, `count` in one, and `open` without a contract.
fn handlers() -> Handlers {
    let mut count = CapabilityContract::new("count");
    count.required_scopes = vec!["trips:read".to_owned()];
    let run = async |_: Context, _: Value| -> Result<Value, _> { panic!("a denied call runs") };
    let books = ["1.0.0", "1.1.0", "2.0.0"].map(version);
    let handlers = Handlers::new("echo").with_json(&count, run).with_loose("open", run);
    books.iter().fold(handlers, |handlers, book| handlers.with_json(book, run))
}

/// The capabilities of the agent, and one that it does not have.
const NAMES: [&str; 4] = ["book", "count", "open", "unknown"];

/// The steps of a server for a request, and its answer without the ids and the name of the request.
async fn asked(raw: &mut Raw, steps: &Steps, request: &Value, agent: &str) -> (Vec<&'static str>, String) {
    steps.take();
    raw.send(signed_by(&request.to_string(), agent, "a1")).await;
    let mut response = raw.patient_response().await;
    for member in ["messageId", "correlationId", "causedBy", "capability", "auth"] {
        assert!(response.as_object_mut().unwrap().remove(member).is_some());
    }
    (steps.take(), format!("{} {response}", code(&response)))
}

/// Each name with each of some requests of an agent; all have one outcome.
async fn all_asked(raw: &mut Raw, steps: &Steps, agent: &str, names: &[&str]) -> (Vec<&'static str>, String) {
    let mut found = Vec::new();
    for name in names {
        for (number, (version, payload, key)) in [
            (None, json!({}), None),
            // Neither the payload nor the idempotency key is looked at.
            (Some("1.0.0"), json!([1, {"a": "b"}]), Some("k")),
            (Some("7.0.0"), json!(null), Some("k")),
            (Some("none"), json!("x"), None),
        ]
        .into_iter()
        .enumerate()
        {
            let mut request = raw.request(&format!("{agent}-{name}-{number}"));
            (request["from"], request["capability"]) = (json!(format!("agent://{agent}")), json!(name));
            request["payload"] = payload;
            request["headers"] = json!({"traceparent": "00-00000000000000000000000000000001-0000000000000001-00"});
            for (header, value) in [("capgen-version", version), ("idempotency-key", key)] {
                if let Some(value) = value {
                    request["headers"][header] = json!(value);
                }
            }
            found.push(asked(raw, steps, &request, agent).await);
        }
    }
    found.dedup();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

async fn start(steps: &Steps, server: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Raw {
    let [clock, audit] = [(); 2].map(|()| Arc::new(steps.clone()));
    let settings = |built: ServerBuilder| {
        server(built.keys(agent_keys(&["alice", "bob"])).clock(clock).audit(audit as Arc<dyn Audit>))
    };
    Raw::with_handlers(handlers(), settings).await
}

#[tokio::test]
async fn a_rule_is_asked_as_often_for_a_capability_that_does_not_exist() {
    let steps = Steps::default();
    let rule = Authorization::by(Arc::new(steps.clone()));
    let mut raw = start(&steps, |built| built.authorization(rule)).await;
    let (found, answer) = all_asked(&mut raw, &steps, "bob", &NAMES).await;
    assert!(answer.starts_with("EAGENTRPC_FORBIDDEN"), "{answer}");
    let expected = ["clock", "asked", "decided", "asked", "decided", "asked", "decided", "clock", "denial recorded"];
    assert_eq!(found, expected);
    // `alice` may call a capability that does not exist. She learns that `book` does, and that she may not call it.
    let (found, answer) = all_asked(&mut raw, &steps, "alice", &["unknown"]).await;
    assert!(answer.starts_with("EAGENTRPC_NO_CAPABILITY"), "{answer}");
    assert_eq!(found, ["clock", "asked", "decided"]);
}

#[tokio::test]
async fn requirements_are_compared_in_the_same_steps() {
    let steps = Steps::default();
    let grants = Grants::new().agent("bob", &["reader"], &[]);
    let mut raw = start(&steps, |built| built.grants(grants)).await;
    // Everyone may call `open`.
    let (found, answer) = all_asked(&mut raw, &steps, "bob", &["book", "count", "unknown"]).await;
    assert!(answer.starts_with("EAGENTRPC_FORBIDDEN"), "{answer}");
    assert_eq!(found, ["clock", "clock", "denial recorded"]);
}
