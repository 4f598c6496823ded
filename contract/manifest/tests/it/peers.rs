//! `rpc-peers.yaml`: valid tables, and every finding in invalid ones.

use capgen_manifest::{Source, read_peers};

fn codes(text: &str) -> Vec<String> {
    match read_peers(&Source::new("rpc-peers.yaml", text)) {
        Ok(peers) => peers.into_iter().map(|(agent, transports)| format!("{agent} {}", transports.len())).collect(),
        Err(findings) => findings.iter().map(|finding| finding.code.as_str().to_owned()).collect(),
    }
}

#[test]
fn both_forms_of_a_peer_are_read() {
    let text = "version: 1
peers:
  agent://a:
    - { kind: memory, topics: { requests: a } }
    - { kind: nats, servers: [\"nats://localhost:4222\"], subjects: { requests: a } }
  agent://b:
    transports:
      - { kind: memory, topics: { requests: b } }
";
    assert_eq!(codes(text), ["a 2", "b 1"]);
}

#[test]
fn every_error_is_reported_at_once() {
    let text = "peers:
  a: [{ kind: memory, topics: { requests: a } }]
  agent://b: []
  agent://c: [{ kind: pigeon }]
  agent://d: { transport: [] }
  agent://e: text
extra: 1
";
    assert_eq!(codes(text), ["E0205", "E0206", "E0211", "E0201", "E0203", "E0201"]);
    assert_eq!(codes(""), ["E0015"]);
    assert_eq!(codes("version: 2\npeers: {}"), ["E0204"]);
    assert_eq!(codes("peers:\n  agent://a: []\n  agent://a: []"), ["E0003"]);
}

#[test]
fn findings_show_no_credentials() {
    let text = "peers:
  agent://a:
    - { kind: nats, servers: [\"nats://user:hunter2@host\"], subjects: { requests: a }, oops: hunter2 }
";
    let findings = read_peers(&Source::new("rpc-peers.yaml", text)).unwrap_err();
    let shown = format!("{:?}", findings.iter().map(|finding| &finding.message).collect::<Vec<_>>());
    assert!(!shown.contains("hunter2"), "{shown}");
}
