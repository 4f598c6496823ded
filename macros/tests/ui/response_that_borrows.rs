use capgen::Capability;

#[derive(Capability)]
#[capability(response = &'static str)]
struct ReviewPr;

fn main() {}
