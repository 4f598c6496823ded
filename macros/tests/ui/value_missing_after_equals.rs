use capgen::Capability;

#[derive(Capability)]
#[capability(idempotent, latency =)]
struct ReviewPr;

fn main() {}
