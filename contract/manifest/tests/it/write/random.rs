//! Random manifests with texts that YAML writers often get wrong.
#![expect(clippy::indexing_slicing, reason = "a test fails by panicking")]

use capgen_manifest::{About, Capability, Determinism, SideEffects, TransportSettings, VersionRange};
use capgen_schema::{Json, Number, Object, Schema};
use proptest::prelude::*;

use super::{all, manifest, object, read, round_trip};

const TRAPS: [&str; 64] = [
    "a",
    "b",
    "é",
    "😀",
    "👩‍💻",
    ":",
    ": ",
    "-",
    "- ",
    "\n",
    "\n",
    "\n  ",
    "\r\n",
    "\r",
    "\t",
    " ",
    "  ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "\"",
    "'",
    "\\",
    "\\n",
    "|",
    ">",
    "|-\n ",
    "#",
    " # ",
    "&a ",
    "*a",
    "!",
    "!!str ",
    "<<",
    "?",
    "? ",
    "%",
    "@",
    "`",
    "---\n",
    "...\n",
    "~",
    "null",
    "true",
    "no",
    "1",
    "0o7",
    "0x10",
    "1.0",
    "1_000",
    "12:30:45",
    "2001-01-01",
    "=",
    ".5",
    ".inf",
    "\u{feff}",
    "\0",
    "\u{1b}",
    "\u{85}",
    "\u{2028}",
    "\u{a0}",
    "\u{ffff}",
];

fn text() -> impl Strategy<Value = String> {
    let trap = prop::sample::select(TRAPS.to_vec());
    prop_oneof![
        trap.clone().prop_map(str::to_owned),
        prop::collection::vec(trap, 0..8).prop_map(|pieces| pieces.concat()),
        prop::collection::vec(any::<char>(), 0..8).prop_map(String::from_iter),
        (0_usize..1100).prop_map(|n| "ab c".chars().cycle().take(n).collect()),
    ]
}

/// A non-empty text.
fn non_empty_text() -> impl Strategy<Value = String> {
    text().prop_map(|text| if text.is_empty() { "x".to_owned() } else { text })
}

fn number() -> impl Strategy<Value = Number> {
    let digits = prop::collection::vec(0_u8..10, 1..40);
    let digits = digits.prop_map(|digits| digits.iter().map(u8::to_string).collect::<String>());
    (any::<bool>(), digits, 0_usize..40, -300_i32..250).prop_map(|(is_negative, digits, point, exponent)| {
        let (whole, fraction) = digits.split_at(point.min(digits.len()));
        let sign = if is_negative { "-" } else { "" };
        let whole = whole.trim_start_matches('0');
        let exponent = if exponent % 3 == 0 { exponent } else { 0 };
        format!("{sign}{}{whole}.{fraction}0e{exponent}", if whole.is_empty() { "0" } else { "" }).parse().unwrap()
    })
}

fn members<V: std::fmt::Debug>(
    value: impl Strategy<Value = V>,
    most: usize,
) -> impl Strategy<Value = Vec<(String, V)>> {
    prop::collection::vec((text(), value), 0..most).prop_map(|members| {
        let mut names = std::collections::HashSet::new();
        members.into_iter().filter(|(name, _)| names.insert(name.clone())).collect()
    })
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        number().prop_map(Json::Number),
        text().prop_map(Json::String),
        text().prop_map(Json::String),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::Array),
            members(inner, 5).prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

fn schema() -> impl Strategy<Value = Json> {
    let annotation = prop_oneof![
        text().prop_map(|text| ("description", Json::String(text))),
        text().prop_map(|text| ("title", Json::String(text))),
        text().prop_map(|text| ("$comment", Json::String(text))),
        json().prop_map(|value| ("default", value)),
        json().prop_map(|value| ("const", value)),
        prop::collection::vec(json(), 0..4).prop_map(|values| ("examples", Json::Array(values))),
        prop::collection::vec(json(), 1..6).prop_map(|values| {
            let mut distinct: Vec<Json> = Vec::new();
            for value in values {
                if !distinct.contains(&value) {
                    distinct.push(value);
                }
            }
            ("enum", Json::Array(distinct))
        }),
    ];
    let keywords = prop::collection::vec(annotation, 0..4);
    let leaf = prop_oneof![any::<bool>().prop_map(Json::Bool), keywords.clone().prop_map(unique)];
    leaf.prop_recursive(3, 12, 4, move |inner| {
        (keywords.clone(), members(inner.clone(), 4), inner).prop_map(|(mut keywords, properties, items)| {
            keywords.push(("properties", Json::Object(properties.into_iter().collect())));
            keywords.push(("items", items));
            unique(keywords)
        })
    })
}

