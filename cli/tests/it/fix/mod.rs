//! `capgen check --fix`.

pub(crate) mod mistakes;

use mistakes::{CERTAIN, manifest};

use crate::common::{Fleet, Run};

const MANIFEST: &str = "agents/a/capabilities.yaml";

/// A fleet with one manifest.
fn fleet(text: &str) -> Fleet {
    let fleet = Fleet::new(&["a"]);
    fleet.write(MANIFEST, text);
    fleet
}

/// The manifest after a run with a status, and the run.
#[track_caller]
fn fixed(text: &str, arguments: &str, status: i32) -> (String, Run) {
    let fleet = fleet(text);
    let run = fleet.run(&format!("check {arguments}")).ended(status);
    (fleet.read(MANIFEST), run)
}

#[test]
fn certain_edits_fix_common_mistakes_and_change_nothing_else() {
    let ids: Vec<String> = (0..CERTAIN.len()).map(|index| format!("a{index}")).collect();
    let fleet = Fleet::new(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let path = |id: &str| format!("agents/{id}/capabilities.yaml");
    for (id, (mistake, _)) in ids.iter().zip(CERTAIN) {
        fleet.write(&path(id), &manifest(id, mistake));
    }
    let run = fleet.run("check --fix").ended(0);
    for (id, (mistake, correct)) in ids.iter().zip(CERTAIN) {
        assert_eq!(fleet.read(&path(id)), manifest(id, correct), "{mistake}");
    }
    let files = format!(" in {} files", CERTAIN.len());
    assert!(run.stderr.starts_with("fixed ") && run.stderr.contains(&files), "{run:?}");
    let again = fleet.run("check --fix --strict").ended(0);
    assert!(again.stderr.starts_with("fixed 0 problems in 0 files\n"), "{again:?}");
}

#[test]
fn line_ends_and_a_byte_order_mark_remain() {
    let windows = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let text = "agent: agent://a\ntransports: [{ kind: memory, topics: { requests: q } }]\ncapabilities:\n  - name: find\n    version: 2.0\n    description: é: 404\n";
    let expected = format!("version: 1\n{}", text.replace("2.0", "\"2.0.0\"").replace("é: 404", "\"é: 404\""));
    assert_eq!(fixed(&windows(text), "--fix", 0).0, windows(&expected));
}

#[test]
fn json_is_fixed_in_its_notation() {
    let fleet = Fleet::new(&[]);
    let text = r#"{
  "agent": "a",
  "transports": [{"kind": "memory", "topics": {"requests": "q"}},],
  "capabilities": [{"name": "find", "version": 2.0,
    "inputSchema": {"properties": {"a": "string", "b": {"type": "int", "nullable": true},}}}]
}
"#;
    fleet.write("a.json", text);
    fleet.run("check --fix a.json").ended(0);
    let expected = r#"{
  "version": 1,
  "agent": "agent://a",
  "transports": [{"kind": "memory", "topics": {"requests": "q"}}],
  "capabilities": [{"name": "find", "version": "2.0.0",
    "inputSchema": {"properties": {"a": {"type": "string"}, "b": {"type": ["integer", "null"]}}}}]
}
"#;
    assert_eq!(fleet.read("a.json"), expected);
}

#[test]
fn guesses_are_applied_only_with_unsafe() {
    let text = manifest("a", "inputSchema: { type: string, regex: a, minimum: 3 }\nversion: 2.0");
    let (left, run) = fixed(&text, "--fix", 1);
    assert_eq!(left, text.replace("2.0", "\"2.0.0\""));
    assert!(run.stderr.contains("1 problem has an edit that needs review: "), "{run:?}");
    let (left, _) = fixed(&text, "--fix --unsafe", 0);
    assert_eq!(left, manifest("a", "inputSchema: { type: string, pattern: a }\nversion: \"2.0.0\""));
}

#[test]
fn an_edit_that_causes_a_new_error_is_left_out_and_the_others_are_applied() {
    let text = manifest("a", "desciption: a\ndescription: b\ntimeout_ms: 1\ntimoutMs: 2\nversion: 2.0");
    let (left, run) = fixed(&text, "--fix", 1);
    assert_eq!(left, text.replace("2.0", "\"2.0.0\"").replace("timeout_ms", "timeoutMs"));
    assert!(run.stderr.starts_with("fixed 2 problems in 1 file\n"), "{run:?}");
}

