use capgen::Capability;

#[derive(Capability)]
#[capability(timout_ms = 60_000)]
struct ReviewPr;

fn main() {}
