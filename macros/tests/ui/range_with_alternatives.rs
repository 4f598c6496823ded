use capgen::Capability;

#[derive(Capability)]
#[capability(deprecated_versions = ["1.0.0 || 1.1.0"])]
struct ReviewPr;

fn main() {}
