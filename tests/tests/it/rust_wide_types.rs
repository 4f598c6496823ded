//! Wide records and long enums, whose generated Rust has another form so that rustc's time and memory are proportional
//! to their size, accept and write the same payloads as the interpreter.

use std::fmt::Write as _;

use capgen_codegen::Language;
use capgen_schema::{ExactPayload, Json, Validator};
use capgen_tests::contract::{Draft, contract, generated};
use capgen_tests::rust_package::{Package, succeed};
use serde_json::{Map, Value, json};

const WIDTH: usize = 200;

/// The schema and a valid value of property `n`.
fn property(n: usize) -> (Value, Value) {
    match n % 5 {
        0 => (json!({"type": "string", "minLength": 1}), json!(format!("text {n}"))),
        1 => (json!({"type": ["integer", "null"]}), if n.is_multiple_of(2) { json!(n) } else { Value::Null }),
        2 => (json!({"type": "array", "items": {"type": "boolean"}, "maxItems": 2}), json!([true, false])),
        3 => (json!({"enum": ["a", "b"]}), json!("b")),
        _ => (json!({"type": "object", "properties": {"x": {"type": "number"}}}), json!({"x": 0.5})),
    }
}

/// The name of property `n`. Some are names that the generated code uses itself.
fn name(n: usize) -> String {
    match n {
        1 => "reader".to_owned(),
        70 => "index".to_owned(),
        71 => "object".to_owned(),
        140 => "part_0".to_owned(),
        _ => format!("p{n}"),
    }
}

/// A record with required and optional properties. The last property is forbidden.
fn record(rest: &Value) -> Value {
    let mut properties: Map<_, _> = (0..WIDTH).map(|n| (name(n), property(n).0)).collect();
    properties.insert("forbidden".to_owned(), json!(false));
    let required: Vec<_> = (0..WIDTH).filter(|n| n % 3 == 0).map(name).collect();
    let mut record = json!({"type": "object", "properties": properties, "required": required});
    if !rest.is_null() {
        record["additionalProperties"] = rest.clone();
    }
    record
}

