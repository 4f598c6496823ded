use capgen::Capability;

#[derive(Capability)]
#[capability(outputSchema = Review)]
struct ReviewPr;

fn main() {}
