//! The agent `reviewer`: answers a request, which is read from standard input, on standard output.
#![forbid(unsafe_code)]

use std::error::Error;
use std::io::{Read, Write};
use std::process::ExitCode;

use capgen::{Checked, Payload};
use reviewer::ReviewChange;

#[expect(clippy::print_stderr, reason = "an example says what is wrong")]
fn main() -> ExitCode {
    match answer() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn answer() -> Result<(), Box<dyn Error>> {
    let mut request = Vec::new();
    std::io::stdin().read_to_end(&mut request)?;
    // Nothing that breaks the contract comes in, and nothing goes out.
    let change = ReviewChange::from_json(&request)?;
    let response = Checked(reviewer::review(&change)).to_json()?;
    std::io::stdout().write_all(&response)?;
    Ok(())
}
