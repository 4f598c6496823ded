//! The time to resolve a capability, by the number of registrations.

use capgen_registry::{Access, Requirement};

use crate::{events, fold, least, peer, timed};

const ROUNDS: usize = 5;

pub fn run() {
    println!(
        "A hundred agents offer each capability. Every capability is resolved once per round; ns per question, the least of {ROUNDS} rounds.\n"
    );
    println!("| registrations | resolve | explain | SQLite | MiB of memory |\n|---|---|---|---|---|");
    for registrations in [10_000, 100_000, 1_000_000] {
        line(registrations);
    }
}

fn line(registrations: u64) {
    let before = resident();
    let mut registry = fold::fold((0..registrations).map(events::registration));
    let view = registry.view();
    let memory = resident().saturating_sub(before) >> 20;
    let capabilities: Vec<String> = (0..events::capabilities(registrations)).map(events::capability).collect();
    let count = capabilities.len() as u32;
    let (requirement, access): (Requirement, _) = ("1.0.0".parse().unwrap(), Access::default());
    let resolve = least(ROUNDS, || {
        timed(|| {
            for capability in &capabilities {
                std::hint::black_box(view.resolve(capability, &requirement, &access).unwrap().agent());
            }
        })
        .1
    });
    let some = &capabilities[..capabilities.len().min(200)];
    let explain = least(ROUNDS, || {
        timed(|| {
            for capability in some {
                std::hint::black_box(view.explain(capability, &requirement, &access, None));
            }
        })
        .1
    });
    let mut connection = peer::table(None);
    peer::insert(&mut connection, 0, registrations);
    let mut resolver = peer::resolver(&connection);
    for capability in some {
        assert_eq!(resolver(capability), view.resolve(capability, &requirement, &access).unwrap().agent());
    }
    let sqlite = least(ROUNDS, || timed(|| capabilities.iter().for_each(|capability| drop(resolver(capability)))).1);
    let (resolve, sqlite) = (resolve.as_nanos() / u128::from(count), sqlite.as_nanos() / u128::from(count));
    let explain = explain.as_nanos() / some.len() as u128;
    println!("| {registrations} | {resolve} | {explain} | {sqlite} | {memory} |");
}

/// The resident memory of the process, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) << 10
}
