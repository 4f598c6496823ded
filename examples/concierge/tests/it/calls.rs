//! The program `calls`: in one process, and in two processes over a real broker.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use capgen_audit::{Database, Filter};
use capgen_testkit::brokers::NatsServer;

/// Runs `calls`, and returns its output.
fn calls(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_calls")).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// The sides and the paths of the violations in an audit.
fn violations(file: &Path) -> Vec<String> {
    let rows = Database::open(file).unwrap().rows(&Filter::default()).unwrap();
    let record = |row: &capgen_audit::Row| -> serde_json::Value { serde_json::from_str(&row.record).unwrap() };
    rows.iter().map(|row| format!("{} {}", record(row)["side"], record(row)["violations"][0]["path"])).collect()
}

#[test]
fn four_calls_in_one_process_leave_two_records() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.db");
    let output = calls(&["--audit", file.to_str().unwrap()]);
    let statuses: Vec<&str> = output.lines().filter(|line| !line.is_empty() && !line.starts_with(' ')).collect();
    assert_eq!(
        statuses,
        [
            "a valid request: ok",
            "an invalid request: schema-violation",
            "an invalid response: schema-violation",
            "a request without an answer: timeout"
        ]
    );
    // The invalid request was not published.
    assert_eq!(output.matches("messages that the agent received: 1").count(), 2, "{output}");
    assert!(output.contains(r#"the response as it arrived: {"verdict":"fine"}"#), "{output}");
    assert_eq!(violations(&file), [r#""request" "/limit""#, r#""response" "/findings""#]);
}

#[test]
fn one_changed_byte_of_the_audit_names_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.db");
    calls(&["--audit", file.to_str().unwrap()]);
    let verification = Database::open(&file).unwrap().verify(None).unwrap();
    assert!(verification.is_intact() && verification.rows() == 2);
    let mut bytes = std::fs::read(&file).unwrap();
    // In the second row: the path of its violation.
    let at = bytes.windows(9).position(|window| window == b"/findings").unwrap();
    bytes[at + 1] = b'F';
    std::fs::write(&file, bytes).unwrap();
    let verification = Database::open(&file).unwrap().verify(None).unwrap();
    assert!(!verification.is_intact());
    let problem = format!("{:?}", verification.tenants[0].broken);
    assert!(problem.contains("seq: 2"), "{problem}");
}

#[test]
fn one_process_calls_another_over_nats() {
    let Some(broker) = NatsServer::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (file, provider_file) = (folder.path().join("audit.db"), folder.path().join("provider.db"));
    let agent = Agent::start(&broker.url(), &provider_file);
    let output = calls(&["--nats", &broker.url(), "--audit", file.to_str().unwrap()]);
    assert!(output.contains("a valid request: ok"), "{output}");
    assert!(output.contains("an invalid request: schema-violation"), "{output}");
    assert_eq!(violations(&file), [r#""request" "/limit""#]);
    drop(agent);
    // The invalid request was not sent, so the agent has nothing to record.
    assert_eq!(violations(&provider_file), [""; 0]);
}

/// The variable with the URL of the broker, in the process that is the agent.
const BROKER: &str = "CONCIERGE_TEST_BROKER";

/// The agent: this test program again, because cargo builds only the programs of the tested package.
#[test]
fn agent() {
    if let Ok(url) = std::env::var(BROKER) {
        let file = std::env::var("CONCIERGE_TEST_AUDIT").unwrap();
        reviewer::serve::run(&url, Some(&file)).unwrap();
    }
}

/// The process of the agent.
struct Agent(Child);

impl Agent {
    /// Starts the agent, and waits until it serves.
    fn start(url: &str, audit: &Path) -> Self {
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["--exact", "calls::agent", "--nocapture"]).env(BROKER, url).env("CONCIERGE_TEST_AUDIT", audit);
        let mut child = program.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.map_while(Result::ok).any(|line| line.contains("serving reviewer.requests")));
        Self(child)
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
