//! Reading and rejecting JSON by type.

use std::collections::BTreeMap;
use std::fmt::Debug;

use capgen::wire::{
    Any, Boxed, Codec, Items, Length, Nullable, PayloadSchema, Reader, Rest, Tuple, Within, Writer, deserialize,
    read_payload,
};
use capgen::{Never, Options};

fn read<T: Codec>(json: &str) -> Result<T, String> {
    deserialize(&mut serde_json::Deserializer::from_str(json)).map_err(|error: serde_json::Error| error.to_string())
}

#[track_caller]
fn check<T: Codec + PartialEq + Debug>(cases: &[(&str, T)]) {
    for (json, expected) in cases {
        assert_eq!(read::<T>(json).as_ref(), Ok(expected), "{json}");
    }
}

/// Reads a text as a payload, with all digits of its numbers; serde reads a tree.
fn read_text<T: Codec>(json: &str) -> Result<T, String> {
    static ANY: PayloadSchema = PayloadSchema::new("true");
    read_payload(json, Options::new(), &ANY).map_err(|error| error.to_string())
}

#[track_caller]
fn check_text<T: Codec + PartialEq + Debug>(cases: &[(&str, T)]) {
    for (json, expected) in cases {
        assert_eq!(read_text::<T>(json).as_ref(), Ok(expected), "{json}");
    }
}

#[track_caller]
fn check_rejected<T: Codec + Debug>(cases: &[(&str, &str)]) {
    for (json, expected) in cases {
        let error = read::<T>(json).err().unwrap_or_default();
        assert!(error.starts_with(expected), "{json}: {error}");
    }
}

#[test]
fn integers_are_read_by_value_in_every_notation() {
    check::<i64>(&[("1", 1), ("1.0", 1), ("1e3", 1000), ("-0.0", 0), ("-9223372036854775808", i64::MIN), ("2e0", 2)]);
    check::<u64>(&[
        ("18446744073709551615", u64::MAX),
        ("0.0", 0),
        ("1E2", 100),
        ("1.8e19", 18_000_000_000_000_000_000),
    ]);
}

#[test]
fn fractions_and_integers_out_of_range_are_rejected_with_the_range() {
    check_rejected::<i64>(&[
        ("1.5", "the value: does not match"),
        ("9223372036854775808", "the value: integer outside -2^63..2^63"),
        ("1e300", "the value: integer outside -2^63..2^63"),
        ("\"1\"", "the value: does not match"),
    ]);
    check_rejected::<u64>(&[
        ("-1", "the value: integer outside 0..2^64"),
        ("1e20", "the value: integer"),
        ("null", "the value: does not match"),
    ]);
}

#[test]
fn numbers_keep_their_value_or_are_rejected() {
    check::<f64>(&[("9007199254740992", 9_007_199_254_740_992.0), ("0.1", 0.1), ("-0.0", -0.0), ("5e-324", 5e-324)]);
    check_rejected::<f64>(&[
        ("9007199254740993", "the value: integer that binary64 cannot represent exactly"),
        ("18446744073709551615", "the value: integer that binary64 cannot represent exactly"),
        ("-9223372036854775807", "the value: integer that binary64 cannot represent exactly"),
        ("1e400", "number out of range"),
        ("true", "the value: does not match"),
    ]);
}

#[test]
fn null_is_a_value() {
    check::<Option<bool>>(&[("null", None), ("true", Some(true))]);
    check::<()>(&[("null", ())]);
    check_rejected::<bool>(&[("null", "the value: does not match")]);
    check_rejected::<()>(&[("0", "the value: does not match")]);
    check_rejected::<Never>(&[("null", "the value: does not match")]);
}

#[derive(Debug, PartialEq)]
struct Both {
    nullable: Option<i64>,
    optional: Option<bool>,
    either: Option<Option<String>>,
}

impl Codec for Both {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let (mut nullable, mut optional, mut either) = (None, None, None);
        let mut object = reader.object(&["nullable", "optional", "either", "never"], Rest::Closed)?;
        while let Some(index) = reader.property(&mut object)? {
            match index {
                0 => nullable = Some(reader.read()?),
                1 => optional = Some(reader.read()?),
                2 => either = Some(reader.read()?),
                _ => return None,
            }
        }
        Some(Self { nullable: nullable?, optional, either })
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.begin()?;
        writer.required("nullable", &self.nullable)?;
        writer.optional("optional", &self.optional)?;
        writer.optional("either", &self.either)?;
        writer.end()
    }
}

capgen::impl_serde!(Both);

