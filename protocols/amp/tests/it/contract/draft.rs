use capgen_amp::body::{CapInvoke, CapQuery};
use capgen_amp::cbor::Value;
use capgen_amp::descriptor::Descriptor;
use capgen_amp::draft::{DraftDescriptor, complete_body, parse_draft_id, parse_draft_range, parse_draft_version};
use capgen_amp::{Aliases, parse_version};
use proptest::prelude::*;
use serde_json::json;

use super::{cbor, lines, naive};

#[test]
fn two_numbers_are_completed() {
    for (text, expected) in [
        ("2.0", Some("2.0.0")),
        ("0.1", Some("0.1.0")),
        ("2.0.1", Some("2.0.1")),
        ("2.0.0-rc.1", Some("2.0.0-rc.1")),
        ("2", None),
        ("2.", None),
        (".2", None),
        ("2.0-rc.1", None),
        ("02.0", None),
        ("v2.0", None),
        ("2.0.0.0", None),
        ("18446744073709551616.0", None),
    ] {
        assert_eq!(parse_draft_version(text).ok().map(|version| version.to_string()).as_deref(), expected, "{text}");
    }
    for (text, expected) in [
        (">=2.0 <3.0", Some(">=2.0.0 <3.0.0")),
        (">=2.0   <3.0.0", Some(">=2.0.0   <3.0.0")),
        ("2.0", Some("2.0.0")),
        ("2.0 3.0", None),
        (" >=2.0", None),
        (">=2", None),
        ("<>2.0", None),
        ("2.x", None),
    ] {
        assert_eq!(parse_draft_range(text).ok().map(|range| range.to_string()).as_deref(), expected, "{text}");
    }
    assert_eq!(parse_draft_id("org.agentries.code-review:2.0").unwrap().to_string(), "org.agentries.code-review:2.0.0");
    assert!(parse_draft_id("code-review:2.0").is_err() && parse_draft_id("org.agentries.code-review").is_err());
}

/// Decision 17: without integrity metadata, these are not descriptors.
#[test]
fn declarations_of_the_draft_are_read() {
    let input = "https://schema.agentries.xyz/code-review/2.1/input.json";
    let body = cbor(&json!({"capabilities": [
        {
            "id": "org.agentries.code-review:2.1",
            "deprecated_versions": ["1.0", "1.1.1"],
            "input_schema": input,
            "output_schema": "https://schema.agentries.xyz/code-review/2.1/output.json",
            "later": 1,
        },
        {"id": "org.agentries.code-review:2.0.0"},
    ]}));
    let declared = DraftDescriptor::read_declare(&body).unwrap();
    let [first, second] = declared.as_slice() else { panic!("{declared:?}") };
    assert_eq!(first.id.to_string(), "org.agentries.code-review:2.1.0");
    let deprecated: Vec<_> = first.deprecated_versions.iter().map(ToString::to_string).collect();
    assert_eq!(
        (deprecated, first.input_schema.as_deref()),
        (vec!["1.0.0".to_owned(), "1.1.1".to_owned()], Some(input))
    );
    assert_eq!((second.deprecated_versions.len(), &second.output_schema), (0, &None));
    assert!(first.id > second.id);
    let elements = body.get("capabilities").unwrap().as_array().unwrap();
    assert!(elements.iter().all(|element| Descriptor::read(element).is_err()));
}

#[test]
fn all_violations_of_the_draft_are_reported_at_once() {
    let body = json!({"capabilities": [
        {"deprecated_versions": ["1", "1.0", 2], "input_schema": {}, "output_schema": 1},
        {"id": "code-review:2.0"},
    ]});
    let errors = DraftDescriptor::read_declare(&cbor(&body)).unwrap_err();
    let paths: Vec<_> = errors.iter().map(|error| error.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "/capabilities/0/id",
            "/capabilities/0/deprecated_versions/0",
            "/capabilities/0/deprecated_versions/2",
            "/capabilities/0/input_schema",
            "/capabilities/0/output_schema",
            "/capabilities/1/id"
        ]
    );
    for body in [json!({"capabilities": []}), json!({}), json!([])] {
        assert_eq!(lines(&DraftDescriptor::read_declare(&cbor(&body)).unwrap_err()).len(), 1);
    }
}

#[test]
fn queries_and_invocations_of_the_draft_become_bodies_of_the_rfc() {
    let query = cbor(&json!({"filter": {"capability": "org.agentries.code-review", "version": ">=2.0 <3.0"}}));
    assert!(CapQuery::read(&query).is_err());
    let query = CapQuery::read(&complete_body(&query)).unwrap();
    assert_eq!(query.filter.version.unwrap().as_str(), ">=2.0.0 <3.0.0");
    let invocations = [
        json!({"capability": "org.agentries.code-review", "version": "2.0", "params": {"version": "2.0"}}),
        json!({"id": "org.agentries.code-review:2.0", "version": "2.0", "params": {"version": "2.0"}}),
    ];
    for body in invocations {
        let body = CapInvoke::read(&complete_body(&cbor(&body)), &Aliases::default()).unwrap();
        assert_eq!(body.target.version().unwrap().to_string(), "2.0.0");
        assert_eq!(body.params, cbor(&json!({"version": "2.0"})), "params are not changed");
    }
    for other in [Value::Null, cbor(&json!([])), cbor(&json!({"id": 1, "version": [], "filter": "2.0", "params": 1}))] {
        assert_eq!(complete_body(&other), other);
    }
}

proptest! {
    #[test]
    fn full_versions_and_ranges_remain_as_they_are(version in naive::versions(), range in naive::ranges()) {
        prop_assert_eq!(parse_draft_version(&version), parse_version(&version));
        prop_assert_eq!(parse_draft_range(&range), range.parse());
    }
}
