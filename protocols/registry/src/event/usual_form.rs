//! Events in their usual form, whose envelope is checked without a tree.

use std::ops::Range;

use super::scan::{members, plain};
use super::{EventType, envelope};
use crate::EventId;

/// The parts of an event of a known type in usual form, whose envelope is valid apart from the rules that depend on the
/// configuration and on the size. Everything else takes the general way, which decides.
#[derive(Clone, Debug)]
pub(super) struct UsualForm {
    pub(super) id: EventId,
    pub(super) kind: EventType,
    /// The place of the producer's agent id in the text.
    pub(super) agent: Range<usize>,
    /// The place of the partition key in the text, if there is one.
    pub(super) partition: Option<Range<usize>>,
    /// The place of the payload in the text.
    pub(super) payload: Range<usize>,
    /// The places of the members that the content hash does not cover, in their order, with one comma each.
    pub(super) uncovered: Vec<Range<usize>>,
    /// Whether the major version of the payload is known.
    pub(super) has_known_version: bool,
}

/// The strings of the envelope that have no form of their own. The limit is 255 code points (ruling 3). Here it counts
/// bytes, because longer texts only take the general way.
const MAX_LENGTH: usize = 255;

impl UsualForm {
    /// The parts of a text, if it has the usual form.
    pub(super) fn of(text: &str) -> Option<Self> {
        let (mut id, mut kind, mut agent, mut partition, mut payload) = (None, None, None, None, None);
        let (mut uncovered, mut version) = (Vec::new(), None);
        // Each required member that is valid counts; they are distinct.
        let mut required = 0;
        for member in members(text)? {
            let place = member.end - member.value.len()..member.end;
            let string = || plain(member.value).filter(|content| content.len() <= MAX_LENGTH);
            let is_required = match member.name {
                "event_id" => {
                    id = Some(string()?.parse().ok()?);
                    true
                }
                "event_type" => {
                    kind = Some(EventType::of(string()?)?);
                    true
                }
                "event_version" => {
                    version = Some(semver::Version::parse(string()?).ok()?);
                    true
                }
                "metadata" => member.value.starts_with('{'),
                "payload" => {
                    payload = Some(place).filter(|_| member.value.starts_with('{'));
                    true
                }
                "producer" => {
                    let inner = producer(member.value)?;
                    agent = Some(place.start + inner.start..place.start + inner.end);
                    true
                }
                "spec_version" => matches!(string()?, "1" | "1.0" | "1.0.0"),
                "timestamp" => envelope::is_timestamp(string()?),
                "trace" => {
                    uncovered
                        .extend(trace(member.value)?.map(|inner| place.start + inner.start..place.start + inner.end));
                    true
                }
                "causation_id" | "correlation_id" | "idempotency_key" | "partition_key" | "ttl_ms"
                    if member.value == "null" =>
                {
                    // The first member has a comma after it instead of one before it. Other members follow.
                    let comma =
                        usize::from(member.start == uncovered.last().map_or(0, |last: &Range<usize>| last.end - 1));
                    uncovered.push(member.start + comma..member.end + comma);
                    false
                }
                "ttl_ms" => {
                    is_natural(member.value).then_some(())?;
                    false
                }
                "partition_key" => {
                    string()?;
                    partition = Some(place.start + 1..place.end - 1);
                    false
                }
                "causation_id" | "correlation_id" | "idempotency_key" => {
                    string()?;
                    false
                }
                "signature" => {
                    // The form of a signature is checked in general.
                    (member.value == "null").then_some(())?;
                    uncovered.push(member.start..member.end);
                    false
                }
                _ => false,
            };
            required += u8::from(is_required);
        }
        (required == 9).then_some(())?;
        let has_known_version = version?.major == 1;
        Some(Self { id: id?, kind: kind?, agent: agent?, partition, payload: payload?, uncovered, has_known_version })
    }
}

impl UsualForm {
    /// The parts of the text that the content hash covers.
    pub(super) fn covered<'t>(&'t self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let ends = std::iter::once(0).chain(self.uncovered.iter().map(|place| place.end));
        let starts = self.uncovered.iter().map(|place| place.start).chain([text.len()]);
        ends.zip(starts).filter_map(|(from, to)| text.get(from..to))
    }
}

/// The place of the agent id in a valid producer.
fn producer(text: &str) -> Option<Range<usize>> {
    let (mut agent, mut required) = (None, 0);
    for member in members(text)? {
        if matches!(member.name, "agent_id" | "agent_type" | "runtime_id" | "instance_id") {
            let content = plain(member.value).filter(|content| content.len() <= MAX_LENGTH)?;
            required += 1;
            if member.name == "agent_id" {
                agent = Some(member.end - 1 - content.len()..member.end - 1).filter(|place| !place.is_empty());
            }
        }
    }
    agent.filter(|_| required == 4)
}

