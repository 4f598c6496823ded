//! Enums in each representation of serde.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Case, case};

#[derive(Serialize, Deserialize, JsonSchema)]
enum Severity {
    Low,
    Med,
    High,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    /// Merge it.
    Approve,
    /// Fix it first.
    RequestChanges,
    Comment,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Spelt {
    #[serde(rename = "<=")]
    AtMost,
    #[serde(rename = ">=", alias = "=>")]
    AtLeast,
    #[serde(skip)]
    #[expect(dead_code, reason = "serde does without it")]
    Internal,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum External {
    Nothing,
    Text(String),
    Count(u32),
    Point { x: f64, y: f64 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum ExternalObjects {
    Number(i64),
    Maybe(Option<u8>),
    Named { name: String },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Card {
    token: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Internal {
    Cash,
    Card(Card),
    Transfer { iban: String, note: Option<String> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", deny_unknown_fields, rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Closed {
    HomeDelivery { street_name: String },
    PickUp { shop_id: u16 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    Text(String),
    Point { x: i32 },
    List(Vec<u8>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Text(String),
    Number(i64),
    Flag(bool),
    Object { id: u8 },
    List(Vec<String>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Overlapping {
    Narrow { id: u8 },
    Wide { id: u32, name: Option<String> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum MaybeNull {
    Text(String),
    Null,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum RenamedVariants {
    #[serde(rename = "a/b", rename_all = "UPPERCASE")]
    First { some_field: u8 },
    #[serde(alias = "zwei")]
    Second,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum PartlyUntagged {
    Tagged(u8),
    #[serde(untagged)]
    Other {
        note: String,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Holds {
    severity: Severity,
    maybe: Option<Verdict>,
    many: Vec<Internal>,
    by_name: BTreeMap<String, Adjacent>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op")]
enum Expression {
    Value { value: f64 },
    Add { left: Box<Expression>, right: Box<Expression> },
    Not { of: Box<Expression> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Nested {
    Inner(Internal),
    Level(Severity),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "v")]
enum Versioned {
    #[serde(rename = "1")]
    One { a: u8 },
    #[serde(rename = "2")]
    Two { a: u8, b: u8 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Single {
    Only { id: u8 },
}

pub(super) fn cases() -> Vec<Case> {
    let text = |text: &str| text.to_owned();
    let card = || Internal::Card(Card { token: text("t") });
    let value = |value| Box::new(Expression::Value { value });
    vec![
        case("an enum of units", vec![Severity::Low, Severity::Med, Severity::High]),
        case("documented units", vec![Verdict::Approve, Verdict::RequestChanges, Verdict::Comment]),
        case("renamed units", vec![Spelt::AtMost, Spelt::AtLeast]),
        case(
            "external tags",
            vec![External::Nothing, External::Text(text("a")), External::Count(1), External::Point { x: 0.5, y: -1.0 }],
        ),
        case(
            "external tags of objects",
            vec![
                ExternalObjects::Number(-1),
                ExternalObjects::Maybe(None),
                ExternalObjects::Maybe(Some(1)),
                ExternalObjects::Named { name: text("n") },
            ],
        ),
        case(
            "internal tags",
            vec![
                Internal::Cash,
                card(),
                Internal::Transfer { iban: text("AT"), note: None },
                Internal::Transfer { iban: text("AT"), note: Some(text("n")) },
            ],
        ),
        case(
            "internal tags, closed and renamed",
            vec![Closed::HomeDelivery { street_name: text("s") }, Closed::PickUp { shop_id: 1 }],
        ),
        case(
            "adjacent tags",
            vec![Adjacent::Unit, Adjacent::Text(text("a")), Adjacent::Point { x: 1 }, Adjacent::List(vec![1])],
        ),
        case(
            "no tags",
            vec![
                Untagged::Text(text("a")),
                Untagged::Number(1),
                Untagged::Flag(false),
                Untagged::Object { id: 1 },
                Untagged::List(vec![text("a")]),
            ],
        ),
        case(
            "no tags, overlapping",
            vec![
                Overlapping::Narrow { id: 1 },
                Overlapping::Wide { id: 1000, name: None },
                Overlapping::Wide { id: 1000, name: Some(text("n")) },
            ],
        ),
        case("no tags, with null", vec![MaybeNull::Text(text("a")), MaybeNull::Null]),
        case("renamed variants", vec![RenamedVariants::First { some_field: 1 }, RenamedVariants::Second]),
        case("a variant without a tag", vec![PartlyUntagged::Tagged(1), PartlyUntagged::Other { note: text("n") }]),
        case(
            "enums in fields, lists and maps",
            vec![Holds {
                severity: Severity::Med,
                maybe: Some(Verdict::Comment),
                many: vec![Internal::Cash, card()],
                by_name: BTreeMap::from([(text("a"), Adjacent::Unit)]),
            }],
        ),
        case(
            "a recursive enum",
            vec![
                *value(1.5),
                Expression::Add { left: value(1.0), right: Box::new(Expression::Not { of: value(2.0) }) },
            ],
        ),
        case("an enum in an enum", vec![Nested::Inner(card()), Nested::Level(Severity::High)]),
        case("tags that are digits", vec![Versioned::One { a: 1 }, Versioned::Two { a: 1, b: 2 }]),
        case("one variant", vec![Single::Only { id: 1 }]),
        case("an optional enum", vec![None, Some(Severity::Low)]),
        case("a list of enums", vec![vec![Severity::Low, Severity::High], vec![]]),
    ]
}
