use capgen::Capability;

#[derive(Capability)]
#[capability(timeout_ms = 0)]
struct ReviewPr;

fn main() {}
