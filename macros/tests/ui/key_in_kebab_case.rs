use capgen::Capability;

#[derive(Capability)]
#[capability(side-effects = "pure")]
struct ReviewPr;

fn main() {}
