use capgen::Capability;

#[derive(Capability)]
#[capability(description = b"Review.")]
struct ReviewPr;

fn main() {}
