//! The reading `capgen-peer`: generated code writes only payloads that this reading assumes.

use capgen_evolve::{Assume, Sender};
use capgen_schema::{Containment, ExactPayload, Json, Schema, Steps, Validator, contains};
use capgen_tests::agreement::domain::numbers;
use capgen_tests::agreement::{loads, parse};
use capgen_tests::random::Random;
use capgen_tests::round_trip::{Case, answers};

/// How many payloads are written with each type.
const PAYLOADS: usize = 30;

fn sent(schema: &Schema) -> Option<Schema> {
    Sender::new(&[]).sent(Assume::CapgenPeer, schema)
}

fn exact(text: &str) -> Option<ExactPayload> {
    ExactPayload::parse(text.as_bytes()).ok()
}

/// A random schema that has open objects, as a case with payloads that it accepts. Many of these have undeclared
/// properties.
fn case(random: &mut Random) -> Option<Case> {
    let schema: Json = random.schema();
    let parsed = parse(&schema.canonical()).filter(|parsed| sent(parsed).is_some() && loads(&schema.canonical()))?;
    let validator = Validator::new(&parsed);
    let mut payloads = random.payloads(&parsed, 3 * PAYLOADS);
    payloads.retain(|payload| exact(payload).is_some_and(|payload| validator.is_valid_exact(&payload)));
    // The program compares texts, and a large number may be written in two notations.
    payloads
        .retain(|payload| numbers(payload).into_iter().all(|number| number.len() < 16 && !number.contains(['e', 'E'])));
    payloads.truncate(PAYLOADS);
    if payloads.is_empty() { None } else { Case::new(&schema.canonical(), payloads) }
}

/// Versions after one change that only this reading allows.
fn later_versions(random: &mut Random, old: &Schema) -> Vec<Schema> {
    let Some(sent) = sent(old) else { return Vec::new() };
    let steps = Steps(200_000);
    let mutations = (0..60).filter_map(|_| Schema::parse(&random.mutated(old.source())).ok());
    let only_here = |new: &Schema| {
        contains(new, &sent, steps) == Containment::Yes && matches!(contains(new, old, steps), Containment::No(_))
    };
    mutations.filter(only_here).collect()
}

/// Writes payloads with the generated types of random schemas, and validates them against the schema that the reading
/// assumes and against later versions that it allows.
fn run(schemas: usize, seed: u64) {
    let mut random = Random::new(seed);
    let cases: Vec<Case> = std::iter::repeat_with(|| case(&mut random)).flatten().take(schemas).collect();
    let answers = answers(env!("CARGO_TARGET_TMPDIR"), "capgen-peer", &cases).unwrap();
    let (mut written, mut pairs, mut wrong) = (0, 0, Vec::new());
    for (case, answers) in cases.iter().zip(&answers) {
        let mut receivers: Vec<Schema> = later_versions(&mut random, &case.schema);
        pairs += receivers.len();
        receivers.extend(sent(&case.schema));
        // Numbers outside the range of the Rust type are errors, which is documented.
        for answer in answers.iter().filter(|answer| !answer.starts_with("error: ")) {
            written += 1;
            let payload = exact(answer).unwrap();
            let rejecting = receivers.iter().find(|schema| !Validator::new(schema).is_valid_exact(&payload));
            let difference = |schema: &Schema| {
                format!("{}\n  {}\n  {answer}", case.schema.source().canonical(), schema.source().canonical())
            };
            wrong.extend(rejecting.map(difference));
        }
    }
    println!("{schemas} schemas, {written} payloads written, {pairs} later versions that only this reading allows");
    assert!(written >= schemas && pairs > 0, "{written} {pairs}");
    assert!(
        wrong.is_empty(),
        "{} differences\n{}",
        wrong.len(),
        wrong.into_iter().take(10).collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn generated_code_writes_only_payloads_that_the_reading_assumes() {
    run(25, 1);
}

#[test]
#[ignore = "takes about ten minutes"]
fn generated_code_of_many_schemas_writes_only_payloads_that_the_reading_assumes() {
    for seed in 2..12 {
        run(100, seed);
    }
}
