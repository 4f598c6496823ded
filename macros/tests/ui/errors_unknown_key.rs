use capgen::CapabilityError;

#[derive(CapabilityError)]
enum BookError {
    #[capability(retriable)]
    NoSeats,
}

fn main() {}
