//! Escapes: `AtomEscape`, `ClassEscape`, `CharacterEscape`, `GroupName`.

use regex_syntax::hir::ClassUnicode;

use super::ast::Ast;
use super::parse::{Parser, set_of};
use super::{PatternError, property};

type Result<T> = std::result::Result<T, PatternError>;

/// The meaning of an escape: a code point, which may be a surrogate, or a set of characters.
pub(super) enum Escape {
    CodePoint(u32),
    Set(ClassUnicode),
}

impl Parser {
    /// An escape outside of a class, other than `\b` and `\B`.
    pub(super) fn atom_escape(&mut self) -> Result<Ast> {
        self.next();
        match self.peek() {
            // Back-references are recorded and rejected at the end, once it is known whether their groups exist.
            Some('1'..='9') => {
                let number = self.number();
                self.numbers.extend(number);
                Ok(Ast::Empty)
            }
            Some('k') => {
                self.next();
                if !self.eat("<") {
                    return Err(self.syntax("`\\k` needs the name of a group: `\\k<name>`"));
                }
                let name = self.group_name()?;
                self.references.insert(name);
                Ok(Ast::Empty)
            }
            _ => {
                let set = match self.shared_escape()? {
                    Escape::Set(set) => set,
                    // A lone surrogate matches nothing, because a Rust string contains none.
                    Escape::CodePoint(code) => set_of(char::from_u32(code).map(|c| (c, c)).as_slice()),
                };
                Ok(Ast::Set(self.sets.intern(set)))
            }
        }
    }

    /// An escape in a class.
    pub(super) fn class_escape(&mut self) -> Result<Escape> {
        self.next();
        match self.peek() {
            Some('b') => {
                self.next();
                Ok(Escape::CodePoint(8))
            }
            Some('-') => {
                self.next();
                Ok(Escape::CodePoint(u32::from('-')))
            }
            _ => self.shared_escape(),
        }
    }

    /// An escape that has the same meaning inside and outside of a class.
    fn shared_escape(&mut self) -> Result<Escape> {
        let Some(c) = self.peek() else {
            return Err(self.syntax("the pattern ends with a backslash"));
        };
        if let Some(set) = perl_class(c) {
            self.next();
            return Ok(Escape::Set(set));
        }
        let code = match c {
            'p' | 'P' => return self.property(c == 'P').map(Escape::Set),
            'f' => 0x0c,
            'n' => 0x0a,
            'r' => 0x0d,
            't' => 0x09,
            'v' => 0x0b,
            '0' => {
                self.next();
                if matches!(self.peek(), Some('0'..='9')) {
                    return Err(self.syntax("octal escapes are not valid with the `u` flag: write `\\xHH`"));
                }
                return Ok(Escape::CodePoint(0));
            }
            'c' => {
                self.next();
                match self.peek() {
                    Some(letter) if letter.is_ascii_alphabetic() => u32::from(letter) % 32,
                    _ => return Err(self.syntax("`\\c` needs a letter")),
                }
            }
            'x' => {
                self.next();
                return match self.hex_digits(2) {
                    Some(code) => Ok(Escape::CodePoint(code)),
                    None => Err(self.syntax("`\\x` needs two hexadecimal digits")),
                };
            }
            'u' => return self.unicode_escape().map(Escape::CodePoint),
            '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' => u32::from(c),
            _ => {
                self.recover(self.unknown_escape(c))?;
                u32::from(c)
            }
        };
        self.next();
        Ok(Escape::CodePoint(code))
    }

    fn unknown_escape(&self, c: char) -> PatternError {
        let hint = match c {
            'A' => ": write `^` for the start of the text",
            'z' | 'Z' => ": write `$` for the end of the text",
            'a' => ": write `\\x07`",
            'e' => ": write `\\x1B`",
            'h' => ": write `[\\t ]`",
            '-' => ": outside of a class write `-`",
            _ => "",
        };
        self.syntax(&format!("`\\{}` is not a valid escape in ECMA-262 with the `u` flag{hint}", c.escape_debug()))
    }

    /// The rest of `\u`, from the `u`: four digits, a surrogate pair of two such escapes, or digits in braces.
    fn unicode_escape(&mut self) -> Result<u32> {
        self.next();
        if self.eat("{") {
            return self.braced_code_point();
        }
        let Some(lead) = self.hex_digits(4) else {
            return Err(self.syntax("`\\u` needs four hexadecimal digits or `{…}`"));
        };
        let after = self.position();
        if (0xd800..0xdc00).contains(&lead) && self.eat("\\u") {
            match self.hex_digits(4) {
                Some(trail @ 0xdc00..=0xdfff) => return Ok(0x1_0000 + ((lead - 0xd800) << 10) + (trail - 0xdc00)),
                _ => self.rewind(after),
            }
        }
        Ok(lead)
    }

