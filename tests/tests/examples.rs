//! What is checked in for the examples is what the example fleet gives, and the documentation says what is so.

use std::path::{Path, PathBuf};

use capgen_codegen::contracts::{Contract, Selection};
use capgen_codegen::output::{Output, Plan};
use capgen_codegen::{Language, generate};
use capgen_manifest::{Source, load, render};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}")).replace("\r\n", "\n")
}

#[test]
fn the_checked_in_output_is_fresh() {
    let fleet = Selection { all: true, root: Some(root().join("examples/fleet")), ..Selection::default() };
    let contracts = fleet.locate().load().unwrap_or_else(|found| panic!("{}", render::human(&found, false)));
    let output = |contract: &Contract| Output {
        agent: contract.manifest.agent.clone(),
        origin: contract.origin.clone(),
        files: generate(&contract.manifest, &Language::DEFAULT),
    };
    let plan = Plan::new(&root().join("generated"), contracts.iter().map(output).collect()).unwrap();
    assert_eq!(plan.diff(), "", "run `cargo run -p xtask -- regen`");
    assert_eq!(plan.orphans(|_| false).unwrap(), Vec::<PathBuf>::new());
}

/// A block that follows `<!-- file: PATH -->` shows lines of that file. A line `// ...` stands for what is left out.
#[test]
fn the_readme_shows_the_files_that_it_names() {
    let mut shown = 0;
    for page in ["README.md", "docs/manifest.md", "docs/generated-code.md"] {
        let page_text = text(page);
        for part in page_text.split("<!-- file: ").skip(1) {
            let (path, rest) = part.split_once(" -->\n").unwrap();
            let block = rest.split_once('\n').unwrap().1.split_once("\n```").unwrap().0;
            let file = unindented(&text(path));
            for chunk in unindented(block).split("// ...\n") {
                assert!(file.contains(chunk.trim_end()), "{page} shows what is not in {path}:\n{chunk}");
            }
            shown += 1;
        }
    }
    assert!(shown >= 4, "only {shown} files are shown");
}

/// An excerpt may stand further left than in its file.
fn unindented(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_start())).collect()
}

#[test]
fn the_readme_begins_with_the_commands_that_ci_runs() {
    let readme = text("README.md");
    let mut commands = readme.split("```\n").nth(1).unwrap().lines();
    assert!(commands.next().unwrap().starts_with("cargo run -q -p capgen-cli --bin capgen -- --peer pr-reviewer "));
    let tests = commands.next().unwrap();
    assert!(text(".ci/run").contains(&format!("test_command=\"{tests}\"\n")), "{tests}");
}

#[test]
fn the_readme_shows_a_finding_as_it_is() {
    let path = "agents/pr-reviewer/capabilities.yaml";
    let contract = text(&format!("examples/fleet/{path}"))
        .replace("prUrl: { type: string,", "prUrl: { type: string, nullable: true,");
    let findings = load(&Source::new(path, contract)).unwrap_err();
    let finding = render::human(&findings, false);
    assert!(text("README.md").contains(&format!("```\n{finding}```\n")), "{finding}");
}

/// Every link between pages leads somewhere.
#[test]
fn links_between_pages_lead_to_files() {
    let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "DESIGN.md", "examples/concierge/README.md"];
    let more =
        ["examples/console/README.md", "docs/README.md", "docs/manifest.md", "docs/generated-code.md", "docs/cli.md"];
    for page in pages.into_iter().chain(more) {
        let page_text = text(page);
        for target in page_text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = root().join(page).parent().unwrap().join(target);
            assert!(target.contains("://") || file.exists(), "{page} links to {target}");
        }
    }
}
