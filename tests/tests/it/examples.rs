//! The checked-in output of the examples is up to date, and the documentation shows it as it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use capgen_codegen::output::{Destination, Plan};
use capgen_codegen::{Language, Options};
use capgen_diagnostic::render;
use capgen_manifest::{Selection, Source, load};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}")).replace("\r\n", "\n")
}

#[test]
fn the_checked_in_output_is_up_to_date() {
    let root_of_fleet = Some(root().join("examples/fleet"));
    let all = Selection { all: true, root: root_of_fleet.clone(), ..Selection::default() };
    let peers = ["pr-reviewer", "reviewer"].map(str::to_owned).into();
    let called = Selection { peers, root: root_of_fleet, ..Selection::default() };
    for (selection, folder, calls) in [(all, "generated", false), (called, "generated/calls", true)] {
        let contracts = selection.locate().load().unwrap_or_else(|found| panic!("{}", render::human(&found, false)));
        let folder = root().join(folder);
        let options = Options { calls, ..Options::default() };
        let target = Destination { folder: &folder, languages: &Language::DEFAULT, options, build_script: None };
        let plan = Plan::new(&folder, target.generate(&contracts)).unwrap();
        assert_eq!(plan.diff(), "", "run `cargo run -p xtask -- regen`");
        assert_eq!(plan.orphans(|_| false).unwrap(), Vec::<PathBuf>::new());
    }
}

#[test]
fn the_generated_code_of_the_benchmarks_is_up_to_date() {
    let payloads = std::fs::read_dir(root().join("tools/benches/payloads")).unwrap();
    let contracts = payloads.map(|entry| entry.unwrap().path().join("capabilities.yaml")).filter(|path| path.is_file());
    let selection = Selection { files: contracts.collect(), ..Selection::default() };
    let contracts = selection.locate().load().unwrap_or_else(|found| panic!("{}", render::human(&found, false)));
    assert!(contracts.len() >= 5);
    let folder = root().join("tools/benches/validation/src/generated");
    let languages = &[Language::Rust];
    let target = Destination { folder: &folder, languages, options: Options::default(), build_script: None };
    let plan = Plan::new(&folder, target.generate(&contracts)).unwrap();
    assert_eq!(plan.diff(), "", "run `cargo run -p xtask -- regen`");
    assert_eq!(plan.orphans(|_| false).unwrap(), Vec::<PathBuf>::new());
}

/// The first pages of the crates in a folder, which is one or has several.
fn readmes(folder: &str) -> Vec<String> {
    let inner = std::fs::read_dir(root().join(folder)).unwrap();
    let inner = inner.map(|entry| format!("{folder}/{}", entry.unwrap().file_name().into_string().unwrap()));
    let pages = inner.chain([folder.to_owned()]).map(|folder| format!("{folder}/README.md"));
    pages.filter(|page| root().join(page).is_file()).collect()
}

/// The pages of the documentation, without the generated list of codes.
fn pages() -> Vec<String> {
    let top =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "DESIGN.md", "tools/benches/README.md"].map(str::to_owned);
    let examples = ["concierge", "console", "dispatcher", "evolution", "reviewer"]
        .map(|name| format!("examples/{name}/README.md"));
    let book = std::fs::read_dir(root().join("docs")).unwrap();
    let book = book.map(|entry| format!("docs/{}", entry.unwrap().file_name().into_string().unwrap()));
    let crates: Vec<String> =
        ["cli", "codegen", "contract", "macros", "protocols", "runtime"].into_iter().flat_map(readmes).collect();
    assert!(crates.len() > 20, "{crates:?}");
    let mut pages: Vec<_> = top.into_iter().chain(examples).chain(book).chain(crates).collect();
    pages.retain(|page| page.ends_with(".md") && page != "docs/codes.md");
    pages.sort();
    pages.dedup();
    pages
}

