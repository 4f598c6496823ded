//! The file of accepted findings.

use super::{COMPARE, versions};
use crate::common::{Fleet, REVIEWER, loose};

/// Two versions with one breaking finding, and its fingerprint.
fn breaking() -> (Fleet, String) {
    let fleet = versions(REVIEWER, &REVIEWER.replace("low, med, high", "low, med"));
    let document = fleet.run(&format!("{COMPARE} --format json")).ended(1).json();
    let fingerprint = document["findings"][0]["fingerprint"].as_str().unwrap().to_owned();
    (fleet, fingerprint)
}

fn entry(fingerprint: &str, rest: &str) -> String {
    format!("- {{ fingerprint: \"{fingerprint}\", reason: No caller sends it, {rest} }}\n")
}

#[test]
fn an_accepted_finding_is_a_note_and_does_not_fail() {
    let (fleet, fingerprint) = breaking();
    fleet.write("capgen-accepted.yaml", &entry(&fingerprint, "expires: 9999-12-31"));
    let run = fleet.run(COMPARE).ended(0);
    assert!(run.stderr.contains("note[E0708]: value \"high\" removed"), "{run:?}");
    assert!(
        run.stderr.ends_with("✓ compared 1 contract: 1 breaking (1 accepted); least version bump: major\n"),
        "{run:?}"
    );
    let run = fleet.run(&format!("{COMPARE} --verbose")).ended(0);
    assert!(run.stderr.contains("= accepted until 9999-12-31: No caller sends it\n"), "{run:?}");
    let document = fleet.run(&format!("{COMPARE} --format json")).ended(0).json();
    assert_eq!(document["findings"][0]["accepted"]["reason"], "No caller sends it");
    assert_eq!((&document["findings"][0]["fails"], &document["bump"]), (&false.into(), &"major".into()));
    let github = fleet.run(&format!("{COMPARE} --format github")).ended(0).stdout;
    assert!(github.starts_with("::notice ") && github.contains("accepted until"), "{github}");
}

#[test]
fn the_file_that_the_fleet_names_is_read_too() {
    let (fleet, fingerprint) = breaking();
    fleet.write("fleet.yaml", "agents: []\ncalls: { accepted: reviews/accepted.yaml }\n");
    let run = fleet.run(COMPARE).ended(1);
    assert!(run.stderr.contains("reviews/accepted.yaml"), "{run:?}");
    fleet.write("reviews/accepted.yaml", &entry(&fingerprint, "expires: 9999-12-31"));
    fleet.run(COMPARE).ended(0);
}

#[test]
fn a_check_of_the_fleet_reads_the_file_that_it_names() {
    let fleet = Fleet::new(&["shop"]);
    fleet.run("check").ended(0);
    fleet.write("fleet.yaml", "agents: []\ncalls: { accepted: accepted.yaml }\n");
    let run = fleet.run("check").ended(1);
    assert!(run.stderr.contains("fleet.yaml:2:20") && run.stderr.contains("does not exist"), "{run:?}");
    fleet.write("accepted.yaml", "- { fingerprint: x }\n");
    let run = fleet.run("check").ended(1);
    assert!(run.stderr.contains("accepted.yaml:1:") && run.stderr.contains("must have the key `reason`"), "{run:?}");
    fleet.write("accepted.yaml", "");
    fleet.run("check").ended(0);
}

#[test]
fn the_reason_of_an_accepted_finding_is_on_its_line() {
    let (fleet, fingerprint) = breaking();
    fleet.write("capgen-accepted.yaml", &entry(&fingerprint, "expires: 9999-12-31"));
    let run = fleet.run(COMPARE).ended(0);
    assert!(run.stderr.contains("; accepted until 9999-12-31: No caller sends it --> new.yaml:17:27\n"), "{run:?}");
}

#[test]
fn an_expired_entry_accepts_no_longer() {
    let (fleet, fingerprint) = breaking();
    fleet.write("capgen-accepted.yaml", &entry(&fingerprint, "expires: 2020-02-29"));
    let run = fleet.run(COMPARE).ended(1);
    assert!(run.stderr.contains("error[E0708]"), "{run:?}");
    assert!(
        run.stderr.contains("= no longer accepted: the entry expired on 2020-02-29 (No caller sends it)\n"),
        "{run:?}"
    );
    let document = fleet.run(&format!("{COMPARE} --format json")).ended(1).json();
    assert_eq!(document["findings"][0]["accepted"]["expired"], true);
    // Another entry may have replaced it.
    let both = entry(&fingerprint, "expires: 2020-02-29") + &entry(&fingerprint, "expires: 9999-01-01");
    fleet.write("capgen-accepted.yaml", &both);
    fleet.run(COMPARE).ended(0);
}

