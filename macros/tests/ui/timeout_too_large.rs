use capgen::Capability;

#[derive(Capability)]
#[capability(timeout_ms = 18_446_744_073_709_551_616)]
struct ReviewPr;

fn main() {}
