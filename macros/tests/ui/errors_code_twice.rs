use capgen::CapabilityError;

#[derive(CapabilityError)]
enum BookError {
    NoSeats,
    #[capability(code = "NO_SEATS")]
    Full,
}

fn main() {}
