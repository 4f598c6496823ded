//! A generated client and server in JavaScript, in one process of Node; see `tests/node/recordings.mjs`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use capgen_testkit::node::{command, is_installed};
use serde_json::{Value, json};

use super::contracts::{VERSIONS, write_module};
use super::recording::{Call, Outcome, Recording};
use super::rust_peer::Script;

/// The process. It has one client and one server at a time.
pub(crate) struct NodePeer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The folder of the generated modules.
    folder: std::path::PathBuf,
}

impl NodePeer {
    /// Starts Node with the generated modules in a folder of this name; `None` without Node.
    pub(crate) fn start(name: &str) -> Option<Self> {
        if !is_installed() {
            return None;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        for version in VERSIONS {
            write_module(version, &folder.join(version));
        }
        let script = capgen_tests::folder().join("node/recordings.mjs");
        let mut child = command().arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Some(Self { child, input, output, folder })
    }

    /// Makes a new client and a new server.
    pub(crate) fn prepare(&mut self, recording: &Recording) {
        let module = |version: &str| self.folder.join(version).join("shop.mjs");
        let modules = json!([module(&recording.caller.contract), module(&recording.provider.contract)]);
        self.write(&json!({"prepare": recording, "modules": modules}));
        assert_eq!(self.read(), json!({"prepared": true}));
    }

    /// The outcome of a call whose messages a script answers.
    pub(crate) async fn call(&mut self, call: &Call, script: &mut impl Script) -> Outcome {
        self.write(&json!({"call": call}));
        loop {
            let mut line = self.read();
            if let Some(text) = line["message"].as_str() {
                let answer = script.answer(text).await;
                self.write(&json!({"answer": answer}));
            } else {
                return serde_json::from_value(line["outcome"].take()).unwrap();
            }
        }
    }

    /// The answer to a message, if there is one within a time.
    pub(crate) fn deliver(&mut self, text: &str, patience: Duration) -> Option<String> {
        let patience = u64::try_from(patience.as_millis()).unwrap();
        self.write(&json!({"deliver": text, "patienceMs": patience}));
        self.read()["delivered"].as_str().map(str::to_owned)
    }

    /// The payloads that reached the handler.
    pub(crate) fn handled(&mut self) -> Vec<Value> {
        self.write(&json!({"handled": true}));
        self.read()["handled"].as_array().unwrap().clone()
    }

    fn write(&mut self, line: &Value) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("Node printed {line:?}: {error}"))
    }
}

impl Drop for NodePeer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
