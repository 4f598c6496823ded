//! `package`: whether every crate that is published can be packaged.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use crate::cargo::{cargo, packages};
use crate::{Outcome, read};

/// The check after packaging.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verify {
    /// That sources include no file that is not packaged. Takes a few seconds.
    Includes,
    /// The same, and that each package compiles. Takes minutes.
    Compile,
}

pub(crate) fn run(verify: Verify) -> Outcome {
    let packages: Vec<Value> = packages()?.into_iter().filter(is_published).collect();
    let names: Vec<&str> = packages.iter().filter_map(|package| package.get("name")?.as_str()).collect();
    let mut cargo = cargo();
    // Offline: everything is in Cargo.lock. The crates of one command find each other, although none is published.
    cargo.args(["package", "--allow-dirty", "--offline"]).args(names.iter().flat_map(|name| ["-p", name]));
    if verify == Verify::Includes {
        cargo.arg("--no-verify");
    }
    let output = cargo.output().map_err(|error| format!("cargo package: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let mut missing = Vec::new();
    for package in &packages {
        missing.extend(missing_files(package)?);
    }
    if missing.is_empty() { Ok(format!("packaged {} crates", names.len())) } else { Err(missing.join("\n")) }
}

/// Whether a package is a crate of the workspace that is published.
fn is_published(package: &Value) -> bool {
    let is_member = package.get("source").is_some_and(Value::is_null);
    is_member
        && package.get("publish").is_none_or(|registries| registries.as_array().is_none_or(|list| !list.is_empty()))
}

/// The files that a source of the package includes, but that are not packaged.
fn missing_files(package: &Value) -> Result<Vec<String>, String> {
    let text = |key: &str| package.get(key).and_then(Value::as_str).unwrap_or_default();
    let folder = Path::new(text("manifest_path")).parent().unwrap_or(Path::new(""));
    let output = cargo().args(["package", "--allow-dirty", "--offline", "--list", "-p", text("name")]).output();
    let output = output.map_err(|error| format!("cargo package: {error}"))?;
    let list = String::from_utf8_lossy(&output.stdout);
    let files: Vec<&Path> = list.lines().map(Path::new).collect();
    let mut missing = Vec::new();
    for source in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs")) {
        for included in included(&read(&folder.join(source))?) {
            let path = plain(&source.parent().unwrap_or(Path::new("")).join(included));
            if !files.contains(&path.as_path()) {
                missing.push(format!(
                    "{}: {} includes {included}, which is not packaged",
                    text("name"),
                    source.display()
                ));
            }
        }
    }
    Ok(missing)
}

/// The paths in `include_str!("...")` and `include_bytes!("...")` outside of comments. Files that only tests include
/// need not be packaged.
fn included(source: &str) -> impl Iterator<Item = &str> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let macros = ["include_str!(\"", "include_bytes!(\""];
    lines.flat_map(move |line| macros.into_iter().filter_map(|name| line.split_once(name)?.1.split('"').next()))
}

/// The path without `..`; one that leaves the folder of the package keeps it.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        if part != Component::ParentDir || !plain.pop() {
            plain.push(part);
        }
        plain
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn included_files_are_found() {
        let source = "/// As include_str!(\"x.md\")\nconst A: &str = include_str!(\"../data/a.txt\");\nconst B: &[u8] = include_bytes!(\"b.bin\");\n\
                      #[cfg(test)] mod tests { const C: &str = include_str!(\"../../tests/c.txt\"); }";
        assert_eq!(super::included(source).collect::<Vec<_>>(), ["../data/a.txt", "b.bin"]);
        assert_eq!(super::plain("src/text/../../data/a.txt".as_ref()), std::path::Path::new("data/a.txt"));
        assert_eq!(super::plain("src/../../a.txt".as_ref()), std::path::Path::new("../a.txt"));
    }
}
