//! The invariants of ARCHITECTURE.md that can be checked in the sources.

mod dependencies;
mod files;
mod homes;
mod map;
mod modules;
mod npx;
mod packages;
mod pages;
mod plain_english;
mod pure_core;
mod repository;
mod rust_printer;
mod targets;
mod threats;
mod typescript_printer;
mod words;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use repository::{files, root, text};
use serde_json::Value;

/// The folders of the crates that users link. They must not print, exit or read the environment.
const LIBRARIES: [&str; 24] = [
    "contract/diagnostic",
    "contract/files",
    "contract/schema",
    "contract/descriptor",
    "contract/time",
    "contract/manifest",
    "macros",
    "runtime/payload",
    "runtime/capgen",
    "codegen",
    "contract/evolve",
    "runtime/call",
    "runtime/identity",
    "runtime/nats",
    "runtime/shares",
    "runtime/sqlite",
    "runtime/audit",
    "runtime/net",
    "protocols/amp",
    "protocols/registry",
    "protocols/dci",
    "contract/interop",
    "protocols/mcp",
    "contract/site",
];

/// The maximum number of lines of a hand-written file.
const MAX_LINES: usize = 800;

/// The folders of crates in layers: a crate uses crates of its own folder and of earlier layers.
const LAYERS: [&[&str]; 5] = [&["contract"], &["macros", "codegen"], &["runtime"], &["protocols"], &["cli"]];

/// The layer of the folder with a manifest; `None` for tests, examples and tools, which may use every crate.
fn layer(manifest: &str) -> Option<(usize, String)> {
    let folder = Path::new(manifest).strip_prefix(root()).unwrap().iter().next()?.to_str()?.to_owned();
    let layer = LAYERS.iter().position(|folders| folders.contains(&folder.as_str()))?;
    Some((layer, folder))
}

#[test]
fn crates_use_crates_of_their_folder_and_of_earlier_layers() {
    let mut arrows = 0;
    for package in members() {
        let Some((own, folder)) = layer(package["manifest_path"].as_str().unwrap()) else { continue };
        for dependency in dependencies(&package, &["normal", "build"]) {
            let Some(path) = dependency["path"].as_str() else { continue };
            let used = layer(&format!("{path}/Cargo.toml"));
            let is_below = used.is_some_and(|(used, other)| used < own || other == folder);
            assert!(is_below, "{} uses {}", name(&package), name(&dependency));
            arrows += 1;
        }
    }
    assert!(arrows > 40, "{arrows}");
}

#[test]
fn only_users_of_the_generator_depend_on_codegen() {
    let users = ["capgen-cli", "capgen-test-mcp", "capgen-tests", "concierge", "xtask"];
    for package in members() {
        let depends = dependencies(&package, &["normal", "build", "dev"]).iter().any(|d| name(d) == "capgen-codegen");
        assert!(!depends || users.contains(&name(&package)), "{} uses the generator", name(&package));
    }
    // In the command line: generating, checking output folders, and the names of languages and codes. Imported files
    // state, like generated ones, how to make them again, and are compared in the same way. A first manifest must not
    // make generated files collide, and its paths are quoted as in their headers.
    let may = [
        "check.rs",
        // It quotes the words of commands.
        "dci/command.rs",
        "diff/source.rs",
        "docs/mod.rs",
        "explain.rs",
        // It prints edits in the same way as stale files.
        "fix/mod.rs",
        // It searches for files with the extensions of the languages.
        "generated_files.rs",
        "generate/arguments.rs",
        "generate/configured.rs",
        "generate/history.rs",
        "generate/job.rs",
        "generate/mod.rs",
        "generate/report.rs",
        "import/header.rs",
        "import/output.rs",
        "init/conflict.rs",
        // A new fleet.yaml lists languages.
        "init/content.rs",
        "init/files.rs",
        "init/out.rs",
        "rerun.rs",
        "summary.rs",
    ];
    let may = may.map(|file| format!("cli/src/{file}"));
    for path in files().iter().filter(|path| path.starts_with("cli/src/") && !may.contains(path)) {
        assert!(!text(path).unwrap().contains("capgen_codegen"), "{path} uses the generator");
    }
}

