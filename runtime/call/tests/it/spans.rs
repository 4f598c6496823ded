//! The spans of calls.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::fixture::{Fixture, Review, handlers};
use capgen_testkit::is_run_alone;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The spans with their fields, in the order in which they were created.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<BTreeMap<String, String>>>>, Arc<AtomicU64>);

struct Fields<'f>(&'f mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").trim_matches('"').to_owned());
    }
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span()
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = BTreeMap::from([("span".to_owned(), span.metadata().name().to_owned())]);
        span.record(&mut Fields(&mut fields));
        self.0.lock().unwrap().push(fields);
        Id::from_u64(self.1.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn both_sides_have_a_span_with_the_same_correlation_id() {
    if is_run_alone("spans::both_sides_have_a_span_with_the_same_correlation_id") {
        return;
    }
    let spans = Spans::default();
    let _guard = tracing::subscriber::set_default(spans.clone());
    let fixture = Fixture::start(handlers()).await;
    let request = Review { url: "x".to_owned(), depth: 3 };
    fixture.client.call_with::<Review>(&request, &fixture.options()).await.unwrap();
    let spans = spans.0.lock().unwrap();
    let [call, serve] = [&spans[0], &spans[1]];
    assert_eq!((call["span"].as_str(), serve["span"].as_str()), ("capgen.call", "capgen.serve"));
    assert_eq!((call["capability"].as_str(), serve["capability"].as_str()), ("review", "review"));
    assert_eq!((call["peer"].as_str(), serve["peer"].as_str()), ("reviewer", "concierge"));
    assert_eq!(call["correlation_id"], serve["correlation_id"]);
    assert_eq!(call["contract"].len(), 64);
    assert!(serve["contract"].contains(&call["contract"]), "{serve:?}");
}