    fn braced_code_point(&mut self) -> Result<u32> {
        let mut code = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) {
            self.next();
            code = Some(code.unwrap_or(0_u32).saturating_mul(16).saturating_add(digit));
        }
        match code {
            Some(code) if code <= 0x10_ffff && self.eat("}") => Ok(code),
            _ => Err(self.syntax("`\\u{…}` needs a hexadecimal code point up to 10FFFF")),
        }
    }

    fn hex_digits(&mut self, count: usize) -> Option<u32> {
        let start = self.position();
        let mut code = 0;
        for _ in 0..count {
            match self.next().and_then(|c| c.to_digit(16)) {
                Some(digit) => code = code * 16 + digit,
                None => {
                    self.rewind(start);
                    return None;
                }
            }
        }
        Some(code)
    }

    /// The rest of `\p{…}`, from the `p`.
    fn property(&mut self, negated: bool) -> Result<ClassUnicode> {
        self.next();
        if !self.eat("{") {
            return Err(self.syntax("`\\p` needs a property in braces: `\\p{L}`"));
        }
        let start = self.position();
        let mut text = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '=')) {
            text.push(c);
            self.next();
        }
        if !self.eat("}") {
            return Err(self.syntax("`\\p{` needs a property name of letters, digits and `_`, and `}`"));
        }
        if self.is_syntax_only {
            return match is_property_syntax(&text) {
                true => Ok(ClassUnicode::empty()),
                false => Err(self.syntax("a property is a name, or a name, `=` and a value")),
            };
        }
        let mut set = match self.properties.get(&text) {
            Some(set) => set.clone(),
            None => {
                let set = property::lookup(&text).map_err(|unknown| match unknown {
                    property::Unknown::Name => {
                        self.rewind(start);
                        self.syntax(&format!(
                            "`{text}` is not a Unicode property in ECMA-262 (names are case-sensitive)"
                        ))
                    }
                    property::Unknown::Table => PatternError {
                        kind: super::PatternErrorKind::Unsupported,
                        message: format!("`\\p{{{text}}}` is not supported, because there is no table for it"),
                    },
                })?;
                self.properties.insert(text, set.clone());
                set
            }
        };
        if negated {
            set.negate();
        }
        Ok(set)
    }

    /// A group's name and the `>` after it.
    pub(super) fn group_name(&mut self) -> Result<String> {
        let mut name = String::new();
        loop {
            let start = self.position();
            let c = match self.next() {
                Some('>') if !name.is_empty() => return Ok(name),
                Some('\\') if self.peek() == Some('u') => char::from_u32(self.unicode_escape()?),
                c => c,
            };
            match c {
                Some(c) if self.is_syntax_only && !c.is_ascii() => name.push(c),
                Some(c) if property::may_be_in_name(c, name.is_empty()) => name.push(c),
                _ => {
                    self.rewind(start);
                    return Err(self.syntax("a group's name must be an identifier, followed by `>`"));
                }
            }
        }
    }
}

/// `UnicodePropertyValueExpression`, of letters, digits, `_` and `=`.
fn is_property_syntax(text: &str) -> bool {
    match text.split_once('=') {
        Some((name, value)) => {
            !name.is_empty()
                && !name.contains(|c: char| c.is_ascii_digit())
                && !value.is_empty()
                && !value.contains('=')
        }
        None => !text.is_empty(),
    }
}

/// `\d`, `\w`, `\s` and their complements. In ECMA-262, `\d` and `\w` are ASCII even with the `u` flag.
fn perl_class(c: char) -> Option<ClassUnicode> {
    let mut set = match c.to_ascii_lowercase() {
        'd' => set_of(&[('0', '9')]),
        'w' => set_of(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
        // WhiteSpace and LineTerminator: sections 12.2 and 12.3.
        's' => set_of(&[
            ('\t', '\r'),
            (' ', ' '),
            ('\u{a0}', '\u{a0}'),
            ('\u{1680}', '\u{1680}'),
            ('\u{2000}', '\u{200a}'),
            ('\u{2028}', '\u{2029}'),
            ('\u{202f}', '\u{202f}'),
            ('\u{205f}', '\u{205f}'),
            ('\u{3000}', '\u{3000}'),
            ('\u{feff}', '\u{feff}'),
        ]),
        _ => return None,
    };
    if c.is_ascii_uppercase() {
        set.negate();
    }
    Some(set)
}