/// Payloads of wide records: valid ones, and each kind of violation in the first, a middle and the last part.
fn record_payloads() -> Vec<String> {
    let with = |keep: &dyn Fn(usize) -> bool| -> Map<String, Value> {
        (0..WIDTH).filter(|n| keep(*n)).map(|n| (name(n), property(n).1)).collect()
    };
    let text = |members: Map<String, Value>| Value::Object(members).to_string();
    let all = text(with(&|_| true));
    let inside = &all[1..all.len() - 1];
    let mut payloads = vec![all.clone(), text(with(&|n| n % 3 == 0)), "{}".to_owned(), "[]".to_owned()];
    let backwards: Vec<String> = (0..WIDTH).rev().map(|n| format!("{:?}:{}", name(n), property(n).1)).collect();
    payloads.push(format!("{{{}}}", backwards.join(",")));
    payloads.push(format!(r#"{{{inside},"unknown":1,"other":"x"}}"#));
    payloads.push(format!(r#"{{{inside},"unknown":"y"}}"#));
    payloads.push(format!(r#"{{"unknown":"y",{inside},"unknown":"y"}}"#));
    payloads.push(format!(r#"{{{inside},"forbidden":null}}"#));
    for n in [0, 1, 2, 62, 63, 64, 65, 127, 128, 129, 140, 192, 198, 199] {
        payloads.push(text(with(&|other| other != n)));
        payloads.push(format!("{{{inside},{:?}:{}}}", name(n), property(n).1));
        for value in [json!(null), json!(""), json!([true, true, true]), json!({"x": "y"})] {
            let mut members = with(&|_| true);
            members.insert(name(n), value);
            payloads.push(text(members));
        }
    }
    payloads
}

/// The lines that a program prints which reads each payload with the type of its schema: the payload as the type writes
/// it, or `rejected`.
fn answers(cases: &[(Value, Vec<String>)]) -> Vec<String> {
    let mut files = Vec::new();
    let mut main = String::from(
        "fn answer<C: capgen::Capability>(json: &str) {
    match <C::Request as capgen::Payload>::from_json(json.as_bytes()) {
        Ok(read) => println!(\"{}\", String::from_utf8(capgen::Payload::to_json(&read).unwrap()).unwrap()),
        Err(_) => println!(\"rejected\"),
    }
}
",
    );
    let mut calls = String::new();
    for (index, (schema, payloads)) in cases.iter().enumerate() {
        let contract = contract("agent", &[Draft::request("root", &schema.to_string())]).unwrap();
        files.push((format!("m{index}.rs"), generated(&contract, Language::Rust)));
        files.push((format!("m{index}.txt"), payloads.join("\n")));
        writeln!(main, "mod m{index};").unwrap();
        writeln!(calls, "    include_str!(\"m{index}.txt\").lines().for_each(answer::<m{index}::Root>);").unwrap();
    }
    write!(main, "fn main() {{\n{calls}}}\n").unwrap();
    files.push(("main.rs".to_owned(), main));
    let package = Package::write(env!("CARGO_TARGET_TMPDIR"), "wide-types", "2024", &files).unwrap();
    let output = succeed(&mut package.cargo("run")).unwrap_or_else(|e| panic!("{e}"));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn wide_records_and_long_enums_agree_with_the_interpreter() {
    let texts: Vec<String> = (0..300).map(|n| format!("v{n}")).collect();
    let records = [json!(null), json!(true), json!(false), json!({"type": "string"})];
    let mut cases: Vec<(Value, Vec<String>)> = records.iter().map(|rest| (record(rest), record_payloads())).collect();
    cases.push((json!({"enum": texts}), ["v0", "v299", "v300", ""].map(|text| json!(text).to_string()).into()));
    let mixed: Vec<Value> = (0..300_u32).map(|n| if n.is_multiple_of(2) { json!(n) } else { json!([n]) }).collect();
    cases.push((json!({"enum": mixed}), ["0", "298.0", "[299]", "300", "1"].map(str::to_owned).into()));

    let answers = answers(&cases);
    let pairs = cases.iter().flat_map(|(schema, payloads)| payloads.iter().map(move |payload| (schema, payload)));
    let (mut valid, mut invalid) = (0, 0);
    let mut last = None;
    for ((schema, payload), answer) in pairs.clone().zip(&answers) {
        // The validator of the previous payload, if it has the same schema.
        let source = schema.to_string();
        if last.as_ref().is_none_or(|(text, _)| *text != source) {
            let contract = contract("agent", &[Draft::request("root", &source)]).unwrap();
            let validator = Validator::new(contract.capabilities[0].input.as_ref().unwrap());
            last = Some((source, validator));
        }
        let (_, validator) = last.as_ref().unwrap();
        // Duplicate names are an error of the payload's syntax.
        let is_valid = ExactPayload::parse(payload.as_bytes()).is_ok_and(|payload| validator.is_valid_exact(&payload));
        assert_eq!(answer != "rejected", is_valid, "{schema}\n{payload}\n{answer}");
        if is_valid {
            valid += 1;
            let mut expected: Value = serde_json::from_str(payload).unwrap();
            if schema.get("additionalProperties").is_none() {
                expected
                    .as_object_mut()
                    .into_iter()
                    .for_each(|members| members.retain(|name, _| name != "unknown" && name != "other"));
            }
            let canonical = |text: &str| text.parse::<Json>().unwrap().canonical();
            assert_eq!(canonical(answer), canonical(&expected.to_string()), "{payload}");
        } else {
            invalid += 1;
        }
    }
    assert_eq!(answers.len(), pairs.count());
    assert!(valid > 50 && invalid > 50, "{valid} {invalid}");
}

#[test]
fn only_types_beyond_the_limits_have_the_form_for_wide_types() {
    let printed = |schema: &Value| {
        let contract = contract("agent", &[Draft::request("root", &schema.to_string())]).unwrap();
        generated(&contract, Language::Rust)
    };
    let record = |n: usize| {
        let properties: Map<_, _> = (0..n).map(|n| (format!("p{n}"), json!({"type": "string"}))).collect();
        json!({"type": "object", "properties": properties})
    };
    assert!(!printed(&record(64)).contains("Part_0"));
    let wide = printed(&record(65));
    assert!(wide.contains("struct Part_1 {") && !wide.contains("Part_2"));
    assert!(wide.contains("0..=32 => part_0.read(index, reader)?,") && wide.contains("33..=64 => part_1"), "{wide}");
    let members = |n: usize| json!({"enum": (0..n).map(|n| format!("v{n}")).collect::<Vec<_>>()});
    assert!(printed(&members(256)).contains("match self {"));
    let long = printed(&members(257));
    assert!(long.contains("VALUES[self as usize]") && !long.contains("match self {"));
}
