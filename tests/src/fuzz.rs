//! The bodies of the fuzz targets, which tests run too: arbitrary bytes, and the properties that must be true for them.

use std::sync::{Arc, LazyLock};

use capgen::{Capability, InvalidPayload, Payload};
use capgen_amp::Aliases;
use capgen_amp::body::{Body, BodyError};
use capgen_amp::cbor::{Limits, Value as Cbor, decode, encode};
use capgen_amp::descriptor::Descriptor;
use capgen_amp::draft::{DraftDescriptor, complete_body};
use capgen_amp::message::{DidKey, Keys, MessageType, ResolveKey, SigningKey, decode_message};
use capgen_amp::policy::Policy;
use capgen_codegen::{Language, generate};
use capgen_dci::Mode;
use capgen_dci::contract::{self, Reading};
use capgen_diagnostic::{Diagnostic, Source, render};
use capgen_manifest::load;
use capgen_registry::{Checked, Checker, Configuration, Event, Fold, FoldReport, Kernel, Registry, State};
use capgen_schema::{ExactPayload, Keyword, Schema, Validator, Violation, normalise, parse_payload};
use serde_json::Value;

use crate::independent_cbor;

mod mcp;

pub use mcp::{mcp_client, mcp_server};

#[path = "../../generated/legacy-crm.rs"]
mod legacy_crm;
#[path = "../../generated/notifier.rs"]
mod notifier;
#[path = "../../generated/payments.rs"]
mod payments;
#[path = "../../generated/search.rs"]
mod search;

/// A contract in YAML. It either loads and both languages are generated, or every renderer accepts its findings.
pub fn manifest(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match load(&Source::new("capabilities.yaml", text)) {
        Ok(loaded) => {
            show(&loaded.warnings);
            // One of each language, and the one that TypeScript imports.
            assert_eq!(generate(&loaded.manifest, &[Language::Rust, Language::TypeScript]).len(), 3);
        }
        Err(findings) => {
            assert!(!findings.is_empty());
            show(&findings);
        }
    }
}

fn show(findings: &[Diagnostic]) {
    render::human(findings, false);
    render::github(findings);
    render::json_lines(findings);
    render::sarif(findings);
}

/// A schema. If it can be normalised, the result loads and normalises to itself. If it loads without that, its
/// canonical text loads with the same canonical text, and `is_valid` agrees with `validate`.
pub fn schema(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Some(output) = text.parse().ok().and_then(|foreign| normalise(&foreign).ok()) {
        assert!(Schema::parse(&output).is_ok(), "{text}");
        assert_eq!(normalise(&output).as_ref(), Ok(&output), "{text}");
    }
    let Ok(schema) = Schema::parse_text(text) else { return };
    let canonical = schema.canonical();
    let again = Schema::parse_text(&canonical).map(|again| again.canonical());
    assert_eq!(again.ok().as_ref(), Some(&canonical), "{text}");
    let validator = Validator::new(&schema);
    for payload in ["null", "-0.0", "\"\u{1f600}\"", "[[], [0, 1]]", "{\"a\": {\"__proto__\": \"a\"}, \"\": 1e300}"] {
        let payload: Value = parse_payload(payload.as_bytes()).expect("a payload");
        assert_eq!(validator.is_valid(&payload), validator.validate(&payload).is_empty(), "{text}: {payload}");
    }
}

/// A payload, for every capability of the examples: generated types and the interpreter report the same violations, and
/// the types write back the values that they read.
pub fn payload(bytes: &[u8]) {
    let value = parse_payload(bytes).ok();
    sides::<legacy_crm::FindCustomer>(bytes, value.as_ref());
    sides::<legacy_crm::AddNote>(bytes, value.as_ref());
    sides::<legacy_crm::RawCall>(bytes, value.as_ref());
    sides::<notifier::SendNotification>(bytes, value.as_ref());
    sides::<notifier::SetPreferences>(bytes, value.as_ref());
    sides::<payments::CreatePayment>(bytes, value.as_ref());
    sides::<payments::RefundPayment>(bytes, value.as_ref());
    sides::<search::Search>(bytes, value.as_ref());
    sides::<search::Suggest>(bytes, value.as_ref());
}

/// Bytes of a message. Independent decoders agree with ours. An accepted value has these bytes as its encoding, and its
/// JSON has the same value. A message that is read can be signed again, and is then accepted.
pub fn message(bytes: &[u8]) {
    if let Some(value) = independent_cbor::checked_decode(bytes) {
        assert_eq!(encode(&value), bytes);
        let view = value.to_diagnostic();
        if let Ok(json) = value.to_json() {
            assert_eq!(view, json, "{bytes:02x?}");
            assert_eq!(Cbor::from_json(&json), value, "{bytes:02x?}");
        }
    }
    match decode_message(bytes, &Limits::default()) {
        Ok(unverified) => {
            let from = unverified.message().from.clone();
            assert!(unverified.clone().verify(&Keys::new()).is_err());
            DidKey.key(&from);
            let now = unverified.message().ts;
            assert_eq!(unverified.check_time(now), Ok(()));
            let key = SigningKey::from_seed(&[7; 32]);
            let mut keys = Keys::new();
            keys.insert(from, key.public());
            let message = unverified.into_unchecked();
            let again = decode_message(&message.sign(&key), &Limits::default()).and_then(|again| again.verify(&keys));
            assert_eq!(again.as_ref(), Ok(&message));
        }
        Err(rejection) => assert!(rejection.to_string().len() < 200),
    }
}

