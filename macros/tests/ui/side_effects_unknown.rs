use capgen::Capability;

#[derive(Capability)]
#[capability(side_effects = "idempotnt")]
struct ReviewPr;

fn main() {}
