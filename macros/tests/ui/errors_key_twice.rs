use capgen::CapabilityError;

#[derive(CapabilityError)]
enum BookError {
    #[capability(code = "FULL", code = "NO_SEATS")]
    Full,
}

fn main() {}
