use capgen::Capability;

#[derive(Capability)]
#[capability(response = "Review")]
struct ReviewPr;

fn main() {}