#[test]
fn only_diagnostic_renders_findings() {
    for package in members().iter().filter(|package| name(package) != "capgen-diagnostic") {
        let draws = dependencies(package, &["normal", "build"]).iter().any(|d| name(d) == "annotate-snippets");
        assert!(!draws, "{} draws snippets", name(package));
    }
    // Words that only a renderer needs: of JSON lines, of SARIF, of GitHub's commands and of the human format.
    let words = ["endColumn", "physicalLocation", "endLine=", "error["];
    for path in files() {
        let mut crates = LIBRARIES.iter().chain(&["cli"]).filter(|krate| **krate != "contract/diagnostic");
        let in_program = crates.any(|krate| path.starts_with(&format!("{krate}/src/")));
        if !in_program || !path.ends_with(".rs") {
            continue;
        }
        for (line, code) in code(&text(&path).unwrap()) {
            let found = words.iter().find(|word| code.contains(**word));
            assert_eq!(found, None, "{path}:{line}");
        }
    }
}

#[test]
fn every_crate_of_a_layer_is_a_library_or_the_program() {
    let folder = |package: &Value| {
        let manifest = package["manifest_path"].as_str().unwrap().to_owned();
        layer(&manifest).filter(|_| !manifest.replace('\\', "/").contains("/tests/"))?;
        let folder = Path::new(&manifest).parent().unwrap().strip_prefix(root()).unwrap().to_owned();
        Some(folder.to_str().unwrap().replace('\\', "/"))
    };
    let folders: BTreeSet<String> = members().iter().filter_map(folder).collect();
    assert_eq!(folders, LIBRARIES.iter().chain(&["cli"]).map(|name| (*name).to_owned()).collect());
}

#[test]
fn crates_do_not_use_the_tests_the_examples_or_the_tools() {
    let mut leaves = 0;
    for package in members().iter().filter(|package| layer(package["manifest_path"].as_str().unwrap()).is_none()) {
        leaves += 1;
        for user in members() {
            let is_crate = layer(user["manifest_path"].as_str().unwrap()).is_some();
            // The helpers for tests depend on no crate of the workspace.
            let is_kit = name(package) == "capgen-testkit";
            let kinds: &[&str] = if is_kit { &["normal", "build"] } else { &["normal", "build", "dev"] };
            let uses = dependencies(&user, kinds).iter().any(|used| name(used) == name(package));
            assert!(!is_crate || !uses, "{} uses {}", name(&user), name(package));
        }
    }
    assert!(leaves > 8, "{leaves}");
}

/// Unit tests of every crate use it, so a crate that it depended on would be compiled twice. Crates of a registry are
/// optional.
#[test]
fn the_helpers_for_tests_depend_on_no_crate_of_the_workspace() {
    let kit = members().into_iter().find(|package| name(package) == "capgen-testkit").unwrap();
    for dependency in dependencies(&kit, &["normal", "build", "dev"]) {
        assert!(!dependency["path"].is_string(), "{}", name(&dependency));
        assert_eq!(dependency["optional"], true, "{} should belong to a feature", name(&dependency));
    }
    assert_eq!(linked("capgen-testkit", &[]), BTreeSet::from(["capgen_testkit".to_owned()]));
}

#[test]
fn the_runtime_does_not_link_the_yaml_parser() {
    for krate in ["capgen", "capgen-payload"] {
        let package = members().into_iter().find(|p| name(p) == krate).unwrap();
        for dependency in dependencies(&package, &["normal"]).iter().filter(|d| name(d) == "capgen-manifest") {
            assert_eq!(dependency["uses_default_features"], false, "{krate}");
            assert!(!dependency["features"].as_array().unwrap().contains(&"parse".into()), "{krate}");
        }
    }
}