#[test]
fn objects_are_read_by_name_and_absent_is_not_null() {
    let both = |nullable, optional, either| Both { nullable, optional, either };
    check(&[
        (r#"{"nullable": null}"#, both(None, None, None)),
        (r#"{"either": null, "nullable": 1, "optional": true}"#, both(Some(1), Some(true), Some(None))),
        (r#"{"nullable": 2, "either": "x"}"#, both(Some(2), None, Some(Some("x".to_owned())))),
    ]);
    check_rejected::<Both>(&[
        ("{}", "the value: does not match"),
        (r#"{"nullable": 1, "optional": null}"#, "/optional: does not match"),
        (r#"{"nullable": 1, "a/b~c": 1}"#, "/a~1b~0c: does not match"),
        (r#"{"nullable": 1, "never": 1}"#, "/never: does not match"),
        ("[null]", "the value: does not match"),
    ]);
}

#[test]
fn duplicate_names_are_rejected_at_any_depth() {
    check_rejected::<serde_json::Value>(&[
        (r#"{"a": 1, "a": 1}"#, "duplicate property"),
        (r#"[{"\u0061": {}, "a": []}]"#, "duplicate"),
    ]);
    check_rejected::<BTreeMap<String, i64>>(&[(r#"{"__proto__": 1, "__proto__": 2}"#, "duplicate property")]);
}

#[test]
fn errors_point_into_the_payload() {
    check_rejected::<BTreeMap<String, Vec<Option<i64>>>>(&[
        (r#"{"a": [], "b": [1, null, "x"]}"#, "/b/2: does not match"),
        (r#"{"": {}}"#, "/: does not match"),
    ]);
}

#[derive(Debug, PartialEq)]
struct Share {
    percent: i64,
    names: Vec<String>,
}

static PERCENT: Within<i64> = Within::new(0, 100);
static SHARE_NAMES: Items<Length> = Items::new(0, 2, Length::new(1, 3));

impl Codec for Share {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let (mut percent, mut names) = (None, None);
        let mut object = reader.object(&["percent", "names"], Rest::Closed)?;
        while let Some(index) = reader.property(&mut object)? {
            match index {
                0 => percent = Some(reader.read_by(&PERCENT)?),
                _ => names = Some(reader.read_by(&SHARE_NAMES)?),
            }
        }
        Some(Self { percent: percent?, names: names? })
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.begin()?;
        writer.required_by("percent", &self.percent, &PERCENT)?;
        writer.required_by("names", &self.names, &SHARE_NAMES)?;
        writer.end()
    }
}

capgen::impl_serde!(Share);

#[test]
fn errors_point_to_the_value_that_breaks_an_assertion() {
    check(&[(r#"{"percent": 5, "names": []}"#, Share { percent: 5, names: Vec::new() })]);
    check_rejected::<Share>(&[
        (r#"{"percent": 101, "names": []}"#, "/percent: does not match"),
        (r#"{"names": ["a", "b:"], "percent": -1}"#, "/percent: does not match"),
        (r#"{"names": ["a", "long"], "percent": 1}"#, "/names/1: does not match"),
        (r#"{"names": ["a", "b", "c"], "percent": 1}"#, "/names: does not match"),
        (r#"{"names": [], "percent": "1"}"#, "/percent: does not match"),
        (r#"{"names": [], "percent": 1, "x": {}}"#, "/x: does not match"),
        (r#"{"names": []}"#, "the value: does not match"),
    ]);
}

#[test]
fn values_are_read_up_to_the_depth_limit() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let parse = |depth: usize| {
        let json = nested(depth);
        let mut deserializer = serde_json::Deserializer::from_str(&json);
        deserializer.disable_recursion_limit();
        deserialize::<serde_json::Value, _>(&mut deserializer).is_ok()
    };
    assert_eq!([parse(128), parse(129), parse(100_000)], [true, false, false]);
}

struct Rested(BTreeMap<String, i64>);

impl Codec for Rested {
    fn read(_: &mut Reader<'_>) -> Option<Self> {
        None
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.begin()?;
        writer.optional("a", &None::<i64>)?;
        writer.rest(&self.0, &["a"], &Any)?;
        writer.end()
    }
}

capgen::impl_serde!(Rested);

#[test]
fn declared_names_are_not_written_from_the_rest() {
    let rest = BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)]);
    assert_eq!(serde_json::to_string(&Rested(rest)).unwrap(), r#"{"b":2}"#);
}

#[test]
fn numbers_beyond_2_to_the_53_are_read_exactly() {
    check_text::<i64>(&[
        ("1152921504606846976.0", 1_152_921_504_606_846_976),
        ("1.152921504606847e18", 1_152_921_504_606_847_000),
        ("1e18", 1_000_000_000_000_000_000),
        ("9007199254740993.0", 9_007_199_254_740_993),
        ("9223372036854775807.0", i64::MAX),
        ("9.223372036854775807e18", i64::MAX),
        ("-9223372036854775808.0", i64::MIN),
    ]);
    check_text::<u64>(&[("18446744073709551615.0", u64::MAX), ("1.8446744073709551615E+19", u64::MAX)]);
    check_rejected::<i64>(&[
        ("9223372036854775808.0", "the value: integer outside"),
        ("1e300", "the value: integer outside"),
    ]);
    check_text::<u64>(&[("9223372036854775808.0", 9_223_372_036_854_775_808)]);
    check_rejected::<u64>(&[
        ("-1.0", "the value: integer outside"),
        ("18446744073709551616", "the value: integer outside"),
    ]);
    check_text(&[
        ("1152921504606846976.0", Big::Exact),
        ("18446744073709551616", Big::Power),
        ("18446744073709551616.0", Big::Power),
        ("[1e23]", Big::List),
    ]);
    for text in ["1.152921504606847e18", "18446744073709552000", "[99999999999999991611392]"] {
        assert!(read_text::<Big>(text).is_err(), "{text}");
    }
}

#[test]
fn a_number_of_a_tree_counts_as_the_decimal_that_it_prints() {
    check::<i64>(&[("1152921504606846976.0", 1_152_921_504_606_847_000), ("1152921504606846976", 1 << 60)]);
    check(&[("1152921504606846976", Big::Exact), ("[1e23]", Big::List)]);
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Big {
    Exact,
    Power,
    List,
}

impl Big {
    const fn all() -> &'static [Self] {
        &[Self::Exact, Self::Power, Self::List]
    }

    const fn as_json(self) -> &'static str {
        match self {
            Self::Exact => "1152921504606846976",
            Self::Power => "18446744073709551616",
            Self::List => "[1e23]",
        }
    }
}

capgen::json_enum!(Big);
capgen::impl_serde!(Big);

#[test]
fn numbers_beyond_2_to_the_53_are_written_with_all_digits() {
    for text in ["1152921504606846976", "-9223372036854775808", "9007199254740992", "1e+300", "0.1", "1.0"] {
        let number: f64 = read(text).unwrap();
        let mut written = Vec::new();
        capgen::wire::serialize(&number, &mut serde_json::Serializer::new(&mut written)).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), text);
    }
}

#[test]
fn tuples_have_exactly_as_many_items() {
    check(&[("[\"a\", 1.0]", ("a".to_owned(), 1_i64)), (" [ \"\" ,2 ] ", (String::new(), 2))]);
    check(&[("[null]", ((),))]);
    check_text(&[("[1,[true],3]", (1_u64, (true,), 3.0))]);
    for json in ["[]", "[\"a\"]", "[\"a\", 1, 2]", "[1, \"a\"]", "{}", "null"] {
        assert!(read_text::<(String, i64)>(json).is_err(), "{json}");
    }
    for json in ["[1,]", "[,1]", "[1", "[1,2", "[1 2]", "[1,2,]", "[1,2}"] {
        assert!(read_text::<(i64, i64)>(json).is_err(), "{json}");
    }
}

#[test]
fn the_items_of_tuples_are_checked() {
    #[derive(Debug, PartialEq)]
    struct Pair(Box<(String, Option<u64>)>);
    static RULE: Boxed<Tuple<(Length, Nullable<Within<u64>>)>> =
        Boxed(Tuple((Length::new(1, 2), Nullable(Within::new(1, 3)))));
    impl Codec for Pair {
        fn read(reader: &mut Reader<'_>) -> Option<Self> {
            reader.read_by(&RULE).map(Self)
        }
        fn write(&self, writer: &mut Writer) -> Option<()> {
            writer.write_by(&self.0, &RULE)
        }
    }
    capgen::impl_serde!(Pair);
    let pair = |text: &str, number| Pair(Box::new((text.to_owned(), number)));
    check(&[("[\"ab\", 3]", pair("ab", Some(3))), ("[\"a\", null]", pair("a", None))]);
    check_rejected::<Pair>(&[("[\"\", 1]", "/0: does not match"), ("[\"a\", 4]", "/1: does not match")]);
    assert_eq!(serde_json::to_string(&pair("a", None)).unwrap(), "[\"a\",null]");
}

#[test]
fn tuples_that_are_too_deep_are_rejected() {
    #[derive(Debug)]
    struct Deep((Option<Box<Deep>>,));
    impl Codec for Deep {
        fn read(reader: &mut Reader<'_>) -> Option<Self> {
            reader.read().map(Self)
        }
        fn write(&self, writer: &mut Writer) -> Option<()> {
            writer.write(&self.0)
        }
    }
    let nested = |levels: usize| format!("{}null{}", "[".repeat(levels), "]".repeat(levels));
    assert!(read_text::<Deep>(&nested(128)).is_ok());
    assert!(read_text::<Deep>(&nested(129)).is_err());
}
