use capgen::Capability;

#[derive(Capability)]
#[capability]
struct ReviewPr;

fn main() {}