/// The types whose bodies have rules, and one other.
const KINDS: [MessageType; 6] = [
    MessageType::CapQuery,
    MessageType::CapDeclare,
    MessageType::CapInvoke,
    MessageType::CapResult,
    MessageType::Error,
    MessageType::Message,
];

/// A body of an AMP message. As a body of each type, it is written as it was read, or every error has a place. A
/// descriptor keeps every byte. Returns the number of types that accept it.
pub fn body(bytes: &[u8]) -> usize {
    let Ok(value) = decode(bytes, &Limits::default()) else { return 0 };
    let read = |kind: MessageType, value: &Cbor| Body::read(kind, value, &Aliases::default());
    let accepted = KINDS.iter().filter(|kind| match read(**kind, &value) {
        Ok(Body::Other(other)) => {
            assert_eq!(other, value);
            false
        }
        Ok(body) => {
            let written = written(&body);
            assert_eq!(read(**kind, &written).map(|again| self::written(&again)), Ok(written), "{bytes:02x?}");
            true
        }
        Err(errors) => check_errors(&errors),
    });
    let accepted = accepted.count();
    match Descriptor::read(&value) {
        Ok(descriptor) => assert_eq!(encode(&descriptor.to_value()), bytes),
        Err(errors) => drop(check_errors(&errors)),
    }
    let completed = complete_body(&value);
    assert_eq!(complete_body(&completed), completed);
    if let Err(errors) = DraftDescriptor::read_declare(&value) {
        check_errors(&errors);
    }
    accepted
}

/// Always `false`: the value was not accepted.
fn check_errors(errors: &[BodyError]) -> bool {
    assert!(!errors.is_empty() && errors.len() <= 101);
    assert!(
        errors.iter().all(|error| (error.path.is_empty() || error.path.starts_with('/')) && error.message.len() < 300)
    );
    false
}

fn written(body: &Body) -> Cbor {
    match body {
        Body::Query(query) => query.to_value(),
        Body::Declare(declare) => declare.to_value(),
        Body::Invoke(invoke) => invoke.to_value(),
        Body::Result(result) => result.to_value(),
        Body::Error(error) => error.to_value(),
        Body::Other(value) => value.clone(),
    }
}

/// A policy of an AMP provider. It is read, or every error is one line.
pub fn policy(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Policy::from_json(text) {
        Ok(policy) => assert!(serde_json::from_str::<Value>(text).is_ok_and(|json| json.is_object()), "{policy:?}"),
        Err(errors) => {
            assert!(!errors.is_empty() && errors.len() <= 101);
            assert!(errors.iter().all(|error| !error.contains(char::is_control) && error.len() < 3000), "{errors:?}");
        }
    }
}

/// A configuration of the registry, under which [`event`] and [`registry_state`] read.
pub const REGISTRY_CONFIG: &str = r#"{"kernel": "capgen.kernel", "monitors": ["m", {"agent": "b", "until":
    "018f0000-0000-7000-8000-000000000009"}], "keys": {"s": {"k": {"key": "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=", "from":
    "018f0000-0000-7000-8000-000000000001"}}}, "priority_cap": {"a": 5}, "grants": {"a": {"roles": ["r"], "scopes": []}}, "quota": 9}"#;

static CONFIG: LazyLock<Arc<Configuration>> =
    LazyLock::new(|| Configuration::parse(REGISTRY_CONFIG.as_bytes()).expect("a valid configuration").into());

/// An event of the registry. Its canonical text is read as the same event, with and without a tree. A fold of it gives
/// a state that is read as it was written, and a kernel answers it with valid events. Returns whether it is valid.
pub fn event(bytes: &[u8]) -> bool {
    let Ok(event) = Event::parse(bytes) else { return false };
    let checker = Arc::new(Checker::new(CONFIG.clone()));
    let verdict = format!("{:?}", checker.check(&event));
    // The space is not canonical.
    for text in [event.text().to_owned(), format!(" {}", event.text())] {
        let again = Event::parse(text.as_bytes()).expect("canonical text is an event");
        assert_eq!((again.text(), again.hash()), (event.text(), event.hash()));
        assert_eq!((again.id(), again.agent(), again.partition()), (event.id(), event.agent(), event.partition()));
        assert_eq!(format!("{:?}", checker.check(&again)), verdict, "{text}");
    }
    let mut fold = Fold::new(CONFIG.clone());
    fold.event(&event);
    let report = fold.report();
    let text: serde_json::Value = serde_json::from_str(&report.to_json()).expect("a report is JSON");
    assert_eq!(registry_state(text["state"].to_string().as_bytes()), Some(report.hash));
    for answer in Kernel::new(checker.clone(), None).step(&event) {
        let checked = checker.check(&answer);
        assert!(matches!(checked, Checked::Valid(kind, _) if kind.is_of_kernel()), "{event:?} leads to {answer:?}");
    }
    matches!(checker.check(&event), Checked::Valid(..))
}

