//! Changes of the keys of a capability apart from its schemas: each one is one finding.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use capgen_descriptor::{CAPABILITY_KEYS, ValueType};
use capgen_evolve::{Finding, Settings, compare};
use capgen_manifest::{Manifest, Source, load};

/// A contract whose one capability has these lines.
fn contract(lines: &str) -> Manifest {
    let text = format!(
        "version: 1\nagent: agent://shop\ntransports:\n  - kind: memory\n    topics: {{ requests: shop.requests }}\n\
         capabilities:\n  - name: find-product\n{lines}"
    );
    load(&Source::new("capabilities.yaml", text)).unwrap().manifest
}

fn findings(old: &str, new: &str) -> Vec<Finding> {
    compare(&contract(old), &contract(new), Settings::default()).findings
}

/// Two values of a type, in the notation of YAML.
fn values(value_type: ValueType) -> [&'static str; 2] {
    match value_type {
        ValueType::Id => ["org.example.a", "org.example.b"],
        ValueType::Text | ValueType::NonEmptyText => ["one", "two"],
        ValueType::Version => ["1.0.0", "1.1.0"],
        ValueType::VersionRanges => ["[\"1.0.0\"]", "[\"1.0.0\", \"2.0.0\"]"],
        ValueType::Words => ["[a]", "[a, b]"],
        ValueType::Milliseconds => ["1000", "2000"],
        ValueType::Flag => ["true", "false"],
        ValueType::SideEffects => ["pure", "external"],
        ValueType::Determinism => ["deterministic", "nondeterministic"],
        ValueType::Skew => ["refuse", "strict"],
        other => panic!("no values of the type {other:?}"),
    }
}

#[test]
fn each_change_of_a_key_is_one_finding_without_a_side() {
    for key in CAPABILITY_KEYS {
        let [one, two] = values(key.value_type).map(|value| format!("    {}: {value}\n", key.name));
        for (old, new) in [("", one.as_str()), (&one, &two), (&two, &one), (&one, "")] {
            let found = findings(old, new);
            // A raised version announces a change, and is not one. A version that is added promises nothing yet.
            let is_lost = (old, new) == (&two, &one) || (old, new) == (&one, "");
            let expected = usize::from(key.name != "version" || is_lost);
            assert_eq!(found.len(), expected, "{old:?} to {new:?}: {found:#?}");
            for finding in found {
                let pointer = format!("/{}", key.name);
                assert_eq!((finding.side, finding.pointer()), (None, pointer.as_str()), "{finding:#?}");
                assert_eq!(finding.old_pointer, finding.new_pointer, "{finding:#?}");
                assert_eq!(finding.witness, None, "{finding:#?}");
            }
        }
        assert_eq!(findings(&one, &one), vec![]);
    }
}

/// The finding about a version that is not raised enough, after a change of the level that `kind` names.
fn version_finding(kind: &str, old: &str, new: &str) -> Option<Finding> {
    let (before, after) = match kind {
        "breaking" => ("    idempotent: true\n", "    idempotent: false\n"),
        "risky" => ("    timeoutMs: 2000\n", "    timeoutMs: 1000\n"),
        "safe" => ("    tags: [a]\n", "    tags: [b]\n"),
        "cosmetic" => ("    description: a\n", "    description: b\n"),
        _ => ("", ""),
    };
    let version = |version: &str| if version.is_empty() { String::new() } else { format!("    version: {version}\n") };
    let found = findings(&format!("{}{before}", version(old)), &format!("{}{after}", version(new)));
    found.into_iter().find(|finding| finding.code.as_str() == "E0725")
}

fn is_reported(kind: &str, old: &str, new: &str) -> bool {
    version_finding(kind, old, new).is_some()
}

