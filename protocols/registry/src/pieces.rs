//! A JSON document that is read piece by piece, so that a large one need not be in memory.

use std::fmt;
use std::io::{self, BufRead};

use capgen_schema::{Hash, HashBuilder, JsonCursor};

/// The limit of the bytes of one piece. Entries have at most 1 MiB in canonical form, but the notation need not be
/// canonical. An escape has six bytes for a character of one, so 16 times as much leaves room for escapes everywhere
/// and for white space.
const MAX_PIECE: usize = 16 << 20;

/// The limit of the levels of one piece: more than the 132 that an entry with a payload of 128 levels has.
const MAX_DEPTH: usize = 160;

/// Why a document cannot be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    Io(io::Error),
    /// It is not JSON, or larger than any valid document. The phrase quotes nothing of it.
    NotJson(String),
}

/// A document, and the place in it.
pub(crate) struct Pieces<R> {
    input: R,
    /// Whether there may be white space between pieces.
    has_space: bool,
    max_piece: usize,
    piece: Vec<u8>,
    /// The hash of the bytes that are read, if it is asked for.
    hash: Option<HashBuilder>,
}

impl<R: BufRead> Pieces<R> {
    /// A document in any notation.
    pub(crate) fn new(input: R) -> Self {
        Self { input, has_space: true, max_piece: MAX_PIECE, piece: Vec::new(), hash: None }
    }

    /// A document without white space between pieces, whose pieces may be as large as the input: the caller limits
    /// that.
    pub(crate) fn canonical(input: R) -> Self {
        Self { has_space: false, max_piece: usize::MAX, ..Self::new(input) }
    }

    /// Starts to hash the bytes that are read.
    pub(crate) fn start_hash(&mut self) {
        self.hash = Some(HashBuilder::new());
    }

    /// The hash of the bytes since the start; `None` without a start.
    pub(crate) fn end_hash(&mut self) -> Option<Hash> {
        self.hash.take().map(HashBuilder::finish)
    }

    /// The next byte that is not white space, which is not consumed.
    pub(crate) fn peek(&mut self) -> Result<Option<u8>, ReadError> {
        loop {
            let bytes = self.input.fill_buf().map_err(ReadError::Io)?;
            match bytes.first().copied() {
                Some(byte) if self.has_space && JsonCursor::is_space(byte) => self.consume(1),
                byte => return Ok(byte),
            }
        }
    }

    fn consume(&mut self, count: usize) {
        if let (Some(hash), Ok(bytes)) = (&mut self.hash, self.input.fill_buf()) {
            hash.add(bytes.get(..count).unwrap_or_default());
        }
        self.input.consume(count);
    }

    fn eat(&mut self, byte: u8) -> Result<bool, ReadError> {
        let eats = self.peek()? == Some(byte);
        if eats {
            self.consume(1);
        }
        Ok(eats)
    }

    fn expect(&mut self, byte: u8) -> Result<(), ReadError> {
        if self.eat(byte)? { Ok(()) } else { Err(not_json(&format!("expected `{}`", char::from(byte)))) }
    }

    /// Fails unless nothing but white space follows.
    pub(crate) fn end(&mut self) -> Result<(), ReadError> {
        if self.peek()?.is_none() { Ok(()) } else { Err(not_json("trailing characters")) }
    }

    /// Fails unless at most one line break follows.
    pub(crate) fn line_end(&mut self) -> Result<(), ReadError> {
        self.eat(b'\n')?;
        self.end()
    }

    /// The text of the next value.
    pub(crate) fn value(&mut self) -> Result<&str, ReadError> {
        self.peek()?;
        self.piece.clear();
        let mut scan = Scan::default();
        loop {
            let bytes = self.input.fill_buf().map_err(ReadError::Io)?;
            let is_end = bytes.is_empty();
            let (used, is_whole) = scan.feed(bytes);
            self.piece.extend_from_slice(bytes.get(..used).unwrap_or_default());
            self.consume(used);
            if is_whole || (is_end && scan.is_scalar()) {
                break;
            }
            if is_end {
                return Err(not_json("it ends within a value"));
            }
            if self.piece.len() > self.max_piece || scan.depth > MAX_DEPTH {
                return Err(not_json("a value is too large, or nests too deeply"));
            }
        }
        // A canonical document has no space that `peek` could have passed.
        if scan.depth > MAX_DEPTH || self.piece.first().copied().is_none_or(JsonCursor::is_space) {
            return Err(not_json("expected a value"));
        }
        std::str::from_utf8(&self.piece).map_err(|_| not_json("it is not UTF-8"))
    }