/// A state of the registry. It is read and written as it was, or an error has one line. Returns the hash of a valid
/// state.
pub fn registry_state(bytes: &[u8]) -> Option<String> {
    let value = ExactPayload::parse(bytes).ok()?.with_integers();
    match State::parse(&value, &CONFIG, Some(1 << 47)) {
        Ok(state) => {
            assert_eq!(state.to_json(), capgen_registry::canonical(&value));
            let mut registry = Registry::of(state, CONFIG.clone()).expect("the same configuration");
            Some(FoldReport::of(&mut registry).hash)
        }
        Err(error) => {
            let text = error.to_string();
            assert!(!text.contains(char::is_control) && text.len() < 200, "{text}");
            None
        }
    }
}

/// A configuration of the registry. It is read with one hash, or every error is one line with a JSON Pointer.
pub fn registry_config(bytes: &[u8]) {
    match Configuration::parse(bytes) {
        Ok(config) => {
            let again = Configuration::parse(&[bytes, b" "].concat()).map(|again| again.hash());
            assert_eq!(again, Ok(config.hash()));
        }
        Err(errors) => {
            assert!(!errors.0.is_empty());
            for error in errors.0 {
                assert!(error.pointer.is_empty() || error.pointer.starts_with('/'), "{error:?}");
                assert!(!error.message.contains(char::is_control), "{error:?}");
            }
        }
    }
}

/// A contract of a skill. A valid header is enough for best-effort. Every problem has a place that can be displayed,
/// and the canonical text reads back equal. Returns whether it is readable in strict.
pub fn skill_contract(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let readable = [Mode::Strict, Mode::BestEffort].map(|mode| {
        let Reading { contract, problems, invalid_tokens, unknown_clauses, .. } = contract::read(text, mode);
        let source = Source::new("contract", text);
        let finding = |problem: contract::ContractProblem| {
            assert!(text.get(problem.span.clone()).is_some(), "{text:?}");
            Diagnostic::new(problem.code, problem.message).at(&source, problem.span, "").help(problem.help)
        };
        show(&problems.into_iter().map(finding).collect::<Vec<_>>());
        let places = invalid_tokens.into_iter().chain(unknown_clauses);
        places.for_each(|place| assert!(text.get(place).is_some(), "{text:?}"));
        let Some(mut contract) = contract else { return false };
        let again = contract::read(&contract.canonical(), mode).contract;
        (contract.invalid_tokens, contract.unknown_clauses) = (0, 0);
        assert_eq!(again, Some(contract), "{text:?}");
        true
    });
    let [is_strict, is_best_effort] = readable;
    assert!(is_best_effort || !(is_strict || text.starts_with("DCI/1 ")), "{text:?}");
    is_strict
}

/// The schemas of the payloads that [`payload`] reads.
pub fn schemas() -> Vec<Schema> {
    let all = [legacy_crm::CAPABILITIES, notifier::CAPABILITIES, payments::CAPABILITIES, search::CAPABILITIES];
    let texts =
        all.iter().copied().flatten().flat_map(|capability| [capability.input_schema, capability.output_schema]);
    texts.flatten().filter_map(|text| Schema::parse_text(text).ok()).collect()
}

fn sides<C: Capability>(bytes: &[u8], value: Option<&Value>) {
    side::<C::Request>(bytes, value);
    side::<C::Response>(bytes, value);
}

fn side<T: Payload>(bytes: &[u8], value: Option<&Value>) {
    let read = T::from_json(bytes);
    let Some(value) = value else {
        assert!(matches!(read, Err(InvalidPayload::Syntax(_))), "{read:?}", read = read.err());
        return;
    };
    let validator = T::validator().expect("a generated schema loads");
    // A tree has lost the digits that binary64 cannot represent, so its violations can differ from those of the text.
    let exact = ExactPayload::parse(bytes).expect("the text was parsed before");
    agree(&read, &validator.validate_exact(&exact));
    agree(&T::from_value(value), &validator.validate(value));
    if let Ok(read) = read {
        let written = read.to_json().expect("a value that was read is valid");
        let again = T::from_json(&written).and_then(|again| again.to_json());
        assert_eq!(again.ok().as_ref(), Some(&written));
    }
}

/// Checks that the violations are the expected ones, or a single one for a number that the Rust type cannot represent.
fn agree<T>(read: &Result<T, InvalidPayload>, expected: &[Violation]) {
    match read {
        Ok(_) => assert_eq!(expected, []),
        Err(error) if expected.is_empty() => {
            let [violation] = error.violations() else { panic!("{error}") };
            assert!(violation.keyword == Keyword::Type && violation.message.contains("integer"), "{error}");
        }
        Err(error) => assert_eq!(error.violations(), expected),
    }
}
