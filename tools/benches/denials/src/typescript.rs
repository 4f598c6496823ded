//! The generated server in JavaScript: the script prints the times of both kinds of calls.

use std::path::PathBuf;
use std::time::Duration;

use capgen_codegen::{Language, Options, Regenerate, generate_with};

use crate::{Agent, CALLS};

/// The times; `None` if Node is not installed.
pub(crate) fn measured(agent: &Agent) -> Option<[Vec<Duration>; 2]> {
    let folder = std::env::temp_dir().join(format!("capgen-denials-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let manifest = &agent.manifest;
    let options = Options { calls: true, ..Options::default() };
    for (name, text) in
        generate_with(manifest, &[Language::JavaScriptModule], &options, &Regenerate::anywhere(&manifest.agent))
    {
        std::fs::write(folder.join(name), text).ok()?;
    }
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("denials.mjs");
    let mut node = capgen_testkit::node::command();
    let output =
        node.arg(script).arg(folder.join("trips.mjs")).arg(CALLS.to_string()).args(agent.names).output().ok()?;
    let _ = std::fs::remove_dir_all(&folder);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: [Vec<u64>; 2] = serde_json::from_slice(&output.stdout).expect("two lists of nanoseconds");
    Some(lines.map(|line| line.into_iter().map(Duration::from_nanos).collect()))
}
