use capgen::Capability;

#[derive(Capability)]
#[capability(crate = nowhere)]
struct ReviewPr;

fn main() {}
