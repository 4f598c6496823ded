use capgen::Capability;

#[derive(Capability)]
#[capability(tags = ["code", ""])]
struct ReviewPr;

fn main() {}
