use capgen::Capability;

#[derive(Capability)]
#[capability(name = review-pr)]
struct ReviewPr;

fn main() {}
