//! Threads with little stack: payloads come from peers, and their depth must not abort the program.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use capgen::wire::{Codec, Reader, Writer};
use capgen::{Options, Payload};
use serde_json::Value;

/// In bytes: the least stacks that `Payload` documents.
const TO_READ: usize = 32 * 1024;
const TO_DROP: usize = if cfg!(debug_assertions) { 256 * 1024 } else { 64 * 1024 };

fn with_stack(bytes: usize, test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(bytes).spawn(test).unwrap().join().unwrap();
}

/// A tree whose nodes have an integer `n`, of which the interpreter checks that it is not 13.
#[derive(Debug, PartialEq)]
struct Tree {
    n: Option<i64>,
    below: BTreeMap<String, Tree>,
}

const SCHEMA_TEXT: &str = r##"{"definitions":{"tree":{"additionalProperties":{"$ref":"#/definitions/tree"},
    "not":{"properties":{"n":{"const":13}},"required":["n"]},
    "properties":{"n":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"type":"object"}},
    "allOf":[{"$ref":"#/definitions/tree"}]}"##;

const _: () = {
    static INTERPRETED: capgen::wire::Interpreted = capgen::wire::Interpreted::new(&SCHEMA, &["/definitions/tree"]);

    impl Codec for Tree {
        const INTERPRETED: Option<&'static capgen::wire::Interpreted> = Some(&INTERPRETED);

        fn read(reader: &mut Reader<'_>) -> Option<Self> {
            let (mut n, mut below) = (None, BTreeMap::new());
            let mut object = reader.object(&["n"], capgen::wire::Rest::Kept)?;
            while let Some(index) = reader.property(&mut object)? {
                match index {
                    0 => n = reader.read()?,
                    _ => reader.keep(&object, &mut below, &capgen::wire::Any)?,
                }
            }
            Some(Self { n, below })
        }

        fn write(&self, writer: &mut Writer) -> Option<()> {
            writer.begin()?;
            writer.optional("n", &self.n)?;
            writer.rest(&self.below, &["n"], &capgen::wire::Any)?;
            writer.end()
        }
    }
};

static SCHEMA: capgen::wire::PayloadSchema = capgen::wire::PayloadSchema::new(SCHEMA_TEXT);
capgen::payload!(Tree, SCHEMA);

fn nested(levels: usize, open: &str, inside: &str, close: &str) -> String {
    format!("{}{inside}{}", open.repeat(levels), close.repeat(levels))
}

#[test]
fn deep_payloads_are_read_written_and_dropped_with_little_stack() {
    with_stack(TO_DROP, || {
        let valid = nested(127, "{\"a\":", "{\"n\":1}", "}");
        let tree = Tree::from_json_str(&valid).unwrap();
        assert_eq!(tree.to_json().unwrap(), valid.as_bytes());
        assert!(serde_json::to_value(&tree).is_ok());
        let value = serde_json::to_value(&tree).unwrap();
        assert_eq!(Tree::from_value(&value).unwrap(), tree);
        assert_eq!(serde_json::from_value::<Tree>(value).unwrap(), tree);
        let broken = Tree { n: Some(13), below: BTreeMap::new() };
        let broken = (0..127).fold(broken, |tree, _| Tree { n: None, below: BTreeMap::from([("a".to_owned(), tree)]) });
        assert_eq!(broken.validate().unwrap_err().violations().len(), 1);
    });
}

#[test]
fn deep_payloads_are_rejected_with_little_stack() {
    with_stack(TO_READ, || {
        for (payload, path) in [
            (nested(127, "{\"a\":", "{\"n\":13}", "}"), "/a".repeat(127)),
            (nested(127, "{\"a\":", "[]", "}"), "/a".repeat(127)),
            (nested(125, "{\"a\":", "{\"n\":[{}]}", "}"), "/a".repeat(125) + "/n"),
        ] {
            let error = Tree::from_json_str(&payload).unwrap_err();
            assert_eq!(error.violations().first().map(|violation| violation.path.as_str()), Some(path.as_str()));
            let error = Tree::from_json_with(payload.as_bytes(), Options::new().redact(true)).unwrap_err();
            assert_eq!(error.violations().len(), 1);
            assert!(serde_json::from_str::<Tree>(&payload).is_err());
        }
    });
}

#[test]
fn texts_that_are_too_deep_are_rejected_with_little_stack() {
    with_stack(TO_READ, || {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            for levels in [129, 100_000] {
                let text = nested(levels, open, "1", close);
                assert!(Tree::from_json_str(&text).is_err());
                assert!(Value::from_json_str(&text).is_err());
                assert!(Value::from_json(&[text.as_bytes(), b"\xff"].concat()).is_err());
            }
        }
    });
}
