//! Every code is explained, and every explanation is true.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use capgen_manifest::{Diagnostic, Fleet, Source, codes_page, explain, explanations, load};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The codes that a source file gives out, as `Code::new("E0001")` or as `NAME = "E0001";` in a list.
fn codes_in(text: &str) -> BTreeSet<String> {
    let quoted = text.split('"').skip(1).step_by(2);
    let is_code = |t: &&str| t.len() == 5 && t.starts_with(['E', 'W']) && t.bytes().skip(1).all(|b| b.is_ascii_digit());
    quoted.filter(is_code).map(str::to_owned).collect()
}

#[test]
fn every_code_has_an_explanation_and_every_explanation_a_code() {
    let mut given = BTreeSet::new();
    for entry in fs::read_dir(workspace()).unwrap() {
        let file = entry.unwrap().path().join("src/codes/mod.rs");
        given.extend(fs::read_to_string(file).iter().flat_map(|text| codes_in(text)));
    }
    let explained: BTreeSet<String> = explanations().iter().map(|e| e.code.to_owned()).collect();
    assert_eq!(given, explained);
    for krate in fs::read_dir(workspace()).unwrap() {
        // Most crates have no codes.
        for entry in fs::read_dir(krate.unwrap().path().join("src/codes")).into_iter().flatten() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let Some(code) = name.strip_suffix(".md") else { continue };
            assert!(explain(code).is_some(), "{name} is not in `explain.rs`");
        }
    }
}

#[test]
fn explanations_are_sorted_and_have_the_house_form() {
    assert!(explanations().windows(2).all(|pair| pair[0].code < pair[1].code));
    for explanation in explanations() {
        let text = explanation.text;
        assert!(text.starts_with(&format!("# {}: {}\n\n", explanation.code, explanation.title())), "{text}");
        assert!(text.contains("\n\nWrong:\n\n```") && text.contains("\n\nFixed:\n\n```"), "{text}");
        assert!(text.ends_with("```\n") && text.lines().all(|line| line.len() <= 200), "{text}");
    }
}

/// The notation and the text of the fenced block after `heading`.
fn block<'t>(text: &'t str, heading: &str) -> (&'t str, &'t str) {
    let rest = text.split_once(&format!("\n{heading}:\n\n```")).unwrap().1;
    let (notation, rest) = rest.split_once('\n').unwrap();
    (notation, rest.split_once("```\n").unwrap().0)
}

/// The findings of a block; `None` where no file can show what it is about.
fn findings((notation, text): (&str, &str), name: &str) -> Option<Vec<Diagnostic>> {
    match notation {
        "text" => None,
        "yaml fleet" => {
            let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
            fs::create_dir_all(&root).unwrap();
            fs::write(root.join("fleet.yaml"), text).unwrap();
            Some(Fleet::open(&root).err().unwrap_or_default())
        }
        notation => {
            let source = Source::new(format!("capabilities.{notation}"), text);
            Some(load(&source).map_or_else(|findings| findings, |loaded| loaded.warnings))
        }
    }
}

fn codes(findings: &[Diagnostic]) -> BTreeSet<&'static str> {
    findings.iter().map(|finding| finding.code.as_str()).collect()
}

#[test]
fn every_wrong_example_has_only_its_own_finding() {
    let wrong: Vec<String> = explanations()
        .iter()
        .filter_map(|e| {
            let found = findings(block(e.text, "Wrong"), &format!("{}-wrong", e.code))?;
            (codes(&found) != BTreeSet::from([e.code])).then(|| format!("{}: {found:#?}", e.code))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_fixed_example_has_no_finding() {
    let wrong: Vec<String> = explanations()
        .iter()
        .filter_map(|e| {
            let found = findings(block(e.text, "Fixed"), &format!("{}-fixed", e.code))?;
            (!found.is_empty()).then(|| format!("{}: {found:#?}", e.code))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `CAPGEN_UPDATE=1` writes the page.
#[test]
fn the_page_of_codes_is_fresh() {
    let path = workspace().join("docs/codes.md");
    if std::env::var_os("CAPGEN_UPDATE").is_some() {
        fs::create_dir_all(workspace().join("docs")).unwrap();
        fs::write(&path, codes_page()).unwrap();
    }
    let page = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        page == codes_page(),
        "docs/codes.md is stale: run `CAPGEN_UPDATE=1 cargo test -p capgen-manifest --test codes`"
    );
}
