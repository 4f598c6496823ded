//! Whether the code that is generated from the documents compiles.

use std::path::{Path, PathBuf};
use std::process::Command;

use capgen_codegen::{Language, generate};
use capgen_manifest::Manifest;

use super::import::Measured;
use crate::{cargo, root};

/// Compiles the code of each contract, in Rust and then in TypeScript.
pub(super) fn all(measured: &mut [Measured]) -> Result<(), String> {
    let folder = root().join("target/real-documents");
    for document in measured {
        let Some(contract) = &document.contract else { continue };
        let own = folder.join(contract.agent.as_str());
        document.compiles = vec![rust(&own.join("rust"), contract)?, typescript(&own.join("typescript"), contract)?];
    }
    Ok(())
}

/// A package that has the code as its only module. Warnings are allowed: names of types can come from a document.
fn rust(folder: &Path, contract: &Manifest) -> Result<bool, String> {
    let runtime = root().join("runtime/capgen");
    let manifest = format!(
        "[package]\nname = \"real-document\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         capgen = {{ path = {runtime:?} }}\nserde = \"1\"\nserde_json = \"1\"\n\n[profile.dev]\ndebug = 0\n"
    );
    write(&folder.join("Cargo.toml"), &manifest)?;
    let lock = root().join("Cargo.lock");
    std::fs::copy(&lock, folder.join("Cargo.lock")).map_err(|error| format!("{}: {error}", lock.display()))?;
    for (name, text) in generate(contract, &[Language::Rust]) {
        write(&folder.join("src").join(name), &text)?;
    }
    let module = format!("include!({:?});\n", format!("{}.rs", contract.agent));
    write(&folder.join("src/lib.rs"), &module)?;
    let mut check = cargo::cargo();
    check.current_dir(folder).args(["check", "--offline", "--quiet"]);
    check.env("CARGO_TARGET_DIR", root().join("target/real-documents/target"));
    succeeds(check)
}

/// The compiler of `tests/node`, with all of its strict options.
fn typescript(folder: &Path, contract: &Manifest) -> Result<bool, String> {
    let mut files: Vec<PathBuf> = Vec::new();
    for (name, text) in generate(contract, &[Language::TypeScript]) {
        files.push(folder.join(&name));
        write(&folder.join(name), &text)?;
    }
    let compiler = root().join("tests/node/node_modules/.bin/tsc");
    if !compiler.exists() {
        return Err("install the compiler of TypeScript: npm ci --prefix tests/node --ignore-scripts".to_owned());
    }
    let mut check = Command::new(compiler);
    check.args(["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"]);
    check.args(["--verbatimModuleSyntax", "--allowImportingTsExtensions", "--target", "es2022", "--module", "esnext"]);
    check.args(["--moduleResolution", "bundler"]).args(files);
    succeeds(check)
}

/// Whether the command succeeds. Its messages go to standard error.
fn succeeds(mut command: Command) -> Result<bool, String> {
    command.status().map(|status| status.success()).map_err(|error| format!("{command:?}: {error}"))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).map_err(failed)?;
    std::fs::write(path, text).map_err(failed)
}
