//! Several versions of one capability in a contract.

use capgen_evolve::{Comparison, Level, Lock, LockChangeKind, LockFile, Settings, compare};
use capgen_manifest::{Manifest, Source, load};

/// A contract with versions of `book`; `price` and `cents` are the names of their required property.
fn contract(versions: &[(&str, &str)]) -> Manifest {
    let mut text = "version: 1\nagent: agent://trips\ntransports: [{kind: memory, topics: {requests: trips}}]\n\
                    capabilities:\n"
        .to_owned();
    for (version, property) in versions {
        text.push_str(&format!(
            "  - {{name: book, version: {version}, inputSchema: {{type: object, properties: {{{property}: {{type: \
             number}}}}, required: [{property}]}}}}\n"
        ));
    }
    load(&Source::new("capabilities.yaml", text)).unwrap().manifest
}

fn compared(old: &[(&str, &str)], new: &[(&str, &str)]) -> Comparison {
    compare(&contract(old), &contract(new), Settings::default())
}

/// The codes of the findings with the capability of each.
fn findings(comparison: &Comparison) -> Vec<(&str, &str)> {
    comparison.findings.iter().map(|finding| (finding.code.as_str(), finding.capability.as_str())).collect()
}

const ONE: (&str, &str) = ("1.4.0", "price");
const TWO: (&str, &str) = ("2.0.0", "cents");

#[test]
fn a_version_added_beside_another_one_is_safe() {
    let comparison = compared(&[ONE], &[ONE, TWO]);
    assert_eq!(findings(&comparison), [("N0701", "book@2.0.0")]);
    assert_eq!(
        comparison.findings[0].message,
        "version 2.0.0 added beside 1.4.0; in generated code, the names without a suffix move to it"
    );
    let names: Vec<_> =
        comparison.capabilities.iter().map(|entry| (entry.name.as_str(), entry.old, entry.new)).collect();
    assert_eq!(names, [("book@1.4.0", Some(0), Some(0)), ("book@2.0.0", None, Some(1))]);
}

#[test]
fn a_version_that_is_served_no_longer_is_breaking_with_a_payload_that_proves_it() {
    let comparison = compared(&[ONE, TWO], &[TWO]);
    assert_eq!(findings(&comparison), [("E0731", "book@1.4.0")]);
    let finding = &comparison.findings[0];
    assert_eq!(finding.level, Level::Breaking);
    let start = "version 1.4.0 is no longer served, and 2.0.0 does not fit its callers: ";
    assert!(finding.message.starts_with(start), "{}", finding.message);
    let payload = serde_json::from_str(&finding.witness.as_ref().unwrap().payload.canonical()).unwrap();
    let accepts = |versions| {
        let schema = contract(versions).capabilities[0].input.clone().unwrap();
        capgen_schema::Validator::new(&schema).is_valid(&payload)
    };
    assert_eq!((accepts(&[ONE]), accepts(&[TWO])), (true, false));
}

#[test]
fn a_version_may_disappear_if_another_one_fits_its_callers() {
    let same = ("2.0.0", "price");
    let comparison = compared(&[ONE, TWO], &[same]);
    // The callers of 2.0.0 send `cents`, which the other contract of this version does not accept.
    assert!(!findings(&comparison).iter().any(|(code, _)| *code == "E0731"), "{:?}", findings(&comparison));
    assert_eq!(findings(&compared(&[ONE, ("1.3.0", "price")], &[ONE])), []);
}

#[test]
fn a_version_is_followed_by_the_next_one_of_its_line() {
    let comparison = compared(&[ONE, TWO], &[("1.5.0", "price"), ("2.1.0", "cents")]);
    let names: Vec<_> =
        comparison.capabilities.iter().map(|entry| (entry.name.as_str(), entry.old, entry.new)).collect();
    assert_eq!(names, [("book@1.5.0", Some(0), Some(0)), ("book@2.1.0", Some(1), Some(1))]);
    let comparison = compared(&[ONE, TWO], &[("1.5.0", "amount"), TWO]);
    assert!(findings(&comparison).iter().all(|(_, capability)| *capability == "book@1.5.0"));
    assert_eq!(comparison.level(), Some(Level::Breaking));
}

/// A contract with versions of `get`, whose requests are equal and whose responses have a type.
fn responding(versions: &[(Option<&str>, &str)]) -> Manifest {
    let mut text = "version: 1\nagent: agent://trips\ntransports: [{kind: memory, topics: {requests: trips}}]\n\
                    capabilities:\n"
        .to_owned();
    for (version, ty) in versions {
        let version = version.map(|version| format!("version: {version}, ")).unwrap_or_default();
        text.push_str(&format!(
            "  - {{name: get, {version}inputSchema: {{type: 'null'}}, outputSchema: {{type: {ty}}}}}\n"
        ));
    }
    load(&Source::new("capabilities.yaml", text)).unwrap().manifest
}

