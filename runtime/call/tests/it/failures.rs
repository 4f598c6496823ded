//! Failures of handlers: what leaves the provider, and what stays in its log.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::error::Error as _;
use std::io;
use std::sync::{Arc, Mutex};

use capgen::call::{Context, Failure, Handlers};
use capgen_testkit::is_run_alone;
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::fixture::raw::Raw;

/// The texts of the events.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Visit for Log {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.lock().unwrap().push_str(&format!("{}={value:?} ", field.name()));
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// An error of a program, with another one below it.
#[derive(Debug)]
struct Unavailable(io::Error);

impl std::fmt::Display for Unavailable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the store is unavailable")
    }
}

impl std::error::Error for Unavailable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

impl From<Unavailable> for Failure {
    fn from(error: Unavailable) -> Self {
        Self::new("UNAVAILABLE", "try again").retryable().caused_by(error)
    }
}

#[tokio::test]
async fn the_cause_of_a_failure_is_in_the_log_and_nowhere_on_the_wire() {
    if is_run_alone("failures::the_cause_of_a_failure_is_in_the_log_and_nowhere_on_the_wire") {
        return;
    }
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let handlers = Handlers::new("echo").with_loose("say", async |_: Context, _: Value| {
        Err(Unavailable(io::Error::other("refused\nby 10.0.0.7")))?;
        Ok(Value::Null)
    });
    let mut raw = Raw::with_handlers(handlers, |server| server).await;
    raw.send(raw.request("1").to_string()).await;
    let response = raw.response().await.unwrap();
    assert_eq!(
        response["payload"],
        json!({"code": "UNAVAILABLE", "message": "try again", "retryable": true}),
        "{response}"
    );
    assert!(!response.to_string().contains("10.0.0.7") && !response.to_string().contains("store"), "{response}");
    let log = log.0.lock().unwrap();
    let expected = r#"code="UNAVAILABLE" cause="the store is unavailable: refused\nby 10.0.0.7""#;
    assert!(log.contains(expected), "{log}");
}

#[test]
fn failures_are_equal_if_callers_get_the_same() {
    let failure = || Failure::new("A", "b");
    assert_eq!(failure().caused_by(io::Error::other("x")), failure());
    assert_ne!(failure().retryable(), failure());
    assert!(failure().source().is_none());
}
