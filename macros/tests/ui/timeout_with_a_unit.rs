use capgen::Capability;

#[derive(Capability)]
#[capability(timeout_ms = 60s)]
struct ReviewPr;

fn main() {}
