//! Spans and events of `tracing`, recorded as texts.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The spans and events of capgen's crates, as texts such as `INFO capgen.serve capability="review"` and
/// `WARN event message=a call was denied`, in the order in which they began. Clones share them.
#[derive(Clone, Default, Debug)]
pub struct Log(Arc<Mutex<Vec<String>>>, Arc<AtomicU64>);

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Log {
    /// The texts until now.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn write(&self, metadata: &Metadata<'_>, fields: Fields) {
        if metadata.target().starts_with("capgen") {
            let level = metadata.level();
            let name = if metadata.is_span() { metadata.name() } else { "event" };
            self.0.lock().unwrap().push(format!("{level} {name}{}", fields.0));
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields(String::new());
        span.record(&mut fields);
        self.write(span.metadata(), fields);
        Id::from_u64(self.1.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(String::new());
        event.record(&mut fields);
        self.write(event.metadata(), fields);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
