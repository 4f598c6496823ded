use capgen::Capability;

#[derive(Capability)]
struct PrüfePr;

fn main() {}
