//! Generated Rust, built by cargo: one program for many schemas.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use capgen_codegen::Language;
use capgen_schema::{ExactPayload, Json, Schema, Validator};
use serde_json::Value;

use super::interpreter::value;
use super::{Answer, Engine, Pair, domain, parse, round_trip};
use crate::Failure;
use crate::contract::{Draft, contract, generated, summary};
use crate::rust_package::{Package, succeed};

/// The start of the generated program: the functions that validate a payload and report the result.
const HARNESS: &str = include_str!("harness.txt");

/// The limit of serde_json's own reader, one level less than capgen's.
const SERDE_DEPTH: usize = 127;

/// `from_json`, `from_value` and serde's traits of generated Rust. Values must also be written back.
#[derive(Clone, Debug)]
pub struct Rust {
    scratch: String,
    package: String,
}

impl Rust {
    /// Builds in the folder `scratch`, in a package of this name. Engines that run at the same time need different names.
    pub fn new(scratch: &str, package: &str) -> Self {
        Self { scratch: scratch.to_owned(), package: package.to_owned() }
    }

    fn program(&self, pairs: &[Pair]) -> Result<Package, Failure> {
        let mut files = Vec::new();
        let mut main = HARNESS.to_owned();
        let mut arms = String::new();
        for (index, pair) in pairs.iter().enumerate() {
            let contract = contract("agent", &[Draft::request("c", &pair.schema)]).map_err(|f| summary(&f))?;
            files.push((format!("m{index}.rs"), generated(&contract, Language::Rust)));
            writeln!(main, "mod m{index};")?;
            writeln!(arms, "            \"{index}\" => check::<m{index}::C>(&text, in_domain),")?;
        }
        write!(
            main,
            "fn main() {{
    for line in std::io::stdin().lock().lines() {{
        let line = line.unwrap();
        let (index, rest) = line.split_once(' ').unwrap();
        let (in_domain, text) = rest.split_once(' ').unwrap();
        let text: String = serde_json::from_str(text).unwrap();
        let in_domain = in_domain == \"true\";
        let answer = match index {{\n{arms}            _ => unreachable!(),\n        }};
        println!(\"{{answer}}\");
    }}
}}
"
        )?;
        files.push(("main.rs".to_owned(), main));
        Package::write(&self.scratch, &self.package, "2024", &files)
    }

    /// The program's report for each payload of each pair.
    fn run(&self, pairs: &[Pair]) -> Result<Vec<Vec<Value>>, Failure> {
        let package = self.program(pairs)?;
        succeed(package.cargo("build").env("CARGO_INCREMENTAL", "0"))?;
        let mut command = package.cargo("run");
        let command = command.env("CARGO_INCREMENTAL", "0").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut input = child.stdin.take().ok_or("no stdin")?;
        let mut lines = String::new();
        for (index, pair) in pairs.iter().enumerate() {
            for payload in &pair.payloads {
                writeln!(lines, "{index} {} {}", is_in_domain(payload), Value::from(payload.as_str()))?;
            }
        }
        let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
        let output = child.wait_with_output()?;
        let text = String::from_utf8(output.stdout)?;
        let answers: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let at = |count: usize| pairs.iter().flat_map(|pair| &pair.payloads).nth(count).cloned();
        if !output.status.success() {
            return Err(format!("the generated program stopped at {:?}", at(answers.len())).into());
        }
        writer.join().map_err(|_| "the writer panicked")??;
        let mut answers = answers.into_iter();
        Ok(pairs.iter().map(|pair| answers.by_ref().take(pair.payloads.len()).collect()).collect())
    }
}

impl Engine for Rust {
    fn names(&self) -> &[&'static str] {
        &["Rust from bytes", "Rust from a tree", "Rust through serde"]
    }

