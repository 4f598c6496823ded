//! `licenses`: the main part of `cargo deny check licenses`, without the tool.

use serde_json::Value;

use crate::cargo::packages;
use crate::{Outcome, read, root, spdx};

pub(crate) fn run() -> Outcome {
    let allowed = allowed(&read(&root().join("deny.toml"))?);
    let packages = packages()?;
    let rejected: Vec<String> = packages.iter().filter_map(|package| rejected(package, &allowed)).collect();
    if rejected.is_empty() {
        Ok(format!("the licences of {} packages are allowed by deny.toml", packages.len()))
    } else {
        Err(rejected.join("\n"))
    }
}

/// The strings of the list `allow` in deny.toml.
fn allowed(deny: &str) -> Vec<String> {
    let list = deny.split("\nallow = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap_or_default();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

fn rejected(package: &Value, allowed: &[String]) -> Option<String> {
    let licence = package.get("license").and_then(Value::as_str).unwrap_or("no licence");
    let name = package.get("name").and_then(Value::as_str).unwrap_or_default();
    (!spdx::is_met(licence, allowed)).then(|| format!("{name}: {licence}"))
}