#[test]
fn only_features_link_opentelemetry() {
    let found = |package: &str, features: &[&str]| -> Vec<String> {
        linked(package, features).into_iter().filter(|krate| krate.starts_with("opentelemetry")).collect()
    };
    for package in members() {
        let manifest = package["manifest_path"].as_str().unwrap();
        if layer(manifest).is_some() {
            assert_eq!(found(name(&package), &[]), [""; 0], "{manifest}");
        }
    }
    let features = [("capgen", "call-otel"), ("capgen-audit", "otel"), ("capgen-amp", "otel"), ("capgen-mcp", "otel")];
    for (package, feature) in features {
        // The interface alone: programs choose what records.
        assert_eq!(found(package, &["--features", feature]), ["opentelemetry"], "{package}");
    }
}

#[test]
fn the_runtime_does_without_the_renderers() {
    for krate in ["capgen", "capgen-payload", "capgen-schema", "capgen-macros"] {
        let package = members().into_iter().find(|p| name(p) == krate).unwrap();
        for dependency in dependencies(&package, &["normal"]).iter().filter(|d| name(d) == "capgen-diagnostic") {
            assert_eq!(dependency["uses_default_features"], false, "{krate}");
            assert!(dependency["features"].as_array().unwrap().is_empty(), "{krate}");
        }
    }
}

#[test]
fn calls_link_no_reports_and_no_lock() {
    let call = members().into_iter().find(|package| name(package) == "capgen-call").unwrap();
    let evolve = dependencies(&call, &["normal"]).into_iter().find(|used| name(used) == "capgen-evolve").unwrap();
    assert_eq!(evolve["uses_default_features"], false);
    assert!(evolve["features"].as_array().unwrap().is_empty(), "{evolve}");
    // A crate that only the lock and the reports need.
    let needed = ["capgen_files"];
    let found = |package: &str, features: &[&str]| -> Vec<String> {
        linked(package, features).into_iter().filter(|krate| needed.contains(&krate.as_str())).collect()
    };
    assert_eq!(found("capgen-call", &[]), [""; 0]);
    assert_eq!(found("capgen-evolve", &["--features", "reports"]), needed);
}

#[test]
fn amp_links_no_network_code_without_its_carriers() {
    // Every crate that opens a socket, or is useful only with one.
    let network = [
        "bytes",
        "tokio",
        "mio",
        "socket2",
        "hyper",
        "http",
        "rustls",
        "tokio_rustls",
        "native_tls",
        "reqwest",
        "ureq",
    ];
    let linked = |features: &[&str]| linked("capgen-amp", features);
    let found: Vec<_> = linked(&[]).into_iter().filter(|krate| network.contains(&krate.as_str())).collect();
    assert_eq!(found, Vec::<String>::new());
    assert!(linked(&["--all-features"]).contains("bytes"), "the names of crates are read");
}

