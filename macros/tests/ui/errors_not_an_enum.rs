use capgen::CapabilityError;

#[derive(CapabilityError)]
struct NoSeats;

fn main() {}
