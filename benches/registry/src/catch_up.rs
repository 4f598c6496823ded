//! Starting from a snapshot, and replaying the whole log.

pub fn run() {}
