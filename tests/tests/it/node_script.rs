//! Generated modules in a process of Node that answers lines of JSON.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use capgen_codegen::{Language, Options, Regenerate, generate_with};
use capgen_manifest::Manifest;
use capgen_testkit::node::{command, is_installed};
use serde_json::Value;

/// A script of `tests/node` that runs.
pub(crate) struct NodeScript {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// A folder for generated modules.
    pub(crate) folder: PathBuf,
}

impl NodeScript {
    /// Starts a script, with an empty folder of this name; `None` without Node.
    pub(crate) fn start(script: &str, folder: &str) -> Option<Self> {
        if !is_installed() {
            return None;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        let _ = std::fs::remove_dir_all(&folder);
        let script = capgen_tests::folder().join("node").join(script);
        let mut child = command().arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Some(Self { child, input, output, folder })
    }

    pub(crate) fn write(&mut self, line: &Value) {
        writeln!(self.input, "{line}").unwrap();
    }

    pub(crate) fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("Node printed {line:?}: {error}"))
    }

    /// The answer to a line.
    pub(crate) fn ask(&mut self, line: &Value) -> Value {
        self.write(line);
        self.read()
    }
}

impl Drop for NodeScript {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes the generated module of a contract with its shared code into a folder, and returns its path.
pub(crate) fn write_module(contract: &Manifest, folder: &Path) -> PathBuf {
    let (options, anywhere) = (Options { calls: true, ..Options::default() }, Regenerate::anywhere(&contract.agent));
    std::fs::create_dir_all(folder).unwrap();
    for (name, text) in generate_with(contract, &[Language::JavaScriptModule], &options, &anywhere) {
        std::fs::write(folder.join(name), text).unwrap();
    }
    folder.join(format!("{}.mjs", contract.agent.as_str()))
}
