//! Random bodies are read as they were written.

use capgen_amp::body::{
    Body, CapDeclare, CapInvoke, CapQuery, CapResult, ErrorBody, Filter, Hints, NameOrType, Order, ResultError, Target,
};
use capgen_amp::cbor::{Float, Limits, Map, Value, decode, encode};
use capgen_amp::descriptor::{ArtifactRef, Descriptor, HashAlgorithm, SchemaRef};
use capgen_amp::message::MessageType;
use capgen_amp::{Aliases, CapabilityId, CapabilityName, Range};
use proptest::option::of;
use proptest::prelude::*;
use semver::Version;

use super::naive;

fn names() -> impl Strategy<Value = CapabilityName> {
    "[a-z0-9]{1,3}(-[a-z0-9]{1,2}){0,2}(\\.[a-z0-9]{1,4}(-[a-z]{1,2}){0,1}){2,4}".prop_map(|name| name.parse().unwrap())
}

fn versions() -> impl Strategy<Value = Version> {
    naive::versions().prop_map(|version| version.parse().unwrap())
}

fn ranges() -> impl Strategy<Value = Range> {
    naive::ranges().prop_map(|range| range.parse().unwrap())
}

fn texts() -> impl Strategy<Value = String> {
    "\\PC{0,6}"
}

/// Any value of CBOR.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<u64>().prop_map(Value::Unsigned),
        any::<u64>().prop_map(Value::Negative),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(Value::Bytes),
        texts().prop_map(Value::Text),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
        Just(Value::Undefined),
        (0_u8..20).prop_map(Value::Simple),
        any::<f64>().prop_map(|number| Value::Float(Float::from(number))),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            (any::<u64>(), inner.clone()).prop_map(|(tag, value)| Value::Tag(tag, Box::new(value))),
            prop::collection::vec((inner.clone(), inner), 0..4)
                .prop_map(|entries| Value::Map(entries.into_iter().collect())),
        ]
    })
}

/// Unknown keys: most begin with `x-`, so that they are not those of the CDDL.
fn unknown() -> impl Strategy<Value = Map> {
    let key = prop_oneof![
        "x-[a-z]{0,20}".prop_map(Value::Text),
        any::<u8>().prop_map(|key| Value::from(u64::from(key))),
        Just(Value::Null)
    ];
    prop::collection::vec((key, values()), 0..3).prop_map(|entries| entries.into_iter().collect())
}

prop_compose! {
    fn schema_refs()(
        uri in of(texts()),
        artifact in of((texts(), texts())),
        is_long in any::<bool>(),
        hash in prop::collection::vec(any::<u8>(), 64),
        (media_type, updated_at) in (of(texts()), of(texts())),
        other in unknown(),
    ) -> SchemaRef {
        let hash_alg = if is_long { HashAlgorithm::Sha512 } else { HashAlgorithm::Sha256 };
        let artifact = artifact.map(|(bundle_id, artifact_key)| ArtifactRef { bundle_id, artifact_key });
        let uri = if artifact.is_none() { Some(uri.unwrap_or_default()) } else { uri };
        SchemaRef { uri, artifact, hash_alg, hash: hash[..hash_alg.size()].to_vec(), media_type, updated_at, other }
    }
}

prop_compose! {
    fn descriptors()(
        (name, version) in (names(), versions()),
        (input_schema, output_schema) in (schema_refs(), schema_refs()),
        supported_ranges in of(prop::collection::vec(ranges(), 0..3)),
        deprecated_ranges in of(prop::collection::vec(ranges(), 0..3)),
        notes in of(texts()),
        other in unknown(),
    ) -> Descriptor {
        let id = CapabilityId { name, version };
        Descriptor { id, input_schema, output_schema, supported_ranges, deprecated_ranges, notes, other }
    }
}

fn filters() -> impl Strategy<Value = Filter> {
    (of(names()), texts(), any::<bool>(), of(ranges())).prop_map(|(capability, text, has_both, version)| {
        let type_alias = (capability.is_none() || has_both).then_some(text);
        Filter { capability, type_alias, version }
    })
}

fn queries() -> impl Strategy<Value = CapQuery> {
    let order = of(prop::sample::select(&Order::ALL[..]));
    (filters(), of(1_u64..), of(texts()), order).prop_map(|(filter, limit, cursor, order)| CapQuery {
        limit,
        cursor,
        order,
        ..CapQuery::new(filter)
    })
}

fn targets() -> impl Strategy<Value = Target> {
    let capability = || prop_oneof![names().prop_map(NameOrType::Name), texts().prop_map(NameOrType::Type)];
    let hints = (of(versions()), prop::collection::vec(versions(), 0..4), of(ranges()))
        .prop_map(|(preferred, acceptable, range)| Hints { preferred, acceptable, range });
    prop_oneof![
        (names(), versions()).prop_map(|(name, version)| Target::Id(CapabilityId { name, version })),
        (capability(), versions()).prop_map(|(capability, version)| Target::Version { capability, version }),
        (capability(), hints).prop_map(|(capability, hints)| Target::Negotiate { capability, hints }),
    ]
}

