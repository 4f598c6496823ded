//! The rulings after a trial with published skills (decisions 40 to 45), as a user sees them.

use serde_json::Value;

use crate::common::{Fleet, Run};
use crate::dci::skills::{dci, skill, workspace};

/// The objects on standard error.
fn lines(run: &Run) -> Vec<Value> {
    run.stderr
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {run:?}")))
        .collect()
}

fn codes(run: &Run) -> Vec<String> {
    lines(run).iter().map(|line| line["code"].as_str().unwrap().to_owned()).collect()
}

/// Runs the command of a suggestion.
fn again(workspace: &Fleet, command: &str) -> Run {
    dci(workspace, command.strip_prefix("capgen dci ").unwrap())
}

// 40: near names.

#[test]
fn ruling_40_a_provider_that_was_selected_by_a_near_name_is_named_in_the_text_and_in_a_warning() {
    let workspace = workspace(&[("search", "Search the web.", "DCI/1 P(web-searches)")]);
    let resolve = "resolve --require web-search --policy min-total-score=0";
    let run = dci(&workspace, resolve).ended(0);
    let expected = "\
selected by a near name
  search::skills/search: `web-search` is covered only by the similar name `web-searches`
";
    assert!(run.stdout.contains(expected), "{}", run.stdout);
    assert!(run.stdout.contains("matches web-search (near name)"), "{}", run.stdout);
    assert!(
        run.stderr.contains("warning[W0865]: search::skills/search: `web-search` is covered only"),
        "{}",
        run.stderr
    );
    let run = dci(&workspace, &format!("{resolve} --json")).ended(0);
    assert_eq!(codes(&run), ["W0865"]);
    assert_eq!(lines(&run)[0]["path"], "search::skills/search");
}

// 41: the profile.

#[test]
fn ruling_41_the_practical_profile_is_an_option_of_resolve_and_graph() {
    let workspace = workspace(&[("summary", "Summarize text.", ""), ("other", "Draws charts.", "")]);
    dci(&workspace, "resolve --require summarize-text").ended(1);
    let report = dci(&workspace, "resolve --require summarize-text --profile practical --json").ended(0).json();
    assert_eq!(report["selected_candidates"][0], "summary::skills/summary");
    assert_eq!(report["policy"]["override_source"], "runtime");
    let graph = dci(&workspace, "graph --require summarize-text --profile practical").ended(0);
    assert!(graph.stdout.contains("summary::skills/summary"), "{graph:?}");
    dci(&workspace, "resolve --require a --profile strict").ended(2);
}

// 42: suggestions.