/// Users copy these lines, with the path of their checkout.
#[test]
fn paths_of_crates_in_the_documentation_lead_to_them() {
    let mut paths = 0;
    for page in pages() {
        for line in text(&page).lines() {
            // `capgen = { path = "../capgen/..." }` in a manifest, or a command of cargo.
            let (name, folder) = if let Some((before, after)) = line.split_once("path = \"../capgen/") {
                (before.split(" =").next().unwrap(), after.split('"').next().unwrap())
            } else if let Some((before, after)) = line.split_once(" --path ../capgen/") {
                (before.rsplit(' ').next().unwrap(), after.split(' ').next().unwrap())
            } else {
                continue;
            };
            let manifest = text(&format!("{folder}/Cargo.toml"));
            assert!(manifest.contains(&format!("\nname = \"{name}\"\n")), "{page}: {line}");
            paths += 1;
        }
    }
    assert!(paths > 8, "{paths}");
}

/// A block that follows `<!-- file: PATH -->` is an excerpt of that file. A line `// ...` replaces omitted lines.
#[test]
fn excerpts_in_the_documentation_equal_their_files() {
    let mut shown = 0;
    for page in pages() {
        let page_text = text(&page);
        for part in page_text.split("<!-- file: ").skip(1) {
            let (path, rest) = part.split_once(" -->\n").unwrap();
            let block = rest.split_once('\n').unwrap().1.split_once("\n```").unwrap().0;
            let file = unindented(&text(path));
            for chunk in unindented(block).split("// ...\n") {
                assert!(file.contains(chunk.trim_end()), "{page} shows lines that are not in {path}:\n{chunk}");
            }
            shown += 1;
        }
    }
    assert!(shown >= 10, "the documentation has only {shown} excerpts");
}

/// The blocks of a page: the line before each one, its language and its text.
fn blocks(page: &str) -> Vec<(&str, &str, &str)> {
    let mut blocks = Vec::new();
    let parts: Vec<&str> = page.split("\n```").collect();
    for pair in parts.chunks(2) {
        if let [before, block] = pair {
            let (language, text) = block.split_once('\n').unwrap_or((block, ""));
            blocks.push((before.lines().last().unwrap_or_default(), language, text));
        }
    }
    blocks
}

/// Code that a reader copies is compiled, because it is an excerpt of a file that is. Lines that only import names are
/// fragments of a program whose rest is an excerpt.
#[test]
fn rust_in_the_documentation_is_compiled() {
    // The constructors of generated types are described before they are used.
    // Attributes of a field are tested with the derive.
    const FRAGMENTS: [&str; 3] = [
        "let refund = RefundPaymentRequest::new(",
        "#[schemars(with = \"capgen::MapSchema<TravellerId, Seat>\")]",
        "#[serde(with = \"hex\")]",
    ];
    let mut seen = 0;
    for page in pages() {
        for (before, language, block) in blocks(&text(&page)) {
            if !language.starts_with("rust") {
                continue;
            }
            seen += 1;
            // An item of imports may have several lines.
            let only_imports = block.split(';').all(|item| {
                let item = item.trim();
                item.is_empty() || item.starts_with("use ") || item.starts_with("mod ")
            });
            let is_compiled = before.starts_with("<!-- file: ") && before.ends_with(".rs -->");
            let is_fragment = only_imports || FRAGMENTS.iter().any(|start| block.starts_with(start));
            assert!(is_compiled || is_fragment, "{page} shows Rust that is not an excerpt of a file:\n{block}");
        }
    }
    assert!(seen >= 20, "the documentation has only {seen} blocks of Rust");
}

/// No crate is published, so a version of one leads nowhere. `docs/install.md` describes the checkout.
#[test]
fn pages_take_capgen_from_a_checkout() {
    for page in pages() {
        for line in text(&page).lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_versioned = line.starts_with("capgen") && line.contains(" = ") && !line.contains("path = ");
            let installs = matches!(words.as_slice(), ["cargo", "install" | "add" | "binstall", ..])
                && words.iter().any(|word| word.starts_with("capgen"))
                && !words.contains(&"--path");
            assert!(!is_versioned && !installs, "{page} takes a crate from a registry: {line}");
        }
    }
}

