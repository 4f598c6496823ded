//! Resolution over the frontmatter of 43 published skills, for 40 queries. None of these skills has a contract that
//! provides something, so that names and descriptions decide.
//!
//! The expected results were reviewed by hand; `real_skills.txt` notes those that a reader would not expect.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fmt::Write as _;

use capgen_dci::{
    Aliases, Corpus, Declaration, Host, Inputs, Mode, Overrides, Probes, Reliability, Skill, Source, resolve,
};
use serde_json::Value;

const EXPECTED: &str = include_str!("real_skills.txt");

fn skills(corpus: &str) -> Vec<Skill> {
    let text = std::fs::read_to_string(format!("{corpus}/skills/skills.json")).unwrap();
    let documents: Vec<Value> = serde_json::from_str(&text).unwrap();
    let skill = |document: &Value| {
        let path = document["path"].as_str().unwrap();
        let frontmatter = document["frontmatter"].as_str().unwrap();
        let source = capgen_diagnostic::Source::new(path, format!("---\n{frontmatter}---\n"));
        let folder = path.trim_end_matches("/SKILL.md").to_owned();
        let read = Skill::read(&source, folder.clone(), Source::WorkspaceLocal, folder.into());
        read.unwrap_or_else(|findings| panic!("{path}: {findings:?}")).skill
    };
    documents.iter().map(skill).collect()
}

/// The best five of a query, a line each.
fn best(corpus: &Corpus, query: &str) -> String {
    let mut overrides = Overrides::default();
    for key in ["min-total-score", "min-contract-score", "min-required-coverage"] {
        overrides.set(key, "0").unwrap();
    }
    let (aliases, reliability, probes) = (Aliases::default(), Reliability::default(), Probes::default());
    let (capabilities, text) = query.split_once(": ").unwrap();
    let inputs = Inputs {
        required: capabilities.split(' ').map(str::to_owned).collect(),
        query: Some(text.to_owned()),
        consumer: None,
        host: Host::default(),
        overrides,
        profile: capgen_dci::Profile::default(),
        aliases: &aliases,
        reliability: &reliability,
        probes: &probes,
    };
    let resolution = resolve(corpus, &inputs, None).unwrap();
    let mut lines = String::new();
    for one in resolution.selection.ranked.iter().take(5) {
        let name = &corpus.candidate(&one.scored.id).unwrap().skill.name;
        let scores = &one.scored.scores;
        let [total, contract, description] =
            [&scores.last, &scores.contract, &scores.description].map(|score| score.shown());
        writeln!(lines, "  {name}: {total}, contract {contract}, description {description}").unwrap();
    }
    lines
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn forty_queries_find_the_reviewed_skills_of_the_corpora() {
    let folder = std::env::var("CAPGEN_CORPUS").unwrap();
    let skills = skills(&folder);
    assert_eq!(skills.len(), 43);
    let corpus = Corpus::new(skills, Mode::BestEffort);
    assert!(corpus.candidates().iter().all(|candidate| !matches!(candidate.declaration, Declaration::Unreadable)));
    let queries: Vec<&str> = EXPECTED.lines().filter_map(|line| line.strip_prefix("? ")).collect();
    assert_eq!(queries.len(), 40);
    let found: String = queries.iter().map(|query| format!("? {query}\n{}", best(&corpus, query))).collect();
    let expected = EXPECTED.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let expected: String = expected.map(|line| format!("{line}\n")).collect();
    if let Some(path) = std::env::var_os("CAPGEN_DCI_WRITE") {
        std::fs::write(path, &found).unwrap();
    }
    assert_eq!(found, expected);
}
