//! Changes of declared errors: none of them is breaking.

use capgen_evolve::{Finding, Level, Lock, LockChangeKind, Settings, compare};
use capgen_manifest::{Manifest, Source, load};

/// A contract whose one capability declares these errors, in the notation of YAML.
fn contract(errors: &str) -> Manifest {
    let errors = if errors.is_empty() { String::new() } else { format!("    errors: {errors}\n") };
    let text = format!(
        "version: 1\nagent: agent://trips\ntransports:\n  - kind: memory\n    topics: {{ requests: trips.requests }}\n\
         capabilities:\n  - name: book-trip\n{errors}"
    );
    load(&Source::new("capabilities.yaml", text)).unwrap().manifest
}

fn findings(old: &str, new: &str) -> Vec<Finding> {
    compare(&contract(old), &contract(new), Settings::default()).findings
}

#[test]
fn each_change_of_an_error_is_one_finding_with_its_places() {
    let (full, closed) = ("{code: NO_SEATS}", "{code: CLOSED}");
    let free = "{type: object, required: [free], properties: {free: {type: integer}}}";
    let cases = [
        (String::new(), format!("[{full}]"), "W0722", "", "/errors/0"),
        (format!("[{closed}]"), format!("[{closed}, {full}]"), "W0722", "", "/errors/1"),
        (format!("[{closed}, {full}]"), format!("[{closed}]"), "N0708", "/errors/1", ""),
        (format!("[{full}]"), String::new(), "N0708", "/errors/0", ""),
        (
            format!("[{closed}, {full}]"),
            format!("[{{code: NO_SEATS, retryable: true}}, {closed}]"),
            "W0724",
            "/errors/1/retryable",
            "/errors/0/retryable",
        ),
        (
            "[{code: NO_SEATS, status: 409}]".to_owned(),
            format!("[{full}]"),
            "N0705",
            "/errors/0/status",
            "/errors/0/status",
        ),
        (
            "[{code: NO_SEATS, description: Full.}]".to_owned(),
            format!("[{full}]"),
            "N0704",
            "/errors/0/description",
            "/errors/0/description",
        ),
        (
            format!("[{full}]"),
            format!("[{{code: NO_SEATS, detailsSchema: {free}}}]"),
            "N0705",
            "/errors/0/detailsSchema",
            "/errors/0/detailsSchema",
        ),
        (
            format!("[{{code: NO_SEATS, detailsSchema: {free}}}]"),
            format!("[{full}]"),
            "W0723",
            "/errors/0/detailsSchema",
            "/errors/0/detailsSchema",
        ),
    ];
    for (old, new, code, old_place, new_place) in &cases {
        let found = findings(old, new);
        let [finding] = found.as_slice() else { panic!("{old} to {new}: {found:#?}") };
        assert_eq!(finding.code.as_str(), *code, "{old} to {new}: {finding:#?}");
        let places = (finding.old_pointer.as_deref(), finding.new_pointer.as_deref());
        assert_eq!(places, (Some(*old_place), Some(*new_place)), "{finding:#?}");
        assert!(finding.level < Level::Breaking && finding.side.is_none());
        assert_eq!(findings(old, old), []);
    }
    assert_eq!(findings(&format!("[{full}, {closed}]"), &format!("[{closed}, {full}]")), [], "the order means nothing");
}

#[test]
fn details_are_compared_as_responses_with_a_payload_that_proves_it() {
    let error = |schema: &str| format!("[{{code: NO_SEATS, detailsSchema: {schema}}}]");
    let (one, more) = (error("{enum: [economy]}"), error("{enum: [economy, first]}"));
    let found = findings(&one, &more);
    assert_eq!(found[0].code.as_str(), "W0723", "{found:#?}");
    let witness = found[0].witness.as_ref().unwrap();
    assert_eq!(witness.payload.canonical(), r#""first""#);
    assert!(!witness.violations.is_empty());
    let found = findings(&more, &one);
    assert_eq!((found[0].code.as_str(), found[0].level), ("N0705", Level::Safe), "{found:#?}");
    let found = findings(&one, &error("{enum: [economy], title: Class}"));
    assert_eq!((found[0].code.as_str(), found[0].level), ("N0704", Level::Cosmetic), "{found:#?}");
}

#[test]
fn two_changes_of_one_error_have_two_fingerprints() {
    let fingerprint = |new: &str| findings("[{code: NO_SEATS}]", new)[0].fingerprint.clone();
    let [first, second] = ["string", "integer"]
        .map(|name| fingerprint(&format!("[{{code: NO_SEATS, detailsSchema: {{type: {name}}}}}]")));
    assert_ne!(first, second);
}

#[test]
fn errors_are_in_the_definition_that_is_locked_and_in_no_contract_hash() {
    let (old, new) = (contract(""), contract("[{code: NO_SEATS}]"));
    assert_eq!(old.capabilities[0].hash(), new.capabilities[0].hash());
    let changes = Lock::of([&old]).changes(&new);
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].kind, LockChangeKind::Definition(vec!["errors".to_owned()]));
}
