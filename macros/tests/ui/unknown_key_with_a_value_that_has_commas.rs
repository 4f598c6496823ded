use capgen::Capability;

#[derive(Capability)]
#[capability(color = Page<u8, Vec<u8>>, idempotent)]
struct ReviewPr;

fn main() {}
