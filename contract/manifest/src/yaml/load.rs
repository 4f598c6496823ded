//! Builds the tree from the parser's events.

use std::ops::Range;

use granit_parser::{Event, Options, Parser, ScalarStyle, Span, StrInput, StructureStyle, Tag, YamlVersion};

use super::anchors::{Anchor, Anchors, Children, Place, Size};
use super::scalar::{self, Invalid};
use super::{spans, syntax};
use crate::findings::{Findings, MAX_DEPTH, Stop};
use crate::{Data, Member, Node, codes};

/// The largest number of values that all aliases together may copy. An eighth of all values that a text may have: a few
/// bytes of aliases can copy exponentially many, and usual texts copy a few.
const MAX_COPIED_NODES: usize = 250_000;
/// The largest number of bytes of text that all aliases together may copy. A quarter of the largest text, for the same
/// reason.
const MAX_COPIED_BYTES: usize = 8 << 20;

/// Builds the tree of one document.
pub(super) struct Loader<'s, 'f> {
    text: &'s str,
    findings: &'f mut Findings<'s>,
    /// The sequences and mappings that have not ended, from the root down.
    open: Vec<Frame>,
    root: Option<Node>,
    anchors: Anchors,
    /// The size of the tree so far, counting copies.
    total: Size,
    copied: Size,
    /// The end of the last event that was read without an error.
    reached: usize,
}

/// A sequence or mapping that has not ended.
struct Frame {
    number: usize,
    place: Place,
    anchor: usize,
    is_flow: bool,
    /// Whether it is in the position of a key, where only a scalar is allowed.
    is_key: bool,
    start: usize,
    /// The end of the last child.
    end: usize,
    /// The size of the tree when it started.
    before: Size,
    /// The height of the highest child.
    height: usize,
    content: Content,
}

enum Content {
    Items(Vec<Node>),
    Members(Vec<Member>, Option<Key>),
}

struct Key {
    /// `None` for a rejected key. Its member is left out.
    text: Option<String>,
    span: Range<usize>,
}

impl<'s, 'f> Loader<'s, 'f> {
    pub(super) fn new(text: &'s str, findings: &'f mut Findings<'s>) -> Self {
        let (total, copied) = Default::default();
        Self { text, findings, open: Vec::new(), root: None, anchors: Anchors::default(), total, copied, reached: 0 }
    }

    /// Reads the document.
    pub(super) fn document(mut self) -> Result<Node, Stop> {
        let mut parser = Parser::new_from_str_with_options(self.text, options());
        let read = self.events(&mut parser);
        if read.is_err() {
            // Mappings that ended are checked already. Duplicates before the error are reported too.
            for frame in &self.open {
                if let Content::Members(members, _) = &frame.content {
                    self.findings.check_keys(members)?;
                }
            }
        }
        read?;
        match self.root {
            Some(root) => Ok(root),
            None => self.findings.stop(self.findings.at(codes::EMPTY, "the text has no value", 0..0)),
        }
    }

    fn events(&mut self, parser: &mut Parser<'s, StrInput<'s>>) -> Result<(), Stop> {
        while let Some(next) = parser.next_event() {
            let (event, span) = match next {
                Ok(event) => event,
                Err(error) => return self.findings.stop(syntax::finding(&error, self.text, self.findings)),
            };
            self.event(event, &span)?;
            self.reached = self.reached.max(span.byte_range().unwrap_or_default().end);
        }
        Ok(())
    }

    /// Reads the document up to the first error: the tree so far, and the offset up to which it describes the text.
    pub(super) fn start_of_document(mut self) -> (Option<Node>, usize) {
        let mut parser = Parser::new_from_str_with_options(self.text, options());
        let end = if self.events(&mut parser).is_ok() { self.text.len() } else { self.reached };
        while !self.open.is_empty() {
            // Errors are ignored here: they are about duplicate keys, and a container that is left out is only hidden.
            if self.pending_key().is_some() {
                let _ = self.add(Node { span: end..end, data: Data::Null }, 0, end);
            }
            let _ = self.end(end..end);
        }
        (self.root, end)
    }

