use capgen::Capability;

#[derive(Capability)]
#[capability(tags = ["code",, "review"])]
struct ReviewPr;

fn main() {}
