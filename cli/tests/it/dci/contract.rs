//! `capgen dci parse` and `fmt`.

use serde_json::{Value, json};

use crate::common::{Fleet, Run};

/// Runs a command with a contract as its last argument.
fn run(command: &str, contract: &str) -> Run {
    let output = Fleet::new(&[]).command(command).arg(contract).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { status: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn json_has_every_clause_and_keeps_the_order_of_settings() {
    let run =
        run("dci parse --json", "DCI/1 P(Web-Search,-) A(z=Json,a=x\\ y) X(b) Pol(max-providers=2,max-candidates=1)")
            .ended(0);
    assert_eq!(
        run.json(),
        json!({
            "ok": true,
            "canonical": "DCI/1 P(web-search) A(z=Json,a=x\\ y) Pol(max-providers=2,max-candidates=1)",
            "mode": "best-effort",
            "clauses": {
                "P": ["web-search"], "E": [], "A": {"z": "Json", "a": "x y"}, "R": [], "O": [], "D": [], "Rt": [], "M": [],
                "Pol": {"max-providers": "2", "max-candidates": "1"}
            },
            "invalid_tokens": ["-"],
            "unknown_clauses": ["X(b)"],
            "errors": []
        })
    );
    assert!(run.stdout.contains(r#""A":{"z":"Json","a":"x y"}"#), "{run:?}");
    let warnings: Vec<Value> = run.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(warnings.iter().map(|warning| &warning["code"]).collect::<Vec<_>>(), ["E0813", "E0810"]);
    assert_eq!(warnings[0]["severity"], "warning");
}

#[test]
fn an_unreadable_contract_has_errors_and_no_clauses() {
    let run = run("dci parse --json", "DCI/1^strict P(a,é) R()").ended(1);
    let document = run.json();
    assert_eq!(
        (&document["ok"], &document["canonical"], &document["mode"]),
        (&json!(false), &Value::Null, &json!("strict"))
    );
    assert!(document["clauses"].as_object().unwrap().len() == 9 && document["clauses"]["P"] == json!([]), "{document}");
    assert_eq!(document["invalid_tokens"], json!(["é"]));
    let errors = document["errors"].as_array().unwrap();
    let places: Vec<_> = errors.iter().map(|error| json!([error["code"], error["start"], error["end"]])).collect();
    assert_eq!(places, [json!(["E0813", 17, 19]), json!(["E0811", 21, 24])]);
    assert_eq!(run.stderr, "");
}

#[test]
fn the_mode_is_the_option_else_the_one_that_the_contract_states() {
    let mode = |command: &str, contract: &str| run(command, contract).json()["mode"].clone();
    assert_eq!(mode("dci parse --json", "DCI/1 P(a)"), "best-effort");
    assert_eq!(mode("dci parse --json", "DCI/1^strict P(a)"), "strict");
    assert_eq!(mode("dci parse --json --mode best-effort", "DCI/1^strict P(a)"), "best-effort");
    assert_eq!(mode("dci parse --json --mode strict", "DCI/1^best-effort P(a)"), "strict");
    assert!(run("dci parse --mode lax", "DCI/1 P(a)").ended(2).stderr.contains("best-effort"));
}

#[test]
fn people_see_clauses_and_snippets() {
    let readable = run("dci parse", "DCI/1 P(a) Z(b) A(k=\u{202e}\u{1b})").ended(0);
    assert_eq!(
        readable.stdout,
        "mode       best-effort\nprovides   a\naccepts    k=\\u{202e}\\u{1b}\ncanonical  DCI/1 P(a) A(k=\\u{202e}\\u{1b})\n\
         ignored    0 invalid tokens, 1 unknown clause\n"
    );
    assert!(readable.stderr.contains("warning[E0810]: unknown clause `Z`"), "{readable:?}");
    assert!(readable.stderr.contains("<contract>:1:12"), "{readable:?}");
    assert!(!readable.stderr.contains(['\u{1b}', '\u{202e}']), "{readable:?}");
    let unreadable = run("dci parse --mode strict", "DCI/1 P(a)R(b)").ended(1);
    assert!(unreadable.stdout.is_empty() && unreadable.stderr.contains("error[E0804]"), "{unreadable:?}");
}

#[test]
fn fmt_prints_canonical_text() {
    assert_eq!(run("dci fmt", "DCI/1  Requires(b)\tP(A)").ended(0).stdout, "DCI/1 P(a) R(b)\n");
    let warned = run("dci fmt", "DCI/1 P(a,!)").ended(0);
    assert!(warned.stdout == "DCI/1 P(a)\n" && warned.stderr.contains("warning[E0813]"), "{warned:?}");
    let failed = run("dci fmt --mode strict", "DCI/1 P(a,!)").ended(1);
    assert!(failed.stdout.is_empty() && failed.stderr.contains("error[E0813]"), "{failed:?}");
    run("dci fmt", "P(a)").ended(1);
}

#[test]
fn a_contract_may_be_on_standard_input() {
    let fleet = Fleet::new(&[]);
    for command in ["dci fmt", "dci fmt -"] {
        assert_eq!(fleet.run_with(command, " DCI/1 P(a)\n\n").ended(0).stdout, "DCI/1 P(a)\n");
    }
    let run = fleet.run_with("dci parse", b"DCI/1 P(\xff)").ended(1);
    assert!(run.stderr.contains("error[E0822]") && run.stderr.contains("UTF-8"), "{run:?}");
    let run = fleet.run_with("dci parse", "a".repeat((16 << 20) + 1)).ended(1);
    assert!(run.stderr.contains("error[E0822]"), "{run:?}");
}

#[test]
fn a_hostile_contract_gives_little_output() {
    let text = format!("DCI/1 P({})", ",".repeat(1 << 20));
    let run = Fleet::new(&[]).run_with("dci parse", &text).ended(0);
    assert!(run.stderr.contains("1048477 further problems not shown"), "{}", run.stderr.len());
    assert!(run.stderr.len() < 1 << 16 && run.stdout.len() < 1000, "{} {}", run.stderr.len(), run.stdout.len());
}
