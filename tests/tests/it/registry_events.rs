//! TypeScript that is generated from the contract of the events accepts the events that the registry accepts.

use std::collections::BTreeMap;

use capgen_codegen::Language;
use capgen_diagnostic::Source;
use capgen_registry::{Checked, Checker, Event, Reason};
use capgen_tests::contract::generated;
use capgen_tests::node::{self, GeneratedFile};
use capgen_tests::registry_events::{events, with_replacements};

/// The type of the payloads of a type of events, such as `CapabilityRegisteredRequest` of `capability.registered`.
fn payload_type(event_type: &str) -> String {
    let words = event_type.split(['.', '_']).map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    });
    words.collect::<String>() + "Request"
}

#[test]
fn generated_typescript_accepts_the_events_that_the_registry_accepts() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let path = "../protocols/registry/contract/capabilities.yaml";
    let text = std::fs::read_to_string(capgen_tests::folder().join(path)).unwrap();
    let contract = capgen_manifest::load(&Source::new(path, &text)).unwrap().manifest;
    let checker = Checker::new(Default::default());
    // By type: the text, whether the registry accepts it, and whether it reports an error of the form of this type.
    let mut checks: BTreeMap<String, Vec<(String, bool)>> = BTreeMap::new();
    for text in with_replacements(&events()) {
        let event = Event::parse(text.as_bytes()).unwrap();
        let checked = checker.check(&event);
        let has_reason = |reason| matches!(&checked, Checked::Invalid(invalid) if invalid.reason == reason);
        let has_envelope = !has_reason(Reason::Envelope);
        checks.entry("EventRequest".to_owned()).or_default().push((text, has_envelope));
        if let Checked::Valid(kind, _) = &checked {
            let payload = event.payload().to_string();
            checks.entry(payload_type(kind.as_str())).or_default().push((payload, true));
        } else if let Some(kind) = event.event_type().filter(|_| has_reason(Reason::Payload)) {
            checks.entry(payload_type(kind.as_str())).or_default().push((event.payload().to_string(), false));
        }
    }
    let payloads = |cases: &Vec<(String, bool)>| cases.iter().map(|(text, _)| text.clone()).collect();
    let file = GeneratedFile {
        file: generated(&contract, Language::TypeScript),
        checks: checks.iter().map(|(name, cases)| (name.clone(), payloads(cases))).collect(),
    };
    let verdicts = node.validate(&[file]).unwrap().remove(0);
    let (mut accepted, mut rejected) = (0, 0);
    for ((name, cases), verdicts) in checks.iter().zip(verdicts) {
        for ((text, is_accepted), verdict) in cases.iter().zip(verdicts) {
            assert!(verdict.agrees, "{name}: {text}");
            assert!(verdict.is_valid || !is_accepted, "{name} rejects {text}: {:?}", verdict.violations);
            accepted += usize::from(*is_accepted);
            rejected += usize::from(!verdict.is_valid);
        }
    }
    println!("{accepted} accepted by the registry, {rejected} rejected by TypeScript");
    assert!(accepted > 500 && rejected > 200, "{accepted} {rejected}");
    assert!(checks.len() > 8, "{:?}", checks.keys());
}
