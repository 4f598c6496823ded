//! The recordings are complete, and stay as they are.

use std::collections::BTreeSet;
use std::path::Path;

use capgen_schema::Hash;
use serde_json::Value;

use super::recording::{Message, Peer, Recording, all, folder};

/// The hash of all files. A peer that was recorded does not change any more, so this value does not either.
const HASH: &str = "18a317269ee02dd940aea55b7c7045fcfd90022987db482df66fb85efb7a5ab7";

/// The codes, statuses and headers of the recorded version.
const CODES: [&str; 13] = [
    "EAGENTRPC_ABANDONED",
    "EAGENTRPC_AUTH_FAILED",
    "EAGENTRPC_BUSY",
    "EAGENTRPC_DEADLINE_EXCEEDED",
    "EAGENTRPC_HANDLER_FAILED",
    "EAGENTRPC_INVALID_ENVELOPE",
    "EAGENTRPC_NO_CAPABILITY",
    "EAGENTRPC_NO_PEER",
    "EAGENTRPC_NO_TRANSPORT",
    "EAGENTRPC_SCHEMA_VIOLATION",
    "EAGENTRPC_TENANT_MISMATCH",
    "EAGENTRPC_TIMEOUT",
    "EVERSION_SKEW",
];
const STATUSES: [&str; 6] = ["abandoned", "busy", "error", "ok", "schema-violation", "timeout"];
const HEADERS: [&str; 8] = [
    "capgen-contract",
    "capgen-descriptor",
    "capgen-needs",
    "capgen-session",
    "capgen-status",
    "capgen-version",
    "idempotency-key",
    "traceparent",
];
const KINDS: [&str; 3] = ["event", "request", "response"];

fn messages(recording: &Recording) -> impl Iterator<Item = &Message> {
    recording.exchanges.iter().flat_map(|exchange| &exchange.messages)
}

/// The messages of programs of a language, as trees.
fn sent_by(peer: Peer) -> Vec<Value> {
    let mut sent = Vec::new();
    for recording in all().values() {
        for message in messages(recording) {
            let request = (recording.caller.peer == peer).then_some(&*message.request);
            let answer = message.response().filter(|_| recording.provider.peer == peer);
            sent.extend(request.into_iter().chain(answer).map(|text| serde_json::from_str::<Value>(text).unwrap()));
        }
    }
    sent
}

#[test]
fn every_kind_header_and_code_is_recorded() {
    for peer in [Peer::Rust, Peer::TypeScript] {
        let sent = sent_by(peer);
        let kinds: BTreeSet<&str> = sent.iter().map(|message| message["kind"].as_str().unwrap()).collect();
        assert!(kinds.into_iter().eq(KINDS), "{peer:?}");
        let is_signed = |message: &&Value| message["auth"]["kind"] == "hmac";
        for kind in KINDS {
            let signed = sent.iter().filter(|message| message["kind"] == kind).filter(is_signed).count();
            let all = sent.iter().filter(|message| message["kind"] == kind).count();
            assert!(0 < signed && signed < all, "{peer:?}: {signed} of {all} messages of the kind {kind} are signed");
        }
        let members = sent.iter().filter_map(|message| message["headers"].as_object());
        let names: BTreeSet<&str> = members.flat_map(|headers| headers.keys().map(String::as_str)).collect();
        // Clients in TypeScript have no sessions, and its servers compare no contracts.
        let expected =
            HEADERS.into_iter().filter(|name| peer == Peer::Rust || !["capgen-session", "capgen-needs"].contains(name));
        let missing: Vec<&str> = expected.filter(|name| !names.contains(name)).collect();
        assert!(missing.is_empty(), "{peer:?}: no message has {missing:?}");
        let recordings = all();
        let callers = recordings.values().filter(|recording| recording.caller.peer == peer);
        let outcomes: Vec<_> = callers.flat_map(|recording| &recording.exchanges).map(|one| &one.outcome).collect();
        let statuses: BTreeSet<&str> = outcomes.iter().map(|outcome| &*outcome.as_ref().unwrap().status).collect();
        assert!(statuses.into_iter().eq(STATUSES), "{peer:?}");
        let codes = outcomes.iter().filter_map(|outcome| outcome.as_ref().unwrap().code.as_deref());
        let codes: BTreeSet<&str> = codes.collect();
        assert!(CODES.into_iter().all(|code| codes.contains(code)) && codes.len() > CODES.len(), "{peer:?}: {codes:?}");
    }
}

#[test]
fn every_pair_of_languages_is_recorded() {
    let recordings = all();
    assert!(recordings.values().all(|recording| !recording.is_new()));
    let peers = [Peer::Rust, Peer::TypeScript, Peer::Made];
    for (caller, provider) in peers.into_iter().flat_map(|caller| peers.map(|provider| (caller, provider))) {
        let is_pair = |recording: &&Recording| (recording.caller.peer, recording.provider.peer) == (caller, provider);
        let count = recordings.values().filter(is_pair).count();
        assert_eq!(count > 30, (caller, provider) != (Peer::Made, Peer::Made), "{caller:?} and {provider:?}: {count}");
    }
}

/// Adds the names and the texts of the files below a folder.
fn add(hash: &mut Vec<String>, path: &Path) {
    let mut entries: Vec<_> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            add(hash, &entry);
        } else if entry.extension().is_some_and(|extension| extension != "md") {
            hash.push(entry.file_name().unwrap().to_str().unwrap().to_owned());
            // A checkout may have other line ends.
            hash.push(std::fs::read_to_string(&entry).unwrap().replace("\r\n", "\n"));
        }
    }
}

#[test]
fn the_recordings_are_unchanged() {
    let mut parts = Vec::new();
    add(&mut parts, &folder());
    assert_eq!(Hash::of_parts(&parts).to_string(), HASH, "recordings of another version belong into another folder");
}
