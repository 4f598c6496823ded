use capgen::Capability;

#[derive(Capability)]
#[capability(errors = BookError)]
struct Book;

enum BookError {}

fn main() {}
