//! Generated Rust accepts the numbers that the interpreter accepts, in every notation, also beyond 64 bits.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use capgen_codegen::Language;
use capgen_manifest::Manifest;
use capgen_schema::{ExactPayload, Number, Validator};
use capgen_tests::agreement::domain::numbers;
use capgen_tests::contract::{Draft, contract, generated};
use capgen_tests::rust_package::{Package, succeed};

/// Integers near the ends of 64 bits and of binary64's exact integers, and beyond.
const INTEGERS: [&str; 12] = [
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "10000000000000000000",
    "18446744073709551615",
    "18446744073709551616",
    "-18446744073709551616",
    "36893488147419103232",
    "100000000000000000000000",
    "123456789012345678901234567890",
];

/// The same integer in other notations.
fn notations(integer: &str) -> Vec<String> {
    let (sign, digits) = integer.strip_prefix('-').map_or(("", integer), |digits| ("-", digits));
    let (first, rest) = digits.split_at(1);
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    let mut notations = vec![
        integer.to_owned(),
        format!("{integer}.0"),
        format!("{integer}.000"),
        format!("{integer}e0"),
        format!("{integer}0E-1"),
        format!("{sign}{first}.{rest}E{}", rest.len()),
        format!("{sign}{first}.{rest}00e+{}", rest.len()),
        format!("{sign}0.{digits}e{}", digits.len()),
    ];
    if zeros > 0 {
        notations.push(format!("{sign}{}E{zeros}", &digits[..digits.len() - zeros]));
    }
    notations
}

/// How a Rust type keeps a number of its schema.
#[derive(Clone, Copy, PartialEq)]
enum Kept {
    /// As a variant of an enum, whatever its digits.
    Listed,
    /// In a `serde_json::Value`: as a 64-bit integer, or as the shortest decimal of an `f64`.
    Tree,
    /// As an `f64`.
    Float,
}

fn is_64_bit_integer(text: &str) -> bool {
    text.parse::<Number>().is_ok_and(|number| number.as_i64().is_some() || number.as_u64().is_some())
}

impl Kept {
    /// Whether a number is written with the same value after it has been read.
    fn keeps(self, number: &Number) -> bool {
        let is_shortest = Number::from_f64(number.as_f64()).as_ref() == Some(number);
        let is_exact = Number::exact(number.as_f64()).as_ref() == Some(number);
        match self {
            Self::Listed => true,
            Self::Tree => is_64_bit_integer(&number.to_string()) || is_shortest,
            Self::Float if number.as_f64().abs() < 2_f64.powi(64) => is_exact,
            Self::Float => is_shortest,
        }
    }
}

