//! Findings about text that is not valid YAML.

use std::ops::Range;

use granit_parser::{ErrorKind, ScanError};

use crate::findings::{Findings, MAX_DEPTH, Stop};
use crate::{Diagnostic, codes};

/// Rejects characters that YAML calls not printable ([YAML 1.2.2 section 5.1](https://yaml.org/spec/1.2.2/#51-character-set)).
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
    let before = text.get(..at).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let spaces = before.get(line..).map_or(0, |prefix| prefix.len() - prefix.trim_start_matches(' ').len());
    let tab = line + spaces;
    if before.get(tab..).is_none_or(|rest| !rest.starts_with('\t')) {
        return Ok(());
    }
    let finding = findings.at(codes::YAML_SYNTAX, "the line is indented with a tab", tab..tab + 1);
    findings.stop(finding.help(SPACES))
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
            let mut finding = findings.at(codes::YAML_SYNTAX, error.info(), at_line_end(text, span));
            finding.help = help(kind).map(str::to_owned);
            finding
        }
    }
}

/// The parser often reports an error at the start of the next line, which has nothing to do with it. This moves the span to
/// the end of the line before.
fn at_line_end(text: &str, span: Range<usize>) -> Range<usize> {
    if span.is_empty() { text.trim_end().len().min(span.start)..span.start } else { span }
}

fn help(kind: &ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabInPlainScalar
        | ErrorKind::TabAtBlockScalarStart => SPACES,
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => {
            "quote text that contains `: `, and check the indentation"
        }
        ErrorKind::UnexpectedCharacter { .. } => "quote text that starts with this character",
        ErrorKind::InvalidIndentation | ErrorKind::InvalidFlowScalarIndent | ErrorKind::InvalidQuotedScalarIndent => {
            "indent it deeper than its key"
        }
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey | ErrorKind::ExpectedBlockMappingKey => {
            "a mapping consists of `key: value` lines, all with the same indentation"
        }
        ErrorKind::CommentNotSeparated => "put a space before `#`, or quote the text",
        ErrorKind::UnknownQuotedScalarEscape => "write `\\\\` for a backslash, or use single quotes",
        _ => return None,
    })
}
