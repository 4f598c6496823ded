//! CBOR as JSON, which never changes a value: as a text, and as a tree.
//!
//! [`walk`] alone knows which values JSON can represent, and where the others are. It needs no recursion, so the depth
//! of a value costs no stack.

use std::fmt;

use capgen_schema::canonical_text::write_string;
use capgen_schema::{ReportBudget, pointer};
use serde_json::{Map as Object, Number, Value as Json};

use super::Value;

/// A value that JSON cannot represent (decision 14).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotJson {
    /// The place of the value, as a JSON Pointer. For a key that is not text, it is the place of its map.
    pub path: String,
    /// The kind of value, which does not contain the value itself: `a byte string`.
    pub reason: &'static str,
}

impl Value {
    /// The same value as a JSON text without whitespace (decision 14). An integer remains an integer, and a
    /// floating-point number remains one, even if it is integral: `2.0`. The members of objects are in the order of
    /// CBOR, shorter names first.
    ///
    /// ```
    /// use capgen_amp::cbor::{Map, Value};
    /// let map: Map = [("lines", Value::from(2)), ("ok", Value::from(true))].into_iter().collect();
    /// assert_eq!(Value::from(map).to_json_text().as_deref(), Ok(r#"{"ok":true,"lines":2}"#));
    /// ```
    ///
    /// # Errors
    ///
    /// The first value that JSON cannot represent: byte strings, tags, undefined, simple values, NaN, infinities,
    /// integers outside -2^63 to 2^64 - 1, and maps with keys that are not text.
    pub fn to_json_text(&self) -> Result<String, NotJson> {
        // A text that grows would need up to three times its memory for a moment, and a hostile text grows much in
        // JSON.
        let mut length = Text { out: Length(0), is_after_value: false };
        walk(self, |part| length.add(&part))?;
        let mut text = Text { out: String::with_capacity(length.out.0), is_after_value: false };
        walk(self, |part| text.add(&part))?;
        Ok(text.out)
    }

    /// The same value as a tree, for programs that work on one. A [text](Self::to_json_text) needs none.
    ///
    /// # Errors
    ///
    /// Those of [`to_json_text`](Self::to_json_text).
    pub fn to_json(&self) -> Result<Json, NotJson> {
        let mut tree = Tree::default();
        walk(self, |part| tree.add(part))?;
        Ok(tree.root)
    }

    /// Checks that JSON can represent the value.
    ///
    /// # Errors
    ///
    /// Those of [`to_json_text`](Self::to_json_text).
    pub(crate) fn check_json(&self) -> Result<(), NotJson> {
        walk(self, |_| {})
    }
}

