//! The text that is imported, as a JSON value whose parts know their lines.

use std::collections::HashSet;
use std::ops::Range;

use capgen_diagnostic::{Diagnostic, Label, Source};
use capgen_manifest::{Data, Node, parse_document, parse_json, show_schemas};
use capgen_schema::codes::{REF_NOT_LOCAL, REF_UNRESOLVED};
use capgen_schema::{Anchor, Json, pointer};

use super::bundle::Bundle;
use super::unread::NoTarget;
use super::{ImportFinding, lines};
use crate::codes::LOSS;

/// The text of a document.
#[derive(Clone, Debug)]
enum Text {
    /// A value that a program made.
    None,
    One(Source, Node),
    /// Several documents, in the order of the members of the value.
    Files(Vec<Document>),
    /// A document with the files that it refers to.
    Bundle(Bundle),
}

/// A document with the place of each of its values.
#[derive(Clone, Debug)]
pub struct Document {
    json: Json,
    text: Text,
}

impl Document {
    /// Reads a text as JSON if its path ends with `.json`, otherwise as YAML. Takes time linear in the text.
    ///
    /// # Errors
    ///
    /// Those of [`parse_document`]: syntax, duplicate keys, and texts beyond 32 MiB, 2,000,000 values or 256 levels.
    pub fn parse(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        show_schemas(source);
        parse_document(source).map(|root| Self::of_tree(source, root))
    }

    /// Reads a JSON text, whatever its path.
    ///
    /// # Errors
    ///
    /// Those of [`parse_json`].
    pub fn parse_json(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        show_schemas(source);
        parse_json(source).map(|root| Self::of_tree(source, root))
    }

    /// Reads a JSON text, or several of them, which become the elements of an array: one on each line, or those of a
    /// recorded [event stream](https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream),
    /// one in the `data:` lines of each event.
    ///
    /// # Errors
    ///
    /// Those of [`parse_json`].
    pub fn parse_json_or_lines(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        let text = source.text();
        let whole = Self::parse_json(source);
        if whole.is_ok() {
            return whole;
        }
        if lines::is_event_stream(text) {
            return Self::parse_array(source, lines::of_events(text));
        }
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let is_lines = Self::parse_json(&Source::new(source.path(), first)).is_ok();
        if is_lines { Self::parse_array(source, lines::of_lines(text)) } else { whole }
    }

    /// Reads the text of an array. Each byte of it is that of the source, one byte later.
    fn parse_array(source: &Source, array: String) -> Result<Self, Vec<Diagnostic>> {
        let array = Source::new(source.path(), array);
        let moved = |span: &Range<usize>| span.start.saturating_sub(1)..span.end.saturating_sub(1);
        let mut root = parse_json(&array).map_err(|mut findings| {
            // The last bracket is not in the source.
            let end = array.text().len().saturating_sub(1);
            let is_at_end = |finding: &&mut Diagnostic| finding.labels.iter().any(|label| label.span.start >= end);
            for finding in findings.iter_mut().filter(is_at_end) {
                finding.message = "expected a value, found the end of the text".to_owned();
                (finding.help, finding.suggestions) = (None, Vec::new());
            }
            for label in findings.iter_mut().flat_map(|finding| &mut finding.labels) {
                label.span = moved(&label.span);
                label.source = source.clone();
            }
            findings
        })?;
        move_spans(&mut root, &moved);
        Ok(Self::of_tree(source, root))
    }

    /// A value without a text, such as the answer of a server. Findings in it have no lines.
    pub fn of_value(json: Json) -> Self {
        Self { json, text: Text::None }
    }

    /// Several documents as one object, whose keys are the paths. The paths are unique.
    pub fn of_files(files: Vec<(String, Document)>) -> Self {
        let json = files.iter().map(|(path, document)| (path.clone(), document.json.clone())).collect();
        Self { json: Json::Object(json), text: Text::Files(files.into_iter().map(|(_, document)| document).collect()) }
    }

