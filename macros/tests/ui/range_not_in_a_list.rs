use capgen::Capability;

#[derive(Capability)]
#[capability(supported_versions = ">=1.0.0 <2.0.0")]
struct ReviewPr;

fn main() {}
