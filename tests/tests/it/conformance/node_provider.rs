//! A generated server in JavaScript, in a process of Node; see `tests/node/conformance.mjs`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use capgen_codegen::{Language, Options, Regenerate, generate_with};
use capgen_testkit::node::{command, is_installed};
use serde_json::{Value, json};

use super::case::{Address, Case, KEY, Provider, manifest};

/// The process. It has one server at a time.
pub(super) struct NodeProvider {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    folder: PathBuf,
}

impl NodeProvider {
    /// Starts Node; `None` if it is not installed.
    pub(super) fn start() -> Option<Self> {
        if !is_installed() {
            return None;
        }
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("conformance");
        let _ = std::fs::remove_dir_all(&folder);
        let script = capgen_tests::folder().join("node/conformance.mjs");
        let mut child = command().arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Some(Self { child, input, output, folder })
    }

    /// Makes the server of a case.
    pub(super) fn prepare(&mut self, case: &Case) {
        let contract = &case.provider.serves[0];
        let module = self.module(contract);
        let key = case.provider.key.then(|| json!({"id": KEY.0, "secret": KEY.1}));
        let line = json!({"prepare": {"module": module, "handler": case.provider.handler, "key": key}});
        assert_eq!(self.ask(&line), json!({"prepared": true}));
    }

    /// The generated module of a contract.
    fn module(&self, contract: &str) -> PathBuf {
        let (manifest, options) = (manifest(contract), Options { calls: true, ..Options::default() });
        let (folder, anywhere) = (self.folder.join(contract), Regenerate::anywhere(&manifest.agent));
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in generate_with(&manifest, &[Language::JavaScriptModule], &options, &anywhere) {
            std::fs::write(folder.join(name), text).unwrap();
        }
        folder.join("echo.mjs")
    }

    /// The answer to a line.
    fn ask(&mut self, line: &Value) -> Value {
        writeln!(self.input, "{line}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("Node printed {line:?}: {error}"))
    }
}

impl Provider for NodeProvider {
    fn reply_to(&self) -> String {
        "memory://inbox.1".to_owned()
    }

    async fn send(&mut self, to: Address, text: String) {
        self.ask(&json!({"send": {"to": to, "text": text}}));
    }

    async fn next(&mut self, patience: Duration) -> Option<Value> {
        let patience = u64::try_from(patience.as_millis()).unwrap();
        let answer = self.ask(&json!({"next": patience}));
        answer["message"].as_str().map(|text| serde_json::from_str(text).unwrap())
    }

    async fn counts(&mut self) -> (u64, u64) {
        let counts = self.ask(&json!({"counts": true}));
        (counts["runs"].as_u64().unwrap(), counts["cancelled"].as_u64().unwrap())
    }
}

impl Drop for NodeProvider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
