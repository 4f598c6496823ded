use capgen::Capability;

#[derive(Capability)]
#[capability(timeoutMs = 60_000)]
struct ReviewPr;

fn main() {}
