//! `dist`: the packages for npm, as folders that `npm publish` and `npm pack` accept, and the archive that `cargo
//! binstall` downloads.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cargo::cargo;
use crate::npm::{self, Platform};
use crate::{Outcome, root};

/// The arguments of the task.
#[derive(Default, Debug)]
struct Arguments {
    target: Option<String>,
    binary: Option<PathBuf>,
    out: Option<PathBuf>,
}

pub(crate) fn run(words: &[&str]) -> Outcome {
    let arguments = Arguments::parse(words)?;
    let target = match &arguments.target {
        Some(target) => target.clone(),
        None => host()?,
    };
    let platform = Platform::of(&target)?;
    let [program, subcommand] = match &arguments.binary {
        Some(binary) => [binary.clone(), beside(binary)],
        None => build(arguments.target.as_deref())?,
    };
    let out = arguments.out.unwrap_or_else(|| root().join("target/dist"));
    let [cli, package] = npm::assemble(&root(), &out.join("npm"), &platform, &program)?;
    let archive = archive(&out, &target, &package, &subcommand)?;
    let lines: Vec<_> = [cli, package, archive].iter().map(|path| format!("wrote {}", path.display())).collect();
    Ok(lines.join("\n"))
}

/// `cargo-capgen` in the folder of a program.
fn beside(program: &Path) -> PathBuf {
    let extension = program.extension().unwrap_or_default();
    program.with_file_name("cargo-capgen").with_extension(extension)
}

/// Writes the archive of a target from the files of its npm package and the subcommand of Cargo, if that exists.
/// `cli/Cargo.toml` has the names, for `cargo binstall`.
fn archive(out: &Path, target: &str, package: &Path, subcommand: &Path) -> Result<PathBuf, String> {
    let name = format!("capgen-v{}-{target}", env!("CARGO_PKG_VERSION"));
    let folder = out.join(&name);
    npm::copy_files(&package.join("bin"), &folder)?;
    if let Some(name) = subcommand.file_name().filter(|_| subcommand.is_file()) {
        npm::copy(subcommand, &folder.join(name))?;
    }
    for licence in npm::LICENCES {
        npm::copy(&root().join(licence), &folder.join(licence))?;
    }
    npm::copy(&root().join("cli/README.md"), &folder.join("README.md"))?;
    let path = out.join(format!("{name}.tgz"));
    let status = Command::new("tar").arg("-czf").arg(&path).arg("-C").arg(out).arg(&name).status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(format!("tar: {status}")),
        Err(error) => return Err(format!("tar: {error}")),
    }
    std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(path)
}

impl Arguments {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let mut arguments = Self::default();
        let mut words = words.iter();
        while let Some(option) = words.next() {
            let value = *words.next().ok_or_else(|| format!("{option} needs a value"))?;
            match *option {
                "--target" => arguments.target = Some(value.to_owned()),
                "--binary" => arguments.binary = Some(value.into()),
                "--out" => arguments.out = Some(value.into()),
                _ => return Err(format!("unknown option {option}")),
            }
        }
        Ok(arguments)
    }
}

/// The target of this machine.
fn host() -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().map_err(|error| format!("rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "`rustc -vV` prints no host".to_owned())
}

/// Builds the program and the subcommand of Cargo with the profile `dist`, and returns their paths.
fn build(target: Option<&str>) -> Result<[PathBuf; 2], String> {
    let mut cargo = cargo();
    cargo.args(["build", "--locked", "--profile", "dist", "-p", "capgen-cli", "--bin", "capgen"]);
    cargo.args(["--bin", "cargo-capgen"]);
    cargo.args(["--message-format", "json-render-diagnostics"]).stderr(Stdio::inherit());
    cargo.args(target.iter().flat_map(|target| ["--target", target]));
    let output = cargo.output().map_err(|error| format!("cargo build: {error}"))?;
    if !output.status.success() {
        return Err("cargo build failed".to_owned());
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let program = |name: &str| {
        let path = messages.lines().find_map(|line| {
            let message: Value = serde_json::from_str(line).ok()?;
            let path = Path::new(message.get("executable")?.as_str()?).to_owned();
            (path.file_stem()? == name).then_some(path)
        });
        path.ok_or_else(|| format!("cargo build printed no executable {name}"))
    };
    Ok([program("capgen")?, program("cargo-capgen")?])
}

#[cfg(test)]
mod tests {
    #[test]
    fn cargo_binstall_finds_the_archive() {
        let manifest = std::fs::read_to_string(crate::root().join("cli/Cargo.toml")).unwrap();
        let value = |key: &str| manifest.split(&format!("\n{key} = \"")).nth(1).unwrap().split('"').next().unwrap();
        let out = tempfile::tempdir().unwrap();
        let folder = out.path().join("package/bin");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("capgen"), "").unwrap();
        let subcommand = super::beside(&out.path().join("built/capgen"));
        std::fs::create_dir_all(subcommand.parent().unwrap()).unwrap();
        std::fs::write(&subcommand, "").unwrap();
        let target = "x86_64-unknown-linux-gnu";
        let archive = super::archive(out.path(), target, &out.path().join("package"), &subcommand).unwrap();

        let filled = |text: &str| text.replace("{ version }", env!("CARGO_PKG_VERSION")).replace("{ target }", target);
        let name = archive.file_name().unwrap().to_str().unwrap();
        assert!(filled(value("pkg-url")).ends_with(&format!("/{name}")), "{name}");
        let list = std::process::Command::new("tar").arg("-tf").arg(&archive).output().unwrap();
        let list = String::from_utf8(list.stdout).unwrap();
        for name in ["capgen", "cargo-capgen"] {
            let program = filled(value("bin-dir")).replace("{ bin }", name).replace("{ binary-ext }", "");
            assert!(list.lines().any(|line| line == program), "no {program} in {list}");
        }
    }
}
