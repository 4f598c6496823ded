use capgen::Capability;

#[derive(Capability)]
#[capability(skill = "")]
struct ReviewPr;

fn main() {}