#[test]
fn a_value_that_aliases_copy_is_fixed_only_if_every_copy_asks_for_it() {
    let text = manifest("a", "version: &v 2.0\ninputSchema: { minimum: *v }");
    assert_eq!(fixed(&text, "--fix", 1).0, text);
}

#[test]
fn a_dry_run_shows_the_edits_without_credentials_and_writes_nothing() {
    let text = manifest("a", "version: 2.0")
        .replace("kind: memory", "kind: nats")
        .replace("topics: { requests: a }", "servers: nats://me:hunter2@host\n    subjects: { requests: a }");
    for arguments in ["--fix --dry-run", "--fix --diff"] {
        let fleet = fleet(&text);
        fleet.write("agents/b/capabilities.yaml", &manifest("b", ""));
        let run = fleet.run(&format!("check {arguments}")).ended(1);
        assert_eq!(fleet.read(MANIFEST), text);
        assert_eq!(run.stdout.matches("--- a/").count(), 1, "{run:?}");
        assert!(run.stdout.contains("\n-    version: 2.0\n+    version: \"2.0.0\"\n"), "{run:?}");
        assert!(run.stderr.starts_with("would fix 2 problems in 1 file\n"), "{run:?}");
        assert!(!format!("{run:?}").contains("hunter2"), "{run:?}");
    }
}

#[test]
fn the_fleet_is_fixed_before_its_manifests() {
    let fleet = Fleet::new(&[]);
    fleet.write("fleet.yaml", "version: \"1\"\nagnets:\n  - id: agent://a\n    path: shop # the shop\n");
    fleet.write("shop/capabilities.yaml", &manifest("a", "version: 2.0"));
    fleet.run("check --fix").ended(0);
    assert_eq!(fleet.read("fleet.yaml"), "version: 1\nagents:\n  - id: a\n    path: shop # the shop\n");
    assert_eq!(fleet.read("shop/capabilities.yaml"), manifest("a", "version: \"2.0.0\""));
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link_out_of_the_fleet() {
    let outside = Fleet::new(&[]);
    let text = manifest("a", "version: 2.0");
    outside.write("capabilities.yaml", &text);
    for is_folder in [false, true] {
        let fleet = Fleet::new(&[]);
        let (link, target) = match is_folder {
            true => ("agents/a", outside.path(".")),
            false => ("agents/a/capabilities.yaml", outside.path("capabilities.yaml")),
        };
        std::fs::create_dir_all(fleet.path(link).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, fleet.path(link)).unwrap();
        let run = fleet.run("check --fix").ended(1);
        assert!(run.stderr.contains("is not changed: it is a link to a file outside of the fleet"), "{run:?}");
        assert_eq!(outside.read("capabilities.yaml"), text);
    }
}

#[test]
fn other_formats_have_the_remaining_findings() {
    let (_, run) = fixed(&manifest("a", "version: 2.0\nfoo: 1"), "--fix --format json", 1);
    assert_eq!(run.json()["code"], "E0201");
    fleet(&manifest("a", "")).run("check --unsafe").ended(2);
}

#[test]
fn junit_has_a_suite_for_each_file_and_a_case_for_each_finding() {
    let fleet = Fleet::new(&["b"]);
    fleet.write(MANIFEST, &manifest("a", "inputSchema: { enum: [1, 1] }\nfoo<: 1"));
    let report = fleet.run("check --format junit").ended(1).stdout;
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"capgen check\" tests=\"3\" failures=\"1\" errors=\"0\">\n  <testsuite name=\"agents/a/capabilities.yaml\" tests=\"2\" failures=\"1\" errors=\"0\">\n";
    assert!(report.starts_with(head), "{report}");
    assert!(
        report.contains(
            "<testcase name=\"W0101 at 8:30\" classname=\"agents/a/capabilities.yaml\">\n      <system-out>warning: "
        ),
        "{report}"
    );
    assert!(report.contains("<failure message=\"unknown key in a capability\" type=\"E0201\">error: "), "{report}");
    assert!(report.contains("<testcase name=\"no findings\" classname=\"agents/b/capabilities.yaml\"/>"), "{report}");
    let strict = fleet.run("check --strict --format junit").ended(1).stdout;
    assert!(strict.contains("failures=\"2\""), "{strict}");
}
