use capgen::CapabilityError;

struct Failure;

#[derive(CapabilityError)]
enum BookError {
    Full,
    #[capability(other, code = "UNKNOWN")]
    Other(Failure),
}

fn main() {}
