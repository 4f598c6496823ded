use capgen::Capability;

#[derive(Capability)]
#[capability(idempotent since = "1.1.0", tags = ["code"])]
struct ReviewPr;

fn main() {}