fn unique(keywords: Vec<(&'static str, Json)>) -> Json {
    let mut object = Object::new();
    for (keyword, value) in keywords {
        if object.get(keyword).is_none() {
            object.push(keyword.to_owned(), value);
        }
    }
    Json::Object(object)
}

fn loaded(schema: Option<Json>) -> Option<Schema> {
    schema.map(|schema| Schema::parse(&schema).unwrap_or_else(|problems| panic!("{problems:?}\n{schema:?}")))
}

fn capability() -> impl Strategy<Value = Capability> {
    let name =
        prop::sample::select(vec!["a", "no", "Y", "0x10", "1", "1_000", "12-30", "2001-01-01", "null", "review-pr"]);
    let texts = || prop::collection::vec(non_empty_text(), 0..4);
    let versions = prop::collection::vec(prop::sample::select(vec!["1.2.0", ">=1.2.0 <2.0.0", "=1.0.0-rc.1+b"]), 0..3);
    let versions = versions
        .prop_map(|versions| versions.into_iter().map(|range| range.parse().unwrap()).collect::<Vec<VersionRange>>());
    let words = (
        prop::option::of(text()),
        prop::option::of(text()),
        prop::option::of(non_empty_text()),
        prop::option::of(non_empty_text()),
    );
    let lists = (texts(), texts(), texts(), versions.clone(), versions);
    let plain = (
        prop::option::of(1..=u64::MAX),
        prop::option::of(any::<bool>()),
        prop::option::of(0_u64..9),
        prop::option::of(0_usize..3),
    );
    (name, words, lists, plain, prop::option::of(schema()), prop::option::of(schema())).prop_map(
        |(name, words, lists, plain, input, output)| Capability {
            id: plain.1.map(|_| format!("org.{name}")),
            description: words.0,
            version: plain.2.map(|minor| semver::Version::new(1, minor, 0)),
            input: loaded(input),
            output: loaded(output),
            timeout_ms: plain.0,
            idempotent: plain.1,
            since: words.1,
            skill: words.2,
            supported_versions: lists.3,
            deprecated_versions: lists.4,
            min_schema_version: plain.2.map(|minor| semver::Version::new(0, minor, 1)),
            tags: lists.0,
            side_effects: plain.3.map(|i| SideEffects::ALL[i]),
            determinism: plain.3.and_then(|i| Determinism::ALL.get(i).copied()),
            latency: words.3,
            required_roles: lists.1,
            required_scopes: lists.2,
            ..Capability::new(name)
        },
    )
}

fn transport() -> impl Strategy<Value = TransportSettings> {
    let texts = prop::collection::vec(non_empty_text().prop_map(Json::String), 1..4);
    (non_empty_text(), texts, members(json(), 4)).prop_map(|(requests, brokers, sasl)| {
        let settings = object([
            ("kind", Json::String("kafka".to_owned())),
            ("topics", object([("requests", Json::String(requests))])),
            ("brokers", Json::Array(brokers)),
            ("sasl", Json::Object(sasl.into_iter().collect())),
        ]);
        TransportSettings { kind: "kafka".to_owned(), settings }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_manifest_round_trips(
        transports in prop::collection::vec(transport(), 1..3),
        capabilities in prop::collection::vec(capability(), 1..3),
        (description, owner) in (prop::option::of(text()), prop::option::of(non_empty_text())),
        comment in text(),
    ) {
        let mut names = std::collections::HashSet::new();
        let mut manifest = manifest(Capability::new("x"));
        manifest.about = About { description, owner, ..About::default() };
        manifest.transports = transports;
        manifest.capabilities = capabilities;
        manifest.capabilities.retain(|capability| names.insert(capability.name.clone()));
        for transport in &manifest.transports {
            prop_assert_eq!(transport.check(), Ok(()));
        }
        let text = round_trip(&manifest);
        let commented = manifest.to_yaml_with_comment(&comment);
        prop_assert!(commented.ends_with(&text));
        prop_assert_eq!(all(&read(&commented)), all(&manifest));
    }
}
