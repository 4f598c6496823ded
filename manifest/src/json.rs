//! JSON text to tree.

use std::ops::Range;

use capgen_schema::Number;

use crate::findings::{Findings, Stop, quoted};
use crate::{Data, Diagnostic, Member, Node, Source, codes};

/// Reads a JSON text ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)), strictly; a byte order mark may stand first.
/// Takes time linear in the text, but for the sorting of keys.
///
/// # Errors
///
/// The first syntax error, and every duplicate key and every number out of range before it. Texts of more than 32 MiB
/// or 2,000,000 values and values nested deeper than 256 levels are refused.
pub fn parse_json(source: &Source) -> Result<Node, Vec<Diagnostic>> {
    let mut findings = Findings::new(source)?;
    let at = if source.text().starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let root = Lexer { text: source.text(), at, nodes: 0, findings: &mut findings }.document();
    findings.finish(root)
}

struct Lexer<'a, 's> {
    text: &'a str,
    /// Always at a character boundary.
    at: usize,
    nodes: usize,
    findings: &'a mut Findings<'s>,
}

impl Lexer<'_, '_> {
    fn document(&mut self) -> Result<Node, Stop> {
        self.skip_space();
        if self.peek().is_none() {
            return self.findings.stop(self.findings.at(codes::EMPTY, "the text has no value", self.at..self.at));
        }
        let root = self.value(0)?;
        self.skip_space();
        if self.peek().is_some() { self.unexpected("the end of the text") } else { Ok(root) }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let eats = self.peek() == Some(byte);
        self.at += usize::from(eats);
        eats
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn skip_digits(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.at > start
    }

    fn value(&mut self, depth: usize) -> Result<Node, Stop> {
        let start = self.at;
        self.findings.check_nodes(&mut self.nodes, 1, start..start)?;
        let data = match self.peek() {
            Some(b'{') => self.object(depth + 1)?,
            Some(b'[') => self.array(depth + 1)?,
            Some(b'"') => Data::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(Node { span: start..self.at, data })
    }

    fn word(&mut self) -> Result<Data, Stop> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let data = match rest.get(..length) {
            Some("null") => Data::Null,
            Some("true") => Data::Bool(true),
            Some("false") => Data::Bool(false),
            _ => return self.unexpected("a value"),
        };
        self.at += length;
        Ok(data)
    }

    fn array(&mut self, depth: usize) -> Result<Data, Stop> {
        self.findings.check_depth(depth, self.at..self.at + 1)?;
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.eat(b']') {
            return Ok(Data::Array(items));
        }
        loop {
            self.skip_space();
            items.push(self.value(depth)?);
            self.skip_space();
            if self.eat(b']') {
                return Ok(Data::Array(items));
            }
            if !self.eat(b',') {
                return self.unexpected("`,` or `]`");
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Data, Stop> {
        self.findings.check_depth(depth, self.at..self.at + 1)?;
        self.at += 1;
        let mut members = Vec::new();
        let end = self.members(&mut members, depth);
        // Also where the rest is broken: a duplicate before the break is worth knowing.
        self.findings.check_keys(&members)?;
        end.map(|()| Data::Object(members))
    }

    fn members(&mut self, members: &mut Vec<Member>, depth: usize) -> Result<(), Stop> {
        self.skip_space();
        if self.eat(b'}') {
            return Ok(());
        }
        loop {
            self.skip_space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return self.unexpected("a key in double quotes");
            }
            let key = self.string()?;
            let key_span = start..self.at;
            self.skip_space();
            if !self.eat(b':') {
                return self.unexpected("`:`");
            }
            self.skip_space();
            members.push(Member { key, key_span, value: self.value(depth)? });
            self.skip_space();
            if self.eat(b'}') {
                return Ok(());
            }
            if !self.eat(b',') {
                return self.unexpected("`,` or `}`");
            }
        }
    }

    fn number(&mut self) -> Result<Data, Stop> {
        let start = self.at;
        self.eat(b'-');
        let whole = self.eat(b'0') || self.skip_digits();
        if !whole || self.peek().is_some_and(|b| b.is_ascii_digit()) || (self.eat(b'.') && !self.skip_digits()) {
            return self.bad_number(start);
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _sign = self.eat(b'+') || self.eat(b'-');
            if !self.skip_digits() {
                return self.bad_number(start);
            }
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        let number = text.parse().or_else(|_| {
            let message = format!("the number {} is outside the range of binary64", quoted(text));
            self.findings.add(self.findings.at(codes::NUMBER_RANGE, message, start..self.at)).map(|()| Number::ZERO)
        })?;
        Ok(Data::Number(number, text.to_owned()))
    }

    fn bad_number(&mut self, start: usize) -> Result<Data, Stop> {
        let rest = self.text.get(start..).unwrap_or_default();
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c)).unwrap_or(rest.len());
        let message = format!("{} is not a JSON number", quoted(rest.get(..length).unwrap_or_default()));
        self.findings.stop(self.findings.at(codes::JSON_SYNTAX, message, start..start + length))
    }

    fn string(&mut self) -> Result<String, Stop> {
        let start = self.at;
        self.at += 1;
        let mut string = String::new();
        loop {
            let from = self.at;
            while self.peek().is_some_and(|b| b >= b' ' && b != b'"' && b != b'\\') {
                self.at += 1;
            }
            string.push_str(self.text.get(from..self.at).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => string.push(self.escape()?),
                Some(b'\n' | b'\r') | None => return self.error("the string has no end", start..self.at),
                Some(control) => {
                    let message = format!("a string holds the control character U+{control:04X}");
                    let finding = self.findings.at(codes::CONTROL_CHARACTER, message, self.at..self.at + 1);
                    return self.findings.stop(finding.help(format!("write \\u{control:04x}")));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Stop> {
        let start = self.at;
        let escaped = self.text.get(start + 1..).and_then(|rest| rest.chars().next());
        self.at += 1 + escaped.map_or(0, char::len_utf8);
        Ok(match escaped {
            Some('"') => '"',
            Some('\\') => '\\',
            Some('/') => '/',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.unicode_escape(start),
            Some(_) => return self.error("no such escape", start..self.at),
            None => return self.error("the string has no end", start..self.at),
        })
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char, Stop> {
        let Some(first) = self.hex() else {
            return self.error("`\\u` takes four hexadecimal digits", start..start + 2);
        };
        let mut units = vec![first];
        if (0xd800..0xdc00).contains(&first) && self.eat(b'\\') && self.eat(b'u') {
            units.extend(self.hex());
        }
        match char::decode_utf16(units).next() {
            Some(Ok(c)) => Ok(c),
            _ => self.error("a surrogate without its other half", start..start + 6),
        }
    }

    fn hex(&mut self) -> Option<u16> {
        let digits = self.text.get(self.at..self.at + 4)?;
        let value = digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())??;
        self.at += 4;
        Some(value)
    }

    fn unexpected<T>(&mut self, expected: &str) -> Result<T, Stop> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(c) = rest.chars().next() else {
            return self.error(&format!("expected {expected}, found the end of the text"), self.at..self.at);
        };
        let help = match c {
            '/' | '#' => Some("JSON has no comments"),
            '\'' => Some("JSON takes double quotes"),
            '}' | ']' => Some("remove the comma before it"),
            _ => None,
        };
        let word = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len()).max(c.len_utf8());
        let found = quoted(rest.get(..word).unwrap_or_default());
        let mut finding = self.findings.at(
            codes::JSON_SYNTAX,
            format!("expected {expected}, found {found}"),
            self.at..self.at + word,
        );
        finding.help = help.map(str::to_owned);
        self.findings.stop(finding)
    }

    fn error<T>(&mut self, message: &str, span: Range<usize>) -> Result<T, Stop> {
        self.findings.stop(self.findings.at(codes::JSON_SYNTAX, message, span))
    }
}
