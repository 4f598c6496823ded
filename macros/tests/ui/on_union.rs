use capgen::Capability;

#[derive(Capability)]
union Request {
    short: u8,
    long: u64,
}

fn main() {}
