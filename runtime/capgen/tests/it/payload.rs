//! Reading, rejecting and writing payloads.

use capgen::{InvalidPayload, Options, Payload};
use serde_json::json;

/// As in generated code.
#[derive(Debug, Clone, PartialEq)]
struct Note {
    id: String,
    score: Option<f64>,
    next: Option<Box<Note>>,
}

static ID: capgen::wire::Text = capgen::wire::Text::new(capgen::wire::Length::new(1, 4), Some("^[a-zé]*$"), None);
static SCORE: capgen::wire::Within<f64> = capgen::wire::Within::new(0.0, 1.0);
const NAMES: &[&str] = &["id", "score", "next"];

impl capgen::wire::Codec for Note {
    fn read(reader: &mut capgen::wire::Reader<'_>) -> Option<Self> {
        let (mut id, mut score, mut next) = (None, None, None);
        let mut object = reader.object(NAMES, capgen::wire::Rest::Ignored)?;
        while let Some(index) = reader.property(&mut object)? {
            match index {
                0 => id = Some(reader.read_by(&ID)?),
                1 => score = Some(reader.read_by(&SCORE)?),
                2 => next = Some(reader.read()?),
                _ => return None,
            }
        }
        Some(Self { id: id?, score, next })
    }

    fn write(&self, writer: &mut capgen::wire::Writer) -> Option<()> {
        writer.begin()?;
        writer.required_by("id", &self.id, &ID)?;
        writer.optional_by("score", &self.score, &SCORE)?;
        writer.optional("next", &self.next)?;
        writer.end()
    }
}

static NOTE: capgen::wire::PayloadSchema = capgen::wire::PayloadSchema::new(NOTE_SCHEMA);
capgen::payload!(Note, NOTE);

const NOTE_SCHEMA: &str = r##"{"$ref":"#/definitions/Note","definitions":{"Note":{"type":"object","properties":{
    "id":{"type":"string","minLength":1,"maxLength":4,"pattern":"^[a-zé]*$"},
    "score":{"type":"number","minimum":0,"maximum":1},"next":{"$ref":"#/definitions/Note"}},"required":["id"]}}}"##;

fn note(id: &str) -> Note {
    Note { id: id.to_owned(), score: None, next: None }
}

/// Paths and keywords of the violations.
fn violations(error: &InvalidPayload) -> Vec<(&str, &str)> {
    error.violations().iter().map(|violation| (violation.path.as_str(), violation.keyword.as_str())).collect()
}

#[test]
fn valid_payloads_are_read_from_text_and_trees_and_written_back() {
    let text = r#"{"id":"éàab","score":0.5,"next":{"id":"b"}}"#.replace('à', "é");
    let read = Note::from_json(text.as_bytes()).unwrap();
    let next = Some(Box::new(note("b")));
    assert_eq!(read, Note { id: "ééab".to_owned(), score: Some(0.5), next });
    assert_eq!(Note::from_json_str(&text).unwrap(), read);
    assert_eq!(Note::from_value(&json!({"id": "ééab", "score": 0.5, "next": {"id": "b"}})).unwrap(), read);
    assert_eq!(String::from_utf8(read.to_json().unwrap()).unwrap(), text);
}

#[test]
fn invalid_payloads_have_every_violation_of_the_interpreter() {
    let value = json!({"id": "A", "score": 2, "next": {"score": null, "next": {"id": ""}}});
    let expected = Note::validator().unwrap().validate(&value);
    assert_eq!(expected.len(), 5);
    for error in [Note::from_json(value.to_string().as_bytes()).unwrap_err(), Note::from_value(&value).unwrap_err()] {
        assert_eq!(error.violations(), &*expected);
    }
    assert!(Note::from_value(&value).unwrap_err().to_string().starts_with("/id: must match the pattern"));
}

