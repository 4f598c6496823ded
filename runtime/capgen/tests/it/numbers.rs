//! Numbers near bounds: whatever is read can be written, and is then read as the same value.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::cell::RefCell;
use std::fmt::Debug;

use capgen::wire::{
    Any, Codec, Constraint, Interpreted, MultipleOf, PayloadSchema, Reader, Within, Writer, read_payload, write_payload,
};
use capgen::{Options, Validator};
use capgen_schema::{ExactPayload, Number};

/// A constraint on a type, whatever its own type is.
trait Rule<T> {
    fn read(&self, reader: &mut Reader<'_>) -> Option<T>;
    fn write(&self, writer: &mut Writer, value: &T) -> Option<()>;
}

impl<T, C: Constraint<T>> Rule<T> for C {
    fn read(&self, reader: &mut Reader<'_>) -> Option<T> {
        Constraint::read(self, reader)
    }

    fn write(&self, writer: &mut Writer, value: &T) -> Option<()> {
        Constraint::write(self, writer, value)
    }
}

thread_local! {
    static RULE: RefCell<Option<Box<dyn Rule<f64>>>> = const { RefCell::new(None) };
    static LIST_RULE: RefCell<Option<Box<dyn Rule<Vec<f64>>>>> = const { RefCell::new(None) };
}

/// A number with the current rule.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ruled(f64);

impl Codec for Ruled {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        RULE.with_borrow(|rule| rule.as_ref()?.read(reader).map(Ruled))
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        RULE.with_borrow(|rule| rule.as_ref()?.write(writer, &self.0))
    }
}

/// A list of numbers with the current rule.
#[derive(Clone, Debug, PartialEq)]
struct RuledList(Vec<f64>);

impl Codec for RuledList {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        LIST_RULE.with_borrow(|rule| rule.as_ref()?.read(reader).map(RuledList))
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        LIST_RULE.with_borrow(|rule| rule.as_ref()?.write(writer, &self.0))
    }
}

fn payload_schema(text: String) -> &'static PayloadSchema {
    Box::leak(Box::new(PayloadSchema::new(text.leak())))
}

/// Numbers near which the forms of integers, decimals and binary64s differ.
fn centres() -> Vec<f64> {
    let powers = [53, 60, 63, 64, 70].map(|exponent| 2_f64.powi(exponent));
    let others = [0.0, 0.1, 1.0, 1e19, 1e23, f64::MAX, 1e-300, 5e-324];
    let positive = powers.into_iter().chain(others);
    positive.flat_map(|number| [number, -number]).collect()
}

/// Texts of numbers that are near a number, or read as it.
fn texts(centre: f64) -> Vec<String> {
    let floats = [centre.next_down(), centre, centre.next_up()].into_iter().filter(|float| float.is_finite());
    let mut texts = Vec::new();
    for float in floats {
        let exact = Number::exact(float).unwrap();
        let shortest = Number::from_f64(float).unwrap();
        texts.push(serde_json::to_string(&float).unwrap());
        for number in [exact, shortest] {
            let digits = number.to_string();
            if !digits.contains('e') {
                texts.push(if digits.contains('.') { format!("{digits}1") } else { format!("{digits}.0") });
                texts.push(if digits.contains('.') { format!("{digits}0") } else { format!("{digits}.01") });
            }
            texts.push(digits);
        }
        // Integers next to it, which binary64 rounds.
        if float.abs() < 1e30 && float.fract() == 0.0 {
            texts.extend([-513, -1, 1, 513].map(|step: i128| (float as i128 + step).to_string()));
        }
    }
    texts.sort();
    texts.dedup();
    texts
}

