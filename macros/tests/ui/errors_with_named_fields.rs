use capgen::CapabilityError;

#[derive(CapabilityError)]
enum BookError {
    NoSeats { free: u32 },
}

fn main() {}
