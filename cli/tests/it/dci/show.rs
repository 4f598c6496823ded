//! The text of `capgen dci resolve`.

use crate::dci::skills::{dci, workspace};

#[test]
fn the_ranked_table_shows_why_a_candidate_was_selected() {
    let workspace = workspace(&[
        ("web-search", "Searches the web for pages.", "DCI/1 P(web-search) X(y)"),
        ("web-finder", "Searches the web.", "DCI/1 P(web-search)"),
        ("reader", "Reads pages aloud.", "DCI/1 P(read-aloud)"),
    ]);
    let run = dci(&workspace, "resolve --require web-search").ended(0);
    assert_eq!(
        run.stdout,
        "\
mode      best-effort
required  web-search
selected  web-search::skills/web-search
outcome   not-needed

ranked
  rank  total     contract  desc      namepath  runtime  penalties  candidate
  1     0.916667  1         1         0.666667  1        0.05       web-search::skills/web-search (selected)
  2     0.909973  1         0.924866  0.25      1        0          web-finder::skills/web-finder
  web-search::skills/web-search matches web-search (exact)
  web-search::skills/web-search loses 0.05 for unknown clauses

rejected
  1 candidate without a match of a required capability
"
    );
    assert_eq!(run.stderr, "");
}

#[test]
fn a_tie_names_the_step_that_decided() {
    let workspace = workspace(&[("x", "tool", "DCI/1 P(tool)"), ("y", "tool", "DCI/1 P(tool,other) M(*)")]);
    let run = dci(&workspace, "resolve --require tool").ended(0);
    assert!(run.stdout.contains("rank 1 was decided between equal totals by specificity (step 4)"), "{}", run.stdout);
}

#[test]
fn the_policy_that_lets_a_skill_without_a_contract_pass_is_named_and_works() {
    let workspace = workspace(&[("summary", "Summarize text.", "")]);
    let run = dci(&workspace, "resolve --require summarize-text").ended(1);
    let expected = "
rejected
  summary::skills/summary
    contract score 0.25 is below min-contract-score=0.3

missing
  summarize-text: every match was rejected (1 candidate)

to change the result
  if summary::skills/summary provides `summarize-text`, add `P(summarize-text)` to its contract
";
    assert!(run.stdout.ends_with(expected), "{}", run.stdout);
    let suggestion = "`--policy min-contract-score=0.25` selects summary::skills/summary\n";
    assert!(run.stderr.contains(suggestion), "{}", run.stderr);
    let passed = dci(&workspace, "resolve --require summarize-text --policy min-contract-score=0.25").ended(0);
    assert!(passed.stdout.contains("selected  summary::skills/summary\n"), "{}", passed.stdout);
}

#[test]
fn every_option_that_is_suggested_lets_the_candidate_pass() {
    let workspace = workspace(&[
        (
            "half",
            "One of two.",
            "DCI/1 P(one) Rt(zed) M(openai/gpt-5*) Pol(min-total-score=1,min-required-coverage=0.9)",
        ),
        ("other", "Unrelated.", "DCI/1 P(unrelated)"),
    ]);
    for mode in ["strict", "best-effort"] {
        let resolve = format!("resolve --mode {mode} --require one --require two --decision continue-with-partial");
        let text = dci(&workspace, &resolve).ended(if mode == "strict" { 1 } else { 0 }).stdout;
        let mut options = String::new();
        // In strict, the gates apply once the runtime and the model are right.
        let lets = text.lines().find_map(|line| line.trim().strip_suffix(" lets half::skills/half pass these checks"));
        assert_eq!(lets.is_some(), mode == "strict", "{text}");
        options.push_str(lets.unwrap_or_default());
        let stderr = dci(&workspace, &format!("{resolve} {options}")).stderr;
        let policy = stderr.lines().find_map(|line| line.strip_prefix("warning[W0866]: `--policy "));
        let (policy, _) = policy.unwrap_or_else(|| panic!("{stderr}")).split_once('`').unwrap();
        options.push_str(&format!(" --policy {policy}"));
        let text = dci(&workspace, &format!("{resolve} {options}")).stdout;
        assert!(text.contains("selected  half::skills/half\n"), "{mode} {options}\n{text}");
    }
}