#[test]
fn invalid_json_is_a_syntax_error() {
    let deep = format!("{}{}", r#"{"id":"a","next":"#.repeat(129), "}".repeat(129));
    for text in [
        "",
        "{",
        "{\"id\":\"a\"} 1",
        "{\"id\":\"a\",\"x\":1,\"x\":2}",
        "{\"id\":\"\\ud800\"}",
        "{\"id\":\"a\",\"x\":1e400}",
        &deep,
    ] {
        assert!(matches!(Note::from_json(text.as_bytes()), Err(InvalidPayload::Syntax(_))), "{text}");
    }
    assert!(matches!(Note::from_json(b"{\"id\":\"\xff\"}"), Err(InvalidPayload::Syntax(_))));
}

#[test]
fn invalid_values_are_not_written() {
    let mut bad = note("toolong");
    bad.next = Some(Box::new(Note { score: Some(f64::NAN), ..note("") }));
    let error = bad.to_json().unwrap_err();
    assert_eq!(violations(&error), [("/id", "maxLength"), ("/next/id", "minLength"), ("/next/score", "type")]);
    assert!(error.to_string().contains("/next/score: JSON cannot represent a number that is not finite"), "{error}");
    assert_eq!(violations(&bad.validate().unwrap_err()), violations(&error));
    bad.score = Some(f64::INFINITY);
    let first = bad.to_json_with(Options::new().max_violations(2)).unwrap_err();
    assert_eq!(violations(&first), [("/id", "maxLength"), ("/next/id", "minLength")]);
    bad.id = "a".to_owned();
    assert_eq!(violations(&bad.validate().unwrap_err())[2], ("/score", "type"));
}

#[test]
fn values_nested_too_deep_are_rejected() {
    let nested = |levels: usize| {
        let outer = |inner: Note, _| Note { next: Some(Box::new(inner)), ..note("a") };
        (1..levels).fold(note("a"), outer)
    };
    assert!(nested(128).validate().is_ok());
    assert_eq!(violations(&nested(129).validate().unwrap_err()), [("", "depth")]);
}

#[test]
fn numbers_that_rust_cannot_represent_are_rejected_with_a_path() {
    #[derive(Debug)]
    struct Counts(Vec<i64>);
    impl capgen::wire::Codec for Counts {
        fn read(reader: &mut capgen::wire::Reader<'_>) -> Option<Self> {
            reader.read().map(Self)
        }

        fn write(&self, writer: &mut capgen::wire::Writer) -> Option<()> {
            writer.write(&self.0)
        }
    }
    static COUNTS: capgen::wire::PayloadSchema =
        capgen::wire::PayloadSchema::new(r#"{"type":"array","items":{"type":"integer"}}"#);
    capgen::payload!(Counts, COUNTS);
    assert_eq!(Counts::from_json(b"[1.0, 2e3]").unwrap().0, [1, 2000]);
    let error = Counts::from_json(b"[1, 9223372036854775808]").unwrap_err();
    assert_eq!(error.to_string(), "/1: integer outside -2^63..2^63");
    assert_eq!(violations(&Counts::from_json(b"[1, 1.5]").unwrap_err()), [("/1", "type")]);
}

#[test]
fn sides_without_a_schema_accept_any_json() {
    assert_eq!(serde_json::Value::from_json(b"[1, {}]").unwrap(), json!([1, {}]));
    assert!(json!({"a": null}).validate().is_ok());
}

/// A type whose values take 16 KiB of the stack, many times over.
#[derive(Debug)]
struct Wide {
    pad: [u64; 2048],
    next: Option<Box<Wide>>,
}

impl capgen::wire::Codec for Wide {
    fn read(reader: &mut capgen::wire::Reader<'_>) -> Option<Self> {
        let mut next = None;
        let mut object = reader.object(&["next"], capgen::wire::Rest::Closed)?;
        while let Some(index) = reader.property(&mut object)? {
            match index {
                0 => next = Some(reader.read()?),
                _ => return None,
            }
        }
        Some(Self { pad: [1; 2048], next })
    }

    fn write(&self, writer: &mut capgen::wire::Writer) -> Option<()> {
        let copy = self.pad;
        writer.begin()?;
        if copy.iter().sum::<u64>() > 0 {
            writer.optional("next", &self.next)?;
        }
        writer.end()
    }
}

capgen::impl_serde!(Wide);

#[test]
fn the_deepest_value_of_a_large_type_is_read_on_a_small_stack() {
    let text = format!("{}{{}}{}", r#"{"next":"#.repeat(126), "}".repeat(126));
    let run = move || {
        let wide: Wide = serde_json::from_str(&text).unwrap();
        serde_json::to_string(&wide).unwrap() == text
    };
    let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(run).unwrap();
    assert!(thread.join().unwrap());
}

/// Reading recurses, so 128 levels must fit on a small stack.
#[test]
fn the_deepest_payload_is_read_on_a_small_stack() {
    let text = format!("{}{}{}", r#"{"id":"a","next":"#.repeat(127), r#"{"id":"a"}"#, "}".repeat(127));
    let run = move || Note::from_json(text.as_bytes()).is_ok();
    let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(run).unwrap();
    assert!(thread.join().unwrap());
}

#[test]
fn limits_apply_and_messages_do_not_contain_secrets() {
    let bad = br#"{"id": "SECRET", "score": 9, "next": {"id": "SECRET"}}"#;
    let error = Note::from_json_with(bad, Options::new().max_violations(2).redact(true)).unwrap_err();
    assert_eq!(violations(&error), [("/id", "maxLength"), ("/id", "pattern")]);
    let twice = Note::from_json_with(br#"{"SECRET": 1, "SECRET": 2}"#, Options::new().redact(true)).unwrap_err();
    let sent = note("SECRET").to_json_with(Options::new().redact(true)).unwrap_err();
    for error in [&error, &twice, &sent] {
        assert!(!error.to_string().contains("SECRET"), "{error}");
        assert!(!error.to_string().is_empty());
    }
    let nested = br#"{"id": "a", "next": {"id": "a"}}"#;
    assert!(Note::from_json_with(nested, Options::new().max_depth(2)).is_ok());
    let error = Note::from_json_with(nested, Options::new().max_depth(1)).unwrap_err();
    assert_eq!(error.to_string(), "nested deeper than 1 level");
    let read = Note::from_json(nested).unwrap();
    assert_eq!(read.to_json_with(Options::new().max_depth(1)).unwrap_err().to_string(), "nested deeper than 1 level");
}

#[test]
fn other_serde_types_can_contain_payloads() {
    #[derive(serde::Deserialize, serde::Serialize, Debug, PartialEq)]
    struct Page {
        notes: Vec<Note>,
    }
    let page: Page = serde_json::from_str(r#"{"notes": [{"id": "a", "score": 1}]}"#).unwrap();
    assert_eq!(page, Page { notes: vec![Note { score: Some(1.0), ..note("a") }] });
    assert_eq!(serde_json::to_string(&page).unwrap(), r#"{"notes":[{"id":"a","score":1.0}]}"#);
    let error = serde_json::from_str::<Page>(r#"{"notes": [{"id": "A", "score": 2}]}"#).unwrap_err().to_string();
    assert!(error.starts_with("/id: must match the pattern \"^[a-zé]*$\"; /score: "), "{error}");
}
