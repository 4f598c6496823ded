//! The agent `reviewer`.
//!
//! Without arguments, it reads a request from standard input and writes the response to standard output. `reviewer serve --nats URL`
//! serves requests over NATS until the process is interrupted; with `--audit FILE`, it records violations.
#![forbid(unsafe_code)]

use std::error::Error;
use std::io::{Read, Write};
use std::process::ExitCode;

use capgen::{Checked, Payload};
use reviewer::{ReviewChange, serve};

#[expect(clippy::print_stderr, reason = "a program reports its errors")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        [] => answer(),
        ["serve", "--nats", url] => serve::run(url, None),
        ["serve", "--nats", url, "--audit", file] => serve::run(url, Some(file)),
        _ => Err("usage: reviewer [serve --nats <URL> [--audit <FILE>]]".into()),
    };
    match result {
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
