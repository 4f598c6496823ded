//! JSON text to tree.

use std::ops::Range;

use capgen_schema::{JsonBuilder, JsonScalar, JsonTextError, JsonTextErrorKind, Number, read_json};

use crate::findings::{Findings, Stop};
use crate::{Data, Diagnostic, Member, Node, Source, codes, secrets};

/// Reads a JSON text ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)). The text may start with a byte order mark.
/// Takes time linear in the text, plus the time to sort the keys of each object.
///
/// # Errors
///
/// The first syntax error, and every duplicate key and every number out of range before it. Texts of more than 32 MiB
/// or 2,000,000 values, and values nested deeper than 256 levels, are rejected.
pub fn parse_json(source: &Source) -> Result<Node, Vec<Diagnostic>> {
    source.hide_with(secrets::in_any);
    let mut findings = Findings::new(source)?;
    let start = if source.text().starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let root = read_json(source.text(), start, &mut Builder { source, nodes: 0, findings: &mut findings });
    findings.finish(root)
}

struct Builder<'a, 's> {
    source: &'s Source,
    nodes: usize,
    findings: &'a mut Findings<'s>,
}

/// The edit for a comma before the end of a list or object, or for one that is missing at the end of a line.
fn comma(text: &str, finding: &Diagnostic) -> Option<(Range<usize>, &'static str)> {
    let at = finding.primary()?.span.start;
    let before = text.get(..at)?.trim_end();
    let next = text.get(at..)?.chars().next()?;
    if matches!(next, '}' | ']') && before.ends_with(',') {
        return Some((before.len() - 1..before.len(), ""));
    }
    let is_missing = finding.message.starts_with("expected `,` or") && text.get(before.len()..at)?.contains('\n');
    (is_missing && matches!(next, '"' | '{' | '[')).then_some((before.len()..before.len(), ","))
}

impl JsonBuilder for Builder<'_, '_> {
    type Value = Node;
    type Members = Vec<Member>;
    type Error = Stop;

    fn start(&mut self, at: usize, depth: usize, is_container: bool) -> Result<(), Stop> {
        self.findings.check_nodes(&mut self.nodes, 1, at..at)?;
        if is_container { self.findings.check_depth(depth + 1, at..at + 1) } else { Ok(()) }
    }

    fn scalar(&mut self, scalar: JsonScalar<'_>, span: Range<usize>) -> Result<Node, Stop> {
        let data = match scalar {
            JsonScalar::Null => Data::Null,
            JsonScalar::Bool(value) => Data::Bool(value),
            JsonScalar::String(text) => Data::String(text),
            JsonScalar::Number(text) => {
                // A number out of range does not hide later mistakes, so reading continues.
                let number = text.parse().or_else(|_| {
                    let message = "the number is outside the range of binary64";
                    let finding = self.findings.at(codes::NUMBER_RANGE, message, span.clone());
                    self.findings.add(finding).map(|()| Number::ZERO)
                })?;
                Data::Number(number, text.to_owned())
            }
        };
        Ok(Node { span, data })
    }

    fn array(&mut self, items: Vec<Node>, span: Range<usize>) -> Node {
        Node { span, data: Data::Array(items) }
    }

    fn member(&mut self, members: &mut Vec<Member>, key: String, key_span: Range<usize>, value: Node) {
        members.push(Member { key, key_span, value });
    }

    fn object(&mut self, members: Vec<Member>, span: Range<usize>) -> Result<Node, Stop> {
        self.findings.check_keys(&members)?;
        Ok(Node { span, data: Data::Object(members) })
    }

    fn fail(&mut self, error: JsonTextError) -> Stop {
        let code = match error.kind {
            JsonTextErrorKind::Empty => codes::EMPTY,
            JsonTextErrorKind::ControlCharacter => codes::CONTROL_CHARACTER,
            _ => codes::JSON_SYNTAX,
        };
        let mut finding = self.findings.at(code, error.message, error.span);
        finding.help = error.help;
        if let Some((span, new)) = comma(self.source.text(), &finding) {
            finding = finding.suggest(self.source, span, new);
        }
        self.findings.stop_with(finding)
    }
}
