use capgen::Capability;

#[derive(Capability)]
#[capability(supported_versions = ["1.2.0", "^1.3.0"])]
struct ReviewPr;

fn main() {}
