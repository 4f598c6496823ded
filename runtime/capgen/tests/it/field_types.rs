//! The types of fields in contracts that are declared in Rust: which JSON the schema accepts, and which the type.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fmt::Debug;

use capgen::{AgentManifest, Capability, InvalidPayload, MapSchema, Payload, TransportSettings};
use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

/// The schema of the property `at` of a request.
fn schema<C: Capability>() -> Value {
    let schema: Value = serde_json::from_str(C::descriptor().input_schema.unwrap()).unwrap();
    schema["properties"]["at"].clone()
}

/// The problems of the contract with this capability.
fn problems<C: Capability>() -> Vec<String> {
    let agent = AgentManifest::new("agent").transport(TransportSettings::memory("requests")).capability::<C>();
    agent.to_manifest().map_or_else(|error| error.problems().to_vec(), |_| Vec::new())
}

fn read<C: Payload + Debug>(at: &Value) -> Result<C, InvalidPayload> {
    C::from_json_str(&json!({"at": at}).to_string())
}

fn error<C: Payload + Debug>(at: &Value) -> String {
    read::<C>(at).unwrap_err().to_string()
}

#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct TravellerId(#[schemars(length(min = 1, max = 8))] String);

/// Where someone sits.
#[derive(Serialize, Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "lowercase")]
enum Side {
    /// At the window.
    Window,
    /// At the aisle.
    Aisle,
}

macro_rules! request_with {
    ($name:ident, $ty:ty $(, $attribute:meta)*) => {
        #[derive(Serialize, Deserialize, JsonSchema, Capability, Debug)]
        struct $name {
            $(#[$attribute])*
            at: $ty,
        }
    };
}

#[test]
fn keys_of_a_map_have_the_schema_of_their_type() {
    request_with!(Lengths, BTreeMap<TravellerId, u8>, schemars(with = "MapSchema<TravellerId, u8>"));
    assert_eq!(schema::<Lengths>()["propertyNames"], json!({"minLength": 1, "maxLength": 8, "type": "string"}));
    assert_eq!(read::<Lengths>(&json!({"a": 1})).unwrap().at, BTreeMap::from([(TravellerId("a".to_owned()), 1)]));
    assert!(error::<Lengths>(&json!({"": 1})).contains("at least 1 character"));
    let long = Lengths { at: BTreeMap::from([(TravellerId("123456789".to_owned()), 1)]) };
    assert!(long.to_json().is_err());

    request_with!(Formats, BTreeMap<Uuid, u8>, schemars(with = "MapSchema<Uuid, u8>"));
    assert_eq!(schema::<Formats>()["propertyNames"], json!({"format": "uuid", "type": "string"}));
    let id = "7b0d3f0e-55ba-4e0b-8f0f-0a3c2a7c5f52";
    assert_eq!(read::<Formats>(&json!({id: 1})).unwrap().at.len(), 1);
    assert!(error::<Formats>(&json!({"a": 1})).contains("uuid"));

    request_with!(Letters, BTreeMap<char, u8>, schemars(with = "MapSchema<char, u8>"));
    assert!(read::<Letters>(&json!({"a": 1})).is_ok());
    assert!(!error::<Letters>(&json!({"ab": 1})).contains("Rust type"));
}

#[test]
fn keys_that_list_their_values_are_properties() {
    request_with!(Sides, BTreeMap<Side, u8>, schemars(with = "MapSchema<Side, u8>"));
    request_with!(Flags, BTreeMap<bool, u8>, schemars(with = "MapSchema<bool, u8>"));
    for (schema, names) in [(schema::<Sides>(), ["aisle", "window"]), (schema::<Flags>(), ["false", "true"])] {
        let mut properties: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        properties.sort();
        assert_eq!((properties[0].as_str(), properties[1].as_str()), (names[0], names[1]));
        assert_eq!((properties.len(), &schema["additionalProperties"]), (2, &json!(false)));
    }
    assert_eq!(read::<Sides>(&json!({"aisle": 1})).unwrap().at, BTreeMap::from([(Side::Aisle, 1)]));
    assert_eq!(read::<Flags>(&json!({"true": 1})).unwrap().at, BTreeMap::from([(true, 1)]));
}

#[test]
fn keys_that_are_integers_have_the_pattern_of_schemars() {
    request_with!(Plain, BTreeMap<i32, u8>);
    request_with!(Wrapped, BTreeMap<i32, u8>, schemars(with = "MapSchema<i32, u8>"));
    assert_eq!(schema::<Wrapped>(), schema::<Plain>());
    assert!(schema::<Plain>()["propertyNames"]["pattern"].is_string());
}

#[test]
fn keys_that_no_schema_of_the_subset_describes_are_reported_with_a_remedy() {
    request_with!(Lists, BTreeMap<String, u8>, schemars(with = "MapSchema<Vec<u8>, u8>"));
    let problems = problems::<Lists>();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].starts_with("Lists.at: `propertyNames` constrains the names of properties"), "{problems:?}");
    assert!(problems[0].contains("an array of objects with a `key` and a `value`"), "{problems:?}");
}

#[test]
fn keys_that_only_the_type_rejects_are_violations_with_a_reason() {
    request_with!(Plain, BTreeMap<Uuid, u8>);
    assert!(schema::<Plain>().get("propertyNames").is_none());
    let error = error::<Plain>(&json!({"a": 1}));
    assert!(error.starts_with("/at"), "{error}");
    assert!(error.contains("does not fit the Rust type: UUID parsing failed"), "{error}");
}

