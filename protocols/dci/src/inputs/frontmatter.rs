//! The frontmatter of `SKILL.md`: YAML between two `---` lines (decision 10).

use std::ops::Range;

use capgen_diagnostic::{Code, Diagnostic, Hidden, Source};
use capgen_manifest::{Data, Node, parse_yaml};

use super::Declared;
use crate::codes;

/// The largest frontmatter in bytes, both `---` lines included: as large as a manifest (decision 10). A file without an
/// end of its frontmatter is read up to twice this size.
pub(crate) const MAX_BYTES: usize = 32 << 20;

/// How far the frontmatter at the start of a text goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// The text does not start with a `---` line.
    Missing,
    /// No second `---` line was found.
    Open,
    /// The frontmatter is complete.
    Closed {
        /// Where its first line ends.
        first: usize,
        /// Where its last line starts.
        last: usize,
        /// Where its last line ends, without its line end.
        end: usize,
    },
}

/// Finds the frontmatter at the start of a text. `is_whole`: the text does not continue after these bytes.
pub(crate) fn extent(text: &[u8], is_whole: bool) -> Extent {
    const BOM: &[u8] = b"\xef\xbb\xbf";
    let mut at = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let mut first = None;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let end = rest.iter().position(|byte| *byte == b'\n');
        let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let is_cut = end.is_none() && !is_whole;
        match first {
            None if is_cut => break,
            None if !is_fence(line) => return Extent::Missing,
            None => first = Some(at + line.len()),
            Some(first) if !is_cut && is_fence(line) => {
                return Extent::Closed { first, last: at, end: at + line.len() };
            }
            Some(_) => {}
        }
        at += line.len() + 1;
    }
    if first.is_none() && is_whole { Extent::Missing } else { Extent::Open }
}

/// Whether a line separates the frontmatter from the rest: `---`, and white space after it.
fn is_fence(line: &[u8]) -> bool {
    line.strip_prefix(b"---").is_some_and(|rest| rest.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')))
}

/// The values of the frontmatter that matter here. Other keys are ignored.
#[derive(Clone, Debug)]
pub(crate) struct Frontmatter {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) compatibility: Declared,
    pub(crate) contract: Declared,
    pub(crate) capabilities: Declared,
    pub(crate) spans: Spans,
    /// The number of values in the YAML, counting the copies that aliases make.
    pub(crate) values: usize,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// The places of values in `SKILL.md`, in bytes, quotes included.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spans {
    /// `name`.
    pub name: Range<usize>,
    /// `description`.
    pub description: Range<usize>,
    /// `metadata.contract`, if it is present.
    pub contract: Option<Range<usize>>,
    /// `metadata.capabilities`, if it is present.
    pub capabilities: Option<Range<usize>>,
}

/// Frontmatter that cannot be used.
#[derive(Debug)]
pub(crate) struct Invalid {
    /// The name, if it could be read; reports use it (decision 10).
    pub(crate) name: Option<String>,
    pub(crate) findings: Vec<Diagnostic>,
}

impl From<Vec<Diagnostic>> for Invalid {
    fn from(findings: Vec<Diagnostic>) -> Self {
        Self { name: None, findings }
    }
}

/// Reads the frontmatter at the start of a `SKILL.md`. The text may end after it.
pub(crate) fn read(source: &Source) -> Result<Frontmatter, Invalid> {
    // Nothing in a `SKILL.md` is a secret: the first call wins, and the reader would hide every value.
    source.hide_with(|_| Hidden::default());
    let tree = tree(source)?;
    let mut reader = Reader { source, errors: Vec::new(), warnings: Vec::new() };
    if !matches!(tree.data, Data::Object(_)) {
        return Err(vec![reader.finding(codes::SKILL_VALUE, "the frontmatter must be a mapping", &tree, "")].into());
    }
    let name = reader.text(&tree, "name");
    let description = reader.text(&tree, "description");
    let compatibility = reader.declared(tree.member("compatibility").map(|member| &member.value), "compatibility");
    let metadata = reader.metadata(&tree);
    let contract = metadata.and_then(|node| node.member("contract")).map(|member| &member.value);
    let capabilities = metadata.and_then(|node| node.member("capabilities")).map(|member| &member.value);
    let (declared, referenced) =
        (reader.declared(contract, "metadata.contract"), reader.declared(capabilities, "metadata.capabilities"));
    let (name, name_span, description, description_span) = match (name, description) {
        (Some((name, at)), Some((description, place))) => (name, at, description, place),
        (name, _) => return Err(Invalid { name: name.map(|(name, _)| name), findings: reader.errors }),
    };
    let of = |node: Option<&Node>| node.map(|node| node.span.clone());
    Ok(Frontmatter {
        name,
        description,
        compatibility,
        contract: declared,
        capabilities: referenced,
        spans: Spans {
            name: name_span,
            description: description_span,
            contract: of(contract),
            capabilities: of(capabilities),
        },
        values: values(&tree),
        warnings: reader.warnings,
    })
}