#[test]
fn versions_have_to_be_raised_as_the_changes_require() {
    // The old version, and for each level the least version that announces the change.
    for (old, [breaking, risky, safe, cosmetic]) in [
        ("1.2.3", ["2.0.0", "1.3.0", "1.3.0", "1.2.4"]),
        ("0.2.3", ["0.3.0", "0.2.4", "0.2.4", "0.2.4"]),
        ("0.0.3", ["0.1.0", "0.0.4", "0.0.4", "0.0.4"]),
        ("1.2.3+build", ["2.0.0", "1.3.0", "1.3.0", "1.2.4"]),
    ] {
        for (kind, least) in [("breaking", breaking), ("risky", risky), ("safe", safe), ("cosmetic", cosmetic)] {
            assert!(is_reported(kind, old, old), "{kind} {old}");
            assert!(!is_reported(kind, old, least), "{kind} {old} {least}");
            assert!(!is_reported(kind, old, "7.0.0"), "{kind} {old}");
            // A pre-release announces the same changes as its version.
            assert!(!is_reported(kind, old, &format!("{least}-rc.1")), "{kind} {old} {least}-rc.1");
            assert!(is_reported(kind, old, &format!("{old}-rc.1")), "{kind} {old}: a lowered version");
        }
        for (kind, less) in [("breaking", risky), ("risky", cosmetic)] {
            let is_less = less < if kind == "breaking" { breaking } else { risky };
            assert_eq!(is_reported(kind, old, less), is_less, "{kind} {old} {less}");
            let pre_release = format!("{less}-rc.1");
            assert_eq!(is_reported(kind, old, &pre_release), is_less, "{kind} {old} {pre_release}");
        }
        assert!(!is_reported("none", old, old) && !is_reported("none", old, breaking), "{old}");
        assert!(is_reported("none", old, "0.0.1"), "{old}: a lowered version");
    }
}

#[test]
fn a_contract_without_a_version_is_not_checked() {
    for kind in ["breaking", "risky", "safe", "cosmetic", "none"] {
        assert!(!is_reported(kind, "", ""), "{kind}");
        assert!(!is_reported(kind, "", "1.0.0"), "{kind}");
    }
}

#[test]
fn a_version_that_is_removed_is_a_finding() {
    for kind in ["breaking", "risky", "safe", "cosmetic", "none"] {
        assert!(is_reported(kind, "1.0.0", ""), "{kind}");
    }
}

#[test]
fn the_versions_after_a_pre_release_announce_any_change() {
    for kind in ["breaking", "risky", "safe", "cosmetic"] {
        assert!(!is_reported(kind, "2.0.0-rc.1", "2.0.0"), "{kind}");
        assert!(is_reported(kind, "2.0.0-rc.1", "2.0.0-rc.1"), "{kind}");
        assert!(is_reported(kind, "2.0.0-rc.2", "2.0.0-rc.1"), "{kind}");
        // A pre-release promises nothing, so that the next one may have any change.
        assert!(!is_reported(kind, "2.0.0-rc.1", "2.0.0-rc.2"), "{kind}");
    }
}

#[test]
fn a_rewritten_schema_is_a_finding() {
    let found = findings("    inputSchema: { enum: [x] }\n", "    inputSchema: { const: x }\n");
    assert_eq!(found.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(), ["N0706"]);
}

/// The findings about the versions that the provider serves: level, key and message.
fn served(old: &str, new: &str) -> Vec<String> {
    let found = findings(old, new).into_iter().filter(|finding| finding.code.as_str() != "E0725");
    found.map(|finding| format!("{} {} {}", finding.level.name(), finding.pointer(), finding.message)).collect()
}

