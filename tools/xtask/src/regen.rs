//! `regen`: all generated files that are checked in.

use std::path::Path;
use std::process::Command;

use capgen_codegen::output::{Destination, Plan};
use capgen_codegen::{Language, Options, RuntimePath};
use capgen_diagnostic::{Diagnostic, render};
use capgen_manifest::{Selection, codes};

use crate::{Outcome, cargo, root};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Replace files that are out of date.
    Write,
    /// Report files that are out of date.
    Check,
}

pub(crate) fn run(mode: Mode) -> Outcome {
    let mut stale = Vec::new();
    let root = root();
    // The program has the page of all codes, because it is the one place where the tables of all crates come together.
    let program = cargo::capgen()?;
    stale.extend(file(&root.join("docs/codes.md"), &printed(&program, &["explain", "--all"])?, mode)?);
    for name in ["capabilities", "fleet"] {
        let schema = printed(&program, &["export", "manifest-schema", name])?;
        stale.extend(file(&root.join(format!("generated/editor/{name}.schema.json")), &schema, mode)?);
    }
    for found in [
        examples(&root, mode),
        calls(&root, mode),
        servers(&root, mode),
        benchmarks(&root, mode),
        envelope(&root, mode),
        events(&root, mode),
    ] {
        stale.extend(found.map_err(|found| render::human(&found, false))?);
    }
    stale.extend(lock(&program, &root, mode)?);
    // `tests/cases/*/expected` and `docs/dci-conformance.md`.
    by_tests(&["snapshots::", "dci_conformance::"], mode)?;
    let names = stale.join("\n");
    match mode {
        _ if stale.is_empty() => Ok("all generated files are up to date".to_owned()),
        Mode::Write => Ok(format!("wrote\n{names}")),
        Mode::Check => Err(format!("out of date; run `cargo run -p xtask -- regen`\n{names}")),
    }
}

