//! The weights of budgets: how many units of one kind of work take as long as a unit of another kind. Budgets count
//! both as one kind, so that the same input gets the same answer on every machine.
//!
//! `cargo run --release -p containment --bin weights` prints the measured ratio beside the constant of the sources.

use std::hint::black_box;
use std::time::Instant;

use capgen_schema::analysis::conjunction::Conjunction;
use capgen_schema::{Containment, Json, Patterns, Schema, Steps, contains_within, normalise};
use serde_json::{Value, json};

/// The least time of a run counts: others load the machine too.
const ROUNDS: usize = 30;

/// Units that one run measures, so that the time for anything else does not matter.
const UNITS: usize = 2_000;

fn main() {
    println!("| constant | in the sources | measured |");
    println!("|---|---|---|");
    for (name, constant, measured) in [
        ("`VALUES_PER_SUBSCHEMA` (contract/schema)", 16.0, values_per_subschema()),
        ("`BYTES_PER_COPY` (contract/schema)", 8192.0, bytes_per_copy()),
        ("`STEPS_OF_A_VALUE` (contract/evolve)", 4.0, steps_of_a_value()),
    ] {
        println!("| {name} | {constant} | {measured:.1} |");
    }
}

/// The least time of a run, in seconds.
fn least<T>(mut run: impl FnMut() -> T) -> f64 {
    let time = |()| {
        let start = Instant::now();
        black_box(run());
        start.elapsed().as_secs_f64()
    };
    std::iter::repeat_n((), ROUNDS).map(time).fold(f64::INFINITY, f64::min)
}

fn json(value: &Value) -> Json {
    Json::try_from(value).expect("JSON")
}

fn schema(value: &Value) -> Schema {
    Schema::parse(&json(value)).expect("a schema")
}

/// The time of a subschema in a conjunction, divided by that of a listed value that is compared with another list.
fn values_per_subschema() -> f64 {
    let facets = |value: Value| {
        let schema = schema(&value);
        least(|| Conjunction::of([schema.root()]).facets(&schema).cost)
    };
    let parts: Vec<Value> = (0..UNITS).map(|index| json!({"minimum": index})).collect();
    let values: Vec<Value> = (0..UNITS).map(|index| format!("value {index}").into()).collect();
    facets(json!({"allOf": parts})) / facets(json!({"allOf": [{"enum": values}, {"enum": values}]}))
}

/// The estimated size of a compiled pattern whose compilation and first match take as long as copying a subschema.
fn bytes_per_copy() -> f64 {
    let conditions: Vec<Value> = (0..UNITS)
        .map(|index| json!({"if": {"minimum": index}, "then": {"multipleOf": 2}, "else": {"maximum": index}}))
        .collect();
    let conditions = json(&json!({"allOf": conditions}));
    // Each has a copy of its condition, beside the four subschemas of the input.
    let copy = least(|| normalise(&conditions).expect("a schema")) / (5 * UNITS) as f64;
    let sources: Vec<String> =
        (0..20).map(|index| format!("^x-[a-z]{{1,{}}}(\\d|[\\u00c0-\\u00ff])*$", 20 + index)).collect();
    let (mut bytes, mut time) = (0.0, 0.0);
    for source in &sources {
        let mut patterns = Patterns::default();
        Schema::parse_with(json(&json!({"pattern": source})), &mut patterns).expect("a schema");
        bytes += patterns.bytes() as f64;
        time += least(|| capgen_schema::Pattern::new(source).expect("a pattern").is_match("x-a"));
    }
    bytes / time * copy
}

/// The time of parsing and translating a value of a schema, divided by that of a step of a search.
fn steps_of_a_value() -> f64 {
    let wide = |kind: &str| {
        let properties = (0..UNITS).map(|index| (format!("p{index}"), json!({"type": kind})));
        json!({"type": "object", "properties": properties.collect::<serde_json::Map<_, _>>()})
    };
    // Two values for each property: its schema, and the type.
    let (text, same) = (json(&wide("string")), schema(&wide("string")));
    let read = least(|| {
        let copied = Schema::parse(&text.clone()).expect("a schema");
        contains_within(&same, &copied, &mut Steps(1))
    });
    let value = read / (2 * 2 * UNITS) as f64;
    // A search that takes all of its steps.
    let chain = |value: &str| {
        let branch =
            |i: usize| json!({"required": [format!("p{i}")], "properties": {format!("p{i}"): {"const": value}}});
        let unions: Vec<Value> = (0..40).map(|i| json!({"anyOf": [branch(i), branch(i + 1)]})).collect();
        schema(&json!({"type": "object", "allOf": unions}))
    };
    let (smaller, larger) = (chain("y"), chain("x"));
    let search = |steps: u64| {
        least(|| {
            let mut left = Steps(steps);
            let answer = contains_within(&larger, &smaller, &mut left);
            (matches!(answer, Containment::Undecided(_)), left)
        })
    };
    let (few, many) = (1_000, 200_000);
    let mut left = Steps(many);
    contains_within(&larger, &smaller, &mut left);
    let spent = many - left.0;
    let step = (search(many) - search(few)) / (spent.saturating_sub(few)) as f64;
    println!("<!-- {spent} steps of a search -->");
    value / step
}
