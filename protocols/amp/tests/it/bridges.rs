//! Versions that are not published: `supported_ranges`, and adapters (section 8, decision 9).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;

use crate::support::{self, Fixture, INPUT, NOW, OUTPUT, body, code, contract, contract_with, one_answer, started};
use capgen_amp::CapabilityName;
use capgen_amp::body::{Body, CapResult};
use capgen_amp::catalogue::Catalogue;
use capgen_amp::message::MessageType;
use capgen_amp::negotiate::Rule;
use capgen_amp::provider::{Adapter, AdapterError};
use semver::Version;
use serde_json::json;

const NAME: &str = "org.agentries.code-review";

/// Version 2 requires a language.
const INPUT_2: &str = r#"{"type": "object", "required": ["code", "language"],
    "properties": {"code": {"type": "string"}, "language": {"type": "string"}}}"#;

fn fixture(mode: &str) -> Fixture {
    let contracts = vec![
        contract(&format!("{NAME}:1.5.0"), &[">=1.2.0 <1.5.0"]),
        contract(&format!("{NAME}:1.6.0"), &[]),
        contract_with(&format!("{NAME}:2.0.0"), &["=1.2.0"], INPUT_2, OUTPUT),
    ];
    Fixture::new(Arc::new(Catalogue::new(contracts).unwrap()), &format!(r#"{{"mode": "{mode}"}}"#))
}

fn version(text: &str) -> Version {
    text.parse().unwrap()
}

fn invoke(version: &str) -> serde_json::Value {
    json!({"capability": NAME, "version": version, "params": {"code": "x"}})
}

#[test]
fn supported_ranges_serve_versions_of_the_same_major() {
    for (mode, asked, expected) in [
        ("range", "1.2.0", Some("1.5.0")),
        ("bridge", "1.4.9", Some("1.5.0")),
        ("range", "1.6.0", Some("1.6.0")),
        ("strict", "1.2.0", None),
        ("range", "1.1.0", None),
        ("range", "3.0.0", None),
    ] {
        let mut fixture = fixture(mode);
        let message = fixture.message("alice", MessageType::CapInvoke, invoke(asked));
        let outputs = fixture.send(&message, "alice", NOW);
        match expected {
            Some(expected) => {
                assert_eq!(started(&outputs).id.to_string(), format!("{NAME}:{expected}"), "{mode} {asked}")
            }
            None => assert_eq!(code(&one_answer(&outputs)), 4003, "{mode} {asked}"),
        }
    }
}

#[test]
fn an_adapter_converts_requests_and_results_in_mode_bridge_alone() {
    let name: CapabilityName = NAME.parse().unwrap();
    for mode in ["strict", "range", "bridge"] {
        let mut fixture = fixture(mode);
        let adapter = Adapter::identity()
            .with_request(|mut params| {
                params["language"] = "unknown".into();
                Ok(params)
            })
            .with_response(|result| Ok(json!({"count": result["issues"]})));
        fixture.provider.add_unchecked_adapter(&name, &version("0.9.0"), &version("2.0.0"), adapter).unwrap();
        let message = fixture.message("alice", MessageType::CapInvoke, invoke("0.9.0"));
        let outputs = fixture.send(&message, "alice", NOW);
        if mode != "bridge" {
            assert_eq!(code(&one_answer(&outputs)), 4003);
            continue;
        }
        let start = started(&outputs);
        assert_eq!(start.rule, Rule::Adapter { from: version("0.9.0") });
        assert_eq!(support::params(&start), json!({"code": "x", "language": "unknown"}));
        let answer = one_answer(&fixture.finish(&start, support::success(&json!({"issues": 3})), NOW));
        let Body::Result(CapResult::Success(result)) = body(&answer) else { panic!("{answer:?}") };
        assert_eq!(result.to_json().unwrap(), json!({"count": 3}));
    }
}

#[test]
fn a_conversion_that_fails_or_is_invalid_is_a_violation() {
    let name: CapabilityName = NAME.parse().unwrap();
    for adapter in
        [Adapter::identity(), Adapter::identity().with_request(|_| Err("`language` cannot be derived".to_owned()))]
    {
        let mut fixture = fixture("bridge");
        fixture.provider.add_unchecked_adapter(&name, &version("0.9.0"), &version("2.0.0"), adapter).unwrap();
        assert_eq!(code(&fixture.ask("alice", MessageType::CapInvoke, invoke("0.9.0"))), 4004);
    }
}

#[test]
fn an_adapter_is_registered_if_every_old_request_is_a_new_one() {
    let name: CapabilityName = NAME.parse().unwrap();
    let contracts = vec![
        contract_with(&format!("{NAME}:1.0.0"), &[], INPUT_2, OUTPUT),
        contract_with(&format!("{NAME}:2.0.0"), &[], INPUT, OUTPUT),
    ];
    let catalogue = Arc::new(Catalogue::new(contracts).unwrap());
    let mut provider = Fixture::new(Arc::clone(&catalogue), r#"{"mode": "bridge"}"#).provider;
    let mut add =
        |from: &str, to: &str, adapter| provider.add_adapter(&name, &version(from), &version(to), adapter, &catalogue);
    assert_eq!(add("1.0.0", "2.0.0", Adapter::identity()), Ok(()));
    assert_eq!(add("1.0.0", "2.0.0", Adapter::identity()), Err(AdapterError::Duplicate));
    assert!(matches!(add("2.0.0", "1.0.0", Adapter::identity()), Err(AdapterError::Breaks { .. })));
    assert_eq!(add("0.1.0", "2.0.0", Adapter::identity()), Err(AdapterError::NotComparable));
    assert_eq!(add("1.0.0", "2.0.0", Adapter::identity().with_request(Ok)), Err(AdapterError::NotComparable));
}
