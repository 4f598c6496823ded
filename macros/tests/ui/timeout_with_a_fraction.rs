use capgen::Capability;

#[derive(Capability)]
#[capability(timeout_ms = 1.5)]
struct ReviewPr;

fn main() {}
