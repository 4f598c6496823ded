//! `capgen dci lint`.

use serde_json::Value;

use crate::common::{Fleet, Run, loose};

/// A workspace with a skill per name and contract.
fn workspace(skills: &[(&str, &str)]) -> Fleet {
    let fleet = Fleet::new(&[]);
    for (name, contract) in skills {
        skill(&fleet, name, &format!("metadata:\n  contract: {contract}\n"));
    }
    fleet
}

fn skill(fleet: &Fleet, name: &str, rest: &str) {
    fleet.write(
        &format!("skills/{name}/SKILL.md"),
        &format!("---\nname: {name}\ndescription: d\n{rest}---\n\n# {name}\n"),
    );
}

/// The code of each finding of a run with `--format json`, with its place.
fn found(run: &Run) -> Vec<String> {
    let lines = run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let place = |finding: Value| {
        let text = |name: &str| finding[name].as_str().unwrap().to_owned();
        format!("{} {}:{}:{}", text("code"), text("path"), finding["line"], finding["column"])
    };
    lines.map(place).collect()
}

#[test]
fn a_correct_workspace_has_no_findings() {
    let fleet =
        workspace(&[("a", "DCI/1 P(x) R(y) D(z)"), ("b", "DCI/1^strict P(y) R(x)"), ("c", "DCI/1 E(q) O(unknown)")]);
    fleet.write("skills/group/d/SKILL.md", "---\nname: d\ndescription: d\n---\n");
    let run = fleet.run("dci lint --strict").ended(0);
    assert_eq!((run.stderr.as_str(), run.stdout.as_str()), ("✓ checked 4 skills: 0 errors, 0 warnings\n", ""));
    fleet.run("dci lint nowhere").ended(1);
}

