//! Human-readable output, levels and the exit status.

use super::common::REVIEWER;
use super::{COMPARE, changed, versions};

#[test]
fn a_finding_shows_both_files_the_payload_and_the_violation() {
    let run = versions(REVIEWER, &REVIEWER.replace("low, med, high", "low, med")).run(COMPARE).ended(1);
    assert_eq!(run.stdout, "");
    let expected = r#"error[E0708]: value "high" removed
  --> new.yaml:17:27
   |
17 |         severity: { enum: [low, med] }
   |                           ^^^^^^^^^^ new version
   |
  ::: old.yaml:17:27
   |
17 |         severity: { enum: [low, med, high] }
   |                           ---------------- old version
   |
   = at: capability `review-pr`, request, /properties/severity/enum (breaking)
   = payload that the old schema accepts and the new one rejects: {"prUrl":"","severity":"high"}
   = violation: /severity: value not in enum ["low","med"]
   = to accept it, add to capgen-accepted.yaml: - { fingerprint: "FINGERPRINT", reason: "...", expires: YYYY-MM-DD }

`review-pr`: these changes need a major version

compared 1 contract: 1 breaking; least version bump: major
"#;
    let fingerprint = run.stderr.split("fingerprint: \"").nth(1).unwrap().get(..16).unwrap();
    assert_eq!(run.stderr, expected.replace("FINGERPRINT", fingerprint));
}

/// A change of the request that callers and providers do not notice.
fn wider() -> String {
    let severity = "severity: { enum: [low, med, high] }\n";
    REVIEWER.replace(severity, &format!("{severity}        limit: {{ type: integer }}\n"))
}

#[test]
fn compatible_changes_are_lines_unless_all_details_are_requested() {
    let fleet = versions(REVIEWER, &wider().replace("Review a", "Examine a"));
    let run = fleet.run(COMPARE).ended(0);
    let line = "note[N0702]: property `limit` added; at: capability `review-pr`, request, /properties/limit (safe) --> new.yaml:18:16\n";
    assert!(run.stderr.contains(line), "{run:?}");
    assert!(run.stderr.contains("note[N0704]: the description changed;"), "{run:?}");
    assert!(run.stderr.ends_with("✓ compared 1 contract: 1 safe, 1 cosmetic; least version bump: minor\n"), "{run:?}");
    let run = fleet.run(&format!("{COMPARE} --verbose")).ended(0);
    assert!(run.stderr.contains("note[N0702]: property `limit` added\n  --> new.yaml:18:16\n"), "{run:?}");
}

#[test]
fn equal_versions_have_no_findings() {
    let run = versions(REVIEWER, REVIEWER).run(COMPARE).ended(0);
    assert_eq!(run.stderr, "✓ compared 1 contract: no changes\n");
}

#[test]
fn the_exit_status_depends_on_the_level_that_fails() {
    let fleet = versions(REVIEWER, &REVIEWER.replace("timeoutMs: 60000", "timeoutMs: 1000"));
    fleet.run(COMPARE).ended(0);
    fleet.run(&format!("{COMPARE} --fail-on risky")).ended(1);
    fleet.run(&format!("{COMPARE} --fail-on risky --level W0704=safe")).ended(0);
    fleet.run(&format!("{COMPARE} --level w0704=breaking")).ended(1);
    let cosmetic = versions(REVIEWER, &REVIEWER.replace("Review a", "Examine a"));
    cosmetic.run(&format!("{COMPARE} --fail-on safe")).ended(0);
    cosmetic.run(&format!("{COMPARE} --fail-on cosmetic")).ended(1);
}

#[test]
fn a_version_that_is_not_raised_enough_fails() {
    let versioned =
        |text: &str, version: &str| text.replace("    timeoutMs", &format!("    version: {version}\n    timeoutMs"));
    let wider = wider();
    for (version, status, bump) in [("1.2.0", 1, "minor"), ("1.2.1", 1, "minor"), ("1.3.0", 0, "minor")] {
        let fleet = versions(&versioned(REVIEWER, "1.2.0"), &versioned(&wider, version));
        let run = fleet.run(COMPARE).ended(status);
        assert_eq!(run.stderr.contains("E0725"), status == 1, "{run:?}");
        let line = format!("`review-pr`: these changes need version 1.3.0 or greater; the new version is {version}\n");
        assert!(run.stderr.contains(&line), "{run:?}");
        let document = fleet.run(&format!("{COMPARE} --format json")).json();
        assert_eq!(document["bump"], bump, "{version}");
        fleet.run(&format!("{COMPARE} --level N0702=cosmetic")).ended(i32::from(version == "1.2.0"));
    }
    let breaking = versions(&versioned(REVIEWER, "1.2.0"), &versioned(&changed(), "2.0.0"));
    assert!(!breaking.run(COMPARE).ended(1).stderr.contains("E0725"));
}

#[test]
fn wrong_levels_are_usage_errors() {
    let fleet = versions(REVIEWER, REVIEWER);
    for level in ["E0701", "E9999=safe", "E0501=safe", "E0701=fatal", "=safe"] {
        fleet.run(&format!("{COMPARE} --level {level}")).ended(2);
    }
    assert!(fleet.run(&format!("{COMPARE} --level E071=safe")).ended(2).stderr.contains("did you mean E0"));
}

#[test]
fn a_renamed_definition_changes_the_generated_types() {
    let manifest = |name: &str| {
        REVIEWER.replace(
            "severity: { enum: [low, med, high] }",
            &format!("severity: {{ $ref: '#/definitions/{name}' }}\n      definitions: {{ {name}: {{ enum: [low, med, high] }} }}"),
        )
    };
    let run = versions(&manifest("severity"), &manifest("level")).run(COMPARE).ended(0);
    assert!(run.stderr.contains("warning[W0708]: ") && run.stderr.contains("type `Severity` removed"), "{run:?}");
    assert!(run.stderr.contains("least version bump: minor"), "{run:?}");
}

#[test]
fn a_response_that_gets_a_schema_changes_the_generated_types() {
    let loose = REVIEWER.split("    outputSchema").next().unwrap().to_owned();
    let typed = format!("{loose}    outputSchema: {{ type: object, properties: {{ ok: {{ type: boolean }} }} }}\n");
    let run = versions(&loose, &typed).run(&format!("{COMPARE} --fail-on risky")).ended(1);
    for (code, change) in [("W0708", "from `Value` to `struct`"), ("W0709", "from `unknown` to `interface`")] {
        let finding = format!("warning[{code}]: type `ReviewPrResponse` changed {change}\n");
        assert!(run.stderr.contains(&finding), "{run:?}");
    }
    let run = versions(&typed, &loose).run(COMPARE).ended(1);
    assert!(run.stderr.contains("E0721") && !run.stderr.contains("W0708"), "{run:?}");
}

#[test]
fn a_request_with_a_new_variant_changes_the_code_of_providers() {
    let wider = REVIEWER.replace("low, med, high", "low, med, high, urgent");
    let run = versions(REVIEWER, &wider).run(COMPARE).ended(0);
    let change = "variant `Urgent` of `ReviewPrRequestSeverity` added (affects providers)";
    assert!(run.stderr.contains(&format!("warning[W0708]: {change}\n")), "{run:?}");
}