#[test]
fn keys_of_capabilities_are_named_in_one_table() {
    let table = "contract/descriptor/src/keys.rs";
    let rows = text(table).unwrap();
    // `    timeout_ms (with_timeout_ms): Milliseconds = "timeoutMs", "60_000";`
    let rows: Vec<(&str, &str, &str)> = rows
        .lines()
        .filter_map(|line| {
            let (field, rest) = line.trim().split_once(" (")?;
            let (setter, rest) = rest.split_once("): ")?;
            Some((field, setter, rest.split('"').nth(1)?)).filter(|_| setter.starts_with("with_"))
        })
        .collect();
    assert_eq!(rows.len(), 18, "update this number with the table");
    for path in files().iter().filter(|path| path.ends_with(".rs") && path.contains("/src/") && *path != table) {
        // The rules for changes are about particular keys.
        let has_rules = path == "contract/evolve/src/compare/properties.rs";
        // The bodies of AMP and the probes of DCI have a field `timeout_ms` of their own, and the events of the
        // registry have `required_roles`. Other formats have places of their own for particular keys.
        let has_bodies = [
            "protocols/amp/src/",
            "protocols/registry/src/",
            "protocols/dci/src/",
            "contract/interop/src/",
            "protocols/mcp/src/",
            // The data of an error has a member `timeoutMs` too.
            "runtime/call/src/server/due.rs",
            // The errors of derived capabilities have descriptions.
            "macros/src/error_enum.rs",
            // The errors of calls have `skew`.
            "runtime/call/src/client/",
            "runtime/call/src/server/respond.rs",
        ]
        .iter()
        .any(|folder| path.starts_with(folder));
        if has_rules || has_bodies || !LIBRARIES.iter().any(|folder| path.starts_with(&format!("{folder}/src/"))) {
            continue;
        }
        let source = text(path).unwrap();
        if source.starts_with("// @generated") {
            continue;
        }
        let source = source.split("#[cfg(test)]").next().unwrap();
        for (number, line) in code(source) {
            for (field, setter, key) in &rows {
                // Keys of one word are common words in code; the setters are not.
                let is_named = line.contains(&format!(".{setter}"))
                    || (key != field && (line.contains(&format!("\"{key}\"")) || line.contains(&format!("{field}:"))));
                assert!(!is_named, "{path}:{number} names `{key}`, which only {table} should: {line}");
            }
        }
    }
}

#[test]
fn libraries_never_print_exit_or_read_the_environment() {
    let forbidden =
        ["println!", "eprintln!", "print!(", "process::exit", "std::env", "env::var", "stdout()", "stderr()"];
    for path in files() {
        let in_library = LIBRARIES.iter().any(|folder| path.starts_with(&format!("{folder}/src/")));
        // Cargo configures build scripts through the environment; `export!` is expanded in users' tests; and a program
        // asks for the settings of its environment. A macro with a path reads it relative to the package.
        let may = path.starts_with("codegen/src/build_script")
            || ["runtime/capgen/src/export.rs", "runtime/call/src/settings.rs", "macros/src/lib.rs"]
                .contains(&path.as_str());
        if !in_library || !path.ends_with(".rs") || may {
            continue;
        }
        for (line, code) in code(&text(&path).unwrap()) {
            let found = forbidden.iter().find(|word| code.contains(**word));
            assert_eq!(found, None, "{path}:{line}");
        }
    }
}

#[test]
fn generated_rust_refers_to_capgen_and_serde_alone() {
    let allowed = BTreeSet::from(["alloc", "capgen", "core", "serde", "serde_json", "std"]);
    for path in generated("rs") {
        let text = text(&path).unwrap();
        // Crates that `capgen` uses cannot refer to it. The header has the option with the path that they use instead.
        let runtime = text.split_once(" --runtime-path ::").map(|(_, path)| identifier(path));
        for (line, code) in code(&text) {
            for name in outer_crates(code) {
                let is_allowed = allowed.contains(name) && (name != "capgen" || runtime.is_none());
                assert!(is_allowed || runtime == Some(name), "{path}:{line}: {name}");
            }
        }
    }
}

#[test]
fn generated_typescript_imports_nothing_but_the_shared_module() {
    let mut seen = 0;
    for path in generated("ts") {
        let is_shared = path.ends_with("/_capgen.ts");
        let text = text(&path).unwrap();
        // An index exports the files of its folder.
        if path.ends_with("/index.ts") {
            assert!(code(&text).iter().all(|(_, code)| code.is_empty() || code.starts_with("export * as ")), "{path}");
            continue;
        }
        let mut imports = 0;
        for (line, code) in code(&text) {
            assert!(!code.contains("import(") && !code.contains("require("), "{path}:{line}: {code}");
            // The end of a statement that imports or exports names of another module.
            if let Some((_, module)) = code.split_once("} from ") {
                assert_eq!(module, "\"./_capgen.js\";", "{path}:{line}");
                imports += 1;
            }
            assert!(!code.starts_with("import \""), "{path}:{line}: {code}");
        }
        assert!(imports <= 2 && (!is_shared || imports == 0), "{path}");
        assert_eq!(text.lines().filter(|line| line.starts_with("import ")).count(), imports, "{path}");
        seen += usize::from(imports > 0);
    }
    assert!(seen >= 8, "{seen} files");
}