/// The output of the program.
fn printed(program: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output().map_err(|error| format!("capgen: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// `examples/fleet/capgen.lock`, by the program; returns its name if it was out of date.
fn lock(program: &Path, root: &Path, mode: Mode) -> Result<Option<String>, String> {
    let run = |arguments: &[&str]| {
        let mut lock = Command::new(program);
        lock.current_dir(root).args(["lock", "--root", "examples/fleet"]).args(arguments);
        lock.output().map_err(|error| format!("capgen: {error}"))
    };
    if run(&["--check"])?.status.success() {
        return Ok(None);
    }
    if mode == Mode::Write {
        let output = run(&[])?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
    }
    Ok(Some("examples/fleet/capgen.lock".to_owned()))
}

/// Compares or replaces one file; returns its name if it was out of date.
fn file(path: &Path, text: &str, mode: Mode) -> Result<Option<String>, String> {
    // A checkout may have other line endings.
    if std::fs::read_to_string(path).is_ok_and(|old| old.replace("\r\n", "\n") == text) {
        return Ok(None);
    }
    if mode == Mode::Write {
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(Some(path.display().to_string()))
}

/// `generated/`: the code of the example fleet, in every language.
fn examples(root: &Path, mode: Mode) -> Result<Vec<String>, Vec<Diagnostic>> {
    let fleet = root.join("examples/fleet");
    let selection = Selection { all: true, root: Some(fleet.clone()), start: fleet, ..Selection::default() };
    generated(&root.join("generated"), &selection, &Language::DEFAULT, Options::default(), mode)
}

/// `generated/calls/`: the same for the agents that the examples call or implement, with clients.
fn calls(root: &Path, mode: Mode) -> Result<Vec<String>, Vec<Diagnostic>> {
    let fleet = root.join("examples/fleet");
    let peers = ["pr-reviewer", "reviewer"].map(str::to_owned);
    let selection = Selection { peers: peers.into(), root: Some(fleet.clone()), start: fleet, ..Selection::default() };
    let options = Options { calls: true, ..Options::default() };
    generated(&root.join("generated/calls"), &selection, &Language::DEFAULT, options, mode)
}

/// `tests/mcp/generated/`: the code of three MCP servers.
fn servers(root: &Path, mode: Mode) -> Result<Vec<String>, Vec<Diagnostic>> {
    let fleet = root.join("tests/mcp");
    let selection = Selection { all: true, root: Some(fleet.clone()), start: fleet.clone(), ..Selection::default() };
    generated(&fleet.join("generated"), &selection, &Language::DEFAULT, Options::default(), mode)
}

/// `tools/benches/validation/src/generated/`: the Rust code of the contracts of the benchmarks.
fn benchmarks(root: &Path, mode: Mode) -> Result<Vec<String>, Vec<Diagnostic>> {
    let contracts = ["enums", "findings", "flat", "tree", "union"];
    let file = |name| root.join("tools/benches/payloads").join(name).join("capabilities.yaml");
    let selection = Selection { files: contracts.map(file).into(), start: root.to_owned(), ..Selection::default() };
    generated(
        &root.join("tools/benches/validation/src/generated"),
        &selection,
        &[Language::Rust],
        Options::default(),
        mode,
    )
}

/// `runtime/call/src/envelope/generated/`: the Rust code of the messages between callers and providers.
fn envelope(root: &Path, mode: Mode) -> Result<Vec<String>, Vec<Diagnostic>> {
    let files = vec![root.join("runtime/call/contract/capabilities.yaml")];
    let selection = Selection { files, start: root.to_owned(), ..Selection::default() };
    generated(&root.join("runtime/call/src/envelope/generated"), &selection, &[Language::Rust], without_capgen()?, mode)
}

/// `protocols/registry/src/event/generated/`: the Rust code of the events of the registry.
fn events(root: &Path, mode: Mode) -> Result<Vec<String>, Vec<Diagnostic>> {
    let files = vec![root.join("protocols/registry/contract/capabilities.yaml")];
    let selection = Selection { files, start: root.to_owned(), ..Selection::default() };
    generated(
        &root.join("protocols/registry/src/event/generated"),
        &selection,
        &[Language::Rust],
        without_capgen()?,
        mode,
    )
}

/// The options for crates that cannot use `capgen`, because it may use them: the types of `capgen-payload` are enough
/// for them.
fn without_capgen() -> Result<Options, Vec<Diagnostic>> {
    let path = RuntimePath::new("::capgen_payload");
    let runtime_path = path.map_err(|error| vec![Diagnostic::new(codes::RUNTIME_PATH, error.to_string())])?;
    Ok(Options { runtime_path, ..Options::default() })
}

/// Compares or replaces a folder of generated code; returns a message for each file that was out of date.
fn generated(
    folder: &Path,
    selection: &Selection,
    languages: &[Language],
    options: Options,
    mode: Mode,
) -> Result<Vec<String>, Vec<Diagnostic>> {
    let contracts = selection.locate().load()?;
    let target = Destination { folder, languages, options, build_script: None };
    let plan = Plan::new(folder, target.generate(&contracts))?;
    let mut stale: Vec<String> = plan.stale("").into_iter().map(|finding| finding.message).collect();
    for path in plan.orphans(|_| false)? {
        stale.push(format!("`{}` has no agent", path.display()));
        if mode == Mode::Write {
            // If this fails, the next check reports the file again.
            let _ = std::fs::remove_file(&path);
        }
    }
    if mode == Mode::Write {
        plan.write()?;
    }
    Ok(stale)
}

/// Files that the tests with these names compare, and also write. All programs of tests are asked for them, because the
/// tests of the whole workspace have compiled these.
fn by_tests(names: &[&str], mode: Mode) -> Result<(), String> {
    let mut tests = cargo::cargo();
    tests.args(["test", "-q", "--workspace", "--test", "it", "--"]).args(names);
    if mode == Mode::Write {
        tests.env("CAPGEN_UPDATE", "1");
    }
    let output = tests.output().map_err(|error| format!("cargo test: {error}"))?;
    let text = [output.stdout, output.stderr].concat();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&text).into_owned()) }
}
