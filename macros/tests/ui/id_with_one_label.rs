use capgen::Capability;

#[derive(Capability)]
#[capability(id = "review-pr")]
struct ReviewPr;

fn main() {}
