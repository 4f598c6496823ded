use capgen::Capability;

#[derive(Capability)]
#[capability(min_schema_version = "latest")]
struct ReviewPr;

fn main() {}
