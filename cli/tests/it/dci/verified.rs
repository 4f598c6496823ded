//! Skills that reference manifests.

use crate::common::{Fleet, REVIEWER};
use crate::dci::skills::dci;

/// A workspace with a skill that the manifest verifies, and one that claims the same capability.
fn reviewers() -> Fleet {
    let fleet = Fleet::new(&["pr-reviewer"]);
    let skill = dci(&fleet, "skill --peer pr-reviewer").ended(0).stdout;
    fleet.write("skills/pr-reviewer/SKILL.md", &skill);
    fleet.write("skills/pr-reviewer/capabilities.yaml", REVIEWER);
    let claim = "---\nname: review-pr\ndescription: Review PR. Review PR.\nmetadata:\n  capabilities: ../../agents/pr-reviewer/capabilities.yaml\n  contract: DCI/1 P(review-pr)\n---\n";
    fleet.write("skills/review-pr/SKILL.md", &claim.replace("../../agents", "../../../outside"));
    fleet
}

#[test]
fn the_frontmatter_of_a_manifest_is_a_valid_skill() {
    let fleet = reviewers();
    let text = dci(&fleet, "skill --peer pr-reviewer").ended(0).stdout;
    assert_eq!(
        text,
        "---\nname: \"pr-reviewer\"\ndescription: \"Review a GitHub pull request.\"\nmetadata:\n  capabilities: \"capabilities.yaml\"\n  \
         contract: \"DCI/1 P(review-pr)\"\n---\n"
    );
}

#[test]
fn names_that_are_not_capabilities_are_reported() {
    let fleet = Fleet::new(&[]);
    let manifest = REVIEWER.replace("name: review-pr", "name: review-");
    fleet.write("agents/pr-reviewer/capabilities.yaml", &manifest);
    let run = dci(&fleet, "skill --peer pr-reviewer");
    assert!(run.status == 1 && run.stderr.contains("warning[E0813]: `review-` is not a capability"), "{run:?}");
}

#[test]
fn verified_matches_are_marked_and_others_are_rejected_on_request() {
    let fleet = reviewers();
    let text = dci(&fleet, "resolve --require review-pr").ended(0).stdout;
    assert!(text.contains("selected  review-pr::skills/review-pr\n") && !text.contains("verified"), "{text}");
    let run = dci(&fleet, "resolve --require review-pr --verified").ended(0);
    assert!(run.stdout.contains("selected  pr-reviewer::skills/pr-reviewer\n"), "{}", run.stdout);
    assert!(run.stdout.contains("matches review-pr (exact, verified)\n"), "{}", run.stdout);
    assert!(run.stdout.contains("its manifest does not name every capability that matches\n"), "{}", run.stdout);
    assert!(run.stderr.contains("warning[E0823]") && !run.stderr.contains("error["), "{}", run.stderr);
}

#[test]
fn reports_without_the_option_do_not_depend_on_manifests() {
    let fleet = reviewers();
    let report = |options: &str| {
        dci(&fleet, &format!("resolve --require review-pr --now 2026-01-02T03:04:05Z --json {options}")).ended(0)
    };
    let (plain, verified) = (report(""), report("--verified").json());
    let reasons = &verified["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["id"] == "review-pr::skills/review-pr")
        .unwrap()["rejection_reasons"];
    assert_eq!(*reasons, serde_json::json!(["not-verified"]));
    assert_ne!(plain.json()["run_id"], verified["run_id"]);
    std::fs::remove_file(fleet.path("skills/pr-reviewer/capabilities.yaml")).unwrap();
    assert_eq!(plain.stdout, report("").stdout);
}