    fn answers(&self, pairs: &[Pair]) -> Result<Vec<Vec<Vec<Option<Answer>>>>, Failure> {
        let of_pair = |(pair, reported): (&Pair, Vec<Value>)| -> Result<Vec<_>, Failure> {
            let schema = parse(&pair.schema).ok_or("the schema is rejected")?;
            Ok(pair
                .payloads
                .iter()
                .zip(reported)
                .map(|(payload, reported)| answers(&schema, payload, &reported))
                .collect())
        };
        pairs.iter().zip(self.run(pairs)?).map(of_pair).collect()
    }

    /// Documented: an integer beyond 64 bits, or one that an `f64` would round, is rejected with a violation of its own.
    fn excuse(&self, _: &str, schema: &Schema, payload: &str, answer: &Answer) -> Option<&'static str> {
        let value = value(payload)?;
        let rejected = match answer.places.as_deref() {
            Some([(path, keyword)]) if keyword == "type" => vec![value.pointer(path)?.clone()],
            None if answer.trouble.is_none() => vec![value.clone()],
            _ => return None,
        };
        let is_valid = Validator::new(schema).is_valid_exact(&ExactPayload::new(payload, value));
        let is_rounded = !is_in_domain(payload);
        match is_valid && !answer.valid {
            true if rejected.iter().any(has_unrepresentable_integer) => Some("integer beyond the Rust type"),
            true if is_rounded => Some("number that the Rust type rounds"),
            _ => None,
        }
    }
}

/// Whether the text is valid JSON, and a tree has every digit of its numbers.
fn is_in_domain(payload: &str) -> bool {
    domain::is_payload(payload) && domain::numbers(payload).into_iter().all(domain::in_rust)
}

/// Whether the value contains an integer that `i64` cannot represent, or that `f64` rounds.
fn has_unrepresentable_integer(value: &Value) -> bool {
    match value {
        Value::Number(number) => capgen_schema::Number::from_payload(number).is_some_and(|number| {
            number.is_integer() && number.as_i64().is_none_or(|n| n.unsigned_abs() > domain::MAX_SAFE.unsigned_abs())
        }),
        Value::Array(items) => items.iter().any(has_unrepresentable_integer),
        Value::Object(members) => members.values().any(has_unrepresentable_integer),
        _ => false,
    }
}

fn answers(schema: &Schema, payload: &str, reported: &Value) -> Vec<Option<Answer>> {
    let trouble =
        reported["trouble"].as_str().map(str::to_owned).or_else(|| not_kept(schema, payload, &reported["written"]));
    let mut bytes = answer(&reported["bytes"]);
    let in_domain = is_in_domain(payload);
    if reported["bytes"].is_null() && capgen_schema::parse_payload(payload.as_bytes()).is_ok() {
        bytes.trouble = Some("reports invalid JSON".to_owned());
    }
    let tree = (in_domain && !reported["tree"].is_null()).then(|| answer(&reported["tree"]));
    let shallow = in_domain && payload.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count() < SERDE_DEPTH;
    let serde = shallow.then(|| Answer { valid: reported["serde"] == true, ..Answer::default() });
    bytes.trouble = bytes.trouble.or(trouble);
    vec![Some(bytes), tree, serde]
}

fn answer(reported: &Value) -> Answer {
    let Some(violations) = reported.as_array() else { return Answer::default() };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let places: Vec<_> = violations.iter().map(|violation| (text(&violation[0]), text(&violation[1]))).collect();
    Answer { valid: places.is_empty(), places: Some(places), ..Answer::default() }
}

/// The value that was read but not written back, or changed.
fn not_kept(schema: &Schema, payload: &str, written: &Value) -> Option<String> {
    let written = written.as_str().filter(|written| !written.is_empty())?;
    // A schema cannot contain a number that underflows; in a payload, it is zero.
    let json = |text: &str| text.parse().ok().or_else(|| Json::try_from(&value(text)?).ok());
    let (Some(before), Some(after)) = (json(payload), json(written)) else {
        return Some(format!("{written} is not valid JSON"));
    };
    round_trip::compare(schema, &before, &after).err()
}
