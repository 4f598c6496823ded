use capgen::Capability;

#[derive(Capability)]
#[capability(id = "org.example.review-pr:1.2.0")]
struct ReviewPr;

fn main() {}