#[test]
fn an_entry_may_be_restricted_to_a_code_and_an_agent() {
    let (fleet, fingerprint) = breaking();
    for (rest, status) in [
        ("code: E0708, agent: pr-reviewer", 0),
        ("code: E0708, agent: \"agent://pr-reviewer\"", 0),
        ("code: E0709", 1),
        ("agent: other", 1),
    ] {
        fleet.write("capgen-accepted.yaml", &entry(&fingerprint, &format!("expires: 9999-12-31, {rest}")));
        fleet.run(COMPARE).ended(status);
    }
}

#[test]
fn a_given_file_replaces_the_one_beside_the_manifest() {
    let (fleet, fingerprint) = breaking();
    fleet.write("capgen-accepted.yaml", "- invalid\n");
    fleet.write(
        "other.json",
        &format!(r#"[{{"fingerprint": "{fingerprint}", "reason": "x", "expires": "9999-12-31"}}]"#),
    );
    fleet.run(&format!("{COMPARE} --accepted other.json")).ended(0);
    let run = fleet.run(&format!("{COMPARE} --accepted gone.yaml")).ended(1);
    assert!(run.stderr.contains("cannot read `gone.yaml`"), "{run:?}");
}

#[test]
fn the_file_of_the_fleet_counts_for_manifests_that_are_selected_by_path() {
    let fleet = Fleet::new(&["a"]);
    fleet.init();
    fleet.write("agents/a/capabilities.yaml", &loose("a").replace("ping", "pong"));
    let document = fleet.run("diff --format json").ended(1).json();
    let finding = document["findings"].as_array().unwrap().iter().find(|finding| finding["code"] == "E0701").unwrap();
    let accepted = entry(finding["fingerprint"].as_str().unwrap(), "expires: 9999-12-31");
    fleet.write("capgen-accepted.yaml", &accepted);
    fleet.run("diff --capabilities agents/a/capabilities.yaml").ended(0);
    let mut command = fleet.command("diff --capabilities capabilities.yaml");
    assert_eq!(command.current_dir(fleet.path("agents/a")).output().unwrap().status.code(), Some(0));
}

#[test]
fn fingerprints_without_quotes_may_look_like_numbers() {
    let (fleet, _) = breaking();
    let found = |fingerprint: &str| {
        let text = format!("- {{ fingerprint: {fingerprint}, reason: x, expires: 9999-12-31 }}\n");
        fleet.write("capgen-accepted.yaml", &text);
        fleet.run(COMPARE).ended(1).stderr
    };
    for fingerprint in ["12345678901234567890", "12e45678901234567890", "00000000000000000000"] {
        let quoted = found(&format!("\"{fingerprint}\""));
        assert!(quoted.starts_with("error[E0708]"), "{quoted}");
    }
    assert!(found("12345678901234567890").starts_with("error[E0708]"));
    let number = found("12e45678901234567890");
    assert!(number.contains("1 | - { fingerprint: 12e45678901234567890, ") && number.contains("quote it"), "{number}");
}

#[test]
fn every_error_of_the_file_is_reported_at_once() {
    let (fleet, fingerprint) = breaking();
    let text = format!(
        "- fingerprint: {fingerprint}\n  reason: ' '\n  expires: 2026-02-30\n- fingerprint: xyz\n  reasn: typo\n  expires: [2026]\n\
         - just a text\n- {{ fingerprint: \"{fingerprint}\", reason: x, expires: 2026-01-01, code: 708, agent: ../x, expire: 1 }}\n"
    );
    fleet.write("capgen-accepted.yaml", &text);
    let run = fleet.run(COMPARE).ended(1);
    let found: Vec<_> = run.stderr.lines().filter(|line| line.starts_with("error[")).collect();
    assert_eq!(
        found,
        [
            "error[E0791]: the reason must be a text that is not empty",
            "error[E0791]: `expires` must be a day in the form YYYY-MM-DD",
            "error[E0791]: unknown key `reasn`",
            "error[E0791]: an accepted finding must have the key `reason`",
            "error[E0791]: a fingerprint must have 20 hexadecimal digits in lower case",
            "error[E0791]: `expires` must be a day in the form YYYY-MM-DD",
            "error[E0791]: an accepted finding must be a mapping",
            "error[E0791]: unknown key `expire`",
            "error[E0791]: `code` must be the code of a rule",
            "error[E0791]: `agent` must be the id of an agent",
        ],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("did you mean `reason`?") && run.stderr.contains("capgen-accepted.yaml:2:11"),
        "{run:?}"
    );
    for text in ["a: 1\n", "- a: 1\n  a: 2\n", "'", "- {}\n", "3"] {
        fleet.write("capgen-accepted.yaml", text);
        fleet.run(COMPARE).ended(1);
    }
    for text in ["", "# nothing\n", "[]\n"] {
        fleet.write("capgen-accepted.yaml", text);
        assert!(fleet.run(COMPARE).ended(1).stderr.contains("error[E0708]"), "{text:?}");
    }
}

#[test]
fn an_entry_without_a_finding_is_a_warning_if_every_agent_is_compared() {
    let fleet = Fleet::new(&["a", "b"]);
    fleet.init();
    fleet.write("agents/a/capabilities.yaml", &loose("a").replace("ping", "pong"));
    let document = fleet.run("diff --format json").ended(1).json();
    let find = |code: &str| {
        let findings = document["findings"].as_array().unwrap();
        findings.iter().find(|finding| finding["code"] == code).unwrap()["fingerprint"].as_str().unwrap().to_owned()
    };
    let used = entry(&find("E0701"), "expires: 9999-12-31, agent: a");
    fleet.write("capgen-accepted.yaml", &format!("{used}{}", entry("0123456789abcdef0123", "expires: 9999-12-31")));
    let run = fleet.run("diff").ended(0);
    assert!(
        run.stderr.contains(
            "warning[W0791]: no finding has the fingerprint `0123456789abcdef0123`\n --> capgen-accepted.yaml:2:5"
        ),
        "{run:?}"
    );
    assert!(!fleet.run("diff --peer a").ended(0).stderr.contains("W0791"));
    for format in ["json", "junit", "markdown"] {
        assert!(fleet.run(&format!("diff --format {format}")).ended(0).stderr.contains("W0791"), "{format}");
    }
    assert!(fleet.run("diff --format github").ended(0).stdout.contains("::warning file=capgen-accepted.yaml,line=2"));
}

#[test]
fn equal_changes_of_two_agents_can_be_accepted_one_by_one() {
    let fleet = Fleet::new(&["a", "b"]);
    fleet.init();
    for id in ["a", "b"] {
        fleet.write(&format!("agents/{id}/capabilities.yaml"), &loose(id).replace("ping", "pong"));
    }
    let run = fleet.run("diff").ended(1);
    let lines = run.stderr.lines().filter_map(|line| line.split_once("add to capgen-accepted.yaml: "));
    let lines: Vec<String> = lines.map(|(_, line)| line.replace("YYYY-MM-DD", "9999-12-31") + "\n").collect();
    assert_eq!(lines.len(), 2, "{run:?}");
    fleet.write("capgen-accepted.yaml", &lines[0]);
    let run = fleet.run("diff").ended(1);
    assert!(run.stderr.contains("note[E0701]") && run.stderr.contains("error[E0701]"), "{run:?}");
    fleet.write("capgen-accepted.yaml", &lines.concat());
    fleet.run("diff").ended(0);
}

#[test]
fn an_entry_of_the_old_form_accepts_nothing_and_is_a_warning_in_every_format() {
    let (fleet, _) = breaking();
    fleet.write("capgen-accepted.yaml", &entry("0123456789abcdef", "expires: 9999-12-31"));
    for format in ["human", "json", "junit", "markdown"] {
        let run = fleet.run(&format!("{COMPARE} --format {format}")).ended(1);
        let warning = "warning[W0792]: the fingerprint `0123456789abcdef` has the old form, and accepts nothing";
        assert!(run.stderr.contains(warning) && run.stderr.contains("copy its new fingerprint"), "{run:?}");
    }
    for format in ["github", "sarif"] {
        assert!(fleet.run(&format!("{COMPARE} --format {format}")).ended(1).stdout.contains("W0792"), "{format}");
    }
}

#[test]
fn an_accepted_constant_accepts_no_other_one() {
    let fleet = Fleet::new(&["a"]);
    let version = |schema: &str| loose("a").replace("name: ping", &format!("name: ping, inputSchema: {schema}"));
    fleet.write("agents/a/capabilities.yaml", &version("{}"));
    fleet.init();
    fleet.write("agents/a/capabilities.yaml", &version("{const: 1}"));
    let document = fleet.run("diff --format json").ended(1).json();
    let fingerprint = document["findings"][0]["fingerprint"].as_str().unwrap();
    fleet.write("capgen-accepted.yaml", &entry(fingerprint, "expires: 9999-12-31"));
    fleet.run("diff").ended(0);
    for other in ["{const: 2}", "{const: null}"] {
        fleet.write("agents/a/capabilities.yaml", &version(other));
        fleet.run("diff").ended(1);
    }
}