    /// Reads an object. `each` gets the name of each member, and reads its value.
    pub(crate) fn members<E: From<ReadError>>(
        &mut self,
        mut each: impl FnMut(&mut Self, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        self.expect(b'{')?;
        if self.eat(b'}')? {
            return Ok(());
        }
        loop {
            let name = self.value()?;
            let name = parsed_strictly(name)?.as_str().map(str::to_owned);
            let name = name.ok_or_else(|| not_json("expected the name of a member"))?;
            self.expect(b':')?;
            each(self, &name)?;
            if self.eat(b'}')? {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Reads an array. `each` reads each item.
    pub(crate) fn items<E: From<ReadError>>(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.expect(b'[')?;
        if self.eat(b']')? {
            return Ok(());
        }
        loop {
            each(self)?;
            if self.eat(b']')? {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Skips a value that is JSON. The first `levels` levels are read piece by piece.
    pub(crate) fn skip(&mut self, levels: usize) -> Result<(), ReadError> {
        match (self.peek()?, levels.checked_sub(1)) {
            (Some(b'{'), Some(levels)) => self.members(|pieces, _| pieces.skip(levels)),
            (Some(b'['), Some(levels)) => self.items(|pieces| pieces.skip(levels)),
            _ => self.value().and_then(|text| parsed_strictly(text).map(drop)),
        }
    }
}

/// The value of a piece. Duplicate names and whatever else parsers disagree about are errors.
pub(crate) fn parsed_strictly(text: &str) -> Result<serde_json::Value, ReadError> {
    capgen_schema::parse_document(text.as_bytes(), MAX_DEPTH)
        .map_err(|error| ReadError::NotJson(error.redact(true).message()))
}

fn not_json(phrase: &str) -> ReadError {
    ReadError::NotJson(phrase.to_owned())
}

/// Finds the end of a value, across parts of the text: its state is kept from one part to the next, so it is not a
/// cursor in a text. It does not check the value.
#[derive(Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// Whether the value is a number or a word that has started.
    in_word: bool,
}

impl Scan {
    fn is_scalar(&self) -> bool {
        self.in_word && self.depth == 0
    }

    /// The number of bytes that belong to the value, and whether it ends with them.
    fn feed(&mut self, bytes: &[u8]) -> (usize, bool) {
        for (at, byte) in bytes.iter().enumerate() {
            if self.in_string {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => {
                        self.in_string = false;
                        if self.depth == 0 {
                            return (at + 1, true);
                        }
                    }
                    _ => {}
                }
                continue;
            }
            let ends_word =
                matches!(byte, b',' | b':' | b']' | b'}' | b'"' | b'[' | b'{') || JsonCursor::is_space(*byte);
            if self.depth == 0 && ends_word && (self.in_word || matches!(byte, b',' | b':' | b']' | b'}')) {
                return (at, true);
            }
            match byte {
                b'"' => self.in_string = true,
                b'[' | b'{' => self.depth += 1,
                b']' | b'}' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return (at + 1, true);
                    }
                }
                _ => self.in_word = self.depth == 0,
            }
            if self.depth > MAX_DEPTH {
                return (at, true);
            }
        }
        (bytes.len(), false)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::NotJson(phrase) => write!(f, "not JSON: {phrase}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// The names and values of a document, except for skipped ones.
    fn read(text: &str, capacity: usize) -> Result<String, ReadError> {
        let mut pieces = Pieces::new(BufReader::with_capacity(capacity, text.as_bytes()));
        let mut read = String::new();
        pieces.members::<ReadError>(|pieces, name| {
            read.push_str(name);
            if pieces.peek()? == Some(b'[') {
                return pieces.items(|pieces| {
                    let value = pieces.value()?;
                    parsed_strictly(value)?;
                    read.push_str(&format!("[{value}]"));
                    Ok(())
                });
            }
            if name == "skipped" {
                return pieces.skip(2);
            }
            let value = pieces.value()?;
            parsed_strictly(value)?;
            read.push_str(&format!("={value}"));
            Ok(())
        })?;
        pieces.end()?;
        Ok(read)
    }

    #[test]
    fn a_document_is_read_in_any_notation_and_in_parts_of_any_size() {
        let text = "{ \"a\" : 1.5e3 ,\n\"skipped\": {\"x\": [1, {\"y\": [\"]\"]}]}, \"\\u0062\":[true, {\"x\" : \"}\\\\\\\"]\"},[],\"é\" ] , \"c\":null}\n";
        for capacity in 1..30 {
            let expected = "a=1.5e3skippedb[true][{\"x\" : \"}\\\\\\\"]\"}][[]][\"é\"]c=null";
            assert_eq!(read(text, capacity).unwrap(), expected, "{capacity}");
        }
    }

    #[test]
    fn texts_that_are_not_json_are_errors() {
        let deep = format!("{{\"a\":{}", "[[".repeat(MAX_DEPTH));
        let skipped = format!("{{\"skipped\":{{\"x\":[{}]}}}}", "[".repeat(1 << 20));
        for text in [
            "",
            "[]",
            "{",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\":\"x",
            "{\"a\":[1",
            "{\"a\":[1}",
            "{\"a\":{]}",
            "{a:1}",
            "{\"a\":,}",
            "{\"a\":1,}",
            "{\"a\":1}x",
            "{\"a\" 1}",
            "{1:2}",
            "{\"a\":1 \"b\":2}",
            "{\"skipped\":{\"x\":[tru]}}",
            "{\"skipped\":{\"x\":[{\"y\":1,\"y\":2}]}}",
            &deep,
            &skipped,
        ] {
            assert!(read(text, 8).is_err(), "{}", text.chars().take(40).collect::<String>());
        }
    }

    #[test]
    fn the_hash_covers_the_bytes_between_its_start_and_its_end() {
        for capacity in [1, 3, 100] {
            let mut pieces = Pieces::canonical(BufReader::with_capacity(capacity, b"[1,[2,{\"a\":3}],4]".as_slice()));
            let mut hash = None;
            let mut number = 0;
            pieces
                .items::<ReadError>(|pieces| {
                    number += 1;
                    if number == 2 {
                        pieces.start_hash();
                        pieces.skip(1)?;
                        hash = pieces.end_hash();
                        return Ok(());
                    }
                    pieces.skip(0)
                })
                .unwrap();
            assert_eq!(hash, Some(Hash::of("[2,{\"a\":3}]")), "{capacity}");
        }
        // White space is not part of a canonical document.
        assert!(Pieces::canonical(b" 1".as_slice()).skip(0).is_err());
    }
}
