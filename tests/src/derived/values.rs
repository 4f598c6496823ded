//! Scalars and collections.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::Ipv4Addr;
use std::num::NonZeroU8;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Case, case};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Tuples {
    pair: (String, u8),
    single: (bool,),
    list: Vec<(f64, Option<String>)>,
    place: Place,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Place(f64, String);

#[derive(Serialize, Deserialize, JsonSchema)]
struct Plain {
    text: String,
    flag: bool,
    count: i32,
    ratio: f64,
    letter: char,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Integers {
    a: i8,
    b: i16,
    c: i32,
    d: i64,
    e: u8,
    f: u16,
    g: u32,
    h: u64,
    size: usize,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct MaybeIntegers {
    a: Option<u8>,
    b: Option<i64>,
    c: Vec<Option<u16>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Wide {
    more: u128,
    less: i128,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Borrowing {
    text: Cow<'static, str>,
    boxed: Box<u8>,
    slice: Box<[bool]>,
    path: PathBuf,
}

#[derive(Serialize, Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(rename_all = "lowercase")]
enum Day {
    Monday,
    Tuesday,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Maps {
    counts: BTreeMap<String, u32>,
    lists: HashMap<String, Vec<String>>,
    by_day: BTreeMap<Day, f32>,
    by_number: BTreeMap<i16, bool>,
    loose: serde_json::Map<String, Value>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Lists {
    all: Vec<Vec<i16>>,
    some: BTreeSet<String>,
    three: [u8; 3],
    none: [String; 0],
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Bounds {
    #[schemars(range(min = 1, max = 65_535))]
    port: u32,
    #[schemars(length(min = 1, max = 8))]
    name: String,
    #[schemars(regex(pattern = r"^[a-z]+$"))]
    slug: String,
    #[schemars(length(min = 1), inner(length(max = 3)))]
    tags: Vec<String>,
    #[schemars(email)]
    mail: String,
    #[schemars(extend("multipleOf" = 5))]
    minutes: u32,
    #[schemars(extend("multipleOf" = 0.01))]
    price: f64,
}

pub(super) fn cases() -> Vec<Case> {
    let plain = |text: &str, ratio| Plain { text: text.to_owned(), flag: true, count: -1, ratio, letter: 'é' };
    let least = Integers { a: i8::MIN, b: i16::MIN, c: i32::MIN, d: i64::MIN, e: 0, f: 0, g: 0, h: 0, size: 0 };
    let most = Integers {
        a: i8::MAX,
        b: i16::MAX,
        c: i32::MAX,
        d: i64::MAX,
        e: u8::MAX,
        f: u16::MAX,
        g: u32::MAX,
        h: u64::MAX,
        size: 9,
    };
    let maps = Maps {
        counts: BTreeMap::from([("a".to_owned(), 1), ("__proto__".to_owned(), 2)]),
        lists: HashMap::from([("x".to_owned(), vec!["y".to_owned()])]),
        by_number: BTreeMap::from([(-7, true), (0, false), (443, true)]),
        by_day: BTreeMap::from([(Day::Monday, 0.5), (Day::Tuesday, 1.0)]),
        loose: serde_json::Map::from_iter([("any".to_owned(), json!([null, 1, {"a": "b"}]))]),
    };
    let lists = Lists {
        all: vec![vec![], vec![1, -2]],
        some: BTreeSet::from(["a".to_owned(), "b".to_owned()]),
        three: [1, 2, 3],
        none: [],
    };
    let bounds = Bounds {
        port: 443,
        name: "größe".to_owned(),
        slug: "ab".to_owned(),
        tags: vec!["a".to_owned()],
        mail: "a@example.com".to_owned(),
        minutes: 45,
        price: 19.99,
    };
    let tuples = Tuples {
        pair: ("a".to_owned(), 1),
        single: (true,),
        list: vec![(0.5, None), (-1.0, Some("b".to_owned()))],
        place: Place(1.5, "c".to_owned()),
    };
    vec![
        case("plain fields", vec![plain("", 0.5), plain("line\n\u{2028}", -1e300)]),
        case("integers of every width", vec![least, most]),
        case(
            "optional integers",
            vec![
                MaybeIntegers { a: None, b: None, c: vec![None, Some(7)] },
                MaybeIntegers { a: Some(255), b: Some(i64::MIN), c: vec![] },
            ],
        ),
        case("integers of 128 bits", vec![Wide { more: 7, less: -7 }]),
        case(
            "text, boxes and paths",
            vec![Borrowing { text: "a".into(), boxed: Box::new(1), slice: Box::new([true]), path: "b/c".into() }],
        ),
        case("maps", vec![maps]),
        case("lists, sets and arrays", vec![lists]),
        case("bounds", vec![bounds]),
        case("a string", vec!["a".to_owned(), String::new()]),
        case("a number", vec![1.5_f64, -0.0, 1e21]),
        case("a list of pairs", vec![vec![[1_i64, 2], [3, 4]]]),
        case("a tuple", vec![("a".to_owned(), 1_u8, None), (String::new(), 255, Some(true))]),
        case("tuples in fields", vec![tuples]),
        case("any value", vec![json!(null), json!({"a": [1]})]),
        case("an optional list", vec![None, Some(vec![1_u8])]),
        case("a unit", vec![()]),
        case("a number that is not zero", vec![NonZeroU8::MIN, NonZeroU8::MAX]),
        case("an address", vec![Ipv4Addr::new(127, 0, 0, 1), Ipv4Addr::BROADCAST]),
        case("a result", vec![Ok::<u8, String>(1), Err("no".to_owned())]),
    ]
}
