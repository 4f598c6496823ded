//! The table of peers from files.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice, reason = "a test fails by panicking")]

use capgen::call::PeerTable;

const MANIFEST: &str = "version: 1
agent: agent://index
transports:
  - { kind: memory, topics: { requests: index } }
capabilities:
  - { name: search, inputSchema: { type: string } }
";

#[test]
fn peers_are_read_from_manifests_fleets_and_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(path("agents/index")).unwrap();
    std::fs::write(path("agents/index/capabilities.yaml"), MANIFEST).unwrap();
    std::fs::write(path("fleet.yaml"), "version: 1\nagents: [{ id: index, path: agents/index }]\n").unwrap();
    let peers = "peers:\n  agent://other: [{ kind: memory, topics: { requests: other } }]\n";
    std::fs::write(path("rpc-peers.yaml"), peers).unwrap();

    let table = PeerTable::new().with_file(path("agents/index/capabilities.yaml")).unwrap();
    assert!(table.has("index") && !table.has("other"));
    let table = PeerTable::new().with_fleet(folder.path()).unwrap();
    assert!(table.has("index"));
    let table = table.with_peers_file(path("rpc-peers.yaml")).unwrap();
    assert!(table.has("index") && table.has("other"));
}

#[test]
fn errors_name_the_file_the_line_and_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rpc-peers.yaml");
    std::fs::write(&path, "peers:\n  index: [{ kind: pigeon }]\n").unwrap();
    let error = PeerTable::new().with_peers_file(&path).unwrap_err();
    let text = error.to_string();
    assert_eq!(error.findings().len(), 2);
    assert!(text.contains("rpc-peers.yaml:2:3") && text.contains("write `agent://index`"), "{text}");
    let missing = PeerTable::new().with_file(folder.path().join("missing.yaml")).unwrap_err();
    assert!(missing.to_string().contains("missing.yaml"), "{missing}");
}
