use capgen::Capability;

#[derive(Capability)]
#[capability(timeout_ms, idempotent)]
struct ReviewPr;

fn main() {}
