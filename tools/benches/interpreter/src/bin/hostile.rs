//! Payloads and schemas that try to cost more than they should, at growing sizes. Measures the CPU time from bytes to
//! violations, and that of the reader that generated types use.
//!
//! `cargo run --release -p interpreter --bin hostile`. Each line runs in its own process, for its peak memory; that
//! column is empty if the system does not report it.

use std::fmt::Write as _;
use std::process::Command;

use capgen::Payload as _;
use capgen_schema::{ReportBudget, Schema, Validator, parse_payload};
use cpu_time::ProcessTime;

/// An attack, the sizes to try, and the expected result.
struct Attack {
    name: &'static str,
    sizes: [usize; 3],
    outcome: Outcome,
    /// The schema, the payload and the expected number of violations for a size.
    make: fn(usize) -> (String, Vec<u8>, usize),
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Outcome {
    Valid,
    Invalid,
    /// The parser rejects the payload.
    ParseError,
}

use Outcome::{Invalid, ParseError, Valid};

const MB: [usize; 3] = [100_000, 1_000_000, 10_000_000];
const ITEMS: [usize; 3] = [10_000, 100_000, 1_000_000];
const ALL: usize = usize::MAX;

const ATTACKS: &[Attack] = &[
    Attack {
        name: "nested arrays, bytes",
        sizes: MB,
        outcome: ParseError,
        make: |n| ("true".into(), vec![b'['; n], ALL),
    },
    Attack {
        name: "nested objects, bytes",
        sizes: MB,
        outcome: ParseError,
        make: |n| ("true".into(), r#"{"a":"#.repeat(n / 5).into(), ALL),
    },
    Attack {
        name: "nesting within a string, bytes",
        sizes: MB,
        outcome: Valid,
        make: |n| ("true".into(), format!("\"{}\"", "[{".repeat(n / 2)).into(), ALL),
    },
    Attack {
        name: "equal numbers, uniqueItems",
        sizes: ITEMS,
        outcome: Invalid,
        make: |n| (UNIQUE.into(), list(n, |_| "7".into()), ALL),
    },
    Attack {
        name: "distinct numbers, uniqueItems",
        sizes: ITEMS,
        outcome: Valid,
        make: |n| (UNIQUE.into(), list(n, |i| i.to_string()), ALL),
    },
    Attack {
        name: "distinct strings, uniqueItems",
        sizes: ITEMS,
        outcome: Valid,
        make: |n| (UNIQUE.into(), list(n, |i| format!("\"s{i}\"")), ALL),
    },
    Attack {
        name: "distinct objects, uniqueItems",
        sizes: ITEMS,
        outcome: Valid,
        make: |n| (UNIQUE.into(), list(n, |i| format!("{{\"a\":{i},\"b\":[{i}.5]}}")), ALL),
    },
    Attack {
        name: "violations, all reported",
        sizes: ITEMS,
        outcome: Invalid,
        make: |n| (NULLS.into(), list(n, |_| "1".into()), ALL),
    },
    Attack {
        name: "violations, limited to 10",
        sizes: ITEMS,
        outcome: Invalid,
        make: |n| (NULLS.into(), list(n, |_| "1".into()), 10),
    },
    Attack {
        name: "violations in a union",
        sizes: ITEMS,
        outcome: Invalid,
        make: |n| (format!(r#"{{"oneOf":[{NULLS},{{"type":"null"}},{NULLS}]}}"#), list(n, |_| "1".into()), ALL),
    },
    Attack {
        name: "unions without a matching branch",
        sizes: ITEMS,
        outcome: Invalid,
        make: |n| (r#"{"items":{"anyOf":[{"minimum":5},{"maximum":0}]}}"#.into(), list(n, |_| "1".into()), ALL),
    },
    Attack {
        name: "unexpected properties",
        sizes: ITEMS,
        outcome: Invalid,
        make: |n| (r#"{"additionalProperties":false}"#.into(), object(n, |i| i), ALL),
    },
    Attack {
        name: "numbers beyond binary64",
        sizes: ITEMS,
        outcome: ParseError,
        make: |n| ("true".into(), list(n, |_| "1e400".into()), ALL),
    },
    Attack {
        name: "400-digit integers, digits",
        sizes: MB,
        outcome: ParseError,
        make: |n| (INTEGER.into(), list(n / 400, |_| "9".repeat(400)), ALL),
    },
    Attack {
        name: "300-digit integers, digits",
        sizes: MB,
        outcome: Invalid,
        make: |n| (INTEGER.into(), list(n / 300, |_| "9".repeat(300)), 10),
    },
    Attack {
        name: "one long integer, digits",
        sizes: MB,
        outcome: ParseError,
        make: |n| (INTEGER.into(), "9".repeat(n).into(), ALL),
    },
    Attack {
        name: "one long fraction, digits",
        sizes: MB,
        outcome: Valid,
        make: |n| ("true".into(), format!("0.{}", "1".repeat(n)).into(), ALL),
    },
    Attack {
        name: "lone surrogates",
        sizes: ITEMS,
        outcome: ParseError,
        make: |n| {
            (
                "true".into(),
                list(n, |i| if i + 1 == n { r#""\ud800""#.into() } else { r#""\ud83d\ude00""#.into() }),
                ALL,
            )
        },
    },
    Attack {
        name: "invalid UTF-8, bytes",
        sizes: MB,
        outcome: ParseError,
        make: |n| ("true".into(), [b"\"".as_slice(), &vec![b'a'; n], b"\xff\""].concat(), ALL),
    },
    Attack { name: "distinct keys", sizes: ITEMS, outcome: Valid, make: |n| ("true".into(), object(n, |i| i), ALL) },
    Attack {
        name: "a duplicate key, at the end",
        sizes: ITEMS,
        outcome: ParseError,
        make: |n| ("true".into(), object(n, |i| i % (n - 1)), ALL),
    },
    Attack {
        name: "allOf with shared definitions, definitions",
        sizes: [10, 20, 40],
        outcome: Valid,
        make: |n| (ladder(n, REF), b"1".to_vec(), ALL),
    },
    Attack {
        name: "allOf with shared definitions, items",
        sizes: [1_000, 10_000, 100_000],
        outcome: Valid,
        make: |n| (ladder(40, &format!("\"items\":{{{REF}}}")), list(n, |_| "1".into()), ALL),
    },
    Attack {
        name: "(a+)+$ on a...b, characters",
        sizes: MB,
        outcome: Invalid,
        make: |n| (r#"{"pattern":"^(a+)+$"}"#.into(), format!("\"{}b\"", "a".repeat(n)).into(), ALL),
    },
    Attack {
        name: "(a|a)*b on aaa..., characters",
        sizes: MB,
        outcome: Invalid,
        make: |n| (r#"{"pattern":"(a|a)*b"}"#.into(), format!("\"{}\"", "a".repeat(n)).into(), ALL),
    },
];

const UNIQUE: &str = r#"{"uniqueItems":true}"#;
const NULLS: &str = r#"{"items":{"type":"null"}}"#;
const REF: &str = r##""$ref":"#/definitions/d0""##;
const INTEGER: &str = r#"{"items":{"type":"integer","maximum":9}}"#;

fn list(n: usize, item: impl Fn(usize) -> String) -> Vec<u8> {
    let mut text = String::from("[");
    for index in 0..n {
        text.push_str(if index > 0 { "," } else { "" });
        text.push_str(&item(index));
    }
    (text + "]").into()
}

fn object(n: usize, name: impl Fn(usize) -> usize) -> Vec<u8> {
    let mut text = String::from("{");
    for index in 0..n {
        let _ = write!(text, "{}\"k{}\":1", if index > 0 { "," } else { "" }, name(index));
    }
    (text + "}").into()
}

/// Definitions that each refer to the next one twice, and a reference to the first. An engine that does not remember
/// results takes 2^n steps. Chains of more than 128 subschemas are rejected at load, and each definition adds three.
fn ladder(n: usize, top: &str) -> String {
    let step = |i: usize| {
        let next = format!(r##"{{"$ref":"#/definitions/d{}"}}"##, i + 1);
        format!(r#""d{i}":{{"allOf":[{next},{{"allOf":[{next}]}}]}}"#)
    };
    let steps: Vec<String> = (0..n).map(step).collect();
    format!(r#"{{{top},"definitions":{{{},"d{n}":{{"type":"integer"}}}}}}"#, steps.join(","))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [name, size] = arguments.as_slice() {
        let attack = ATTACKS.iter().find(|attack| attack.name == name).expect("an attack");
        return run(attack, size.parse().expect("a size"));
    }
    println!(
        "| attack | size | payload | outcome | parse | validate | read | peak memory |\n|---|---|---|---|---|---|---|---|"
    );
    for attack in ATTACKS {
        for size in attack.sizes {
            let program = std::env::current_exe().expect("the program's path");
            let output = Command::new(program).args([attack.name, &size.to_string()]).output().expect("it runs");
            assert!(output.status.success(), "{}: {}", attack.name, String::from_utf8_lossy(&output.stderr));
            print!("{}", String::from_utf8_lossy(&output.stdout));
        }
    }
}

fn run(attack: &Attack, size: usize) {
    let (schema, payload, wanted) = (attack.make)(size);
    let schema = Schema::parse_text(&schema).expect("a schema");
    let budget = ReportBudget { violations: wanted, ..ReportBudget::UNLIMITED };
    let validator = Validator::new(&schema).budget(budget);
    let start = ProcessTime::now();
    let value = parse_payload(&payload);
    let parsed = start.elapsed();
    let start = ProcessTime::now();
    let (outcome, violations) = match &value {
        Err(_) => (ParseError, 0),
        Ok(value) => {
            let violations = validator.validate(value).len();
            (if violations == 0 { Valid } else { Invalid }, violations)
        }
    };
    let validated = start.elapsed();
    drop(value);
    let start = ProcessTime::now();
    let read = serde_json::Value::from_json(&payload).is_ok();
    let was_read = start.elapsed();
    assert_eq!(read, outcome != ParseError, "{}", attack.name);
    assert_eq!(outcome, attack.outcome, "{}", attack.name);
    let count = if violations > 1 { format!(", {violations} violations") } else { String::new() };
    let [parsed, validated, was_read] =
        [parsed, validated, was_read].map(|time| format!("{:.1} ms", time.as_secs_f64() * 1e3));
    println!(
        "| {} | {size} | {:.1} MB | {outcome:?}{count} | {parsed} | {validated} | {was_read} | {} |",
        attack.name,
        payload.len() as f64 / 1e6,
        peak()
    );
}

/// Peak memory as Linux reports it.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.map_or_else(String::new, |kib| format!("{:.0} MB", kib / 1024.0))
}
