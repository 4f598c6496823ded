//! The schemas of a capability. The schema loader reports problems by JSON Pointer; here they get their spans.

use std::collections::HashMap;
use std::ops::Range;

use capgen_diagnostic::shortened;
use capgen_schema::{Anchor, Patterns, Problem, Schema, codes as schema_codes};

use super::edits;
use super::reader::{Map, Place, Reader};
use crate::tree::{Part, follow};
use crate::{Data, Diagnostic, Member, Node};

/// Reads the schema of a key; `None` if the key is absent or the schema has errors.
pub(crate) fn read(reader: &mut Reader<'_>, map: &Map<'_>, key: &str) -> Option<Schema> {
    let member = map.get(key)?;
    let mut place = map.below(key);
    if let Data::Null = member.value.data {
        reader.wrong_type(&member.value, &place, &format!("`{key}`"), "a schema");
        return None;
    }
    place.at = place.at.map(|at| format!("{at}, {key}"));
    reader.schemas.push(place.clone());
    let schema = Schema::parse_with(member.value.to_json(), &mut reader.patterns);
    let problems = match &schema {
        Ok(schema) => schema.warnings(),
        Err(problems) => problems,
    };
    let mut index = Index::default();
    for problem in problems {
        let span = index.span(reader, member, problem);
        let edits = problem.fix.as_ref().and_then(|fix| edits::of_schema(reader.source, member, &mut index, fix));
        report(reader, &place, problem, span, edits);
    }
    schema.ok()
}

/// Reports the largest patterns if all patterns of the contract together exceed their limit. `root` is the whole
/// document.
pub(crate) fn check_patterns(reader: &mut Reader<'_>, root: &Node) {
    if !reader.patterns.is_over_limit() {
        return;
    }
    let mut labels = Vec::new();
    for large in reader.patterns.largest() {
        let Some(schema) = reader.schemas.get(large.schema) else { continue };
        let place = Place { pointer: format!("{}{}", schema.pointer, large.pointer), ..schema.clone() };
        let span = follow(root, &place.pointer, Node::member).span(reader.source, Part::Value);
        labels.push((place, span, large.size()));
    }
    let Some((place, span, size)) = labels.first() else { return };
    let message = reader.patterns.message();
    let finding = reader.finding(schema_codes::PATTERNS_TOO_LARGE, message, (span.clone(), size), place);
    let others = labels.iter().skip(1).map(|(_, span, size)| (span.clone(), size));
    let finding = others.fold(finding, |finding, (span, size)| finding.at(reader.source, span, size));
    reader.report(finding.help(Patterns::HELP));
}

fn report(
    reader: &mut Reader<'_>,
    place: &Place,
    problem: &Problem,
    span: Range<usize>,
    edits: Option<Vec<edits::TextEdit>>,
) {
    // The note names the schema around the key, not the key itself, which the snippet shows.
    let near = match problem.anchor {
        Anchor::Key => problem.pointer.rsplit_once('/').map_or("", |(parent, _)| parent),
        Anchor::Value => &problem.pointer,
    };
    let at = place
        .at
        .as_ref()
        .map(|at| if near.is_empty() { at.clone() } else { format!("{at}, {}", shortened(near, 200)) });
    let place = Place { pointer: format!("{}{}", place.pointer, problem.pointer), at, secret: false };
    let mut finding = reader.finding(problem.code, problem.message.clone(), (span.clone(), &problem.label), &place);
    if let Some((edits, fix)) = edits.zip(problem.fix.as_ref()) {
        let suggest = |finding: Diagnostic, (span, new)| finding.suggest(reader.source, span, new);
        finding = edits.into_iter().fold(finding, suggest).with_applicability(fix.applicability);
    }
    finding.help.clone_from(&problem.help);
    reader.report(finding);
}

/// Finds the members of mappings in constant time: a hostile schema can have many members and a problem in each.
#[derive(Default)]
pub(crate) struct Index<'n>(HashMap<*const Node, HashMap<&'n str, &'n Member>>);

impl<'n> Index<'n> {
    pub(crate) fn member(&mut self, node: &'n Node, key: &str) -> Option<&'n Member> {
        let Data::Object(members) = &node.data else { return None };
        let index = self.0.entry(std::ptr::from_ref(node));
        index.or_insert_with(|| members.iter().map(|m| (m.key.as_str(), m)).collect()).get(key).copied()
    }

    /// The span of the subject of a problem, or of the nearest value around it.
    fn span(&mut self, reader: &Reader<'_>, root: &'n Member, problem: &Problem) -> Range<usize> {
        let mut place = follow(&root.value, &problem.pointer, |node, key| self.member(node, key));
        // The root of the schema is a member of the capability.
        if std::ptr::eq(place.node, &root.value) {
            place.key = Some(&root.key_span);
        }
        let part = match problem.anchor {
            Anchor::Key => Part::Key,
            Anchor::Value => Part::Value,
        };
        place.span(reader.source, part)
    }
}
