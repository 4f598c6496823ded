use capgen::CapabilityError;

#[derive(CapabilityError)]
enum BookError {
    #[capability(other)]
    Other,
}

fn main() {}
