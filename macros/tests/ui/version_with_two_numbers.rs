use capgen::Capability;

#[derive(Capability)]
#[capability(version = "1.2")]
struct ReviewPr;

fn main() {}
