//! The agent `reviewer`: reads a request from standard input and writes the response to standard output.
#![forbid(unsafe_code)]

use std::error::Error;
use std::io::{Read, Write};
use std::process::ExitCode;

use capgen::{Checked, Payload};
use reviewer::ReviewChange;

#[expect(clippy::print_stderr, reason = "a program reports its errors")]
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
    // Both directions are checked: neither an invalid request nor an invalid response gets through.
    let change = ReviewChange::from_json(&request)?;
    let response = Checked(reviewer::review(&change)).to_json()?;
    std::io::stdout().write_all(&response)?;
    Ok(())
}
