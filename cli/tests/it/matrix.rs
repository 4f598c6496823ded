//! `capgen matrix`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Command;

use crate::common::{Fleet, loose};
use serde_json::{Value, json};

/// A contract with a version of the capability `ping`.
fn contract(version: &str, input: &str) -> String {
    loose("a").replace("{ name: ping }", &format!("{{ name: ping, version: {version}, inputSchema: {input} }}"))
}

/// Commits everything.
fn commit(fleet: &Fleet) {
    git(fleet, &["add", "-A"]);
    git(fleet, &["commit", "-q", "--allow-empty", "-m", "change"]);
}

fn git(fleet: &Fleet, arguments: &[&str]) {
    let user = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").current_dir(fleet.path("")).args(user).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// A repository whose manifest `agents/a` had these texts, one after the other.
fn history(texts: &[String]) -> Fleet {
    let fleet = Fleet::new(&[]);
    git(&fleet, &["init", "-q"]);
    for text in texts {
        fleet.write("agents/a/capabilities.yaml", text);
        commit(&fleet);
    }
    fleet
}

/// The versions in the history of a manifest.
fn versions(fleet: &Fleet, path: &str) -> Vec<String> {
    let document = fleet.run(&format!("matrix ping --capabilities {path} --history git --format json")).ended(0).json();
    let versions = document.get("versions").and_then(Value::as_array).unwrap();
    versions.iter().map(|version| version.get("label").and_then(Value::as_str).unwrap().to_owned()).collect()
}

#[test]
fn the_history_continues_before_a_rename() {
    let fleet = history(&[contract("1.0.0", "{ type: string }"), contract("1.1.0", "{ type: [string, 'null'] }")]);
    // The folder is moved, then the file is changed, renamed, and renamed with a change.
    git(&fleet, &["mv", "agents", "peers"]);
    commit(&fleet);
    fleet.write("peers/a/capabilities.yaml", &contract("2.0.0", "{ type: string, minLength: 1 }"));
    commit(&fleet);
    git(&fleet, &["mv", "peers/a/capabilities.yaml", "contract.yaml"]);
    commit(&fleet);
    git(&fleet, &["mv", "contract.yaml", "[a] *.yaml"]);
    git(&fleet, &["mv", "[a] *.yaml", "main.yaml"]);
    fleet.write("main.yaml", &contract("3.0.0", "{ type: string, minLength: 2 }"));
    commit(&fleet);
    // Later, another file has the old path.
    fleet.write(
        "contract.yaml",
        &contract("9.0.0", "{ type: integer }").replace("agent://a", "agent://other-agent-with-a-long-name"),
    );
    commit(&fleet);
    assert_eq!(versions(&fleet, "main.yaml"), ["1.0.0", "1.1.0", "2.0.0", "3.0.0"]);
    // A rename that is not committed yet.
    git(&fleet, &["mv", "main.yaml", "last.yaml"]);
    assert_eq!(versions(&fleet, "last.yaml"), ["1.0.0", "1.1.0", "2.0.0", "3.0.0"]);
    git(&fleet, &["rm", "-q", "contract.yaml"]);
    commit(&fleet);
    git(&fleet, &["mv", "last.yaml", "contract.yaml"]);
    commit(&fleet);
    assert_eq!(versions(&fleet, "contract.yaml"), ["1.0.0", "1.1.0", "2.0.0", "3.0.0"]);
}

#[test]
fn a_rename_on_a_merged_branch_does_not_hide_versions() {
    let fleet = history(&[contract("1.0.0", "{ type: string }")]);
    git(&fleet, &["checkout", "-q", "-b", "move"]);
    git(&fleet, &["mv", "agents", "peers"]);
    commit(&fleet);
    git(&fleet, &["checkout", "-q", "-"]);
    fleet.write("agents/a/capabilities.yaml", &contract("1.1.0", "{ type: [string, 'null'] }"));
    commit(&fleet);
    git(&fleet, &["merge", "-q", "--no-edit", "move"]);
    assert_eq!(versions(&fleet, "peers/a/capabilities.yaml"), ["1.0.0", "1.1.0"]);
}

/// Small manifests may change by more than half when they are moved. Then the agent decides whether it is the same one.
#[test]
fn a_rename_with_many_changes_needs_the_same_agent() {
    for (agent, expected) in [("agent://a", &["1.0.0", "2.0.0"][..]), ("agent://b", &["2.0.0"])] {
        let fleet = history(&[contract("1.0.0", "{ type: string }")]);
        git(&fleet, &["mv", "agents/a/capabilities.yaml", "b.yaml"]);
        let input =
            "{ type: object, additionalProperties: false, properties: { text: { type: string, minLength: 1 } } }";
        fleet.write("b.yaml", &contract("2.0.0", input).replace("agent://a", agent));
        commit(&fleet);
        assert_eq!(versions(&fleet, "b.yaml"), expected);
    }
}

#[test]
fn a_file_that_was_added_again_keeps_its_history() {
    let fleet = history(&[contract("1.0.0", "{ type: string }")]);
    git(&fleet, &["rm", "-q", "agents/a/capabilities.yaml"]);
    commit(&fleet);
    fleet.write("agents/a/capabilities.yaml", &contract("2.0.0", "{ type: string, minLength: 1 }"));
    commit(&fleet);
    assert_eq!(versions(&fleet, "agents/a/capabilities.yaml"), ["1.0.0", "2.0.0"]);
}

#[test]
fn the_history_gives_the_versions() {
    let fleet = history(&[
        contract("1.0.0", "{ type: string }"),
        "not a manifest".to_owned(),
        contract("1.1.0", "{ type: [string, 'null'] }"),
        contract("1.1.0", "{ type: [string, 'null'] }").replace("version: 1.1.0", "timeoutMs: 5, version: 1.1.0"),
        contract("2.0.0", "{ type: string, minLength: 1 }"),
    ]);
    let run = fleet.run("matrix ping --peer a --history git").ended(0);
    assert_eq!(
        run.stdout,
        "requester \\ provider  1.0.0  1.1.0  2.0.0\n\
         1.0.0                 full   full   no\n\
         1.1.0                 no     full   no\n\
         2.0.0                 full   full   full\n\n\
         requester 1.0.0, provider 2.0.0: no: request: `minLength: 1` added (E0712), such as \"\"\n\
         requester 1.1.0, provider 1.0.0: no: request: the type changed from null or string to string (E0710), such as null\n\
         requester 1.1.0, provider 2.0.0: no: request: the type changed from null or string to string (E0710), such as null\n"
    );
    assert_eq!(run.stderr, "1 revision skipped: the manifest is not valid there\n");
    // The working tree is the newest version.
    fleet.write("agents/a/capabilities.yaml", &contract("2.0.1", "{ type: string, minLength: 1 }"));
    let run = fleet.run("matrix ping --peer a --history git").ended(0);
    assert!(run.stdout.starts_with("requester \\ provider  1.0.0  1.1.0  2.0.0  2.0.1\n"), "{run:?}");
}

#[test]
fn a_version_that_comes_back_is_there_twice() {
    let [one, two] = [contract("1.0.0", "{ type: string }"), contract("2.0.0", "{ type: integer }")];
    let fleet = history(&[one.clone(), two]);
    fleet.write("agents/a/capabilities.yaml", &one);
    let labels = versions(&fleet, "agents/a/capabilities.yaml");
    let short: Vec<&str> = labels.iter().map(|label| label.split(' ').next().unwrap()).collect();
    assert_eq!(short, ["1.0.0", "2.0.0", "1.0.0"]);
}

#[test]
fn a_version_that_stays_beside_others_is_there_once() {
    let beside = |version: &str, input: &str| {
        let old = "{ name: ping, version: 1.0.0, inputSchema: { type: string } }";
        loose("a")
            .replace("{ name: ping }", &format!("{old}, {{ name: ping, version: {version}, inputSchema: {input} }}"))
    };
    let fleet = history(&[beside("2.0.0", "{}"), beside("2.1.0", "true"), beside("2.2.0", "{ type: object }")]);
    assert_eq!(versions(&fleet, "agents/a/capabilities.yaml"), ["2.0.0", "2.1.0", "1.0.0", "2.2.0"]);
    let run = fleet.run("matrix ping --peer a --history git").ended(0);
    assert!(run.stdout.starts_with("requester \\ provider  2.0.0  2.1.0  1.0.0  2.2.0  agent\n"), "{run:?}");
}

#[test]
fn versions_that_are_not_unique_have_their_commit() {
    let fleet = history(&[contract("1.0.0", "{ type: string }"), contract("1.0.0", "{ type: integer }")]);
    let document = fleet.run("matrix ping --peer a --history git --format json").ended(0).json();
    for version in document["versions"].as_array().unwrap() {
        let expected = format!("1.0.0 ({})", version["source"].as_str().unwrap());
        assert_eq!(version["label"], expected.as_str());
    }
}

#[test]
fn files_give_the_versions() {
    let fleet = Fleet::new(&[]);
    fleet.write("v1.yaml", &contract("1.0.0", "{ type: string }"));
    fleet.write("v2.yaml", &contract("2.0.0", "{ type: string, maxLength: 2 }"));
    let document = fleet.run("matrix ping --capabilities v2.yaml --against v1.yaml --format json").ended(0).json();
    assert_eq!(document["capability"], "ping");
    assert_eq!(document["versions"][0]["source"], "v1.yaml");
    let cell = &document["cells"][0][1];
    assert_eq!(
        (&cell["status"], &cell["side"], &cell["code"], &cell["witness"]),
        (&json!("incompatible"), &json!("request"), &json!("E0712"), &json!("\"aaa\""))
    );
    assert_eq!(document["cells"][1], json!([{ "status": "full" }, { "status": "full" }]));
}

#[test]
fn everything_that_the_provider_does_not_know_is_listed() {
    let fleet = Fleet::new(&[]);
    let input = |values: &str, branches: &str| {
        format!("{{ type: object, properties: {{ level: {{ enum: [{values}] }}, to: {{ oneOf: [{branches}] }} }} }}")
    };
    let branch =
        |kind: &str| format!("{{ type: object, required: [kind], properties: {{ kind: {{ const: {kind} }} }} }}");
    fleet.write("v1.yaml", &contract("1.0.0", &input("low", &branch("mail"))));
    fleet.write("v2.yaml", &contract("2.0.0", &input("low, high", &format!("{}, {}", branch("mail"), branch("sms")))));
    let run = fleet.run("matrix ping --capabilities v2.yaml --against v1.yaml").ended(0);
    let lines: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("requester 2.0.0")).collect();
    assert_eq!(lines.len(), 3, "{run:?}");
    let start = "requester 2.0.0, provider 1.0.0: no: ";
    assert!(lines[0].starts_with(&format!("{start}request: value \"high\" removed (E0708), such as ")), "{run:?}");
    assert_eq!(lines[1], format!("{start}the provider does not know the value \"high\" of `/level` of the request"));
    assert_eq!(
        lines[2],
        format!("{start}the provider does not know the branch with \"kind\":\"sms\" of `/to` of the request")
    );
    let document = fleet.run("matrix ping --capabilities v2.yaml --against v1.yaml --format json").ended(0).json();
    let reasons = document["cells"][1][0]["reasons"].as_array().unwrap();
    assert_eq!((reasons.len(), &document["cells"][1][0]["code"]), (3, &json!("E0708")));
    let page = fleet.run("matrix ping --capabilities v2.yaml --against v1.yaml --format html").ended(0).stdout;
    assert!(page.contains("<li>the provider does not know the branch with &quot;kind&quot;:&quot;sms&quot;"), "{page}");
}

