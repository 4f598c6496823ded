//! The code generated from every `cases/<name>/capabilities.yaml` equals `expected/<extension>/<id>.<extension>`, and
//! with the option `calls` `expected/<extension>-calls/<id>.<extension>`. The code that they share is the same for
//! every contract: `generated/_capgen.ts`.
//!
//! With `CAPGEN_UPDATE=1` the expected files are updated instead.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use capgen_codegen::{Language, Options};
use capgen_diagnostic::render;
use capgen_manifest::{Manifest, load, read_source};
use capgen_tests::contract::own_files;
use capgen_tests::folder;

/// The agents with expected JavaScript. One is enough, because JavaScript equals TypeScript without types.
const IN_JAVASCRIPT: [&str; 3] = ["pr-reviewer", "tagged-union", "loose-sides"];

/// The agents with expected items for calls: the other files do not show them.
const WITH_CALLS: [&str; 5] = ["pr-reviewer", "loose-sides", "name-collisions", "hostile-text", "errors"];

fn cases() -> Vec<PathBuf> {
    let cases = std::fs::read_dir(folder().join("cases")).unwrap();
    let mut cases: Vec<PathBuf> = cases.map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    cases
}

fn contract(case: &Path) -> Manifest {
    let path = case.join("capabilities.yaml");
    let source = read_source(&path, &path.to_string_lossy()).unwrap();
    match load(&source) {
        Ok(loaded) => loaded.manifest,
        Err(findings) => panic!("{}", render::human(&findings, false)),
    }
}

/// The paths in `expected` and their contents.
fn expected(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for language in std::fs::read_dir(folder).into_iter().flatten() {
        let language = language.unwrap();
        for file in std::fs::read_dir(language.path()).unwrap() {
            let file = file.unwrap();
            let name = format!("{}/{}", language.file_name().to_string_lossy(), file.file_name().to_string_lossy());
            files.insert(name, std::fs::read_to_string(file.path()).unwrap());
        }
    }
    files
}

fn actual(contract: &Manifest) -> BTreeMap<String, String> {
    let is_shown = |language: &Language| match language {
        Language::JavaScript => IN_JAVASCRIPT.contains(&contract.agent.as_str()),
        // The other forms differ from JavaScript only in the exports, which one example shows.
        Language::JavaScriptModule | Language::CommonJs => contract.agent.as_str() == IN_JAVASCRIPT[0],
        // A language of its own is always shown.
        _ => true,
    };
    let generated = |language: Language, calls: bool| {
        let folder = match language {
            Language::Rust => language.name(),
            // The folder of each other language has its extension.
            _ => language.extensions().next().unwrap(),
        };
        let options = Options { calls, ..Options::default() };
        let files = own_files(contract, language, &options);
        let folder = format!("{folder}{}", if calls { "-calls" } else { "" });
        files.into_iter().map(move |(name, text)| (format!("{folder}/{name}"), text))
    };
    let shown = Language::ALL.iter().copied().filter(is_shown).flat_map(|language| generated(language, false));
    let has_calls = WITH_CALLS.contains(&contract.agent.as_str());
    let with_calls = Language::DEFAULT.into_iter().filter(|_| has_calls).flat_map(|language| generated(language, true));
    shown.chain(with_calls).collect()
}

fn update(folder: &Path, files: &BTreeMap<String, String>) {
    let _ = std::fs::remove_dir_all(folder);
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

#[test]
fn generated_code_equals_the_expected_files() {
    let update_all = std::env::var_os("CAPGEN_UPDATE").is_some_and(|value| value == "1");
    let mut stale = Vec::new();
    for case in cases() {
        let (folder, actual) = (case.join("expected"), actual(&contract(&case)));
        let expected = expected(&folder);
        if update_all && actual != expected {
            update(&folder, &actual);
        } else if actual != expected {
            let names = actual.keys().chain(expected.keys());
            let differing = names.filter(|name| actual.get(*name) != expected.get(*name));
            stale.extend(differing.map(|name| format!("{}/expected/{name}", case.display())));
        }
    }
    stale.sort();
    stale.dedup();
    assert!(stale.is_empty(), "not as expected (CAPGEN_UPDATE=1 rewrites them):\n{}", stale.join("\n"));
}
