use capgen::Capability;

#[derive(Capability)]
#[capability(id = "org..review-pr")]
struct ReviewPr;

fn main() {}
