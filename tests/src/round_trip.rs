//! A Rust program that reads payloads with generated types and writes them again.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use capgen_codegen::Language;
use capgen_schema::Schema;

use crate::Failure;
use crate::contract::{Draft, contract, generated};
use crate::rust_package::{Package, succeed};

/// A schema and payloads that it accepts, as JSON texts.
pub struct Case {
    /// The schema.
    pub schema: Schema,
    code: String,
    /// The payloads, each on one line.
    pub payloads: Vec<String>,
}

impl Case {
    /// A case of a capability with one schema; `None` if the schema is rejected.
    pub fn new(schema: &str, payloads: Vec<String>) -> Option<Self> {
        Self::of(&[Draft::request("root", schema)], payloads)
    }

    /// Like the function above, but a capability with the same schema comes first, so that the types of definitions
    /// belong to it.
    pub fn after_its_equal(schema: &str, payloads: Vec<String>) -> Option<Self> {
        Self::of(&[Draft::request("first", schema), Draft::request("root", schema)], payloads)
    }

    fn of(capabilities: &[Draft], payloads: Vec<String>) -> Option<Self> {
        let contract = contract("agent", capabilities).ok()?;
        let schema = contract.capabilities.last()?.input.clone()?;
        let code = generated(&contract, Language::Rust);
        Some(Self { schema, code, payloads })
    }
}

/// A program that reads lines of `<case> <payload>` and prints each payload as its type writes it, or `error: ` and the
/// reason why it was rejected.
fn program(scratch: &str, name: &str, cases: &[Case]) -> Result<Package, Failure> {
    let mut files = Vec::new();
    let mut main = String::from(
        "use capgen::Payload as _;
use std::io::BufRead as _;
fn round_trip<C: capgen::Capability>(json: &str) -> String {
    let value: serde_json::Value = capgen::Payload::from_json_str(json).unwrap();
    let read = match C::Request::from_json(json.as_bytes()) {
        Ok(read) => read,
        Err(error) => return format!(\"error: {error}\"),
    };
    let written = String::from_utf8(read.to_json().unwrap()).unwrap();
    read.validate().unwrap();
    let others: [C::Request; 2] = [C::Request::from_value(&value).unwrap(), serde_json::from_str(json).unwrap()];
    for other in others {
        assert_eq!(String::from_utf8(other.to_json().unwrap()).unwrap(), written);
        assert_eq!(serde_json::to_string(&other).unwrap(), written);
    }
    written
}
",
    );
    let mut arms = String::new();
    for (index, case) in cases.iter().enumerate() {
        files.push((format!("m{index}.rs"), case.code.clone()));
        writeln!(main, "mod m{index};")?;
        writeln!(arms, "            \"{index}\" => round_trip::<m{index}::Root>(json),")?;
    }
    write!(
        main,
        "fn main() {{
    for line in std::io::stdin().lock().lines() {{
        let line = line.unwrap();
        let (case, json) = line.split_once(' ').unwrap();
        println!(\"{{}}\", match case {{\n{arms}            _ => unreachable!(),\n        }});
    }}
}}
"
    )?;
    files.push(("main.rs".to_owned(), main));
    Package::write(scratch, name, "2024", &files)
}

/// The answers of the program for each payload of each case: the payload as its type writes it, or `error: ` and the
/// reason why it was rejected. The program is the package `name` in the folder `scratch`.
///
/// # Errors
/// If the program cannot be compiled or run.
pub fn answers(scratch: &str, name: &str, cases: &[Case]) -> Result<Vec<Vec<String>>, Failure> {
    let package = program(scratch, name, cases)?;
    succeed(&mut package.cargo("build"))?;
    let mut command: Command = package.cargo("run");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let input = child.stdin.take();
    let mut lines = String::new();
    for (index, case) in cases.iter().enumerate() {
        case.payloads.iter().try_for_each(|payload| writeln!(lines, "{index} {payload}"))?;
    }
    // A thread of its own, because the program answers while it reads.
    let writer = std::thread::spawn(move || input.map_or(Ok(()), |mut input| input.write_all(lines.as_bytes())));
    let output = child.wait_with_output()?;
    writer.join().map_err(|_| "the writer panicked")??;
    let text = String::from_utf8(output.stdout)?;
    let mut answers = text.lines().map(str::to_owned);
    Ok(cases.iter().map(|case| answers.by_ref().take(case.payloads.len()).collect()).collect())
}
