use capgen::Capability;

#[derive(Capability)]
#[capability(crate = "not a path")]
struct ReviewPr;

fn main() {}
