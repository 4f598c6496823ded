//! The violations of unions are those that the documentation specifies.

use capgen_schema::Validator;
use capgen_tests::agreement::oracle::Oracle;
use capgen_tests::agreement::{pairs, parse};
use capgen_tests::corpus::Document;

#[test]
fn the_interpreter_reports_the_violations_that_the_documentation_specifies() {
    let mut compared = 0;
    for pair in pairs(1_000_000, 300, 10).0 {
        let oracle = Oracle::new(Document::parse(&pair.schema).unwrap().root().to_json());
        let validator = Validator::new(&parse(&pair.schema).unwrap());
        for payload in &pair.payloads {
            let Ok(value) = capgen_schema::parse_payload(payload.as_bytes()) else { continue };
            let found: Vec<(String, String, String)> =
                validator.validate(&value).into_iter().map(|v| (v.path, v.keyword.to_string(), v.message)).collect();
            compared += usize::from(!found.is_empty());
            assert_eq!(found, oracle.violations(&value), "{}: {}\n{payload}", pair.label, pair.schema);
        }
    }
    assert!(compared > 1_000, "{compared} payloads are invalid");
}