    /// A document with the files that it refers to. `json` is its value in which references lead to these.
    pub(super) fn of_bundle(json: Json, bundle: Bundle) -> Self {
        Self { json, text: Text::Bundle(bundle) }
    }

    pub(super) fn of_tree(source: &Source, root: Node) -> Self {
        Self { json: root.to_json(), text: Text::One(source.clone(), root) }
    }

    /// The paths of the files that a document of [`of_files`](Self::of_files) refers to.
    pub(super) fn linked_paths(&self) -> HashSet<&str> {
        let Text::Files(files) = &self.text else { return HashSet::new() };
        let linked = files.iter().filter_map(|file| match &file.text {
            Text::Bundle(bundle) => Some(&bundle.files),
            _ => None,
        });
        let sources = linked.flatten().filter_map(|file| match &file.content.text {
            Text::One(source, _) => Some(source.path()),
            _ => None,
        });
        sources.collect()
    }

    /// The value.
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// The file that a pointer leads into, with its index, and the pointer in it.
    fn file(&self, pointer: &str) -> Option<(usize, &Self, String)> {
        match &self.text {
            Text::Bundle(bundle) => {
                let (index, file, pointer) = bundle.file(pointer);
                return Some((index, file.map_or(&*bundle.document, |file| &file.content), pointer));
            }
            Text::Files(_) => {}
            Text::None | Text::One(..) => return None,
        }
        let (index, file, rest) = self.listed(pointer)?;
        // The files that a file refers to are read because of it, so their findings are beside those of the file.
        let (file, rest) = file.file(&rest).map_or((file, rest), |(_, linked, rest)| (linked, rest));
        Some((index, file, rest))
    }

    /// The document of [`of_files`](Self::of_files) that a pointer leads into, with its index, and the pointer in it.
    fn listed(&self, pointer: &str) -> Option<(usize, &Self, String)> {
        let Text::Files(files) = &self.text else { return None };
        let mut tokens = pointer::tokens(pointer);
        let path = tokens.next()?;
        let index = self.json.as_object()?.iter().position(|(name, _)| *name == path)?;
        let rest = tokens.fold(String::new(), |rest, token| pointer::join(&rest, &token));
        Some((index, files.get(index)?, rest))
    }

    /// The bundle that a pointer leads into, and the pointer in it.
    fn bundle(&self, pointer: &str) -> Option<(&Bundle, String)> {
        match &self.text {
            Text::Bundle(bundle) => Some((bundle, pointer.to_owned())),
            Text::Files(_) => self.listed(pointer).and_then(|(_, file, rest)| file.bundle(&rest)),
            Text::None | Text::One(..) => None,
        }
    }

    /// The reference at a place, as its author wrote it.
    pub(super) fn reference(&self, pointer: &str) -> Option<&str> {
        match self.bundle(pointer) {
            Some((bundle, pointer)) => bundle.reference(&pointer),
            None => self.json.pointer(pointer)?.get("$ref")?.as_str(),
        }
    }

    /// The reason why the reference at a place has no target, if other files matter for it.
    pub(super) fn no_target(&self, pointer: &str) -> Option<NoTarget> {
        self.bundle(pointer).and_then(|(bundle, pointer)| bundle.no_target(&pointer))
    }

    /// Gives findings about references to other files their reason, with the reference as its author wrote it.
    pub(super) fn explain_references(&self, findings: &mut [ImportFinding]) {
        let is_about_reference = |finding: &ImportFinding| {
            finding.pointer.ends_with("/$ref") && [REF_NOT_LOCAL, REF_UNRESOLVED, LOSS].contains(&finding.code)
        };
        for finding in findings.iter_mut().filter(|finding| is_about_reference(finding)) {
            let Some(NoTarget { message, help }) = self.no_target(&finding.pointer) else { continue };
            finding.message = message;
            finding.label = "no target".to_owned();
            finding.help = match &finding.help {
                Some(old) => Some(with_options(help, old)),
                None => Some(help),
            };
        }
    }

