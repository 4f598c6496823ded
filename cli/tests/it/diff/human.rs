//! Human-readable output, levels and the exit status.

use super::{COMPARE, changed, versions};
use crate::common::REVIEWER;

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
    let fingerprint = run.stderr.split("fingerprint: \"").nth(1).unwrap().get(..20).unwrap();
    assert_eq!(run.stderr, expected.replace("FINGERPRINT", fingerprint));
}

#[test]
fn details_that_callers_cannot_read_are_those_of_the_new_version() {
    let with = |ty: &str| format!("{REVIEWER}    errors:\n      - {{ code: BUSY, detailsSchema: {{ type: {ty} }} }}\n");
    let run = versions(&with("integer"), &with("number")).run(COMPARE).ended(0);
    let expected = "   = payload that the new schema accepts and the old one rejects: 0.1\n   = violation: (root): expected integer, got number\n";
    assert!(run.stderr.contains(expected), "{run:?}");
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
    assert_eq!(run.stderr, "✓ compared 1 contract: no changes of capabilities\n");
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
fn an_addition_without_a_new_version_is_risky_and_not_breaking() {
    let versioned =
        |text: &str, version: &str| text.replace("    timeoutMs", &format!("    version: {version}\n    timeoutMs"));
    let wider = wider();
    for (version, status, bump) in [("1.2.0", 1, "minor"), ("1.2.1", 1, "minor"), ("1.3.0", 0, "minor")] {
        let fleet = versions(&versioned(REVIEWER, "1.2.0"), &versioned(&wider, version));
        let run = fleet.run(COMPARE).ended(0);
        assert_eq!(run.stderr.contains("warning[E0725]"), status == 1, "{run:?}");
        fleet.run(&format!("{COMPARE} --fail-on risky --level W0708=safe --level W0709=safe")).ended(status);
        let line = format!("`review-pr`: these changes need version 1.3.0 or greater; the new version is {version}\n");
        assert!(run.stderr.contains(&line), "{run:?}");
        let document = fleet.run(&format!("{COMPARE} --format json")).json();
        assert_eq!(document["bump"], bump, "{version}");
        // If the change is cosmetic, so is the finding about a version that is not raised.
        fleet.run(&format!("{COMPARE} --level N0702=cosmetic")).ended(0);
        fleet.run(&format!("{COMPARE} --level N0702=cosmetic --fail-on cosmetic")).ended(1);
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
    assert!(run.stderr.contains("W0708") && run.stderr.contains("type `Severity` removed"), "{run:?}");
    assert!(run.stderr.contains("least version bump: minor"), "{run:?}");
}

#[test]
fn a_response_that_gets_a_schema_changes_the_generated_types() {
    let loose = REVIEWER.split("    outputSchema").next().unwrap().to_owned();
    let typed = format!("{loose}    outputSchema: {{ type: object, properties: {{ ok: {{ type: boolean }} }} }}\n");
    let run = versions(&loose, &typed).run(&format!("{COMPARE} --fail-on risky")).ended(1);
    for (code, change) in [("W0708", "from `Value` to `struct`"), ("W0709", "from `unknown` to `interface`")] {
        let finding = format!("= also {code} (response, risky): type `ReviewPrResponse` changed {change}\n");
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
    // One value is one finding, with its effects on generated types.
    assert!(run.stderr.starts_with("warning[N0702]: value \"urgent\" added\n"), "{run:?}");
    assert!(run.stderr.contains(&format!("= also W0708 (request, risky): {change}\n")), "{run:?}");
    assert!(run.stderr.ends_with("✓ compared 1 contract: 1 risky; least version bump: minor\n"), "{run:?}");
}

#[test]
fn a_definition_of_both_sides_is_one_finding_with_the_level_on_each_side() {
    let with = |values: &str| {
        let definitions = format!("definitions: {{ color: {{ enum: [{values}] }} }}");
        let side = format!("{{ properties: {{ color: {{ $ref: '#/definitions/color' }} }}, {definitions} }}");
        crate::common::loose("a")
            .replace("name: ping }", &format!("name: ping, inputSchema: {side}, outputSchema: {side} }}"))
    };
    let fleet = versions(&with("red"), &with("red, blue"));
    let run = fleet.run(COMPARE).ended(1);
    assert_eq!(run.stderr.matches("value \"blue\" added").count(), 1, "{run:?}");
    assert!(run.stderr.ends_with("compared 1 contract: 1 breaking; least version bump: major\n"), "{run:?}");
    let markdown = fleet.run(&format!("{COMPARE} --format markdown")).ended(1).stdout;
    let row = markdown.lines().find(|line| line.contains("blue")).unwrap();
    assert!(row.starts_with("| **breaking** | E0709, N0702") && row.contains("| request, response |"), "{markdown}");
    assert!(row.contains("<br>request: safe"), "{markdown}");
}

#[test]
fn messages_follow_semantic_versioning() {
    let versioned =
        |text: &str, version: &str| text.replace("    timeoutMs", &format!("    version: {version}\n    timeoutMs"));
    // While the major version is 0, a breaking change raises the minor version.
    let fleet = versions(&versioned(REVIEWER, "0.2.0"), &versioned(&changed(), "0.2.1"));
    let run = fleet.run(COMPARE).ended(1);
    assert!(run.stderr.contains("raised from 0.2.0 to 0.2.1, which is less than a minor version\n"), "{run:?}");
    assert!(run.stderr.contains("these changes need version 0.3.0 or greater"), "{run:?}");
    assert!(run.stderr.ends_with("least version bump: minor\n"), "{run:?}");
    assert!(!run.stderr.contains("major"), "{run:?}");
    assert_eq!(fleet.run(&format!("{COMPARE} --format json")).json()["bump"], "major");
    let markdown = fleet.run(&format!("{COMPARE} --format markdown")).stdout;
    assert!(markdown.ends_with("The least version bump for these changes: **minor**.\n"), "{markdown}");
    // A pre-release announces a breaking change.
    let run = versions(&versioned(REVIEWER, "1.0.0"), &versioned(&changed(), "2.0.0-rc.1")).run(COMPARE).ended(1);
    let line = "these changes need version 2.0.0, a pre-release of it, or greater; the new version is 2.0.0-rc.1\n";
    assert!(run.stderr.contains(line) && !run.stderr.contains("E0725"), "{run:?}");
    // A new description breaks nothing.
    let old = versioned(REVIEWER, "1.0.0");
    let run = versions(&old, &old.replace("Review a", "Examine a")).run(COMPARE).ended(0);
    assert!(run.stderr.contains("note[E0725]: the contract changed, but the version is still 1.0.0;"), "{run:?}");
}

#[test]
fn changes_of_types_replace_the_finding_about_the_version() {
    let manifest = |version: &str, description: &str, name: &str| {
        let text = REVIEWER.replace("    timeoutMs", &format!("    version: {version}\n    timeoutMs"));
        let severity = format!(
            "severity: {{ $ref: '#/definitions/{name}' }}\n      definitions: {{ {name}: {{ enum: [low, high] }} }}"
        );
        text.replace("Review a", description).replace("severity: { enum: [low, med, high] }", &severity)
    };
    // The cosmetic change alone needs a patch version.
    let fleet = versions(&manifest("1.0.0", "Review a", "Level"), &manifest("1.0.1", "Examine a", "Severity"));
    let run = fleet.run(&format!("{COMPARE} --fail-on risky --level W0708=safe --level W0709=safe")).ended(1);
    assert_eq!(run.stderr.matches("[E0725]").count(), 1, "{run:?}");
    assert!(run.stderr.contains("raised from 1.0.0 to 1.0.1, which is less than a minor version\n"), "{run:?}");
    fleet.run(COMPARE).ended(0);
}