#[test]
fn no_file_has_more_than_800_lines() {
    for path in files() {
        // Lock files, generated files and data of others are not meant to be read from end to end.
        let is_generated =
            path == "docs/codes.md" || path.starts_with("generated/editor/") || path.starts_with("tests/fixtures/");
        if path.ends_with(".lock") || path.ends_with("package-lock.json") || is_generated {
            continue;
        }
        let Some(text) = text(&path) else { continue };
        if text.lines().next().is_some_and(|line| line.contains("@generated")) {
            continue;
        }
        let lines = text.lines().count();
        assert!(lines <= MAX_LINES, "{path} has {lines} lines");
    }
}

/// Code in documentation, tables and addresses cannot be wrapped.
#[test]
fn comments_wrap_at_120_columns() {
    for path in files().into_iter().filter(|path| path.ends_with(".rs")) {
        let text = text(&path).unwrap_or_default();
        let is_generated = text.lines().next().is_some_and(|line| line.contains("@generated"));
        // The pages quote the examples, and the compiler's messages quote the mistakes.
        if is_generated || path.starts_with("examples/") || path.contains("/tests/ui/") {
            continue;
        }
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
            let comment = comment.trim_start_matches(['/', '!']).trim_start();
            is_code ^= comment.starts_with("```");
            let is_whole = is_code || comment.starts_with('|') || comment.contains("://");
            assert!(is_whole || line.chars().count() <= 120, "{path}:{}: {line}", number + 1);
        }
    }
}

#[test]
fn the_stated_rust_version_is_enough_for_every_dependency() {
    let stated = members().iter().map(|p| version(&p["rust_version"])).min().unwrap();
    for package in locked_packages() {
        let needed = version(&package["rust_version"]);
        assert!(needed <= stated, "{} needs Rust {needed:?}, the workspace states {stated:?}", name(&package));
    }
}

#[test]
fn no_file_changes_the_behaviour_of_rustup_or_cargo() {
    let names = ["rust-toolchain", "rust-toolchain.toml", "config.toml", ".npmrc", ".envrc"];
    let found: Vec<_> = files().into_iter().filter(|p| names.contains(&p.rsplit('/').next().unwrap())).collect();
    assert_eq!(found, [".cargo/config.toml"]);
    // It has only names for commands.
    let config = text(".cargo/config.toml").unwrap();
    let tables: Vec<&str> = config.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(tables, ["[alias]"]);
}

#[test]
fn every_crate_forbids_unsafe_code() {
    assert!(text("Cargo.toml").unwrap().contains("unsafe_code = \"forbid\""));
    for package in members() {
        let manifest = std::fs::read_to_string(package["manifest_path"].as_str().unwrap()).unwrap();
        let forbids =
            ["[lints]\nworkspace = true", "unsafe_code = \"forbid\""].iter().any(|lint| manifest.contains(lint));
        assert!(forbids, "{}", name(&package));
    }
}

#[test]
fn no_file_names_a_machine_or_a_private_registry() {
    // Concatenated here, so that this file does not contain the paths itself.
    let machine = ["/root", "/home", "/Users", "/work"].map(|folder| format!("{folder}/"));
    for path in files() {
        let Some(text) = text(&path) else { continue };
        for (number, line) in text.lines().enumerate() {
            let named = machine.iter().any(|folder| line.contains(folder) && !is_harmless(line, folder));
            assert!(!named, "{path}:{}: {line}", number + 1);
        }
        let is_lock = path.ends_with("Cargo.lock") || path.ends_with("package-lock.json");
        for host in hosts(&text).filter(|_| is_lock) {
            // The last three have pages for sponsors, which npm copies from packages.
            let known = ["github.com", "registry.npmjs.org", "trpc.io", "opencollective.com", "tidelift.com"];
            assert!(known.contains(&host), "{path}: {host}");
        }
    }
}

