//! A normalised schema accepts the same payloads as the foreign schema does in an independent implementation.

use std::collections::BTreeMap;

use capgen_schema::{Json, Schema, Validator, normalise};
use capgen_tests::random::Random;
use serde_json::{Map, Value, json};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const TEXTS: [&str; 10] = ["", "a", "b", "ab", "2024-02-29", "2023-02-29", "127.0.0.1", "1.2.3.256", "::1", "1::2::3"];
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
const DRAFT_07: &str = "http://json-schema.org/draft-07/schema#";
const DRAFT_2020: &str = "https://json-schema.org/draft/2020-12/schema";

/// Generates random schemas with keywords inside and outside the subset.
struct Foreign {
    random: Random,
    is_modern: bool,
}

impl Foreign {
    fn root(&mut self) -> Value {
        let mut root = self.object(3);
        let dialect = if self.is_modern { DRAFT_2020 } else { DRAFT_07 };
        root.insert("$schema".to_owned(), dialect.into());
        let container = if self.is_modern { "$defs" } else { "definitions" };
        let definitions: Map<String, Value> =
            ["X", "Y"].map(|name| (name.to_owned(), self.schema(2))).into_iter().collect();
        root.insert(container.to_owned(), definitions.into());
        root.into()
    }

    fn schema(&mut self, depth: usize) -> Value {
        match self.random.below(12) {
            0 => true.into(),
            1 => json!({}),
            2 => self.random.one_in(3).into(),
            _ => self.object(depth).into(),
        }
    }

    fn object(&mut self, depth: usize) -> Map<String, Value> {
        let mut object = Map::new();
        for _ in 0..=self.random.below(4) {
            self.keyword(&mut object, depth);
        }
        // Draft-07 ignores keywords next to `$ref`, and capgen rejects them, so such a schema would test nothing.
        if !self.is_modern && object.contains_key("$ref") {
            object.retain(|name, _| name == "$ref");
        }
        object
    }

    fn keyword(&mut self, object: &mut Map<String, Value>, depth: usize) {
        let scalar = self.random.below(20);
        let (name, value): (&str, Value) = match scalar {
            0..=3 => ("type", self.random.pick(&TYPES).into()),
            4 => ("type", json!([self.random.pick(&TYPES), "null"])),
            5 => ("minimum", self.random.below(4).into()),
            6 => ("exclusiveMaximum", self.random.below(4).into()),
            7 => ("multipleOf", self.random.pick(&[1, 1, 2]).into()),
            8 => ("minLength", self.random.below(3).into()),
            9 => ("pattern", self.random.pick(&["a", "^a$", "^[0-9]"]).into()),
            10 => ("format", self.random.pick(&["date", "ipv4", "ipv6"]).into()),
            11 => ("enum", json!([self.value(1), self.value(1)])),
            12 => ("const", self.value(1)),
            13 => ("required", json!([self.random.pick(&NAMES), "a"])),
            14 => ("minItems", self.random.below(3).into()),
            15 => ("maxItems", self.random.below(3).into()),
            16 => ("minProperties", self.random.below(3).into()),
            17 => ("maxProperties", self.random.below(3).into()),
            _ if depth == 0 => return,
            _ => return self.applicator(object, depth - 1),
        };
        object.insert(name.to_owned(), value);
    }