/// A part of a JSON value, in the order of the text.
enum Part<'v> {
    Null,
    Bool(bool),
    Number(Number),
    Text(&'v str),
    /// The start of an array, and the number of its elements.
    Array(usize),
    EndOfArray,
    /// The start of an object, and the number of its members.
    Object(usize),
    /// The name of the member that follows.
    Name(&'v str),
    EndOfObject,
}

/// Passes on the parts of a value.
///
/// # Errors
///
/// The first value that JSON cannot represent. The parts before it have been passed on.
fn walk<'v>(root: &'v Value, mut pass_on: impl FnMut(Part<'v>)) -> Result<(), NotJson> {
    let mut open: Vec<Open<'v>> = Vec::new();
    let mut value = root;
    loop {
        pass_on(part(value).map_err(|reason| NotJson::inside(&open, reason))?);
        match value {
            Value::Array(elements) => open.push(Open::Array { elements, next: 0 }),
            Value::Map(map) => open.push(Open::Object { entries: map.entries(), next: 0 }),
            _ => {}
        }
        value = loop {
            let Some(innermost) = open.last_mut() else { return Ok(()) };
            match innermost.advance() {
                Some((None, element)) => break element,
                Some((Some(Value::Text(name)), member)) => {
                    pass_on(Part::Name(name));
                    break member;
                }
                Some((Some(_), _)) => {
                    open.pop();
                    return Err(NotJson::inside(&open, "a map with a key that is not text"));
                }
                None => {
                    pass_on(innermost.end());
                    open.pop();
                }
            }
        };
    }
}

/// The part of JSON that a value is, or starts.
///
/// # Errors
///
/// The kind of value, which JSON does not have.
fn part(value: &Value) -> Result<Part<'_>, &'static str> {
    Ok(match value {
        Value::Unsigned(number) => Part::Number(Number::from(*number)),
        Value::Negative(_) => match value.as_integer().and_then(|number| i64::try_from(number).ok()) {
            Some(number) => Part::Number(Number::from(number)),
            None => return Err("an integer outside -2^63 to 2^64 - 1"),
        },
        Value::Text(text) => Part::Text(text),
        Value::Array(elements) => Part::Array(elements.len()),
        Value::Map(map) => Part::Object(map.len()),
        Value::Bool(value) => Part::Bool(*value),
        Value::Null => Part::Null,
        Value::Float(number) => Part::Number(Number::from_f64(number.get()).ok_or("NaN or an infinity")?),
        Value::Bytes(_) => return Err("a byte string"),
        Value::Tag(..) => return Err("a tag"),
        Value::Undefined => return Err("undefined"),
        Value::Simple(_) => return Err("a simple value"),
    })
}

/// An array or a map that is being passed on.
enum Open<'v> {
    Array { elements: &'v [Value], next: usize },
    Object { entries: &'v [(Value, Value)], next: usize },
}

impl<'v> Open<'v> {
    /// The next value; in a map, with its key.
    fn advance(&mut self) -> Option<(Option<&'v Value>, &'v Value)> {
        match self {
            Self::Array { elements, next } => {
                let element = elements.get(*next)?;
                *next += 1;
                Some((None, element))
            }
            Self::Object { entries, next } => {
                let (key, value) = entries.get(*next)?;
                *next += 1;
                Some((Some(key), value))
            }
        }
    }

    const fn end(&self) -> Part<'v> {
        match self {
            Self::Array { .. } => Part::EndOfArray,
            Self::Object { .. } => Part::EndOfObject,
        }
    }

    /// Adds the place of the current value to a pointer.
    fn add_place(&self, path: &mut String) {
        match self {
            Self::Array { next, .. } => pointer::push(path, &next.saturating_sub(1).to_string()),
            Self::Object { entries, next } => {
                let key = entries.get(next.saturating_sub(1)).and_then(|(key, _)| key.as_text());
                pointer::push(path, &ReportBudget::DEFAULT.cut_name(key.unwrap_or_default()));
            }
        }
    }
}

/// Writes the text.
struct Text<W> {
    out: W,
    /// The last part is a whole value, so another one follows after a comma.
    is_after_value: bool,
}

/// The number of bytes that were written.
struct Length(usize);

impl fmt::Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

impl<W: fmt::Write> Text<W> {
    fn add(&mut self, part: &Part<'_>) {
        // Neither a string nor a length fails.
        let _ = self.write(part);
    }

    fn write(&mut self, part: &Part<'_>) -> fmt::Result {
        let text = &mut self.out;
        let ends = matches!(part, Part::EndOfArray | Part::EndOfObject);
        if self.is_after_value && !ends {
            text.write_char(',')?;
        }
        self.is_after_value = !matches!(part, Part::Array(_) | Part::Object(_) | Part::Name(_));
        match part {
            Part::Null => text.write_str("null"),
            Part::Bool(value) => text.write_str(if *value { "true" } else { "false" }),
            Part::Number(number) => write!(text, "{number}"),
            Part::Text(value) => write_string(text, value),
            Part::Array(_) => text.write_char('['),
            Part::EndOfArray => text.write_char(']'),
            Part::Object(_) => text.write_char('{'),
            Part::Name(name) => write_string(text, name).and_then(|()| text.write_char(':')),
            Part::EndOfObject => text.write_char('}'),
        }
    }
}

/// Builds the tree.
#[derive(Default)]
struct Tree {
    root: Json,
    open: Vec<Container>,
}

/// An array or an object that is being built.
enum Container {
    Array(Vec<Json>),
    /// The members, and the name of the next one.
    Object(Object<String, Json>, String),
}

impl Tree {
    fn add(&mut self, part: Part<'_>) {
        let value = match part {
            Part::Null => Json::Null,
            Part::Bool(value) => Json::Bool(value),
            Part::Number(number) => Json::Number(number),
            Part::Text(text) => Json::String(text.to_owned()),
            Part::Array(length) => return self.open.push(Container::Array(Vec::with_capacity(length))),
            Part::Object(length) => {
                return self.open.push(Container::Object(Object::with_capacity(length), String::new()));
            }
            Part::Name(text) => {
                if let Some(Container::Object(_, name)) = self.open.last_mut() {
                    text.clone_into(name);
                }
                return;
            }
            Part::EndOfArray | Part::EndOfObject => match self.open.pop() {
                Some(Container::Array(elements)) => Json::Array(elements),
                Some(Container::Object(members, _)) => Json::Object(members),
                None => return,
            },
        };
        match self.open.last_mut() {
            Some(Container::Array(elements)) => elements.push(value),
            Some(Container::Object(members, name)) => drop(members.insert(std::mem::take(name), value)),
            None => self.root = value,
        }
    }
}

impl NotJson {
    /// The error about the current value of the innermost of these arrays and maps.
    fn inside(open: &[Open<'_>], reason: &'static str) -> Self {
        let mut path = String::new();
        open.iter().for_each(|open| open.add_place(&mut path));
        Self { path, reason }
    }
}

impl fmt::Display for NotJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: JSON cannot represent {}", self.path, self.reason)
    }
}

impl std::error::Error for NotJson {}
