//! Realistic schemas with payloads labelled as valid or invalid, from `$CAPGEN_CORPUS/capability-schemas.json`.

use capgen_schema::{Json, Schema, Validator};
use serde_json::Value;

use crate::support::corpus;

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn payloads_of_the_corpora_are_classified_as_labelled() {
    let path = corpus("capability-schemas.json");
    let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let (mut schemas, mut rejected, mut payloads) = (0, 0, 0);
    let mut wrong = Vec::new();
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let schema = match Schema::parse(&Json::try_from(&case["schema"]).unwrap()) {
            Ok(schema) => schema,
            Err(problems) => {
                rejected += 1;
                println!("{id}: {} {}", problems[0].code.as_str(), problems[0].message);
                continue;
            }
        };
        schemas += 1;
        let validator = Validator::new(&schema);
        for test in case["tests"].as_array().unwrap() {
            payloads += 1;
            let violations = validator.validate(&test["data"]);
            assert_eq!(violations.is_empty(), validator.is_valid(&test["data"]), "{id} {}", test["data"]);
            if Some(violations.is_empty()) != test["valid"].as_bool() {
                wrong.push(format!("{id} {} labelled {}: {violations:?}", test["data"], test["valid"]));
            }
        }
    }
    println!("{payloads} payloads of {schemas} schemas, {rejected} schemas rejected");
    assert!(payloads > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
}
