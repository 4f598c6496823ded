//! The violations of unions are those that the documentation specifies.

use capgen_schema::{ReportBudget, Validator};
use capgen_tests::agreement::oracle::Oracle;
use capgen_tests::agreement::tree::Tree;
use capgen_tests::agreement::{Pair, agree, loads, pairs, parse};
use capgen_tests::corpus::Document;
use capgen_tests::random::Random;

/// Pairs whose schemas have unions within unions.
fn nested(seed: u64, count: usize) -> Vec<Pair> {
    let pair = |seed| {
        let mut random = Random::new(seed);
        let schema = Tree::from(&random.nested_unions()).to_string();
        let parsed = parse(&schema).filter(|_| loads(&schema))?;
        let payloads = [random.payloads(&parsed, 6), random.objects_of_unions(14)].concat();
        Some(Pair { label: format!("nested {seed}"), schema, payloads })
    };
    (seed..).filter_map(pair).take(count).collect()
}

#[test]
fn the_interpreter_reports_the_violations_that_the_documentation_specifies() {
    let compared = compare(&pairs(1_000_000, 300, 10).0);
    assert!(compared > 1_000, "{compared} payloads are invalid");
}

#[test]
fn the_interpreter_reports_the_violations_of_nested_unions_that_the_documentation_specifies() {
    let compared = compare(&nested(1, 120));
    assert!(compared > 1_000, "{compared} payloads are invalid");
}

#[test]
fn all_engines_agree_on_nested_unions() {
    let outcome = agree(env!("CARGO_TARGET_TMPDIR"), "nested", &nested(10_000, 40));
    assert!(outcome.valid > 100 && outcome.invalid > 300, "{} valid, {} invalid", outcome.valid, outcome.invalid);
}

/// Compares the violations of every payload; the number of payloads with violations.
fn compare(pairs: &[Pair]) -> usize {
    let mut compared = 0;
    for pair in pairs {
        let oracle = Oracle::new(Document::parse(&pair.schema).unwrap().root().to_json());
        let validator = Validator::new(&parse(&pair.schema).unwrap()).budget(ReportBudget::UNLIMITED);
        for payload in &pair.payloads {
            let Ok(value) = capgen_schema::parse_payload(payload.as_bytes()) else { continue };
            let found: Vec<(String, String, String)> =
                validator.validate(&value).into_iter().map(|v| (v.path, v.keyword.to_string(), v.message)).collect();
            compared += usize::from(!found.is_empty());
            assert_eq!(found, oracle.violations(&value), "{}: {}\n{payload}", pair.label, pair.schema);
        }
    }
    compared
}
