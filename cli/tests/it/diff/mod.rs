//! `capgen diff`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod accepted;
mod against;
mod document;
mod example;
mod formats;
mod human;
mod order;
mod replay;

use crate::common::{Fleet, REVIEWER};

/// The example contract after changes: a value of the request is removed, and the response has another property.
fn changed() -> String {
    REVIEWER
        .replace("low, med, high", "low, med")
        .replace("summary: { type: string }", "summary: { type: string }\n        score: { type: integer }")
}

/// A folder with the two versions `old.yaml` and `new.yaml` of a contract.
fn versions(old: &str, new: &str) -> Fleet {
    let fleet = Fleet::new(&[]);
    fleet.write("old.yaml", old);
    fleet.write("new.yaml", new);
    fleet
}

const COMPARE: &str = "diff --capabilities new.yaml --against old.yaml";
