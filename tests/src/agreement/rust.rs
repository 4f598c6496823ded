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
    /// Builds in the folder `scratch`, in a package of this name. Engines that run at the same time need different
    /// names.
    pub fn new(scratch: &str, package: &str) -> Self {
        Self { scratch: scratch.to_owned(), package: package.to_owned() }
    }

    /// The program for the pairs that have no error. The module of each pair is named after its index.
    fn program(&self, pairs: &[Pair], errors: &[Option<String>]) -> Result<Package, Failure> {
        let mut files = Vec::new();
        let mut main = HARNESS.to_owned();
        let mut arms = String::new();
        for (index, (pair, _)) in pairs.iter().zip(errors).enumerate().filter(|(_, (_, error))| error.is_none()) {
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

    /// Builds the program without the pairs whose generated code does not compile, and returns the first error of each
    /// of these.
    fn build(&self, pairs: &[Pair]) -> Result<(Package, Vec<Option<String>>), Failure> {
        let mut errors = vec![None; pairs.len()];
        loop {
            let package = self.program(pairs, &errors)?;
            let Err(failure) = succeed(package.cargo("build").env("CARGO_INCREMENTAL", "0")) else {
                return Ok((package, errors));
            };
            let mut is_new = false;
            for (index, error) in compile_errors(&failure.to_string()) {
                if let Some(slot @ None) = errors.get_mut(index) {
                    *slot = Some(format!("does not compile: {error}"));
                    is_new = true;
                }
            }
            if !is_new {
                return Err(failure);
            }
        }
    }

    /// The program's report for each payload of each pair, or the error if the pair's generated code does not compile.
    fn run(&self, pairs: &[Pair]) -> Result<Vec<Result<Vec<Value>, String>>, Failure> {
        let (package, errors) = self.build(pairs)?;
        let mut command = package.cargo("run");
        let command = command.env("CARGO_INCREMENTAL", "0").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut input = child.stdin.take().ok_or("no stdin")?;
        let mut lines = String::new();
        let mut sent = Vec::new();
        for (index, (pair, _)) in pairs.iter().zip(&errors).enumerate().filter(|(_, (_, error))| error.is_none()) {
            for payload in &pair.payloads {
                writeln!(lines, "{index} {} {}", is_in_domain(payload), Value::from(payload.as_str()))?;
                sent.push(payload);
            }
        }
        let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
        let output = child.wait_with_output()?;
        let text = String::from_utf8(output.stdout)?;
        let answers: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        if !output.status.success() {
            return Err(format!("the generated program stopped at {:?}", sent.get(answers.len())).into());
        }
        writer.join().map_err(|_| "the writer panicked")??;
        let mut answers = answers.into_iter();
        let of_pair = |(pair, error): (&Pair, Option<String>)| match error {
            Some(error) => Err(error),
            None => Ok(answers.by_ref().take(pair.payloads.len()).collect()),
        };
        Ok(pairs.iter().zip(errors).map(of_pair).collect())
    }
}

impl Engine for Rust {
    fn names(&self) -> &[&'static str] {
        &["Rust from bytes", "Rust from a tree", "Rust through serde"]
    }

    fn answers(&self, pairs: &[Pair]) -> Result<Vec<Vec<Vec<Option<Answer>>>>, Failure> {
        let of_pair = |(pair, reported): (&Pair, Result<Vec<Value>, String>)| -> Result<Vec<_>, Failure> {
            let schema = parse(&pair.schema).ok_or("the schema is rejected")?;
            let reported = match reported {
                Ok(reported) => reported,
                Err(error) => return Ok(not_compiled(pair, &error)),
            };
            Ok(pair
                .payloads
                .iter()
                .zip(reported)
                .map(|(payload, reported)| answers(&schema, payload, &reported))
                .collect())
        };
        pairs.iter().zip(self.run(pairs)?).map(of_pair).collect()
    }

    /// Documented: an integer beyond 64 bits, or one that an `f64` would round, is rejected with a violation of its
    /// own.
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

/// The compiler's first error in the module of each pair that it names, with the index of the pair.
fn compile_errors(output: &str) -> Vec<(usize, String)> {
    let error = |text: &str| {
        let (message, rest) = text.split_once('\n')?;
        let place = rest.lines().find_map(|line| line.trim_start().strip_prefix("--> src/m"))?;
        let (index, _) = place.split_once(".rs:")?;
        Some((index.parse().ok()?, format!("error{message}")))
    };
    output.split("\nerror").filter_map(error).collect()
}

/// The answers for a pair whose generated code does not compile: an answer with the error for the first payload, and no
/// others.
fn not_compiled(pair: &Pair, error: &str) -> Vec<Vec<Option<Answer>>> {
    let mut trouble = Some(Answer { trouble: Some(error.to_owned()), ..Answer::default() });
    pair.payloads.iter().map(|_| vec![trouble.take(), None, None]).collect()
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
    let truncated = violations.last().is_some_and(Value::is_string);
    let listed = violations.iter().filter(|violation| violation.is_array());
    let (places, messages): (Vec<_>, Vec<_>) =
        listed.map(|violation| ((text(&violation[0]), text(&violation[1])), text(&violation[2]))).unzip();
    Answer {
        valid: places.is_empty(),
        places: Some(places),
        messages: Some(messages),
        truncated: Some(truncated),
        trouble: None,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_compiler_have_the_index_of_their_pair() {
        let output = "\
\"cargo\" \"build\"

error[E0119]: conflicting implementations of trait `Serialize`
   --> src/m17.rs:87:9
    |
note: the first one
   --> src/m3.rs:1:1

error: expected item
  --> src/main.rs:1:1

error: could not compile `x` (bin \"x\") due to 2 previous errors
";
        let expected = "error[E0119]: conflicting implementations of trait `Serialize`".to_owned();
        assert_eq!(compile_errors(output), [(17, expected)]);
    }

    #[test]
    fn code_that_does_not_compile_has_one_answer() {
        let pair =
            Pair { label: String::new(), schema: "{}".to_owned(), payloads: vec!["1".to_owned(), "2".to_owned()] };
        let answers = not_compiled(&pair, "does not compile");
        let troubles: Vec<Vec<bool>> =
            answers.iter().map(|names| names.iter().map(Option::is_some).collect()).collect();
        assert_eq!(troubles, [[true, false, false], [false; 3]]);
    }
}