    fn event(&mut self, event: Event<'s>, span: &Span) -> Result<(), Stop> {
        let range = span.byte_range().unwrap_or_default();
        match event {
            Event::DocumentStart(_, version) => self.document_start(version, range),
            Event::Scalar(text, style, anchor, tag) => self.scalar(&text, style, anchor, tag.as_deref(), span),
            Event::SequenceStart(style, anchor, tag) => {
                self.check_tag(tag.as_deref(), "seq", span)?;
                self.start(Content::Items(Vec::new()), style, anchor, range)
            }
            Event::MappingStart(style, anchor, tag) => {
                self.check_tag(tag.as_deref(), "map", span)?;
                self.start(Content::Members(Vec::new(), None), style, anchor, range)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(range),
            Event::Alias(id) => self.alias(id, range),
            Event::UnresolvedAlias(_) => {
                // No message of this module quotes a value: a secret that starts with `*`, `!` or a digit may be the
                // problem.
                let finding = self.findings.at(codes::ALIAS, "the alias has no anchor before it", range.clone());
                let help = "define the anchor before it, or quote the text if it starts with `*`";
                self.findings.add(finding.help(help))?;
                let end = range.end;
                self.add(Node { span: range, data: Data::Null }, 0, end)
            }
            _ => Ok(()),
        }
    }

    fn document_start(&mut self, version: Option<YamlVersion>, span: Range<usize>) -> Result<(), Stop> {
        if self.root.is_some() {
            let finding = self.findings.at(codes::SEVERAL_DOCUMENTS, "the text has more than one document", span);
            return self.findings.stop(finding.help("keep one, and remove the `---` line"));
        }
        match version {
            Some(version) if (version.major, version.minor) < (1, 2) => {
                let message = format!(
                    "YAML {}.{} is not supported: it reads words such as `no` as booleans",
                    version.major, version.minor
                );
                let finding = self.findings.at(codes::YAML_SYNTAX, message, span);
                self.findings.add(finding.help("remove the `%YAML` line: the file is read as YAML 1.2"))
            }
            _ => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: &Span,
    ) -> Result<(), Stop> {
        let mut range = spans::scalar(self.text, span.byte_range().unwrap_or_default(), style);
        let is_plain = style == ScalarStyle::Plain;
        // For a missing value the parser reports `~`.
        let is_absent = is_plain && range.is_empty();
        let text = if is_absent { "" } else { text };
        if is_absent && !self.expects_key() {
            let at = spans::nothing(self.text, self.pending_key().map(|key| key.span.end), range.start);
            range = at..at;
        }
        if self.open.is_empty() && is_absent && tag.is_none() && anchor == 0 {
            return Ok(());
        }
        let data = self.resolve(text, is_plain, tag, span, range.clone())?;
        self.total.bytes += text.len();
        let node = Node { span: range.clone(), data };
        if anchor != 0 {
            let size = Size { nodes: 1, bytes: text.len(), height: 0 };
            let is_key = self.expects_key();
            let named =
                if is_key { Anchor::Key(Box::new(node.clone()), size) } else { Anchor::Value(self.next_place(), size) };
            self.anchors.define(anchor, named);
        }
        if !self.expects_key() {
            let end = range.end;
            self.findings.check_nodes(&mut self.total.nodes, 1, range)?;
            return self.add(node, 0, end);
        }
        let text = if is_absent && tag.is_none() {
            self.findings.add(self.findings.at(codes::KEY, "missing key", range.clone()))?;
            None
        } else if is_plain && text == "<<" {
            let finding = self.findings.at(codes::MERGE_KEY, "merge keys are not supported", range.clone());
            self.findings.add(finding.help("write out the members, or quote \"<<\" if it is a name"))?;
            None
        } else {
            Some(text.to_owned())
        };
        if self.open.last().is_some_and(|frame| !frame.is_flow) {
            syntax::check_indentation(self.text, range.start, self.findings)?;
        }
        self.set_key(Key { text, span: range });
        Ok(())
    }

    fn resolve(
        &mut self,
        text: &str,
        is_plain: bool,
        tag: Option<&Tag>,
        span: &Span,
        range: Range<usize>,
    ) -> Result<Data, Stop> {
        // A key is its source text.
        let is_text = !is_plain || self.expects_key();
        let read = match tag.map(|tag| (tag, tag.core_suffix())) {
            Some((tag, _)) if is_non_specific(tag) => Ok(Data::String(text.to_owned())),
            Some((_, Some(core))) => scalar::tagged(text, core),
            Some((_, None)) => return self.custom_tag(span).map(|()| Data::Null),
            None if is_text => Ok(Data::String(text.to_owned())),
            None => scalar::plain(text),
        };
        let finding = match read {
            Ok(data) => return Ok(data),
            Err(Invalid::NotFinite) => {
                self.findings.at(codes::NOT_FINITE, "infinity and not-a-number are not JSON values", range)
            }
            Err(Invalid::Range) => {
                let message = "the number is outside the range of binary64";
                self.findings.at(codes::NUMBER_RANGE, message, range).help("quote it if it is text")
            }
            Err(Invalid::Tag) => self.findings.at(codes::TAG, "the value does not fit its tag", range),
        };
        self.findings.add(finding)?;
        Ok(Data::Null)
    }

    fn custom_tag(&mut self, span: &Span) -> Result<(), Stop> {
        let range = span.tag_span().unwrap_or(*span).byte_range().unwrap_or_default();
        let finding = self.findings.at(codes::TAG, "the tag is not part of YAML's core schema", range);
        self.findings.add(finding.help("remove it, or quote the value if it is text that starts with `!`"))
    }

    /// Checks the tag of a sequence or mapping.
    fn check_tag(&mut self, tag: Option<&Tag>, kind: &str, span: &Span) -> Result<(), Stop> {
        match tag.map(|tag| (tag, tag.core_suffix())) {
            None => Ok(()),
            Some((tag, _)) if is_non_specific(tag) => Ok(()),
            Some((_, Some(core))) if core == kind => Ok(()),
            Some((_, Some(_))) => {
                let range = span.tag_span().unwrap_or(*span).byte_range().unwrap_or_default();
                let kind = if kind == "seq" { "sequence" } else { "mapping" };
                let message = format!("the {kind} does not fit its tag");
                self.findings.add(self.findings.at(codes::TAG, message, range))
            }
            Some((_, None)) => self.custom_tag(span),
        }
    }

    fn start(
        &mut self,
        content: Content,
        style: StructureStyle,
        anchor: usize,
        span: Range<usize>,
    ) -> Result<(), Stop> {
        self.findings.check_depth(self.open.len() + 1, span.clone())?;
        if style == StructureStyle::Block {
            syntax::check_indentation(self.text, span.start, self.findings)?;
        }
        let before = self.total;
        self.findings.check_nodes(&mut self.total.nodes, 1, span.clone())?;
        let is_key = self.expects_key();
        if is_key {
            let kind = if matches!(content, Content::Items(_)) { "a sequence" } else { "a mapping" };
            self.findings.add(self.findings.at(codes::KEY, format!("a key is {kind}"), span.clone()))?;
        }
        let place = self.next_place();
        self.anchors.define(anchor, Anchor::Open);
        let is_flow = style == StructureStyle::Flow;
        let is_sequence = matches!(content, Content::Items(_));
        let start =
            if is_sequence && !is_flow { spans::block_sequence_start(self.text, span.start) } else { span.start };
        self.open.push(Frame {
            number: self.anchors.number(place),
            place,
            anchor,
            is_flow,
            is_key,
            start,
            end: span.end,
            before,
            height: 0,
            content,
        });
        Ok(())
    }

    fn end(&mut self, span: Range<usize>) -> Result<(), Stop> {
        let Some(frame) = self.open.pop() else { return Ok(()) };
        let data = match frame.content {
            Content::Items(items) => Data::Array(items),
            Content::Members(members, _) => {
                self.findings.check_keys(&members)?;
                Data::Object(members)
            }
        };
        // For the parser, a block ends where the next token starts, which may be many lines later.
        let end = if frame.is_flow { span.end.max(frame.end) } else { frame.end };
        let node = Node { span: frame.start..end, data };
        let size = Size {
            nodes: self.total.nodes - frame.before.nodes,
            bytes: self.total.bytes - frame.before.bytes,
            height: frame.height + 1,
        };
        self.anchors.define(frame.anchor, Anchor::Value(frame.place, size));
        if frame.is_key {
            self.set_key(Key { text: None, span: node.span });
            return Ok(());
        }
        self.add(node, size.height, end)
    }

    fn alias(&mut self, id: usize, span: Range<usize>) -> Result<(), Stop> {
        if self.expects_key() {
            let finding = self.findings.at(codes::KEY, "a key is an alias", span.clone());
            self.findings.add(finding.help("write out the key"))?;
            self.set_key(Key { text: None, span });
            return Ok(());
        }
        let null = Node { span: span.clone(), data: Data::Null };
        let Some(size) = self.anchors.get(id).and_then(Anchor::size) else {
            let finding = self.findings.at(codes::ALIAS, "the alias is inside the value of its anchor", span.clone());
            self.findings.add(finding.help("JSON has no cycles: use `$ref` for a schema that contains itself"))?;
            return self.add(null, 0, span.end);
        };
        self.check_copy(size, span.clone())?;
        let node = self.anchored(id).cloned().unwrap_or(null);
        self.add(node, size.height, span.end)
    }

    fn check_copy(&mut self, size: Size, span: Range<usize>) -> Result<(), Stop> {
        self.copied.nodes += size.nodes;
        self.copied.bytes += size.bytes;
        self.total.bytes += size.bytes;
        if self.copied.nodes > MAX_COPIED_NODES || self.copied.bytes > MAX_COPIED_BYTES {
            let message =
                format!("aliases copy more than {MAX_COPIED_NODES} values or {MAX_COPIED_BYTES} bytes of text");
            return self.findings.stop(self.findings.at(codes::TOO_LARGE, message, span));
        }
        self.findings.check_depth(self.open.len() + size.height, span.clone())?;
        self.findings.check_nodes(&mut self.total.nodes, size.nodes, span)
    }

    fn anchored(&self, id: usize) -> Option<&Node> {
        match self.anchors.get(id)? {
            Anchor::Open => None,
            Anchor::Key(node, _) => Some(node),
            Anchor::Value(place, _) => self.anchors.find(*place, |number| {
                // Numbers grow from the root down.
                let index = self.open.binary_search_by_key(&number, |frame| frame.number).ok()?;
                self.open.get(index).map(|frame| frame.content.children())
            }),
        }
    }

    /// The place of the next value.
    fn next_place(&self) -> Place {
        let Some(frame) = self.open.last() else { return Place { parent: None, index: 0 } };
        let index = match &frame.content {
            Content::Items(items) => items.len(),
            Content::Members(members, _) => members.len(),
        };
        Place { parent: Some(frame.number), index }
    }

    fn expects_key(&self) -> bool {
        matches!(self.open.last(), Some(Frame { content: Content::Members(_, None), .. }))
    }

    /// The key of the next value.
    fn pending_key(&self) -> Option<&Key> {
        if let Content::Members(_, key) = &self.open.last()?.content { key.as_ref() } else { None }
    }

    fn set_key(&mut self, new: Key) {
        if let Some(Frame { content: Content::Members(_, key), end, .. }) = self.open.last_mut() {
            *end = new.span.end;
            *key = Some(new);
        }
    }

    /// Adds a value, which ends at `end`, to the innermost container.
    fn add(&mut self, node: Node, height: usize, end: usize) -> Result<(), Stop> {
        let Some(frame) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        frame.end = frame.end.max(end);
        frame.height = frame.height.max(height);
        match &mut frame.content {
            Content::Items(items) => items.push(node),
            Content::Members(members, key) => {
                if let Some(Key { text: Some(text), span }) = key.take() {
                    members.push(Member { key: text, key_span: span, value: node });
                }
            }
        }
        Ok(())
    }
}

impl Content {
    fn children(&self) -> Children<'_> {
        match self {
            Content::Items(items) => Children::Items(items),
            Content::Members(members, _) => Children::Members(members),
        }
    }
}

/// Whether the tag is a lone `!`, which makes a scalar a string and has no effect on other values.
fn is_non_specific(tag: &Tag) -> bool {
    tag.original() == "!"
}

fn options() -> Options {
    granit_parser::options! {
        strict_indentation: true,
        emit_unresolved_aliases: true,
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    }
}
