use capgen::Capability;

#[derive(Capability)]
#[capability(since: "1.1.0")]
struct ReviewPr;

fn main() {}
