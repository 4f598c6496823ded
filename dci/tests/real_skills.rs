//! The frontmatter of real skills, from `$CAPGEN_CORPUS/skills/skills.json`.

use std::path::{Path, PathBuf};

use capgen_dci::{Skill, Source};
use serde_json::Value;

#[test]
fn real_skills_load() {
    let Some(corpus) = std::env::var_os("CAPGEN_CORPUS") else {
        println!("skipped: CAPGEN_CORPUS is not set");
        return;
    };
    let skills: Vec<Value> =
        serde_json::from_slice(&std::fs::read(Path::new(&corpus).join("skills/skills.json")).unwrap()).unwrap();
    assert_eq!(skills.len(), 43);
    for entry in &skills {
        let (path, frontmatter) = (entry["path"].as_str().unwrap(), entry["frontmatter"].as_str().unwrap());
        let text = format!("---\n{frontmatter}---\n\n# Title\n");
        let source = capgen_diagnostic::Source::new(path, text);
        let folder = path.trim_end_matches("/SKILL.md").to_owned();
        let found = Skill::read(&source, folder, Source::WorkspaceLocal, PathBuf::new());
        let found = found.unwrap_or_else(|findings| panic!("{path}: {findings:?}"));
        assert_eq!(found.warnings.len(), 0, "{path}: {:?}", found.warnings);
        assert!(!found.skill.name.is_empty() && !found.skill.description.is_empty());
    }
}
