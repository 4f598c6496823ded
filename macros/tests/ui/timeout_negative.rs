use capgen::Capability;

#[derive(Capability)]
#[capability(timeout_ms = -5)]
struct ReviewPr;

fn main() {}