/// The lines of code of a source file with their numbers, without comments and without the tests at the end.
pub(crate) fn code(text: &str) -> Vec<(usize, &str)> {
    let end = text.find("#[cfg(test)]\nmod tests").unwrap_or(text.len());
    let lines = text[..end].lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    lines.filter(|(_, line)| !line.starts_with("//") && !line.starts_with('*') && !line.starts_with("/*")).collect()
}

/// The crates that a line of code refers to by an absolute path.
fn outer_crates(code: &str) -> Vec<&str> {
    let starts = code.match_indices("::").filter(|(at, _)| {
        let before = code[..*at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '>' | ')' | ']'))
    });
    let absolute = starts.map(|(at, _)| identifier(&code[at + 2..]));
    let used = code.strip_prefix("use ").map(|rest| identifier(rest.trim_start_matches("::")));
    let declared = code.strip_prefix("extern crate ").map(identifier);
    absolute.chain(used).chain(declared).filter(|name| !["", "self", "super", "crate"].contains(name)).collect()
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// Whether no occurrence is the start of an absolute path. Some continue a longer path, such as `agents/home/`.
fn is_harmless(line: &str, folder: &str) -> bool {
    line.match_indices(folder).all(|(at, _)| {
        // A fictional home folder in examples.
        if line[at..].starts_with("/home/me/") {
            return true;
        }
        line[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '}'))
    })
}

fn hosts(text: &str) -> impl Iterator<Item = &str> {
    text.split("https://").skip(1).map(|rest| rest.split(['/', '"']).next().unwrap_or_default())
}

fn generated(extension: &str) -> Vec<String> {
    let all = files();
    all.into_iter().filter(|p| p.starts_with("generated/") && p.ends_with(&format!(".{extension}"))).collect()
}

fn metadata(arguments: &[&str]) -> Option<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).args(["metadata", "--format-version", "1", "--locked", "--offline"]).args(arguments);
    let output = command.output().unwrap();
    output.status.success().then(|| serde_json::from_slice(&output.stdout).unwrap())
}

/// The packages of the workspace.
fn members() -> Vec<Value> {
    metadata(&["--no-deps"]).unwrap()["packages"].as_array().unwrap().clone()
}

/// The crates that a package links with these options of features, by the names of their libraries.
pub(crate) fn linked(package: &str, features: &[&str]) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).args(["tree", "--locked", "--offline", "--package", package]);
    command.args(["--edges", "normal,build", "--prefix", "none", "--format", "{lib}"]);
    let output = command.args(features).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).unwrap();
    names.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

/// Every package of the lock file, or only those of this platform if the others are not downloaded.
fn locked_packages() -> Vec<Value> {
    let here = || {
        let rustc =
            Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("-vV").output().unwrap();
        let version = String::from_utf8(rustc.stdout).unwrap();
        let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned();
        eprintln!("only the packages for {host} are checked: run `cargo fetch` for all of them");
        metadata(&["--filter-platform", &host])
    };
    metadata(&[]).or_else(here).unwrap()["packages"].as_array().unwrap().clone()
}

fn dependencies(package: &Value, kinds: &[&str]) -> Vec<Value> {
    let all = package["dependencies"].as_array().unwrap().iter();
    all.filter(|d| kinds.contains(&d["kind"].as_str().unwrap_or("normal"))).cloned().collect()
}

fn name(value: &Value) -> &str {
    value["name"].as_str().unwrap()
}

/// Parses `1.85` or `1.85.0`. A package without a version requirement has 0.
fn version(value: &Value) -> (u32, u32, u32) {
    let mut parts = value.as_str().unwrap_or("0").split('.').map(|part| part.parse().unwrap());
    (parts.next().unwrap(), parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}