#[test]
fn refusing_callers_with_the_old_version_is_breaking() {
    let old = "    version: 1.4.0\n    supportedVersions: [\">=1.0.0 <2.0.0\"]\n";
    for (old, new, expected) in [
        (
            "    version: 1.4.0\n",
            "    version: 2.0.0\n    minSchemaVersion: 2.0.0\n",
            &[
                "breaking /minSchemaVersion callers with the old version 1.4.0 are refused: `minSchemaVersion` changed from none to 2.0.0",
            ][..],
        ),
        (
            "    version: 1.4.0\n",
            "    version: 2.0.0\n    minSchemaVersion: 1.4.0+build\n",
            &["risky /minSchemaVersion `minSchemaVersion` changed from none to 1.4.0+build"],
        ),
        (
            old,
            "    version: 2.0.0\n    supportedVersions: [\">=1.5.0 <3.0.0\"]\n",
            &[
                "breaking /supportedVersions callers with the old version 1.4.0 are refused: `supportedVersions` now excludes >=1.0.0 <1.5.0",
                "safe /supportedVersions `supportedVersions` now includes >=2.0.0 <3.0.0",
            ],
        ),
        (
            old,
            "    version: 2.0.0\n    supportedVersions: [\">=1.4.0 <2.0.0\"]\n",
            &[
                "risky /supportedVersions `supportedVersions` now excludes >=1.0.0 <1.4.0",
                "safe /supportedVersions `supportedVersions` now includes 2.0.0",
            ],
        ),
        // The list is unchanged, and the old version was served only because it was the provider's own.
        (
            "    version: 1.4.0\n    supportedVersions: [\"1.0.0\"]\n",
            "    version: 2.0.0\n    supportedVersions: [\"1.0.0\"]\n",
            &[
                "breaking /supportedVersions callers with the old version 1.4.0 are refused: `supportedVersions` now excludes 1.4.0",
            ],
        ),
        (
            "    version: 1.4.0\n",
            "    version: 1.4.0\n    supportedVersions: [\"1.4.0\"]\n",
            &["risky /supportedVersions `supportedVersions` now excludes <1.4.0, >1.4.0"],
        ),
        // The old contract refused its own version already.
        (
            "    version: 1.4.0\n    minSchemaVersion: 1.5.0\n",
            "    version: 1.4.0\n    minSchemaVersion: 1.6.0\n",
            &["risky /minSchemaVersion `minSchemaVersion` changed from 1.5.0 to 1.6.0"],
        ),
        // Both keys exclude it.
        (
            "    version: 1.0.0-rc.1\n    supportedVersions: [\">=1.0.0-rc.1\"]\n",
            "    version: 1.0.0\n    supportedVersions: [\">=1.0.0\"]\n    minSchemaVersion: 1.0.0\n",
            &[
                "breaking /minSchemaVersion callers with the old version 1.0.0-rc.1 are refused: `minSchemaVersion` changed from none to 1.0.0",
                "breaking /supportedVersions callers with the old version 1.0.0-rc.1 are refused: `supportedVersions` now excludes >=1.0.0-rc.1 <1.0.0",
            ],
        ),
    ] {
        assert_eq!(served(old, new), expected, "{old:?} to {new:?}");
    }
}

#[test]
fn versions_that_are_served_are_compared_by_meaning() {
    let list = |ranges: &str| format!("    version: 1.4.0\n    supportedVersions: {ranges}\n");
    let same =
        "safe /supportedVersions `supportedVersions` changed, but no version of callers is refused because of it";
    for (old, new) in [
        ("[\">=1.0.0 <2.0.0\"]", "[\">=1.0.0 <1.5.0\", \">=1.5.0 <2.0.0\"]"),
        ("[\">=1.5.0 <2.0.0\", \">=1.0.0 <1.5.0\"]", "[\">=1.0.0 <1.7.0\", \">=1.2.0 <2.0.0\"]"),
        ("[\"1.0.0\", \"1.4.0\"]", "[\"=1.0.0\"]"),
        ("[\">1.0.0\"]", "[\">=1.0.1-0\"]"),
    ] {
        assert_eq!(served(&list(old), &list(new)), [same], "{old} to {new}");
        assert_eq!(served(&list(new), &list(old)), [same], "{new} to {old}");
    }
    // The limit moved from one key to the other.
    let found = served(
        "    version: 1.4.0\n    minSchemaVersion: 1.0.0\n",
        "    version: 1.4.0\n    supportedVersions: [\">=1.0.0\"]\n",
    );
    assert!(found.len() == 2 && found.iter().all(|finding| finding.starts_with("safe ")), "{found:?}");
}