#[test]
fn a_higher_version_that_accepts_the_requests_must_give_responses_that_fit() {
    let [one, two, three] = [Some("1.0.0"), Some("2.0.0"), Some("3.0.0")];
    for (old, new) in [
        // The highest version that accepts a request runs it, although a lower one fits.
        (vec![(one, "string"), (two, "string"), (three, "integer")], vec![(two, "string"), (three, "integer")]),
        (vec![(one, "string"), (two, "integer"), (three, "string")], vec![(one, "string"), (two, "integer")]),
        (vec![(one, "string"), (two, "integer")], vec![(Some("0.9.0"), "string"), (two, "integer")]),
        (vec![(one, "string")], vec![(two, "string"), (three, "integer")]),
        (vec![(None, "string")], vec![(two, "string"), (three, "integer")]),
        // In one line, too.
        (vec![(two, "string"), (one, "string")], vec![(Some("2.1.0"), "string"), (Some("2.2.0"), "integer")]),
    ] {
        let comparison = compare(&responding(&old), &responding(&new), Settings::default());
        let codes: Vec<_> = comparison.findings.iter().map(|finding| finding.code.as_str()).collect();
        assert!(codes.contains(&"E0731"), "{old:?} {new:?}: {codes:?}");
        let found = comparison.findings.iter().find(|finding| finding.code.as_str() == "E0731").unwrap();
        assert!(found.witness.is_some() && !found.message.contains("  "), "{}", found.message);
    }
    let kept = [(two, "string"), (one, "integer")];
    assert_eq!(findings(&compare(&responding(&kept), &responding(&kept), Settings::default())), []);
}

#[test]
fn a_lock_has_each_version() {
    let (one, both) = (contract(&[ONE]), contract(&[ONE, TWO]));
    let lock = Lock::of([&both]);
    let text = lock.text();
    assert!(text.contains("\"book@1.4.0\":") && text.contains("\"book@2.0.0\":"), "{text}");
    assert_eq!(LockFile::read(&Source::new("capgen.lock", text)).unwrap().lock, lock);
    assert_eq!(lock.changes(&both), []);
    let changed = contract(&[ONE, ("2.0.0", "amount")]);
    let changes = lock.changes(&changed);
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].capability.as_deref(), Some("book@2.0.0"));
    assert!(matches!(&changes[0].kind, LockChangeKind::Contract(keys) if keys == &["inputSchema"]));
    let kinds: Vec<_> =
        lock.changes(&one).into_iter().map(|change| (change.capability.unwrap(), change.kind)).collect();
    let removed = |label: &str| (label.to_owned(), LockChangeKind::Removed);
    let added = ("book".to_owned(), LockChangeKind::Added);
    assert_eq!(kinds, [added, removed("book@1.4.0"), removed("book@2.0.0")]);
}

#[test]
fn a_version_that_stays_in_contracts_that_follow_each_other_is_there_once() {
    let contracts = [[ONE, TWO], [ONE, ("2.1.0", "cents")], [ONE, ("2.2.0", "cents")]].map(|all| contract(&all));
    let sources: Vec<(&str, &Manifest)> = ["a", "b", "c"].into_iter().zip(&contracts).collect();
    let versions = capgen_evolve::VersionOf::distinct(&sources, "book");
    let labels: Vec<_> = versions.iter().map(|version| (version.label.as_str(), version.source)).collect();
    assert_eq!(labels, [("1.4.0", "c"), ("2.0.0", "a"), ("2.1.0", "b"), ("2.2.0", "c")]);
}

#[test]
fn findings_about_a_lock_name_the_version() {
    let lock = Source::new("capgen.lock", Lock::of([&contract(&[ONE, TWO])]).text());
    let file = LockFile::read(&lock).unwrap();
    let text = "version: 1\nagent: agent://trips\ntransports: [{kind: memory, topics: {requests: trips}}]\n\
                capabilities: [{name: book, version: 1.4.0}, {name: book, version: 2.0.0}]\n";
    let changed = load(&Source::new("capabilities.yaml", text)).unwrap();
    let shown: Vec<String> =
        file.findings(&changed).iter().map(|finding| capgen_diagnostic::render::message(finding).to_string()).collect();
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert!(shown[0].contains("`book@1.4.0`") && shown[1].contains("`book@2.0.0`"), "{shown:?}");
}
