use capgen::Capability;

#[derive(Capability)]
#[capability(idempotent = "yes")]
struct ReviewPr;

fn main() {}
