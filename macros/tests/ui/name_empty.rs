use capgen::Capability;

#[derive(Capability)]
#[capability(name = "")]
struct ReviewPr;

fn main() {}
