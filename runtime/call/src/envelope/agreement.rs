//! Tests that the fast paths of reading and writing agree with the generated code.

use bytes::Bytes;
use proptest::prelude::*;

use super::*;

/// Strings that are valid for a field, and others.
fn string(valid: &'static str) -> impl Strategy<Value = String> {
    prop_oneof![
        40 => valid,
        1 => Just(String::new()),
        1 => "[a-zA-Z0-9 ._:/\"\\\\\u{1}é€-]{0,140}",
        1 => "[aé]{126,140}",
    ]
}

fn option(valid: &'static str) -> impl Strategy<Value = Option<String>> {
    prop::option::of(string(valid))
}

#[derive(Clone, Debug)]
struct Parts {
    kind: MessageKind,
    ids: [String; 2],
    caused_by: Option<String>,
    agents: [String; 2],
    capability: String,
    reply_to: Option<(String, String)>,
    deadline: Option<u64>,
    tenant: Option<String>,
    headers: BTreeMap<String, String>,
}

fn parts() -> impl Strategy<Value = Parts> {
    const ID: &str = "[a-zA-Z0-9_-]{1,128}";
    const AGENT: &str = "[a-z0-9][a-z0-9._-]{0,127}";
    let kind = prop::sample::select(MessageKind::all());
    let reply_to = prop::option::of((string("[a-z][a-z0-9]{0,16}"), string("[a-zA-Z0-9_.]{1,100}")));
    let deadline = prop::option::of(prop_oneof![Just(0), any::<u64>(), 0..10_000_000_000_000_u64]);
    let headers = prop::collection::btree_map(string("[a-z-]{1,20}"), string("[a-z0-9 -]{0,40}"), 0..4);
    let first = (kind, [string(ID), string(ID)], option(ID), [string(AGENT), string(AGENT)]);
    let second = (string("[a-z0-9][a-z0-9_-]{0,127}"), reply_to, deadline, option("[a-z]{1,256}"), headers);
    (first, second).prop_map(|((kind, ids, caused_by, agents), (capability, reply_to, deadline, tenant, headers))| {
        Parts { kind, ids, caused_by, agents, capability, reply_to, deadline, tenant, headers }
    })
}

fn with_draft<T>(parts: &Parts, use_draft: impl FnOnce(Draft<'_>) -> T) -> T {
    // A header without a value is left out.
    let headers = parts.headers.iter().map(|(name, value)| (name.as_str(), Some(value.as_str())));
    let headers: Vec<(&str, Option<&str>)> = [("unset", None)].into_iter().chain(headers).collect();
    let [message_id, correlation_id] = &parts.ids;
    let [from, to] = &parts.agents;
    use_draft(Draft {
        kind: parts.kind,
        message_id,
        correlation_id,
        caused_by: parts.caused_by.as_deref(),
        from,
        to,
        capability: &parts.capability,
        reply_to: parts.reply_to.as_ref().map(|(kind, address)| (kind.as_str(), address.as_str())),
        deadline: parts.deadline,
        tenant: parts.tenant.as_deref(),
        headers: &headers,
        payload: br#"{"a":["}",1]}"#,
    })
}

/// Everything that an envelope states. The order of headers has no meaning: the generated code sorts them.
fn content(envelope: &Envelope) -> String {
    let caused_by = envelope.fields.caused_by.as_ref().map(|part| envelope.get(part));
    let ids = (envelope.kind(), envelope.message_id(), envelope.correlation_id(), caused_by);
    let addresses = (envelope.from(), envelope.to(), envelope.capability(), envelope.reply_to());
    let rest = (envelope.deadline(), envelope.tenant(), envelope.headers(), &envelope.payload);
    format!("{ids:?} {addresses:?} {rest:?} {:?} {:?}", envelope.signed, envelope.fields.auth)
}

/// The text with the signature of an agent.
#[cfg(feature = "ed25519")]
fn of_agent(parts: &Parts) -> Result<Bytes, InvalidPayload> {
    let keys = Keys::of_agent(AgentKey::from_seed("a", "k", &[7; 32]).expect("a key"));
    with_draft(parts, |draft| draft.encode(Some(&keys)))
}

#[cfg(not(feature = "ed25519"))]
fn of_agent(parts: &Parts) -> Result<Bytes, InvalidPayload> {
    with_draft(parts, |draft| draft.encode(None))
}

fn check(text: &Bytes) -> Result<(), TestCaseError> {
    let whole = std::str::from_utf8(text).ok();
    let Some(read) = whole.and_then(compact::read) else { return Ok(()) };
    let slow = Envelope::decode_any(text, whole);
    prop_assert!(slow.is_ok(), "only the fast path accepts {text:?}");
    let fast = Envelope::decode(text);
    prop_assert!(fast.is_ok() && text.get(read.payload) == fast.as_ref().ok().map(|fast| &fast.payload[..]));
    prop_assert_eq!(fast.ok().as_ref().map(content), slow.ok().as_ref().map(content));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn texts_are_written_equally(parts in parts()) {
        with_draft(&parts, |draft| {
            let checked = draft.write_checked();
            if draft.is_usual() {
                prop_assert_eq!(checked.ok(), Some(draft.write()));
            } else {
                prop_assert_eq!(draft.encode(None).is_ok(), checked.is_ok());
            }
            Ok(())
        })?;
    }

    #[test]
    fn texts_are_read_equally(parts in parts(), at in any::<prop::sample::Index>(), new in "[ \"\\\\,:{}a0-9é]{0,3}", cut in 0..4_usize) {
        let keys = Keys::signing_with("k", b"a secret of at least 16 bytes").expect("a key");
        let signed = with_draft(&parts, |draft| draft.encode(Some(&keys)));
        for encoded in [signed, with_draft(&parts, |draft| draft.encode(None)), of_agent(&parts)] {
            let Ok(text) = encoded else { continue };
            check(&text)?;
            let mut changed = text.to_vec();
            let at = at.index(changed.len());
            changed.splice(at..(at + cut).min(text.len()), new.bytes());
            check(&changed.into())?;
        }
    }
}

#[test]
fn the_fast_path_reads_what_clients_write() {
    let text = br#"{"version":1,"kind":"response","messageId":"m","correlationId":"c","causedBy":"x","from":"agent://a","to":"agent://b","capability":"say","replyTo":"nats://a.b","deadline":12,"tenantId":"t","headers":{"a":"b","c":"d"},"payload":[1]}"#;
    let text = std::str::from_utf8(text).expect("text");
    assert!(compact::read(text).is_some());
    assert!(compact::read(&text.replace(r#""c":"d""#, r#""a":"d""#)).is_none(), "a duplicate header");
    assert!(compact::read(&text.replace(r#""payload":[1]"#, r#""payload":[1],"payload":[1]"#)).is_none());
    assert!(compact::read(&text.replace("12", "012")).is_none() && compact::read(&format!("{text} ")).is_none());
}
