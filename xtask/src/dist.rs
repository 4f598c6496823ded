//! `dist`: the packages for npm, as folders that `npm publish` and `npm pack` accept.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

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
    let program = match &arguments.binary {
        Some(binary) => binary.clone(),
        None => build(arguments.target.as_deref())?,
    };
    let out = arguments.out.unwrap_or_else(|| root().join("target/dist/npm"));
    let folders = npm::assemble(&root(), &out, &platform, &program)?;
    let lines: Vec<_> = folders.iter().map(|folder| format!("wrote {}", folder.display())).collect();
    Ok(lines.join("\n"))
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

/// Builds the program with the profile `dist`, and returns its path.
fn build(target: Option<&str>) -> Result<PathBuf, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root()).args(["build", "--locked", "--profile", "dist", "-p", "capgen-cli", "--bin", "capgen"]);
    cargo.args(["--message-format", "json-render-diagnostics"]).stderr(Stdio::inherit());
    cargo.args(target.iter().flat_map(|target| ["--target", target]));
    let output = cargo.output().map_err(|error| format!("cargo build: {error}"))?;
    if !output.status.success() {
        return Err("cargo build failed".to_owned());
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let program = messages.lines().rev().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        Some(Path::new(message.get("executable")?.as_str()?).to_owned())
    });
    program.ok_or_else(|| "cargo build printed no executable".to_owned())
}