#[test]
fn ruling_42_suggestions_are_complete_commands_as_text_and_as_data() {
    let workspace = workspace(&[("summary", "Summarize text.", ""), ("other", "Draws charts.", "")]);
    let resolve = "resolve --require summarize-text --host-runtime zed --disable none";
    let run = dci(&workspace, resolve).ended(1);
    for part in [
        "warning[W0866]: `--profile practical` selects summary::skills/summary\n",
        "run `capgen dci resolve --disable none --require summarize-text --host-runtime zed --profile practical`\n",
        "warning[W0866]: `--policy min-contract-score=0.25` selects summary::skills/summary\n",
    ] {
        assert!(run.stderr.contains(part), "{part}\n{}", run.stderr);
    }
    let run = dci(&workspace, &format!("{resolve} --json")).ended(1);
    let found: Vec<Value> = lines(&run).into_iter().filter(|line| line["code"] == "W0866").collect();
    let kinds: Vec<&str> = found.iter().map(|line| line["suggestion"]["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["profile", "policy"]);
    for line in &found {
        let suggestion = &line["suggestion"];
        let report = again(&workspace, suggestion["command"].as_str().unwrap()).ended(0).json();
        assert_eq!(report["selected_candidates"], suggestion["selected"]);
        assert_eq!(report["unresolved_required_capabilities"], suggestion["missing"]);
        assert_eq!(report["on_missing_required_action"]["outcome"], suggestion["outcome"]);
    }
}

#[test]
fn ruling_42_the_ids_of_suggestions_are_complete() {
    let path = format!("{}/summarize-text", ["folder-with-a-long-name"; 10].join("/"));
    let workspace = workspace(&[]);
    workspace.write(&format!("skills/{path}/SKILL.md"), &skill("summarize-text", "Summarize text.", ""));
    let run = dci(&workspace, "resolve --require summarize-text").ended(1);
    let id = format!("summarize-text::skills/{path}");
    assert!(run.stderr.contains(&format!("selects {id}\n")), "{}", run.stderr);
    assert!(run.stdout.contains(&format!("if {id} provides `summarize-text`")), "{}", run.stdout);
}

#[test]
fn ruling_42_no_program_of_a_probe_runs_for_a_suggestion() {
    let workspace = workspace(&[("search", "Web search.", "DCI/1 P(web-search) R(missing)")]);
    workspace.write(
        ".dci/probes.v1.json",
        r#"{"schema_version": "1", "probes": {"web-search": {"command": ["/bin/sh", "-c", "echo x >> ../../runs"], "timeout_ms": 60000}}}"#,
    );
    let run = dci(&workspace, "resolve --require web-search --mode strict --allow-probes --json").ended(1);
    assert!(codes(&run).contains(&"W0866".to_owned()), "{run:?}");
    assert_eq!(workspace.read("runs"), "x\n");
}

// 43: the order of errors, and `parse`.

#[test]
fn ruling_43_a_wrong_command_is_reported_before_invalid_input() {
    let workspace = workspace(&[]);
    workspace.write(".dci/aliases.v1.json", "{}");
    workspace.write("consumer/SKILL.md", &skill("consumer", "c", "DCI/1 P(x)"));
    for arguments in ["", " --consumer consumer", " --installed missing", " --workspace missing"] {
        let run = dci(&workspace, &format!("resolve --query text{arguments}")).ended(2);
        assert!(run.stderr.contains("capgen dci search"), "{arguments}: {run:?}");
    }
    // A consumer that cannot be read is invalid input: whether it requires something is unknown.
    dci(&workspace, "resolve --query text --consumer missing").ended(1);
    dci(&workspace, "resolve --require a --policy max-candidates=1 --policy max-candidates=2").ended(2);
    dci(&workspace, "resolve --require a --installed missing").ended(1);
}

#[test]
fn ruling_43_parse_reports_the_mode_in_which_the_contract_was_read() {
    let fleet = Fleet::new(&[]);
    let mode = |arguments: &[&str]| {
        let output = fleet.command("dci parse --json").args(arguments).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["mode"].clone()
    };
    assert_eq!(mode(&["DCI/1 P(a)"]), "best-effort");
    assert_eq!(mode(&["DCI/1^strict P(a)"]), "strict");
    assert_eq!(mode(&["--mode", "best-effort", "DCI/1^strict P(a)"]), "best-effort");
    // An unreadable contract was read in a mode, too.
    assert_eq!(mode(&["DCI/1^strict P(a b)"]), "strict");
    assert_eq!(mode(&["--mode", "strict", "P(a)"]), "strict");
}

// 44: links, and workspaces without skills.

#[test]
fn ruling_44_every_command_fails_without_skills_and_names_where_they_are() {
    let workspace = Fleet::new(&[]);
    workspace.write(".claude/skills/notes/SKILL.md", &skill("notes", "Notes.", ""));
    for command in [
        "resolve --require a",
        "resolve --require a --json",
        "graph --require a",
        "search a",
        "search a --json",
        "lint",
    ] {
        let run = dci(&workspace, command).ended(1);
        assert_eq!(run.stdout, "", "{command}");
        for part in ["error[E0842]", "searched: `skills`", "`.claude/skills` (1)", "pass --installed `.claude/skills`"]
        {
            assert!(run.stderr.contains(part), "{command} {part}\n{}", run.stderr);
        }
    }
    dci(&workspace, "resolve --require notes --installed .claude/skills --profile practical").ended(0);
}

#[cfg(unix)]
#[test]
fn ruling_44_text_output_names_the_links_that_leave_the_workspace() {
    let workspace = workspace(&[("search", "Web search.", "DCI/1 P(web-search)")]);
    let outside = Fleet::new(&[]);
    outside.write("x/SKILL.md", &skill("x", "X.", ""));
    for name in ["link-a", "link-b"] {
        std::os::unix::fs::symlink(outside.path("x"), workspace.path(&format!("skills/{name}"))).unwrap();
    }
    let run = dci(&workspace, "resolve --require web-search").ended(0);
    assert!(
        run.stdout.contains("2 skills by discovery: link-outside-root (skills/link-a, skills/link-b)\n"),
        "{}",
        run.stdout
    );
    for command in ["resolve --require web-search", "graph --require web-search", "search web"] {
        let run = dci(&workspace, command).ended(0);
        for name in ["skills/link-a", "skills/link-b"] {
            assert!(run.stderr.contains(&format!("warning[W0832]: {name}: ")), "{command}: {}", run.stderr);
        }
    }
}

#[cfg(unix)]
#[test]
fn ruling_44_linked_skills_are_checked_and_their_manifests_are_read() {
    let workspace = Fleet::new(&["pr-reviewer"]);
    let text = "---\nname: review\ndescription: Review.\nmetadata:\n  contract: DCI/1 P(review-pr)\n  capabilities: ../../../agents/pr-reviewer/capabilities.yaml\n---\n";
    workspace.write(".agents/skills/review/SKILL.md", text);
    workspace
        .write("shared/other.md", "---\nname: other\ndescription: Other.\nmetadata:\n  contract: DCI/1 P(x!)\n---\n");
    std::fs::create_dir_all(workspace.path("skills/other")).unwrap();
    let link = |target: &str, path: &str| std::os::unix::fs::symlink(target, workspace.path(path)).unwrap();
    link("../.agents/skills/review", "skills/review");
    link("../../shared/other.md", "skills/other/SKILL.md");
    let run = dci(&workspace, "lint").ended(0);
    assert!(run.stderr.contains("skills/other/SKILL.md:5:21"), "{}", run.stderr);
    assert!(run.stderr.ends_with("checked 2 skills: 0 errors, 1 warning\n"), "{}", run.stderr);
    let run = dci(&workspace, "resolve --require review-pr --verified").ended(0);
    assert!(run.stdout.contains("review-pr (exact, verified)"), "{}", run.stdout);
}

// 45: the rules of Agent Skills.

#[test]
fn ruling_45_lint_checks_names_and_descriptions_by_the_specification_of_agent_skills() {
    let workspace = workspace(&[("good-name-1", "Fine.", "")]);
    workspace.write("skills/folder/SKILL.md", &skill("other", "Name and folder differ.", ""));
    workspace.write("skills/Web_Search/SKILL.md", &skill("Web_Search", "No lower case.", ""));
    let long = "x".repeat(65);
    workspace.write(&format!("skills/{long}/SKILL.md"), &skill(&long, "The name is too long.", ""));
    workspace.write("skills/described/SKILL.md", &skill("described", &"\u{e9}".repeat(1025), ""));
    workspace.write("skills/longest/SKILL.md", &skill("longest", &"\u{e9}".repeat(1024), ""));
    let run = dci(&workspace, "lint --format json").ended(0);
    let found: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found: Vec<String> = found
        .iter()
        .map(|one| format!("{} {}:{}", one["code"].as_str().unwrap(), one["path"].as_str().unwrap(), one["line"]))
        .collect();
    let expected = [
        "W0805 skills/Web_Search/SKILL.md:2".to_owned(),
        "W0806 skills/described/SKILL.md:3".to_owned(),
        "W0804 skills/folder/SKILL.md:2".to_owned(),
        format!("W0805 skills/{long}/SKILL.md:2"),
    ];
    assert_eq!(found, expected);
    dci(&workspace, "lint --strict").ended(1);
}

#[test]
fn lint_warns_about_a_file_whose_name_differs_in_its_case() {
    let workspace = workspace(&[("upper", "Fine.", "")]);
    workspace.write("skills/lower/skill.md", &skill("lower", "Not found by other tools.", ""));
    workspace.write("skills/lower/references/Skill.MD", "Notes");
    let run = dci(&workspace, "lint").ended(0);
    for path in ["skills/lower/skill.md", "skills/lower/references/Skill.MD"] {
        assert!(run.stderr.contains(&format!("warning[W0807]: `{path}` is not named `SKILL.md`")), "{run:?}");
    }
    assert!(run.stderr.ends_with("checked 1 skill: 0 errors, 2 warnings\n"), "{run:?}");
    dci(&workspace, "lint --strict").ended(1);
}

// Further findings of the trial.

#[test]
fn w0861_is_reported_once_per_run_whatever_the_number_of_skills() {
    let workspace = Fleet::new(&[]);
    for number in 0..30 {
        let text = skill(&format!("s{number:02}"), "Web search.", "");
        let text = text.replace("---\nname", &format!("---\ncompatibility: Needs git {number}\nname"));
        workspace.write(&format!("skills/s{number:02}/SKILL.md"), &text);
    }
    let run = dci(&workspace, "resolve --require web-search --profile practical");
    assert_eq!(run.stderr.matches("W0861").count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("`compatibility` of 30 skills names unknown runtimes"), "{}", run.stderr);
    let run = dci(&workspace, "resolve --require web-search --json");
    assert_eq!(codes(&run).iter().filter(|code| *code == "W0861").count(), 1);
}

#[test]
fn equal_warnings_about_several_skills_are_one_in_text() {
    let workspace = Fleet::new(&[]);
    for name in ["a", "b", "c"] {
        let text =
            skill(name, "Web search.", "DCI/1 P(web-search)").replace("---\nname", "---\ncompatibility: [cli]\nname");
        workspace.write(&format!("skills/{name}/SKILL.md"), &text);
    }
    let run = dci(&workspace, "resolve --require web-search").ended(0);
    assert_eq!(run.stderr.matches("W0831").count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("a::skills/a and 2 others: "), "{}", run.stderr);
    let run = dci(&workspace, "resolve --require web-search --json").ended(0);
    assert_eq!(codes(&run), ["W0831"; 3]);
}

#[test]
fn w0802_is_reported_only_if_a_resolution_has_the_conflict() {
    let found = |skills: &[(&str, &str, &str)]| {
        let run = dci(&workspace(skills), "lint --format json");
        run.stdout.lines().filter(|line| line.contains("W0802")).count()
    };
    let research = ("research", "Research.", "DCI/1 R(web-search) D(http)");
    let search = ("search", "Web search.", "DCI/1 P(web-search) R(http)");
    assert_eq!(found(&[research, search]), 1);
    // The requirements are followed down to depth 2 only.
    let deep = [
        ("a", "Research.", "DCI/1 R(one) D(http)"),
        ("b", "One.", "DCI/1 P(one) R(two)"),
        ("c", "Two.", "DCI/1 P(two) R(three)"),
        ("d", "Three.", "DCI/1 P(three) R(http)"),
    ];
    assert_eq!(found(&deep), 0);
    assert_eq!(found(&[deep[0], ("b", "One.", "DCI/1 P(one) R(three)"), deep[3]]), 1);
    // Nothing is selected: the provider does not support the runtime.
    let strict = ("research", "Research.", "DCI/1^strict R(web-search) D(http)");
    let elsewhere = ("search", "Web search.", "DCI/1 P(web-search) R(http) Rt(zed)");
    assert_eq!((found(&[strict, search]), found(&[strict, elsewhere])), (1, 0));
}