    /// The findings with their lines, in the order of the files and of the lines in them. Findings without a line come
    /// first.
    ///
    /// Takes time linear in the findings and in the members of the objects around them, apart from sorting.
    pub fn with_places(&self, findings: &[ImportFinding]) -> Vec<Diagnostic> {
        let placed = |finding: &ImportFinding| {
            let (file, shown) = match self.file(&finding.pointer) {
                Some((index, file, pointer)) => {
                    (Some(index), file.with_place(&ImportFinding { pointer, ..finding.clone() }))
                }
                None => (None, self.with_place(finding)),
            };
            let start = shown.labels.first().map(|label| label.span.start);
            let first = finding.first.as_ref().and_then(|pointer| self.first(pointer));
            let shown = first.into_iter().fold(shown, Diagnostic::label);
            ((file, start), shown)
        };
        let mut placed: Vec<_> = findings.iter().map(placed).collect();
        // The sort is stable: findings at one place keep their order.
        placed.sort_by_key(|(place, _)| *place);
        placed.into_iter().map(|(_, shown)| shown).collect()
    }

    /// The label at the first of two places that exclude each other; `None` if it has no text.
    fn first(&self, pointer: &str) -> Option<Label> {
        match &self.text {
            Text::None => None,
            Text::One(source, root) => Some(label(source, root, pointer, Anchor::Key, "first here")),
            Text::Files(_) | Text::Bundle(_) => self.file(pointer).and_then(|(_, file, pointer)| file.first(&pointer)),
        }
    }

    fn with_place(&self, finding: &ImportFinding) -> Diagnostic {
        let mut shown = Diagnostic::new(finding.code, finding.message.as_str());
        if let Text::One(source, root) = &self.text {
            shown = shown.label(label(source, root, &finding.pointer, finding.anchor, &finding.label));
        }
        if !finding.place.is_empty() {
            shown = shown.note(format!("at: {}", finding.place));
        }
        shown.help = finding.help.clone();
        shown.pointer(finding.pointer.as_str())
    }
}

/// A remedy, followed by the options of the one that it replaces.
fn with_options(help: String, old: &str) -> String {
    let options = ["; or import with", "; or leave"].into_iter().find_map(|start| old.find(start));
    format!("{help}{}", options.and_then(|at| old.get(at..)).unwrap_or_default())
}

/// Changes every span. The reader of JSON bounds the depth.
fn move_spans(node: &mut Node, moved: &impl Fn(&Range<usize>) -> Range<usize>) {
    node.span = moved(&node.span);
    match &mut node.data {
        Data::Array(items) => items.iter_mut().for_each(|item| move_spans(item, moved)),
        Data::Object(members) => {
            for member in members {
                member.key_span = moved(&member.key_span);
                move_spans(&mut member.value, moved);
            }
        }
        Data::Null | Data::Bool(_) | Data::Number(..) | Data::String(_) => {}
    }
}

/// The place that a pointer leads to, or the nearest value around it.
fn label(source: &Source, root: &Node, pointer: &str, anchor: Anchor, text: &str) -> Label {
    let (mut node, mut key) = (root, None);
    for token in pointer::tokens(pointer) {
        let next = match &node.data {
            Data::Object(_) => node.member(&token).map(|member| (&member.value, Some(&member.key_span))),
            Data::Array(items) => token.parse().ok().and_then(|i: usize| items.get(i)).map(|item| (item, None)),
            _ => None,
        };
        let Some(next) = next else { break };
        (node, key) = next;
    }
    let is_long = matches!(node.data, Data::Array(_) | Data::Object(_));
    let span = match key {
        Some(key) if is_long || anchor == Anchor::Key => key.clone(),
        // The first character of a list or an object is enough: underlining all of it would show less.
        None if is_long => node.span.start..node.span.end.min(node.span.start + 1),
        _ => node.span.clone(),
    };
    Label { source: source.clone(), span, text: text.to_owned() }
}