#[test]
fn html_is_one_page_in_which_every_text_is_escaped() {
    let fleet = Fleet::new(&[]);
    fleet.write(
        "v1.yaml",
        &contract("1.0.0", "{ type: object, properties: { '<script>alert(1)</script>': { type: string } } }"),
    );
    fleet.write("v2.yaml", &contract("2.0.0", "{ type: object }"));
    let run = fleet.run("matrix ping --capabilities v2.yaml --against v1.yaml --format html").ended(0);
    assert!(run.stdout.starts_with("<!DOCTYPE html>\n") && run.stdout.ends_with("</html>\n"), "{run:?}");
    assert!(
        run.stdout.contains("&lt;script&gt;alert(1)&lt;~1script&gt;") && !run.stdout.contains("<script"),
        "{run:?}"
    );
    assert!(run.stdout.contains("<td class=\"partial\">partial</td>"), "{run:?}");
    assert!(!run.stdout.contains("http"), "{run:?}");
}

#[test]
fn the_reading_is_selected() {
    let fleet = Fleet::new(&[]);
    fleet.write("v1.yaml", &contract("1.0.0", "{ type: object, properties: { a: { type: string } } }"));
    fleet.write(
        "v2.yaml",
        &contract("1.1.0", "{ type: object, properties: { a: { type: string }, b: { type: string } } }"),
    );
    let of = |arguments: &str| {
        let run = fleet.run(&format!("matrix ping --capabilities v2.yaml --against v1.yaml {arguments}")).ended(0);
        run.stdout.lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(of(""), "1.0.0                 full     partial");
    assert_eq!(of("--assume capgen-peer"), "1.0.0                 full     full");
}

#[test]
fn missing_versions_and_capabilities_are_reported() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    fleet.run("matrix review-pr --peer pr-reviewer").ended(2);
    fleet.run("matrix review-pr --history git").ended(2);
    let run = fleet.run("matrix review --peer pr-reviewer --history git").ended(1);
    assert!(run.stderr.contains("did you mean `review-pr`?"), "{run:?}");
    let run = fleet.run("matrix review-pr --peer pr-reviewer --history git").ended(1);
    assert!(run.stderr.contains("E0602"), "{run:?}");
    fleet.write("other.yaml", &loose("b"));
    let run = fleet.run("matrix review-pr --peer pr-reviewer --against other.yaml missing.yaml").ended(1);
    assert!(
        run.stderr.contains("`other.yaml` has no capability \"review-pr\"") && run.stderr.contains("missing.yaml"),
        "{run:?}"
    );
}