/// Checks that a text is accepted if its digits and those of the written number are valid, and that it then keeps its
/// value.
fn check<T: Codec + PartialEq + Debug>(text: &str, schema: &PayloadSchema, is_acceptable: bool, context: &str) {
    let read: Result<T, _> = read_payload(text, Options::new(), schema);
    assert_eq!(read.is_ok(), is_acceptable, "{context}: {text}: {read:?}");
    if let Some(tree) = tree(text) {
        let through_serde: Result<T, _> = capgen::wire::deserialize(tree);
        assert_eq!(through_serde.is_ok(), is_acceptable, "{context}: {text}: {through_serde:?}");
    }
    let Ok(read) = read else { return };
    let written = write_payload(&read, Options::new(), schema);
    let written = String::from_utf8(written.unwrap_or_else(|error| panic!("{context}: {text}: {error}"))).unwrap();
    assert_eq!(read_payload(&written, Options::new(), schema).ok(), Some(read), "{context}: {text}: {written}");
}

/// The tree of a number; `None` if the number is written in another way.
fn tree(text: &str) -> Option<serde_json::Value> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let written = value.to_string();
    (written == text).then_some(value)
}

fn is_valid(validator: &Validator, text: &str) -> bool {
    ExactPayload::parse(text.as_bytes()).is_ok_and(|payload| validator.is_valid_exact(&payload))
}

/// The text that Rust writes for a number that was read from this text; `None` if it cannot be read as binary64.
fn written(text: &str) -> Option<String> {
    static ANY: PayloadSchema = PayloadSchema::new("true");
    let number: f64 = read_payload(text, Options::new(), &ANY).ok()?;
    String::from_utf8(write_payload(&number, Options::new(), &ANY).ok()?).ok()
}

#[test]
fn numbers_near_an_interpreted_bound_are_written_again_or_rejected() {
    static AT_ROOT: &[&str] = &[""];
    for centre in centres() {
        let texts = texts(centre);
        let written: Vec<_> = texts.iter().map(|text| written(text)).collect();
        for limit in &texts {
            for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
                let context = format!(r#"{{"{keyword}":{limit}}}"#);
                let schema = payload_schema(context.clone());
                let Some(validator) = schema.validator() else { continue };
                RULE.set(Some(Box::new(Interpreted::new(schema, AT_ROOT))));
                for (text, written) in texts.iter().zip(&written) {
                    let is_acceptable = is_valid(validator, text)
                        && written.as_ref().is_some_and(|written| is_valid(validator, written));
                    check::<Ruled>(text, schema, is_acceptable, &context);
                }
            }
        }
    }
}