#[test]
fn mistakes_in_contracts_have_their_places_in_the_file() {
    let fleet = workspace(&[
        ("a", "DCI/1 P(x!) R(a\\n)"),
        ("b", r#""DCI/1^strict P(x) \u0041(k=a\\ b c)""#),
        ("c", ">-\n    DCI/1 P(x)\n\n    Q(y)"),
        ("d", "'P(x)'"),
    ]);
    let run = fleet.run("dci lint --format json").ended(1);
    assert_eq!(
        found(&run),
        [
            "E0813 skills/a/SKILL.md:5:21",
            "E0809 skills/a/SKILL.md:5:28",
            "E0819 skills/b/SKILL.md:5:41",
            "E0810 skills/c/SKILL.md:8:5",
            "E0801 skills/d/SKILL.md:5:14",
        ]
    );
    let human = fleet.run("dci lint").ended(1);
    let snippet = "warning[E0810]: unknown clause `Q`\n --> skills/c/SKILL.md:8:5\n  |\n8 |     Q(y)\n  |     ^\n";
    assert!(human.stderr.contains(snippet), "{}", human.stderr);
    assert!(human.stderr.ends_with("checked 4 skills: 2 errors, 3 warnings\n"), "{}", human.stderr);
    // In strict, everything is an error, and white space counts; in best-effort, only a contract without a header is an
    // error.
    assert!(fleet.run("dci lint --mode strict").ended(1).stderr.ends_with("6 errors, 0 warnings\n"));
    assert!(fleet.run("dci lint --mode best-effort").ended(1).stderr.ends_with("1 error, 4 warnings\n"));
}

#[test]
fn mistakes_in_frontmatter_are_errors_and_ignored_values_are_warnings() {
    let fleet = Fleet::new(&[]);
    fleet.write("skills/a/SKILL.md", "# A\n");
    fleet.write("skills/b/SKILL.md", "---\nname: b\ndescription: 1\n---\n");
    fleet.write("skills/c/SKILL.md", "---\nname: c\nname: c\n---\n");
    skill(&fleet, "d", "compatibility: [cli]\nmetadata:\n  contract: 5\n");
    fleet.write("skills/e/SKILL.md/x", "");
    let run = fleet.run("dci lint --format json").ended(1);
    let expected = [
        "E0830 skills/a/SKILL.md:1:1",
        "E0832 skills/b/SKILL.md:3:14",
        "E0003 skills/c/SKILL.md:3:1",
        "W0831 skills/d/SKILL.md:4:16",
        "W0831 skills/d/SKILL.md:6:13",
    ];
    assert_eq!(found(&run), expected);
    assert!(fleet.run("dci lint").ended(1).stderr.ends_with("checked 4 skills: 3 errors, 2 warnings\n"));
}

#[test]
fn a_required_capability_without_another_provider_is_reported() {
    let fleet =
        workspace(&[("a", "DCI/1 P(own) R(own,web-serach,Other,known)"), ("b", "DCI/1 P(web-search,canonical)")]);
    let run = fleet.run("dci lint --format json").ended(0);
    assert_eq!(found(&run), [28, 32, 43, 49].map(|column| format!("W0801 skills/a/SKILL.md:5:{column}")));
    assert!(run.stdout.contains("did you mean `web-search`?"), "{run:?}");
    fleet.run("dci lint --strict").ended(1);
    // Aliases and skills elsewhere provide capabilities.
    fleet.write(
        ".dci/aliases.v1.json",
        r#"{"schema_version": "1", "alias_table_version": "1", "aliases": {"canonical": ["known"]}}"#,
    );
    fleet.write("more/x/SKILL.md", "---\nname: x\ndescription: d\nmetadata: { contract: DCI/1 P(other) X(y) }\n---\n");
    fleet.write("mounted/SKILL.md", "---\nname: y\ndescription: d\nmetadata: { contract: DCI/1 P(own) }\n---\n");
    let run = fleet.run("dci lint --format json --installed more --mount mounted").ended(0);
    assert_eq!(found(&run), ["W0801 skills/a/SKILL.md:5:32"]);
    // In strict, capabilities are compared as they are written.
    let run = fleet.run("dci lint --format json --mode strict --installed more --mount mounted").ended(0);
    assert_eq!(found(&run), ["W0801 skills/a/SKILL.md:5:32", "W0801 skills/a/SKILL.md:5:43"]);
}

#[test]
fn a_denied_capability_that_is_always_required_is_reported() {
    let fleet = workspace(&[
        // Itself.
        ("a", "DCI/1 R(net) D(x,net)"),
        // By its providers, directly and through others.
        ("b", "DCI/1 R(deep) D(net)"),
        // One of two providers does not need it.
        ("c", "DCI/1 R(both) D(net)"),
        ("p", "DCI/1 P(both,middle) R(net)"),
        ("q", "DCI/1 P(both,net)"),
        ("r", "DCI/1 P(deep) R(middle)"),
        ("s", "DCI/1 P(deep) R(net,middle)"),
    ]);
    let run = fleet.run("dci lint --format json").ended(0);
    assert_eq!(found(&run), ["W0802 skills/a/SKILL.md:5:30", "W0802 skills/b/SKILL.md:5:29"]);
    assert!(run.stdout.contains("`net` is denied, but the skill requires it"), "{run:?}");
    assert!(run.stdout.contains("`net` is denied, but every provider of `deep` requires it"), "{run:?}");
}

#[test]
fn provided_capabilities_are_compared_with_the_manifest() {
    let fleet = workspace(&[]);
    let reference = |contract: &str, path: &str| format!("metadata:\n  contract: {contract}\n  capabilities: {path}\n");
    fleet.write("agents/x/capabilities.yaml", &loose("x"));
    fleet.write("agents/bad/capabilities.yaml", "secret: 1\n");
    fleet.write("outside.yaml", &loose("x"));
    skill(&fleet, "a", &reference("DCI/1 P(Ping)", "../../agents/x/capabilities.yaml"));
    skill(&fleet, "b", &reference("DCI/1 P(pnig,ping)", "../../agents/x/capabilities.yaml"));
    skill(&fleet, "c", &reference("DCI/1 P(ping)", "capabilities.yaml"));
    skill(&fleet, "d", &reference("DCI/1 P(ping)", "../../agents/bad/capabilities.yaml"));
    skill(&fleet, "e", &reference("DCI/1 P(ping)", "../../../../../../../../../../etc/hosts"));
    skill(&fleet, "f", &reference("DCI/1 P(ping)", "/etc/hosts"));
    let run = fleet.run("dci lint --format json").ended(1);
    let expected = [
        "W0803 skills/b/SKILL.md:5:21",
        "E0823 skills/c/SKILL.md:6:17",
        "E0823 skills/d/SKILL.md:6:17",
        "E0823 skills/e/SKILL.md:6:17",
        "E0823 skills/f/SKILL.md:6:17",
    ];
    assert_eq!(found(&run), expected);
    assert!(run.stdout.contains("did you mean `ping`?") && !run.stdout.contains("secret"), "{run:?}");
}

#[test]
fn invalid_documents_of_the_workspace_are_reported() {
    let fleet = workspace(&[("a", "DCI/1 P(x)")]);
    fleet.write(".dci/aliases.v1.json", "{}");
    fleet.write(".dci/probes.v1.json", "[]");
    let run = fleet.run("dci lint").ended(1);
    assert!(run.stderr.contains("error[E0837]") && run.stderr.contains("error[E0838]"), "{run:?}");
    fleet.run("dci lint --aliases nowhere.json").ended(1);
}

#[test]
fn formats_are_those_of_check() {
    let fleet = workspace(&[("a", "DCI/1 P(x) R(missing)")]);
    fleet.init();
    let github = fleet.run("dci lint --format github").ended(0);
    assert!(github.stdout.starts_with("::warning file=skills/a/SKILL.md,line=5,"), "{github:?}");
    let sarif = fleet.run("dci lint --format sarif").ended(0).json();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "W0801");
    assert_eq!(fleet.run("dci lint --format human").ended(0).stdout, "");
}

#[test]
fn hostile_skills_give_a_bounded_number_of_findings() {
    let fleet = Fleet::new(&[]);
    let tokens: Vec<String> = (0..5000).map(|number| format!("c{number}")).collect();
    for name in ["a", "b", "c"] {
        skill(&fleet, name, &format!("metadata:\n  contract: DCI/1 R({})\n", tokens.join(",")));
    }
    let run = fleet.run("dci lint --format json").ended(0);
    assert_eq!(run.stdout.lines().count(), 10_000);
    assert_eq!(run.stderr, "5000 further findings not shown\n");
    skill(&fleet, "d\u{1b}[2J", "metadata:\n  contract: DCI/1 R(\u{1b}[2J)\n");
    assert!(!fleet.run("dci lint").stderr.contains('\u{1b}'));
}

#[test]
fn links_that_are_not_followed_are_reported() {
    let fleet = Fleet::new(&[]);
    fleet.write("other/a/SKILL.md", "---\nname: a\ndescription: b\n---\n");
    fleet.write("w/skills/x/SKILL.md", "---\nname: x\ndescription: d\n---\n");
    std::os::unix::fs::symlink(fleet.path("other"), fleet.path("w/skills/other")).unwrap();
    let run = fleet.run("dci lint w").ended(0);
    assert!(run.stderr.contains("warning[W0832]: `skills/other`: a link that leaves the workspace"), "{}", run.stderr);
    fleet.run("dci lint --strict w").ended(1);
}