/// The YAML as a tree, with the spans of `SKILL.md`.
fn tree(source: &Source) -> Result<Node, Vec<Diagnostic>> {
    let text = source.text();
    let at = |code, message: String| vec![Diagnostic::new(code, message).at(source, 0..0, "")];
    let help = "start the file with a `---` line, then `name: ...` and `description: ...`, then another `---` line";
    let (first, last, end) = match extent(text.as_bytes(), true) {
        Extent::Missing => {
            let finding = Diagnostic::new(codes::NO_FRONTMATTER, "the file does not start with a `---` line");
            return Err(vec![finding.at(source, 0..text.lines().next().map_or(0, str::len), "").help(help)]);
        }
        Extent::Open if text.len() > MAX_BYTES => return Err(at(codes::FRONTMATTER_SIZE, too_large())),
        Extent::Open => {
            let finding = Diagnostic::new(codes::NO_FRONTMATTER, "the frontmatter has no `---` line at its end");
            return Err(vec![finding.at(source, 0..3, "it starts here").help(help)]);
        }
        Extent::Closed { first, last, end } => (first, last, end),
    };
    if end > MAX_BYTES {
        return Err(at(codes::FRONTMATTER_SIZE, too_large()));
    }
    // Spaces in place of the first line: every span is the same in both texts.
    let yaml = format!("{}{}", " ".repeat(first), text.get(first..last).unwrap_or_default());
    parse_yaml(&Source::new(source.path(), yaml))
        .map_err(|findings| findings.into_iter().map(|finding| moved(finding, source)).collect())
}

/// The number of values in a tree, whose depth the reader limits.
fn values(node: &Node) -> usize {
    match &node.data {
        Data::Array(items) => 1 + items.iter().map(values).sum::<usize>(),
        Data::Object(members) => 1 + members.iter().map(|member| values(&member.value)).sum::<usize>(),
        _ => 1,
    }
}

pub(crate) fn too_large() -> String {
    format!("the frontmatter has more than {MAX_BYTES} bytes")
}

/// A finding whose places are in `source`.
fn moved(mut finding: Diagnostic, source: &Source) -> Diagnostic {
    finding.labels.iter_mut().for_each(|label| label.source = source.clone());
    finding.suggestions.iter_mut().for_each(|suggestion| suggestion.source = source.clone());
    finding
}

