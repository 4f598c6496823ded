use capgen::Capability;

#[derive(Capability)]
#[capability(response = String, response = u8)]
struct ReviewPr;

fn main() {}
