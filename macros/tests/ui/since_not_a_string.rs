use capgen::Capability;

#[derive(Capability)]
#[capability(since = 1.1)]
struct ReviewPr;

fn main() {}
