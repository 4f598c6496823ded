use capgen::Capability;

#[derive(Capability)]
#[capability("review-pr")]
struct ReviewPr;

fn main() {}