#[test]
fn several_skills_that_cover_more_together_are_suggested() {
    let workspace = workspace(&[("a", "One.", "DCI/1 P(one)"), ("b", "Two.", "DCI/1 P(two)")]);
    let run = dci(&workspace, "resolve --require one --require two").ended(1);
    assert!(
        run.stderr.contains("`--policy selection-mode=cover` selects a::skills/a, b::skills/b\n"),
        "{}",
        run.stderr
    );
    let run = dci(&workspace, "resolve --require one --require two --policy selection-mode=cover").ended(0);
    assert!(run.stdout.contains("selected  a::skills/a\nselected  b::skills/b\n"), "{}", run.stdout);
    assert!(!run.stdout.contains("to change the result"), "{}", run.stdout);
}

#[test]
fn an_alias_a_contract_or_a_correction_is_suggested() {
    let workspace = workspace(&[("search", "Finds pages.", "DCI/1 P(web-searches)")]);
    let alias = dci(&workspace, "resolve --mode strict --require web-search").ended(1).stdout;
    assert!(
        alias.contains(
            "if `web-searches` of search::skills/search is the same as `web-search`, declare an alias in .dci/aliases.v1.json, \
             and pass --workspace-aliases\n"
        ),
        "{alias}"
    );
    let unknown = dci(&workspace, "resolve --require translate").ended(1).stdout;
    assert!(unknown.contains("  translate: no candidate matches it\n"), "{unknown}");
    assert!(unknown.contains("  install a skill whose contract has `P(translate)`\n"), "{unknown}");
}

#[test]
fn conflicts_name_both_sides_and_their_depths() {
    let workspace = workspace(&[
        ("p1", "tool y", "DCI/1 P(tool-y) R(tool-z)"),
        ("p2", "tool z", "DCI/1 P(tool-z) D(tool-x)"),
        ("p3", "tool x", "DCI/1 P(tool-x)"),
    ]);
    let cover = "--require tool-x --require tool-y --policy selection-mode=cover --policy min-total-score=0";
    let text = dci(&workspace, &format!("resolve {cover}")).ended(1).stdout;
    let conflict = "
missing
  tool-x: it is required and denied

conflicts
  tool-x: required by consumer (depth 0), denied by p2::skills/p2 (depth 2)
";
    assert!(text.contains(conflict), "{text}");
}

#[test]
fn rejected_candidates_and_exclusions_are_counted() {
    let mut skills: Vec<(String, String)> =
        (0..40).map(|n| (format!("s{n:02}"), "DCI/1 P(one) Pol(min-total-score=1)".to_owned())).collect();
    skills.extend((0..40).map(|n| (format!("t{n:02}"), "DCI/1 P(other)".to_owned())));
    let skills: Vec<(&str, &str, &str)> =
        skills.iter().map(|(name, contract)| (&**name, "text", &**contract)).collect();
    let workspace = workspace(&skills);
    workspace.write("skills/broken/SKILL.md", "no frontmatter");
    let text = dci(&workspace, "resolve --require one --disable t00").ended(1).stdout;
    let total = text.lines().filter(|line| line.contains("is below min-total-score=1")).count();
    assert_eq!(total, 10, "{text}");
    for line in [
        "  30 candidates more that match a required capability",
        "  39 candidates without a match of a required capability",
        "  1 skill by discovery: disabled",
        "  1 skill by discovery: unparseable",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[test]
fn without_a_terminal_the_run_is_aborted_unless_an_option_decides() {
    let workspace = workspace(&[("other", "Unrelated.", "")]);
    let outcome = |decision: &str, status| {
        let run = dci(&workspace, &format!("resolve --require a {decision}")).ended(status);
        run.stdout.lines().find(|line| line.starts_with("outcome")).unwrap().to_owned()
    };
    assert!(outcome("", 1).starts_with("outcome   aborted: 1 missing capability"));
    assert!(outcome("--decision abort", 1).starts_with("outcome   aborted"));
    assert!(outcome("--decision emulate", 0).starts_with("outcome   emulated"));
    assert!(outcome("--decision continue-with-partial", 0).starts_with("outcome   continued-partial"));
}
