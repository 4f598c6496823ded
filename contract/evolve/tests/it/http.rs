//! Changes of the operation of HTTP that a capability describes.

use capgen_evolve::{Level, Lock, LockChangeKind, Settings, compare};
use capgen_manifest::{Manifest, Source, load};

const FULL: &str = "{ method: GET, path: /a, servers: [{ url: /v1, description: old }], security: [{ o: [a] }],
    securitySchemes: { o: { type: oauth2, flows: { password: { scopes: { a: old } } } } } }";

fn contract(http: &str) -> Manifest {
    let http = if http.is_empty() { String::new() } else { format!(", http: {http}") };
    let text = format!(
        "version: 1\nagent: agent://shop\ntransports: [{{ kind: memory, topics: {{ requests: shop }} }}]
capabilities: [{{ name: get{http} }}]\n"
    );
    load(&Source::new("capabilities.yaml", text)).unwrap().manifest
}

/// The code, the level and the message of the one finding.
fn found(old: &str, new: &str) -> (String, Level, String) {
    let comparison = compare(&contract(old), &contract(new), Settings::default());
    assert_eq!(comparison.findings.len(), 1, "{:#?}", comparison.findings);
    let finding = &comparison.findings[0];
    (finding.code.as_str().to_owned(), finding.level, finding.message.clone())
}

#[test]
fn a_change_of_the_operation_is_risky_and_names_its_parts() {
    let changed = FULL.replace("path: /a", "path: /b").replace("/v1", "/v2");
    let (code, level, message) = found(FULL, &changed);
    assert_eq!((code.as_str(), level), ("W0726", Level::Risky));
    assert!(message.ends_with("`path`, `servers`"), "{message}");
    let (code, level, _) = found(FULL, "");
    assert_eq!((code.as_str(), level), ("W0726", Level::Risky));
    let (code, level, _) = found(FULL, &FULL.replace("[a]", "[]"));
    assert_eq!((code.as_str(), level), ("W0726", Level::Risky));
}

#[test]
fn an_operation_may_be_added_and_its_texts_may_change() {
    let (code, level, _) = found("", FULL);
    assert_eq!((code.as_str(), level), ("N0705", Level::Safe));
    let (code, level, _) = found(FULL, &FULL.replace("old", "new"));
    assert_eq!((code.as_str(), level), ("N0704", Level::Cosmetic));
}

#[test]
fn it_is_locked_with_the_definition_and_in_no_contract_hash() {
    let (old, new) = (contract(""), contract(FULL));
    assert_eq!(old.hash(), new.hash());
    let changes = Lock::of([&old]).changes(&new);
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].kind, LockChangeKind::Definition(vec!["http".to_owned()]));
}