fn bodies() -> impl Strategy<Value = (MessageType, Body)> {
    let declare = (prop::collection::vec(descriptors(), 1..4), of(texts()))
        .prop_map(|(capabilities, cursor)| Body::Declare(CapDeclare { capabilities, cursor }));
    let invoke = (targets(), values(), of(1_u64..))
        .prop_map(|(target, params, timeout_ms)| Body::Invoke(CapInvoke { target, params, timeout_ms }));
    let failure = (any::<u64>(), of(texts()), of(texts()), of(values()))
        .prop_map(|(code, name, message, details)| CapResult::Error(ResultError { code, name, message, details }));
    let result = prop_oneof![values().prop_map(CapResult::Success), failure].prop_map(Body::Result);
    let error = (any::<u64>(), texts(), texts(), of(values()), of(any::<bool>())).prop_map(
        |(code, category, message, details, retry)| Body::Error(ErrorBody { code, category, message, details, retry }),
    );
    prop_oneof![
        queries().prop_map(|query| (MessageType::CapQuery, Body::Query(query))),
        declare.prop_map(|declare| (MessageType::CapDeclare, declare)),
        invoke.prop_map(|invoke| (MessageType::CapInvoke, invoke)),
        result.prop_map(|result| (MessageType::CapResult, result)),
        error.prop_map(|error| (MessageType::Error, error)),
        values().prop_map(|value| (MessageType::Message, Body::Other(value))),
    ]
}

fn to_value(body: &Body) -> Value {
    match body {
        Body::Query(query) => query.to_value(),
        Body::Declare(declare) => declare.to_value(),
        Body::Invoke(invoke) => invoke.to_value(),
        Body::Result(result) => result.to_value(),
        Body::Error(error) => error.to_value(),
        Body::Other(value) => value.clone(),
    }
}

/// The keys of all bodies, with values that are often valid.
fn plausible() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        naive::versions().prop_map(Value::Text),
        naive::ranges().prop_map(Value::Text),
        names().prop_map(|name| Value::from(name.as_str())),
        (names(), versions()).prop_map(|(name, version)| Value::Text(format!("{name}:{version}"))),
        prop::sample::select(vec!["success", "error", "newest-first", "sha-256", "a.b.c", "a.b.c:1.0.0", "1.0.0", "c"])
            .prop_map(Value::from),
        prop::sample::select(vec![0, 1, 32, 64]).prop_map(|length| Value::Bytes(vec![0; length])),
        (0_u64..3).prop_map(Value::Unsigned),
        Just(Value::Null),
        Just(Value::Bool(true)),
        descriptors().prop_map(|descriptor| descriptor.to_value()),
    ];
    let keys = [
        "filter",
        "limit",
        "cursor",
        "order",
        "capability",
        "type",
        "version",
        "capabilities",
        "id",
        "name",
        "params",
        "timeout_ms",
        "negotiate",
        "preferred",
        "acceptable",
        "range",
        "status",
        "result",
        "error",
        "code",
        "category",
        "message",
        "details",
        "retry",
        "input_schema",
        "output_schema",
        "hash_alg",
        "hash",
        "uri",
        "supported_ranges",
    ];
    leaf.prop_recursive(3, 40, 8, move |inner| {
        let key = prop::sample::select(keys.to_vec());
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            4 => prop::collection::vec((key, inner), 0..8).prop_map(|entries| Value::Map(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn bodies_are_read_as_they_were_written((kind, body) in bodies()) {
        let bytes = encode(&to_value(&body));
        let value = decode(&bytes, &Limits::default()).unwrap();
        prop_assert_eq!(Body::read(kind, &value, &Aliases::default()), Ok(body));
    }

    #[test]
    fn descriptors_keep_every_byte(descriptor in descriptors()) {
        let value = descriptor.to_value();
        let read = Descriptor::read(&value).unwrap();
        prop_assert_eq!(&read, &descriptor);
        prop_assert_eq!(encode(&read.to_value()), encode(&value));
    }

    #[test]
    fn any_body_is_read_or_reported(body in prop_oneof![4 => plausible(), 1 => values()]) {
        for kind in [MessageType::CapQuery, MessageType::CapDeclare, MessageType::CapInvoke, MessageType::CapResult, MessageType::Error] {
            match Body::read(kind, &body, &Aliases::default()) {
                Ok(read) => prop_assert_eq!(
                    Body::read(kind, &to_value(&read), &Aliases::default()).map(|again| to_value(&again)),
                    Ok(to_value(&read))
                ),
                Err(errors) => prop_assert!(!errors.is_empty() && errors.len() <= 101),
            }
        }
        if let Ok(descriptor) = Descriptor::read(&body) {
            prop_assert_eq!(descriptor.to_value(), body);
        }
    }
}