    fn applicator(&mut self, object: &mut Map<String, Value>, depth: usize) {
        let name = self.random.pick(&NAMES);
        let list = if self.is_modern { "prefixItems" } else { "items" };
        let target = if self.is_modern { "#/$defs/" } else { "#/definitions/" };
        let (keyword, value): (&str, Value) = match self.random.below(22) {
            0 | 1 => ("properties", json!({name: self.schema(depth), "b": self.schema(depth)})),
            2 => ("additionalProperties", self.schema(depth)),
            3 => ("items", self.schema(depth)),
            4 => ("anyOf", json!([self.schema(depth), self.schema(depth)])),
            5 => ("oneOf", json!([self.schema(depth), self.schema(depth)])),
            6 => ("allOf", json!([self.schema(depth)])),
            7 => ("allOf", json!([self.schema(depth), self.schema(depth)])),
            8 => ("not", self.schema(depth)),
            9 | 10 => ("$ref", format!("{target}{}", self.random.pick(&["X", "Y"])).into()),
            11 => ("$ref", self.random.pick(&["#", "#/properties/b"]).into()),
            12 => ("if", self.schema(depth)),
            13 => ("then", self.schema(depth)),
            14 => ("else", self.schema(depth)),
            15 => ("contains", self.schema(depth)),
            16 => (
                "patternProperties",
                json!({self.random.pick(&["", ".*", "^(?:a|b)$", "^c$", "^a"]): self.schema(depth)}),
            ),
            17 => ("propertyNames", self.names()),
            18 if self.is_modern => ("dependentRequired", json!({name: ["b"]})),
            18 => ("dependencies", json!({name: ["b"], "c": self.schema(depth)})),
            19 if self.is_modern => ("unevaluatedProperties", self.schema(depth)),
            19 => ("additionalItems", self.schema(depth)),
            20 => {
                let item = self.schema(depth);
                (list, if self.random.one_in(3) { json!([item]) } else { json!([item, item]) })
            }
            _ if self.is_modern => ("dependentSchemas", json!({name: self.schema(depth)})),
            _ => ("dependencies", json!({name: self.schema(depth)})),
        };
        object.insert(keyword.to_owned(), value);
    }

    fn names(&mut self) -> Value {
        match self.random.below(8) {
            4 => json!({"pattern": self.random.pick(&["^[ab]$", "a", "^b?$"]), "maxLength": 3}),
            5 => json!({"allOf": [{"pattern": "^[abc]$"}, {"minLength": self.random.below(3), "type": "string"}]}),
            6 => Value::Bool(self.random.one_in(2)),
            7 => json!({"not": {"const": "a"}}),
            0 => json!({"type": "string"}),
            1 => json!({"enum": ["a", self.random.pick(&NAMES), 1]}),
            2 => json!({"const": self.random.pick(&NAMES)}),
            _ => json!({"minLength": 0}),
        }
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.random.below(if depth == 0 { 6 } else { 10 }) {
            0 => Value::Null,
            1 => self.random.one_in(2).into(),
            2 => self.random.below(5).into(),
            3 => 1.5.into(),
            4 | 5 => self.random.pick(&TEXTS).into(),
            6 | 7 => (0..self.random.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => {
                let count = self.random.below(4);
                (0..count)
                    .map(|_| (self.random.pick(&NAMES).to_owned(), self.value(depth - 1)))
                    .collect::<Map<_, _>>()
                    .into()
            }
        }
    }
}

#[test]
fn random_foreign_schemas_keep_their_verdicts() {
    let (mut normalised, mut verdicts, mut accepted) = (0, 0, 0);
    let mut wrong = Vec::new();
    let mut rejections: BTreeMap<String, usize> = BTreeMap::new();
    let seeds: u64 = std::env::var("CAPGEN_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(4_000);
    for seed in 0..seeds {
        let mut foreign = Foreign { random: Random::new(seed), is_modern: seed % 2 == 0 };
        let source = foreign.root();
        let oracle = jsonschema::options().should_validate_formats(true).build(&source);
        let output = match normalise(&Json::try_from(&source).unwrap()) {
            Ok(output) => output,
            Err(problems) => {
                problems.into_iter().for_each(|problem| *rejections.entry(problem.message).or_default() += 1);
                continue;
            }
        };
        let Ok(oracle) = oracle else { continue };
        normalised += 1;
        let validator = Validator::new(&Schema::parse(&output).unwrap());
        assert_eq!(normalise(&output).map(|again| again.canonical()), Ok(output.canonical()), "{source}");
        for _ in 0..40 {
            let payload = foreign.value(3);
            let verdict = validator.is_valid(&payload);
            verdicts += 1;
            accepted += usize::from(verdict);
            if verdict != oracle.is_valid(&payload) {
                wrong.push(format!("{seed}: {source}\n  {}\n  {payload} {verdict}", output.canonical()));
                break;
            }
        }
    }
    println!(
        "{normalised} of {seeds} schemas are normalised; {accepted} of {verdicts} payloads are accepted; rejected: {rejections:#?}"
    );
    let shown: Vec<&String> = wrong.iter().take(8).collect();
    assert!(wrong.is_empty(), "{} differ {shown:#?}", wrong.len());
    assert!(normalised > seeds / 4, "only {normalised} of {seeds} schemas are normalised");
}