/// Schemas that list the number `N`, a payload around it, and how their Rust types keep the number.
const SHAPES: [(&str, &str, Kept); 20] = [
    (r#"{"const": N}"#, "N", Kept::Listed),
    (r#"{"enum": [N, "a", 1.5]}"#, "N", Kept::Listed),
    (r#"{"type": "integer", "const": N}"#, "N", Kept::Listed),
    (r#"{"type": ["integer", "string"], "enum": [N, 1, "x"]}"#, "N", Kept::Listed),
    (r#"{"oneOf": [{"const": N}, {"type": "string"}]}"#, "N", Kept::Listed),
    (r#"{"oneOf": [{"const": N}, {"const": 5}]}"#, "N", Kept::Listed),
    (r#"{"oneOf": [{"const": N}, {"type": "integer", "minimum": 0, "maximum": 10}]}"#, "N", Kept::Tree),
    (r#"{"oneOf": [{"const": N}, {"type": "number", "maximum": 10, "minimum": 0}]}"#, "N", Kept::Float),
    (r#"{"oneOf": [{"const": N}, {"enum": [1, "a"]}, {"type": "array"}]}"#, "N", Kept::Tree),
    (
        r#"{"anyOf": [{"const": N}, {"type": "integer", "minimum": 0, "maximum": 10}, {"type": "string"}]}"#,
        "N",
        Kept::Tree,
    ),
    (r#"{"anyOf": [{"enum": [N, 7]}, {"enum": [7, 8]}]}"#, "N", Kept::Listed),
    (r#"{"oneOf": [{"enum": [N, 7]}, {"enum": [7, 8]}]}"#, "N", Kept::Listed),
    (r#"{"allOf": [{"enum": [N, 7]}, {"enum": [N, "x"]}]}"#, "N", Kept::Listed),
    (r#"{"enum": [N, 7], "not": {"const": 7}}"#, "N", Kept::Listed),
    (r#"{"enum": [N, 7, "x"], "minLength": 2}"#, "N", Kept::Listed),
    (r#"{"type": "array", "items": {"enum": [N, "x"]}, "uniqueItems": true}"#, r#"[N, "x"]"#, Kept::Listed),
    (
        r#"{"type": "object", "required": ["k"], "properties": {"k": {"const": N}}}"#,
        r#"{"k": N, "l": 1}"#,
        Kept::Listed,
    ),
    (
        r#"{"oneOf": [{"type": "object", "required": ["k"], "properties": {"k": {"const": N}}},
            {"type": "object", "required": ["k"], "properties": {"k": {"const": "x"}, "v": {"type": "string"}}}]}"#,
        r#"{"v": 1, "k": N}"#,
        Kept::Listed,
    ),
    (r#"{"enum": [{"k": [N]}, "x"]}"#, r#"{"k": [N]}"#, Kept::Listed),
    (
        r#"{"anyOf": [{"type": "object", "required": ["k"], "properties": {"k": {"const": N}}},
            {"type": "object", "required": ["l"], "properties": {"l": {"type": "integer"}}}]}"#,
        r#"{"k": N, "l": 1}"#,
        Kept::Tree,
    ),
];

/// A schema for each shape and integer, in the order of the capabilities of the contract.
fn schemas() -> Vec<String> {
    let shapes = SHAPES.iter().map(|(schema, ..)| schema.replace('\n', " "));
    shapes.flat_map(|shape| INTEGERS.map(|integer| shape.replace('N', integer))).collect()
}

/// A program that reads lines of `<schema> <payload>` and prints each payload as its type writes it, or `error: ` and
/// the reason why it was rejected.
fn program(agent: &Manifest) -> Package {
    let mut main = String::from(
        "mod agent;
use std::io::BufRead as _;
fn round_trip<T: capgen::Payload>(json: &str) -> String {
    match T::from_json(json.as_bytes()) {
        Ok(read) => String::from_utf8(read.to_json().unwrap()).unwrap(),
        Err(error) => format!(\"error: {error}\").replace('\\n', \" \"),
    }
}
const ROUND_TRIPS: &[fn(&str) -> String] = &[
",
    );
    for index in 0..agent.capabilities.len() {
        writeln!(main, "    round_trip::<agent::S{index}Request>,").unwrap();
    }
    main.push_str(
        "];
fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let (index, json) = line.split_once(' ').unwrap();
        println!(\"{}\", ROUND_TRIPS[index.parse::<usize>().unwrap()](json));
    }
}
",
    );
    let files = [("agent.rs".to_owned(), generated(agent, Language::Rust)), ("main.rs".to_owned(), main)];
    Package::write(env!("CARGO_TARGET_TMPDIR"), "numbers", "2024", &files).unwrap()
}

/// The program's answers, one line for each line of the input.
fn answers(agent: &Manifest, input: String) -> Vec<String> {
    let package = program(agent);
    succeed(&mut package.cargo("build")).unwrap_or_else(|e| panic!("{e}"));
    let mut child = package.cargo("run").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn listed_numbers_are_accepted_in_every_notation() {
    let schemas = schemas();
    let names: Vec<String> = (0..schemas.len()).map(|index| format!("s{index}")).collect();
    let drafts: Vec<Draft> = names.iter().zip(&schemas).map(|(name, schema)| Draft::request(name, schema)).collect();
    let agent = contract("agent", &drafts).unwrap();
    let mut cases: Vec<(usize, String)> = Vec::new();
    for (shape, (_, payload, _)) in SHAPES.iter().enumerate() {
        for index in 0..INTEGERS.len() {
            let payloads =
                INTEGERS.iter().flat_map(|integer| notations(integer)).map(|number| payload.replace('N', &number));
            cases.extend(payloads.map(|payload| (shape * INTEGERS.len() + index, payload)));
        }
    }
    let input = cases.iter().fold(String::new(), |input, (index, payload)| input + &format!("{index} {payload}\n"));
    let answers = answers(&agent, input);
    assert_eq!(answers.len(), cases.len());
    let validators: Vec<Validator> =
        agent.capabilities.iter().map(|capability| Validator::new(capability.input.as_ref().unwrap())).collect();
    let mut differences = Vec::new();
    let mut valid = 0;
    for ((index, payload), answer) in cases.iter().zip(&answers) {
        let (integer, kept) = (INTEGERS[index % INTEGERS.len()], SHAPES[index / INTEGERS.len()].2);
        let exact = ExactPayload::parse(payload.as_bytes()).unwrap();
        let is_valid = validators[*index].is_valid_exact(&exact);
        valid += usize::from(is_valid);
        let is_right = if !is_valid {
            answer.starts_with("error: ")
        } else if !kept.keeps(&integer.parse().unwrap()) && answer.starts_with("error: ") {
            // Documented: the written number would not conform to the schema.
            answer.contains("the Rust type changes the value of a number")
                || answer.contains("integer that binary64 cannot represent exactly")
        } else {
            let written = ExactPayload::parse(answer.as_bytes()).unwrap();
            let keeps_all = kept == Kept::Tree && numbers(payload).iter().all(|number| is_64_bit_integer(number));
            validators[*index].is_valid_exact(&written) && (!keeps_all || written.canonical() == exact.canonical())
        };
        if !is_right {
            differences.push(format!("{}: {payload}: {answer}", schemas[*index]));
        }
    }
    assert!(valid > 1000, "{valid}");
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}
