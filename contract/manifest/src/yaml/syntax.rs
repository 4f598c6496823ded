//! Findings about text that is not valid YAML.

use std::ops::Range;

use capgen_schema::Json;
use granit_parser::{ErrorKind, ScanError};

use crate::findings::{Findings, MAX_DEPTH, Stop};
use crate::{Diagnostic, codes};

/// Rejects characters that YAML calls not printable ([YAML 1.2.2 section
/// 5.1](https://yaml.org/spec/1.2.2/#51-character-set)).
pub(super) fn check_characters(text: &str, findings: &mut Findings) -> Result<(), Stop> {
    let Some((at, c)) = text.char_indices().find(|(_, c)| !is_printable(*c)) else { return Ok(()) };
    let span = at..at + c.len_utf8();
    let finding =
        findings.at(codes::CONTROL_CHARACTER, format!("the text contains the character U+{:04X}", u32::from(c)), span);
    findings.stop(match c {
        '\0' => finding.help("this looks like a binary file or UTF-16: save it as UTF-8 text"),
        c => finding.help(format!("if it is intended, write \"\\u{:04x}\" in double quotes", u32::from(c))),
    })
}

fn is_printable(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | '\u{85}' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        c => !c.is_control(),
    }
}

/// Rejects a block that starts at `at` in a line that is indented with a tab. The parser accepts it.
pub(super) fn check_indentation(text: &str, at: usize, findings: &mut Findings) -> Result<(), Stop> {
    match indenting_tab(text, line_start(text, at)).filter(|tab| *tab < at) {
        Some(tab) => findings.stop(indented_with_tab(tab, findings)),
        None => Ok(()),
    }
}

/// The start of the line that contains the byte `at`.
fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
}

/// The first tab in the indentation of the line that starts at `line`.
fn indenting_tab(text: &str, line: usize) -> Option<usize> {
    let line_text = text.get(line..)?;
    let tab = line + line_text.len() - line_text.trim_start_matches(' ').len();
    text.get(tab..)?.starts_with('\t').then_some(tab)
}

fn indented_with_tab(tab: usize, findings: &Findings) -> Diagnostic {
    findings.at(codes::YAML_SYNTAX, "the line is indented with a tab", tab..tab + 1).help(SPACES)
}

/// The tab in the indentation of the line of `at`, or of the next line that is not blank. The parser reports a tab that
/// follows a plain scalar at the end of the scalar, which may be lines before the tab.
fn misplaced_tab(text: &str, at: usize) -> Option<usize> {
    let line = line_start(text, at);
    indenting_tab(text, line).or_else(|| {
        let mut next = at + text.get(at..)?.find('\n')? + 1;
        while let Some(blank) = text.get(next..)?.find('\n').filter(|&end| is_blank(text, next, end)) {
            next += blank + 1;
        }
        indenting_tab(text, next)
    })
}

/// Whether the `length` bytes from `line` on are white space.
fn is_blank(text: &str, line: usize, length: usize) -> bool {
    text.get(line..line + length).is_some_and(|line| line.trim().is_empty())
}

const SPACES: &str = "indent with spaces: YAML does not allow tabs here";

/// Converts an error of the parser.
pub(super) fn finding(error: &ScanError, text: &str, findings: &Findings) -> Diagnostic {
    let at = error.marker().byte_offset().unwrap_or_default();
    let span = at..at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    match error.kind() {
        ErrorKind::RecursionLimitExceeded => {
            findings.at(codes::TOO_DEEP, format!("values nest deeper than {MAX_DEPTH} levels"), span)
        }
        ErrorKind::UndeclaredTagHandle => findings.at(codes::TAG, "the tag's handle is not declared", span),
        ErrorKind::InvalidQuotedScalarIndent if at == text.len() => {
            findings.at(codes::YAML_SYNTAX, "unterminated quoted text", at_line_end(text, span))
        }
        kind => {
            if let Some(tab) = misplaced_tab(text, at).filter(|_| is_tab(kind)) {
                return indented_with_tab(tab, findings);
            }
            // The character may be a part of a password.
            let is_character = matches!(kind, ErrorKind::UnexpectedCharacter { .. });
            let message = if is_character { "unexpected character" } else { &error.info() };
            let mut finding = findings.at(codes::YAML_SYNTAX, message, at_line_end(text, span));
            finding.help = help(kind).map(str::to_owned);
            match unquoted(text, at).filter(|_| is_unquoted(kind)) {
                Some((span, new)) => findings.suggest(finding, span, new),
                None => finding,
            }
        }
    }
}

/// The parser often reports an error at the start of the next line, which has nothing to do with it. This moves the
/// span to the end of the line before.
fn at_line_end(text: &str, span: Range<usize>) -> Range<usize> {
    if span.is_empty() { text.trim_end().len().min(span.start)..span.start } else { span }
}

fn is_tab(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabInPlainScalar
            | ErrorKind::TabAtBlockScalarStart
    )
}

/// Errors of a text that needs quotes.
fn is_unquoted(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement | ErrorKind::UnexpectedCharacter { .. }
    )
}

/// The edit that puts the value of the line of `at` in quotes: in `key: text: more`, the rest of the line is a text,
/// because a line has one key. Only a line of a block with a plain key has this form.
fn unquoted(text: &str, at: usize) -> Option<(Range<usize>, String)> {
    let start = line_start(text, at);
    let line = text.get(start..)?.lines().next()?;
    let (before, rest) = line.split_once(": ")?;
    let key = before.trim_start_matches([' ', '-']);
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$'));
    let value = rest.trim();
    let needs_quotes = value.contains(": ") || value.ends_with(':') || value.starts_with(['@', '`', '%']);
    let is_plain = !value.starts_with(['"', '\'', '{', '[', '|', '>', '&', '*', '!', '#']) && !value.contains(" #");
    // The next line must not continue the text.
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let next = text.get(start + line.len()..)?.lines().skip(1).find(|line| !line.trim().is_empty());
    let is_whole = next.is_none_or(|next| indentation(next) <= before.len() - key.len());
    let value_start = start + before.len() + 2 + (rest.len() - rest.trim_start().len());
    let span = value_start..value_start + value.len();
    let is_here = (span.start..=span.end).contains(&at);
    (is_key && needs_quotes && is_plain && is_whole && is_here)
        .then(|| (span, Json::String(value.to_owned()).canonical()))
}

fn help(kind: &ErrorKind) -> Option<&'static str> {
    Some(match kind {
        kind if is_tab(kind) => SPACES,
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => {
            "quote text that contains `: `, write a space after the colon of each key, and check the indentation"
        }
        ErrorKind::UnexpectedCharacter { .. } => "quote text that starts with this character",
        ErrorKind::InvalidIndentation | ErrorKind::InvalidFlowScalarIndent | ErrorKind::InvalidQuotedScalarIndent => {
            "indent it deeper than its key"
        }
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey | ErrorKind::ExpectedBlockMappingKey => {
            "a mapping consists of `key: value` lines, all with the same indentation"
        }
        ErrorKind::ExpectedBlockSequenceEntry => {
            "check the indentation: all lines of one list or mapping start in the same column"
        }
        ErrorKind::MissingAnchorOrAliasName => "quote text that starts with `&` or `*`",
        ErrorKind::CommentNotSeparated => "put a space before `#`, or quote the text",
        ErrorKind::UnknownQuotedScalarEscape => "write `\\\\` for a backslash, or use single quotes",
        _ => return None,
    })
}