#[test]
fn dates_and_times_without_an_offset_are_exported() {
    request_with!(Dates, NaiveDate);
    request_with!(Times, NaiveTime);
    request_with!(DateTimes, NaiveDateTime);
    assert_eq!([problems::<Dates>(), problems::<Times>(), problems::<DateTimes>()].concat(), Vec::<String>::new());
    for time in ["00:00:00", "23:59:60", "12:30:45.250"] {
        let read: Times = read(&json!(time)).unwrap();
        assert_eq!(read.to_json().unwrap(), json!({"at": time}).to_string().as_bytes());
        let date_time = format!("2024-02-29T{time}");
        let read: DateTimes = self::read(&json!(date_time)).unwrap();
        assert_eq!(read.to_json().unwrap(), json!({"at": date_time}).to_string().as_bytes());
    }
    assert!(error::<Times>(&json!("24:00:00")).contains("pattern"));
    assert!(error::<DateTimes>(&json!("2023-02-29T00:00:00")).contains("pattern"));
}

#[test]
fn a_format_that_is_not_supported_is_kept_and_not_checked() {
    #[derive(Serialize, Deserialize, Debug)]
    struct Span(String);
    impl JsonSchema for Span {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Span".into()
        }

        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            schemars::json_schema!({"type": "string", "format": "span"})
        }
    }
    request_with!(Spans, Span);
    assert_eq!(problems::<Spans>(), Vec::<String>::new());
    let agent = AgentManifest::new("agent").transport(TransportSettings::memory("requests")).capability::<Spans>();
    assert!(agent.to_manifest().unwrap().contains("x-format: span"));
    assert!(read::<Spans>(&json!("any text")).is_ok());
    request_with!(Fixed, Span, schemars(with = "String", regex(pattern = "^P[0-9]+D$")));
    assert_eq!(problems::<Fixed>(), Vec::<String>::new());
    assert!(read::<Fixed>(&json!("P1D")).is_ok() && read::<Fixed>(&json!("1 day")).is_err());
}

#[test]
fn functions_of_serde_have_a_schema_of_their_own() {
    mod hex {
        use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

        pub(super) fn serialize<S: Serializer>(value: &u32, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(&format!("{value:08x}"))
        }

        pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
            u32::from_str_radix(&String::deserialize(deserializer)?, 16).map_err(D::Error::custom)
        }
    }
    request_with!(Color, u32, serde(with = "hex"), schemars(with = "String", regex(pattern = "^[0-9a-f]{8}$")));
    assert_eq!(schema::<Color>(), json!({"pattern": "^[0-9a-f]{8}$", "type": "string"}));
    let color: Color = read(&json!("00ff00ff")).unwrap();
    assert_eq!((color.at, color.to_json().unwrap()), (0x00ff_00ff, br#"{"at":"00ff00ff"}"#.to_vec()));
}

#[test]
fn urls_are_uris_although_their_type_accepts_more() {
    request_with!(Link, Url);
    assert_eq!(schema::<Link>(), json!({"format": "uri", "type": "string"}));
    // Values of the type that the contract rejects: a program that has one cannot send it.
    for text in ["https://example.com/?q=[1]", "https://example.com/?a|b", "https://example.com/?a^b"] {
        let link = Link { at: Url::parse(text).unwrap() };
        assert_eq!(link.at.as_str(), text);
        assert!(link.to_json().unwrap_err().to_string().starts_with("/at: must be a valid uri"), "{text}");
    }
    // Texts that the type would correct.
    for text in ["https:\\\\example.com", "https://example.com/a b", " https://example.com", "https://exämple.com/"] {
        assert!(Url::parse(text).is_ok() && read::<Link>(&json!(text)).is_err(), "{text}");
    }
    // URIs that are no URLs for the type.
    for text in ["https:", "http://example.com:99999/"] {
        assert!(error::<Link>(&json!(text)).contains("does not fit the Rust type"), "{text}");
    }
}

#[test]
fn integers_of_128_bits_keep_every_digit() {
    request_with!(Signed, i128);
    request_with!(Unsigned, u128);
    for number in [i128::MIN, i128::from(i64::MIN) - 1, -1, i128::from(u64::MAX) + 1, i128::MAX] {
        let text = format!(r#"{{"at":{number}}}"#);
        let read = Signed::from_json_str(&text).unwrap();
        assert_eq!((read.at, String::from_utf8(read.to_json().unwrap()).unwrap()), (number, text));
    }
    let text = format!(r#"{{"at":{}}}"#, u128::MAX);
    let read = Unsigned::from_json_str(&text).unwrap();
    assert_eq!((read.at, String::from_utf8(read.to_json().unwrap()).unwrap()), (u128::MAX, text));
    for text in [r#"{"at":-1}"#, r#"{"at":340282366920938463463374607431768211456}"#, r#"{"at":1.5}"#] {
        assert!(Unsigned::from_json_str(text).is_err(), "{text}");
    }
    // Beyond 64 bits, only the notation without a point or an exponent.
    assert!(Signed::from_json_str(r#"{"at":1e2}"#).is_ok());
    assert!(Signed::from_json_str(r#"{"at":1e20}"#).unwrap_err().to_string().contains("does not fit the Rust type"));
}

#[test]
fn where_serde_stores_values_first_it_reads_no_integers_of_128_bits() {
    #[derive(Serialize, Deserialize, JsonSchema, Debug)]
    #[serde(tag = "kind")]
    enum Tagged {
        Big { n: i128 },
    }
    request_with!(Stored, Tagged);
    let error = Stored::from_json_str(r#"{"at":{"kind":"Big","n":1}}"#).unwrap_err().to_string();
    assert!(error.contains("does not fit the Rust type"), "{error}");
}