#[test]
fn numbers_near_a_bound_that_binary64_can_represent_are_written_again_or_rejected() {
    for centre in centres() {
        let texts = texts(centre);
        let all = Within::new(f64::NEG_INFINITY, f64::INFINITY);
        let limit = if (2_f64.powi(53)..2_f64.powi(64)).contains(&centre.abs()) {
            Number::exact(centre).unwrap()
        } else {
            Number::from_f64(centre).unwrap()
        };
        let rules = [
            ("minimum", Within::new(centre, f64::INFINITY)),
            ("maximum", Within::new(f64::NEG_INFINITY, centre)),
            ("exclusiveMinimum", Within::new(centre, f64::INFINITY).exclusive_minimum()),
            ("exclusiveMaximum", Within::new(f64::NEG_INFINITY, centre).exclusive_maximum()),
            ("description", all),
        ];
        for (keyword, rule) in rules {
            let limit = if keyword == "description" { "\"any\"".to_owned() } else { limit.to_string() };
            let context = format!(r#"{{"type":"number","{keyword}":{limit}}}"#);
            let schema = payload_schema(context.clone());
            let validator = schema.validator().unwrap();
            RULE.set(Some(Box::new(rule)));
            for text in &texts {
                let is_acceptable =
                    is_valid(validator, text) && written(text).is_some_and(|written| is_valid(validator, &written));
                check::<Ruled>(text, schema, is_acceptable, &context);
            }
        }
    }
}

#[test]
fn multiples_are_written_again_or_rejected() {
    let divisors = [
        "1",
        "2",
        "3",
        "0.1",
        "0.5",
        "2.5",
        "1e-300",
        "1e19",
        "5e-324",
        "18446744073709551616",
        "0.10000000000000000555",
    ];
    for centre in centres() {
        let texts = texts(centre);
        let written: Vec<_> = texts.iter().map(|text| written(text)).collect();
        for divisor in divisors {
            let context = format!(r#"{{"type":"number","multipleOf":{divisor}}}"#);
            let schema = payload_schema(context.clone());
            let validator = schema.validator().unwrap();
            RULE.set(Some(Box::new(MultipleOf::new(divisor, Any))));
            for (text, written) in texts.iter().zip(&written) {
                let is_acceptable =
                    is_valid(validator, text) && written.as_ref().is_some_and(|written| is_valid(validator, written));
                check::<Ruled>(text, schema, is_acceptable, &context);
            }
        }
    }
}

#[test]
fn integers_in_other_notations_are_multiples() {
    static SCHEMA: PayloadSchema = PayloadSchema::new(r#"{"type":"integer","minimum":-100,"multipleOf":5}"#);
    #[derive(PartialEq, Debug)]
    struct Fives(i64);
    static RULE: MultipleOf<Within<i64>> = MultipleOf::new("5", Within::new(-100, i64::MAX));
    impl Codec for Fives {
        fn read(reader: &mut Reader<'_>) -> Option<Self> {
            reader.read_by(&RULE).map(Fives)
        }

        fn write(&self, writer: &mut Writer) -> Option<()> {
            writer.write_by(&self.0, &RULE)
        }
    }
    for (text, is_valid) in [
        ("15", true),
        ("15.0", true),
        ("1.5e1", true),
        ("-0", true),
        ("-100", true),
        ("-105", false),
        ("14", false),
        ("1.4e1", false),
        ("9223372036854775805", true),
        ("9223372036854775807", false),
    ] {
        check::<Fives>(text, &SCHEMA, is_valid, "multiples of 5");
    }
    assert!(write_payload(&Fives(7), Options::new(), &SCHEMA).is_err());
}

#[test]
fn integers_in_other_notations_are_within_their_bounds() {
    static SCHEMA: PayloadSchema =
        PayloadSchema::new(r#"{"type":"integer","minimum":-9007199254740994,"maximum":9007199254740994}"#);
    struct Limited(i64);
    static LIMITS: Within<i64> = Within::new(-9_007_199_254_740_994, 9_007_199_254_740_994);
    impl Codec for Limited {
        fn read(reader: &mut Reader<'_>) -> Option<Self> {
            reader.read_by(&LIMITS).map(Limited)
        }

        fn write(&self, writer: &mut Writer) -> Option<()> {
            writer.write_by(&self.0, &LIMITS)
        }
    }
    for (text, is_within) in [
        ("9007199254740994.0", true),
        ("9.007199254740994e15", true),
        ("-9007199254740994.0", true),
        ("9007199254740995.0", false),
        ("-9007199254740995.0", false),
    ] {
        assert_eq!(read_payload::<Limited>(text, Options::new(), &SCHEMA).is_ok(), is_within, "{text}");
        if let Some(tree) = tree(text) {
            assert_eq!(capgen::wire::deserialize::<Limited, _>(tree).is_ok(), is_within, "{text}");
        }
    }
}

#[test]
fn items_that_become_equal_are_rejected() {
    let schema = payload_schema(r#"{"uniqueItems":true}"#.to_owned());
    LIST_RULE.set(Some(Box::new(Interpreted::new(schema, &[""]))));
    for (text, is_acceptable) in [
        ("[1152921504606846976,1152921504606847000.0]", false),
        ("[0.1,0.10000000000000000001]", false),
        ("[1152921504606846976,1e19]", true),
    ] {
        check::<RuledList>(text, schema, is_acceptable, "uniqueItems");
    }
}