/// The place of a `parent_span_id` that is null in a valid trace, from the comma before it.
fn trace(text: &str) -> Option<Option<Range<usize>>> {
    let (mut uncovered, mut required) = (None, 0);
    for member in members(text)? {
        let is_string = || plain(member.value).is_some_and(|content| content.len() <= MAX_LENGTH);
        match member.name {
            "trace_id" | "span_id" => required += u8::from(is_string()),
            "depth" => required += u8::from(is_natural(member.value)),
            "parent_span_id" if member.value == "null" => uncovered = Some(member.start..member.end),
            "parent_span_id" => is_string().then_some(())?,
            _ => {}
        }
    }
    // `depth` is before `parent_span_id`, so there is a comma.
    (required == 3).then_some(uncovered)
}

fn is_natural(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::event::{Checker, Event};
    use crate::{Checked, Configuration};

    fn event() -> Value {
        json!({
            "spec_version": "1.0",
            "event_id": "018f0000-0000-7000-8000-000000000001",
            "event_type": "agent.heartbeat",
            "event_version": "1.0.0",
            "timestamp": "2026-01-31T23:59:59.999Z",
            "producer": {"agent_id": "a", "agent_type": "", "runtime_id": "r", "instance_id": "i"},
            "trace": {"trace_id": "t", "span_id": "s", "depth": 0},
            "payload": {},
            "metadata": {},
        })
    }

    /// A member of the envelope, and a value for it that may be invalid.
    fn changes() -> impl Strategy<Value = (&'static str, Option<Value>)> {
        let pointers = prop::sample::select(vec![
            "/spec_version",
            "/event_id",
            "/event_type",
            "/event_version",
            "/timestamp",
            "/producer",
            "/producer/agent_id",
            "/producer/agent_type",
            "/trace",
            "/trace/depth",
            "/trace/trace_id",
            "/trace/parent_span_id",
            "/payload",
            "/payload/agent_id",
            "/payload/version",
            "/payload/capability_id",
            "/metadata",
            "/metadata/é",
            "/causation_id",
            "/correlation_id",
            "/idempotency_key",
            "/partition_key",
            "/ttl_ms",
            "/signature",
            "/aaa",
        ]);
        let texts = prop::sample::select(vec![
            "",
            "1",
            "1.2.3",
            "1.x",
            "2.0.0",
            "a",
            "a.b",
            "capgen.kernel",
            "capability.registered",
            "agent.unavailable",
            "2026-02-29T00:00:00.000Z",
            "2024-02-29T23:59:60.000Z",
            "2024-02-29T23:59:59.000z",
            "018f0000-0000-8000-8000-000000000001",
            "018f0000-0000-7000-c000-000000000001",
            "\n\\\"",
        ]);
        let values = prop_oneof![
            Just(Value::Null),
            texts.prop_map(Value::from),
            (250_usize..260).prop_map(|length| Value::from("é".repeat(length))),
            (250_usize..260).prop_map(|length| Value::from("e".repeat(length))),
            (-1_i64..3).prop_map(Value::from),
            Just(json!(1.5)),
            Just(json!({})),
            Just(json!({"agent_id": "b"})),
            Just(json!([])),
        ];
        (pointers, prop::option::weighted(0.9, values))
    }

    fn changed(changes: Vec<(&str, Option<Value>)>) -> Value {
        let mut event = event();
        for (pointer, value) in changes {
            let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
            if let Some(Value::Object(members)) = event.pointer_mut(parent) {
                match value {
                    Some(value) => drop(members.insert(name.to_owned(), value)),
                    None => drop(members.remove(name)),
                }
            }
        }
        event
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn both_ways_agree(changes in prop::collection::vec(changes(), 0..3)) {
            let value = changed(changes);
            let usual = Event::new(value);
            let general = usual.without_usual();
            prop_assert_eq!(usual.hash(), general.hash());
            prop_assert_eq!(usual.agent(), general.agent());
            prop_assert_eq!(usual.id(), general.id());
            prop_assert_eq!(usual.event_type(), general.event_type());
            prop_assert_eq!(usual.partition(), general.partition());
            let read = Event::parse(usual.text().as_bytes());
            prop_assert_eq!(read.as_ref().map(Event::hash), Ok(general.hash()));
            let checker = Checker::new(Arc::new(Configuration::default()));
            let text = |checked: Checked| format!("{checked:?}");
            prop_assert_eq!(text(checker.check(&usual)), text(checker.check(&general)));
        }
    }

    #[test]
    fn usual_events_are_read_without_a_tree() {
        let nullable = ["causation_id", "correlation_id", "idempotency_key", "partition_key", "ttl_ms", "signature"];
        for null in 0..1 << nullable.len() {
            let mut value = event();
            let nulls = nullable.iter().enumerate().filter(|(bit, _)| null & 1 << bit != 0);
            nulls.for_each(|(_, name)| value[name] = Value::Null);
            value["trace"]["parent_span_id"] = Value::Null;
            let event = Event::new(value);
            assert!(UsualForm::of(event.text()).is_some(), "{}", event.text());
            let read = Event::parse(event.text().as_bytes()).unwrap();
            assert_eq!(read.hash(), Event::new(self::event()).hash(), "{}", event.text());
        }
    }
}
