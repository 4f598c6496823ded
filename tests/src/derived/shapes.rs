//! Recursive types, generic types, and several types with the same name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Case, case};

#[derive(Serialize, Deserialize, JsonSchema)]
struct List {
    head: u8,
    tail: Option<Box<List>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Tree {
    label: String,
    children: Vec<Tree>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Forest {
    trees: Vec<Tree>,
    first: Option<Box<Tree>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Folder {
    name: String,
    entries: Vec<Entry>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "entry", rename_all = "kebab-case")]
enum Entry {
    File { bytes: u64 },
    Folder(Folder),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Page<T> {
    items: Vec<T>,
    next: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct TwoPages {
    numbers: Page<u8>,
    texts: Page<String>,
    pages: Option<Page<Page<bool>>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Gen")]
struct Gen<T> {
    value: T,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct OneName {
    number: Gen<u8>,
    text: Gen<String>,
    list: Vec<Gen<bool>>,
}

mod billing {
    use super::*;

    #[derive(Serialize, Deserialize, JsonSchema)]
    pub(super) struct Item {
        pub(super) cents: u32,
    }
}

mod shipping {
    use super::*;

    #[derive(Serialize, Deserialize, JsonSchema)]
    pub(super) struct Item {
        pub(super) grams: u32,
        pub(super) inside: Option<Box<Item>>,
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct TwoItems {
    billed: billing::Item,
    shipped: shipping::Item,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Sized<const N: usize> {
    text: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Empty {}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Units {
    nothing: (),
    empty: Empty,
}

pub(super) fn cases() -> Vec<Case> {
    let text = |text: &str| text.to_owned();
    let leaf = |label: &str| Tree { label: text(label), children: vec![] };
    let folder = Folder {
        name: text("root"),
        entries: vec![
            Entry::File { bytes: 1 },
            Entry::Folder(Folder { name: text("sub"), entries: vec![Entry::File { bytes: 2 }] }),
        ],
    };
    let inner = shipping::Item { grams: 1, inside: None };
    vec![
        case("a linked list", vec![List { head: 1, tail: Some(Box::new(List { head: 2, tail: None })) }]),
        case("a tree", vec![leaf("a"), Tree { label: text("b"), children: vec![leaf("c"), leaf("d")] }]),
        case("a type that holds a tree", vec![Forest { trees: vec![leaf("a")], first: Some(Box::new(leaf("b"))) }]),
        case("types that hold each other", vec![folder]),
        case("a parameter", vec![Page { items: vec![1_u8], next: None }]),
        case(
            "several parameters",
            vec![TwoPages {
                numbers: Page { items: vec![1], next: None },
                texts: Page { items: vec![], next: Some(text("n")) },
                pages: Some(Page { items: vec![Page { items: vec![true], next: None }], next: None }),
            }],
        ),
        case(
            "several types under one name",
            vec![OneName { number: Gen { value: 1 }, text: Gen { value: text("a") }, list: vec![Gen { value: true }] }],
        ),
        case(
            "types of one name in two modules",
            vec![TwoItems {
                billed: billing::Item { cents: 1 },
                shipped: shipping::Item { grams: 2, inside: Some(Box::new(inner)) },
            }],
        ),
        case("a constant parameter", vec![Sized::<3> { text: text("a") }]),
        case("nothing", vec![Units { nothing: (), empty: Empty {} }]),
    ]
}
