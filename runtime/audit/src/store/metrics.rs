//! The metrics of a store, with the feature `otel`. Without it, they are nothing.

/// The instruments of a store, of the provider that is global when it is opened.
#[cfg(feature = "otel")]
pub(super) struct Metrics {
    queued: opentelemetry::metrics::UpDownCounter<i64>,
    lost: opentelemetry::metrics::Counter<u64>,
}

#[cfg(feature = "otel")]
impl Metrics {
    pub(super) fn new() -> Self {
        let meter = opentelemetry::global::meter("capgen");
        let queued = meter.i64_up_down_counter("capgen.audit.queued_records").build();
        Self { queued, lost: meter.u64_counter("capgen.audit.lost_records").build() }
    }

    pub(super) fn added(&self, records: usize) {
        self.queued.add(i64::try_from(records).unwrap_or(i64::MAX), &[]);
    }

    pub(super) fn removed(&self, records: usize) {
        self.queued.add(i64::try_from(records).map_or(i64::MIN, i64::wrapping_neg), &[]);
    }

    /// `reason` is one of the names of the fields of [`Lost`](super::Lost).
    pub(super) fn lost(&self, records: usize, reason: &'static str) {
        let reason = opentelemetry::KeyValue::new("error.type", reason);
        self.lost.add(u64::try_from(records).unwrap_or(u64::MAX), &[reason]);
    }
}

#[cfg(not(feature = "otel"))]
pub(super) struct Metrics;

#[cfg(not(feature = "otel"))]
#[expect(clippy::unused_self, reason = "the signatures are those with the feature")]
impl Metrics {
    pub(super) const fn new() -> Self {
        Self
    }

    pub(super) const fn added(&self, _records: usize) {}

    pub(super) const fn removed(&self, _records: usize) {}

    pub(super) const fn lost(&self, _records: usize, _reason: &'static str) {}
}
