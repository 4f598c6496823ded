use capgen::CapabilityError;

#[derive(CapabilityError)]
enum BookError {
    #[capability(code = "no-seats")]
    NoSeats,
}

fn main() {}
