//! The lines about the files of a run.

use capgen_codegen::output::Plan;
use capgen_manifest::LoadedContract;
use capgen_schema::Hash;

use crate::console::{Console, count};
use crate::summary::{File, Peer};

/// The files with shared code and the indexes of a plan.
pub(super) fn shared(plan: &Plan, writes: bool) -> impl Iterator<Item = File> {
    plan.files().iter().filter(|file| file.agent().is_none()).map(move |file| File::new(file, writes))
}

/// The summary of each contract, of which `hashes` are the hashes. No two contracts belong to the same agent: a plan
/// rejects that.
pub(super) fn peers(contracts: &[LoadedContract], hashes: &[Hash], plan: &Plan, writes: bool) -> Vec<Peer> {
    let mut files = plan.files().iter().peekable();
    let mut peers = Vec::with_capacity(contracts.len());
    for (LoadedContract { source, manifest, .. }, hash) in contracts.iter().zip(hashes) {
        let mut peer = Peer {
            peer: manifest.agent.to_string(),
            source: source.path().to_owned(),
            capabilities: manifest.labels(),
            files: Vec::new(),
            hash: format!("sha256:{hash}"),
        };
        while let Some(file) = files.next_if(|file| file.agent() == Some(&manifest.agent)) {
            peer.files.push(File::new(file, writes));
        }
        peers.push(peer);
    }
    peers
}

/// Prints a line for each file.
pub(super) fn report(peers: &[Peer], shared: &[File], console: &Console) {
    let print = |File { path, status, .. }: &File, about: &str| match *status {
        "written" => console.tick(&format!("wrote {path} ({about})")),
        _ => console.line(&format!("  {status} {path} ({about})")),
    };
    for peer in peers {
        let capabilities = count(peer.capabilities.len(), "capability", "capabilities");
        peer.files.iter().for_each(|file| print(file, &capabilities));
    }
    shared.iter().for_each(|file| print(file, if file.is_index { "index of the folder" } else { "shared code" }));
}

/// `2 files written, 4 unchanged`.
pub(super) fn totals(peers: &[Peer], shared: &[File]) -> String {
    let files: Vec<_> = peers.iter().flat_map(|peer| &peer.files).chain(shared).collect();
    let written = files.iter().filter(|file| file.status == "written").count();
    format!("{} written, {} unchanged", count(written, "file", "files"), files.len() - written)
}
