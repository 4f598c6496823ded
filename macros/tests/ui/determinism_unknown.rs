use capgen::Capability;

#[derive(Capability)]
#[capability(determinism = "sometimes")]
struct ReviewPr;

fn main() {}
