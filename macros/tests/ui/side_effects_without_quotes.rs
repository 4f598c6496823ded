use capgen::Capability;

#[derive(Capability)]
#[capability(side_effects = pure)]
struct ReviewPr;

fn main() {}