#[test]
fn the_finding_about_the_version_is_cosmetic_if_all_changes_are() {
    let level = |kind: &str, old: &str, new: &str| version_finding(kind, old, new).map(|finding| finding.level.name());
    for old in ["1.2.3", "0.2.3"] {
        assert_eq!(level("cosmetic", old, old), Some("cosmetic"));
        // Build metadata does not raise a version, or lower it.
        assert_eq!(level("cosmetic", &format!("{old}+b"), &format!("{old}+a")), Some("cosmetic"));
        for kind in ["breaking", "risky", "safe"] {
            let expected = if kind == "breaking" { "breaking" } else { "risky" };
            assert_eq!(level(kind, old, old), Some(expected), "{kind}");
        }
        assert_eq!(level("cosmetic", old, "0.2.2"), Some("breaking"), "lowered");
        assert_eq!(level("cosmetic", old, ""), Some("breaking"), "removed");
    }
    let changes = compare(
        &contract("    version: 1.0.0\n    description: a\n"),
        &contract("    version: 1.0.0\n    description: b\n"),
        Settings::default(),
    );
    assert_eq!(changes.level(), Some(capgen_evolve::Level::Cosmetic), "{changes:#?}");
    assert_eq!(changes.bump(), capgen_evolve::Bump::Patch);
}

#[test]
fn messages_name_the_number_that_has_to_be_raised() {
    for (kind, old, new, step) in [
        ("breaking", "1.2.3", "1.3.0", "major"),
        ("breaking", "0.2.3", "0.2.4", "minor"),
        ("breaking", "0.2.3", "0.2.4-rc.1", "minor"),
        ("risky", "1.2.3", "1.2.4", "minor"),
        ("safe", "1.2.3", "1.2.4", "minor"),
    ] {
        let finding = version_finding(kind, old, new).unwrap();
        let expected = format!("the version was raised from {old} to {new}, which is less than a {step} version");
        assert_eq!(finding.message, expected);
    }
    let help = version_finding("breaking", "0.2.3", "0.2.3").unwrap().help;
    assert_eq!(help.as_deref(), Some("the least version for these changes is 0.3.0"));
}

#[test]
fn a_major_version_whose_requests_stay_valid_is_a_finding() {
    let version = |lines: &str| format!("    version: {}\n", lines.replace('\n', "\n    "));
    let old = version("1.4.0\ninputSchema: {type: integer}\noutputSchema: {type: integer}");
    for (new, is_found) in [
        ("2.0.0\ninputSchema: {type: integer}\noutputSchema: {type: integer}", true),
        // The response does not matter here.
        ("2.0.0\ninputSchema: {type: integer}\noutputSchema: {type: number}", true),
        ("2.0.0\ninputSchema: {type: integer, minimum: 0}\noutputSchema: {type: integer}", false),
        ("2.0.0\nminSchemaVersion: 1.4.0\ninputSchema: {type: integer}\noutputSchema: {type: integer}", false),
        ("2.0.0\nminSchemaVersion: 2.0.0\ninputSchema: {type: integer}\noutputSchema: {type: integer}", false),
        ("1.5.0\ninputSchema: {type: integer}\noutputSchema: {type: integer}", false),
        ("1.4.0\ninputSchema: {type: integer}\noutputSchema: {type: integer}", false),
    ] {
        let findings = findings(&old, &version(new));
        let found = findings.iter().find(|finding| finding.code.as_str() == "W0725");
        assert_eq!(found.is_some(), is_found, "{new}: {findings:?}");
        let help = "if the meaning of requests changed, set `minSchemaVersion: 2.0.0`, so that they are refused; otherwise, \
                    `minSchemaVersion: 1.4.0` states that they are served";
        assert!(found.is_none_or(|found| found.help.as_deref() == Some(help)), "{found:?}");
    }
}
