use capgen::CapabilityError;

#[derive(CapabilityError)]
enum BookError {
    #[capability(status = 200)]
    NoSeats,
}

fn main() {}