struct Reader<'s> {
    source: &'s Source,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Reader<'_> {
    /// A non-empty string of the frontmatter, with its span.
    fn text(&mut self, tree: &Node, key: &str) -> Option<(String, Range<usize>)> {
        let Some(member) = tree.member(key) else {
            let finding = Diagnostic::new(codes::SKILL_KEY, format!("missing key `{key}` in the frontmatter"));
            self.errors.push(finding.at(self.source, 0..3, ""));
            return None;
        };
        match &member.value.data {
            Data::String(text) if !text.is_empty() => return Some((text.clone(), member.value.span.clone())),
            Data::String(_) => {
                let message = format!("`{key}` must not be empty");
                self.errors.push(self.finding(codes::SKILL_VALUE, message, &member.value, key));
            }
            _ => {
                let message = format!("`{key}` must be a string");
                let finding = self.finding(codes::SKILL_VALUE, message, &member.value, key);
                self.errors.push(finding.help("put it in quotes"));
            }
        }
        None
    }

    /// An optional string.
    fn declared(&mut self, node: Option<&Node>, key: &str) -> Declared {
        let Some(node) = node else { return Declared::Absent };
        if let Data::String(text) = &node.data {
            return Declared::Text(text.clone());
        }
        let message = format!("`{key}` is not a string");
        self.warnings.push(self.finding(codes::NOT_TEXT, message, node, &key.replace('.', "/")));
        Declared::NotText
    }

    /// The mapping `metadata`; any other value is treated as absent (decision 5).
    fn metadata<'n>(&mut self, tree: &'n Node) -> Option<&'n Node> {
        let node = &tree.member("metadata")?.value;
        if matches!(node.data, Data::Object(_)) {
            return Some(node);
        }
        let message = "`metadata` is not a mapping, so it is ignored";
        self.warnings.push(self.finding(codes::METADATA, message, node, "metadata"));
        None
    }

    fn finding(&self, code: Code, message: impl Into<String>, node: &Node, key: &str) -> Diagnostic {
        // A label under a whole block would underline pages.
        let span = match node.data {
            Data::Array(_) | Data::Object(_) => node.span.start..node.span.start,
            _ => node.span.clone(),
        };
        let pointer = if key.is_empty() { String::new() } else { format!("/{key}") };
        Diagnostic::new(code, message).at(self.source, span, "").pointer(pointer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<(String, String)> {
        let source = Source::new("SKILL.md", text);
        let findings = read(&source).unwrap_err().findings;
        let place = |finding: &Diagnostic| {
            let label = finding.primary().unwrap();
            assert_eq!(label.source.text(), text);
            let position = label.source.position(label.span.start);
            format!("{}:{}", position.line, position.column)
        };
        findings.iter().map(|finding| (finding.code.as_str().to_owned(), place(finding))).collect()
    }

    #[test]
    fn the_end_of_the_frontmatter_is_found_in_any_prefix() {
        let text = b"\xef\xbb\xbf---  \r\na: 1\n--- b\n----\n---\t\r\nbody\n---\n";
        let closed = Extent::Closed { first: 9, last: 26, end: 31 };
        for length in 0..text.len() {
            let found = extent(&text[..length], false);
            assert_eq!(found, if length > 31 { closed } else { Extent::Open }, "{length}");
        }
        assert_eq!(extent(text, true), closed);
        assert_eq!(extent(b"---\na: 1\n---", true), Extent::Closed { first: 3, last: 9, end: 12 });
        for missing in ["", "\n---\n", " ---\n", "----\n", "--"] {
            assert_eq!(extent(missing.as_bytes(), true), Extent::Missing, "{missing}");
        }
        assert_eq!(extent(b"---\n", true), Extent::Open);
    }

    #[test]
    fn findings_have_the_lines_of_the_file() {
        let one = |text: &str, code: &str, place: &str| {
            assert_eq!(errors(text), [(code.to_owned(), place.to_owned())], "{text}");
        };
        one("# Title\n", "E0830", "1:1");
        one("---\nname: a\n", "E0830", "1:1");
        one("---\nname: a\n---\n", "E0831", "1:1");
        one("---\nname: a\ndescription: \"\"\n---\n", "E0832", "3:14");
        one("---\nname: 1\ndescription: b\n---\n", "E0832", "2:7");
        one("---\n- a\n---\n", "E0832", "2:1");
        one("---\n---\n", "E0015", "1:1");
        one("---\nname: a\nname: b\ndescription: c\n---\n", "E0003", "3:1");
        one("---\r\nname: a\r\ndescription: b: c\r\n---\r\n", "E0001", "3:15");
        one(&format!("---\nname: {}\n---\n", "a".repeat(MAX_BYTES)), "E0833", "1:1");
        one(&format!("---\nname: {}", "a".repeat(MAX_BYTES)), "E0833", "1:1");
        assert_eq!(errors("---\nother: 1\n---\n").len(), 2);
    }

    #[test]
    fn values_that_are_not_text_are_warnings() {
        let read =
            |text: &str| read(&Source::new("SKILL.md", format!("---\nname: a\ndescription: b\n{text}---\n"))).unwrap();
        let found = read("metadata: 1\ncompatibility: [cli]\n");
        assert_eq!((found.contract, found.compatibility), (Declared::Absent, Declared::NotText));
        let codes: Vec<_> = found.warnings.iter().map(|warning| warning.code).collect();
        assert_eq!(codes, [codes::NOT_TEXT, codes::METADATA]);
        let found = read("metadata:\n  contract: {}\n  capabilities: a.yaml\n");
        assert_eq!((&found.contract, found.warnings.len()), (&Declared::NotText, 1));
        assert_eq!(found.capabilities, Declared::Text("a.yaml".to_owned()));
    }

    #[test]
    fn the_spans_are_those_of_the_file() {
        let text = "\u{feff}---\nname: a\ndescription: b\nmetadata:\n  contract: 'DCI/1 P(x)'\n---\nbody";
        let spans = read(&Source::new("SKILL.md", text)).unwrap().spans;
        assert_eq!(text.get(spans.name), Some("a"));
        assert_eq!(text.get(spans.contract.unwrap()), Some("'DCI/1 P(x)'"));
        assert_eq!(spans.capabilities, None);
    }
}