/// The folder of each package in the repository, by name.
fn packages() -> BTreeMap<String, PathBuf> {
    let (mut packages, mut open) = (BTreeMap::new(), vec![root()]);
    while let Some(folder) = open.pop() {
        if let Ok(manifest) = std::fs::read_to_string(folder.join("Cargo.toml"))
            && let Some((_, rest)) = manifest.split_once("[package]\nname = \"")
        {
            packages.insert(rest.split('"').next().unwrap().to_owned(), folder.clone());
        }
        let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap());
        let is_source = |name: &str| !name.starts_with('.') && !matches!(name, "target" | "node_modules" | "src");
        let folders = entries.filter(|entry| entry.file_type().unwrap().is_dir());
        open.extend(folders.filter(|entry| is_source(&entry.file_name().to_string_lossy())).map(|entry| entry.path()));
    }
    packages
}

/// The packages, the programs and the modules of tests that the pages name in commands of cargo.
#[test]
fn the_commands_of_cargo_in_the_documentation_name_what_exists() {
    let packages = packages();
    let mut commands = 0;
    for page in pages() {
        for command in text(&page).split("cargo ").skip(1) {
            let line = command.lines().next().unwrap().split('`').next().unwrap();
            let words: Vec<&str> = line.split_whitespace().take_while(|word| *word != "--").collect();
            if !matches!(words.first(), Some(&("run" | "test" | "bench" | "build"))) {
                continue;
            }
            let after = |option: &str| words.windows(2).find(|pair| pair[0] == option).map(|pair| pair[1]);
            let Some(package) = after("-p") else { continue };
            let folder = packages.get(package).unwrap_or_else(|| panic!("{page}: no package `{package}`: {line}"));
            let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
            if let Some(program) = after("--bin") {
                let is_there = folder.join(format!("src/bin/{program}.rs")).is_file()
                    || manifest.contains(&format!("name = \"{program}\""));
                assert!(is_there, "{page}: no program `{program}` in `{package}`: {line}");
            }
            if let Some(tests) = after("--test") {
                let is_there = folder.join("tests").join(tests).join("main.rs").is_file()
                    || folder.join(format!("tests/{tests}.rs")).is_file();
                assert!(is_there, "{page}: no tests `{tests}` in `{package}`: {line}");
                if let Some(module) = words.iter().find_map(|word| Some(word.split_once("::")?.0)) {
                    let file = folder.join("tests").join(tests).join(module);
                    let is_there = file.is_dir() || file.with_extension("rs").is_file();
                    assert!(is_there, "{page}: no module `{module}` in the tests of `{package}`: {line}");
                }
            }
            commands += 1;
        }
    }
    assert!(commands >= 30, "the documentation has only {commands} commands of cargo");
}

/// An excerpt may be indented less than in its file.
fn unindented(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_start())).collect()
}

#[test]
fn the_readme_starts_with_the_commands_that_ci_runs() {
    let readme = text("README.md");
    let mut commands = readme.split("```\n").nth(1).unwrap().lines();
    assert!(commands.next().unwrap().starts_with("cargo run -q -p capgen-cli --bin capgen -- --peer pr-reviewer "));
    let tests = commands.next().unwrap();
    assert!(text(".ci/run").contains(&format!("test_command=\"{tests}\"\n")), "{tests}");
}

#[test]
fn the_readme_shows_a_real_finding() {
    let path = "agents/pr-reviewer/capabilities.yaml";
    let contract = text(&format!("examples/fleet/{path}"))
        .replace("prUrl: { type: string,", "prUrl: { type: string, nullable: true,");
    let findings = load(&Source::new(path, contract)).unwrap_err();
    let finding = render::human(&findings, false);
    assert!(text("README.md").contains(&format!("```\n{finding}```\n")), "{finding}");
}

#[test]
fn links_between_pages_resolve() {
    for page in pages() {
        let page_text = text(&page);
        for target in page_text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let folder = root().join(&page).parent().unwrap().to_owned();
            let file = if path.is_empty() { root().join(&page) } else { folder.join(path) };
            assert!(target.contains("://") || file.exists(), "{page} links to {target}");
            if !target.contains("://") && !anchor.is_empty() {
                let headings = std::fs::read_to_string(&file).unwrap();
                let found = headings.lines().filter(|line| line.starts_with('#')).any(|line| slug(line) == anchor);
                assert!(found, "{page} links to {target}, which has no such heading");
            }
        }
    }
}

/// The anchor that GitHub gives a heading.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}
