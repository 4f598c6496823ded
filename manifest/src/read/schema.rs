//! The two schemas of a capability. What the schema loader finds by pointer is shown where it stands in the text.

use std::collections::HashMap;
use std::ops::Range;

use capgen_schema::{Anchor, Problem, Schema, pointer};

use super::reader::{Map, Place, Reader, cut};
use crate::{Data, Member, Node, Side};

/// Reads the schema of a side; `None` where there is none or where it is refused.
pub(crate) fn read(reader: &mut Reader<'_>, map: &Map<'_>, side: Side) -> Option<Schema> {
    let key = side.schema_key();
    let member = map.get(key)?;
    let mut place = map.below(key);
    if let Data::Null = member.value.data {
        reader.wrong_type(&member.value, &place, &format!("`{key}`"), "a schema");
        return None;
    }
    place.at = place.at.map(|at| format!("{at}, {key}"));
    let schema = Schema::parse(&member.value.to_json());
    let problems = match &schema {
        Ok(schema) => schema.warnings(),
        Err(problems) => problems,
    };
    let mut index = Index { root: member, objects: HashMap::new() };
    for problem in problems {
        let span = index.span(reader, problem);
        report(reader, &place, problem, span);
    }
    schema.ok()
}

fn report(reader: &mut Reader<'_>, place: &Place, problem: &Problem, span: Range<usize>) {
    // For people the place is the schema that has the key, not the key: the snippet shows it.
    let near = match problem.anchor {
        Anchor::Key => problem.pointer.rsplit_once('/').map_or("", |(parent, _)| parent),
        Anchor::Value => &problem.pointer,
    };
    let at = place.at.as_ref().map(|at| if near.is_empty() { at.clone() } else { format!("{at}, {}", cut(near, 200)) });
    let place = Place { pointer: format!("{}{}", place.pointer, problem.pointer), at, secret: false };
    let mut finding = reader.finding(problem.code, problem.message.clone(), (span, &problem.label), &place);
    finding.help.clone_from(&problem.help);
    reader.report(finding);
}

/// Finds places by pointer in time linear in the pointer, however many members a mapping has.
struct Index<'n> {
    root: &'n Member,
    objects: HashMap<*const Node, HashMap<&'n str, &'n Member>>,
}

impl<'n> Index<'n> {
    /// The place of what a problem is about, or of the nearest value above it.
    fn span(&mut self, reader: &Reader<'_>, problem: &Problem) -> Range<usize> {
        let (mut key, mut node) = (Some(&self.root.key_span), &self.root.value);
        for token in pointer::tokens(&problem.pointer) {
            let next = match &node.data {
                Data::Object(_) => self.member(node, &token).map(|m| (Some(&m.key_span), &m.value)),
                Data::Array(items) => token.parse().ok().and_then(|i: usize| items.get(i)).map(|item| (None, item)),
                _ => None,
            };
            let Some(next) = next else { break };
            (key, node) = next;
        }
        match key {
            Some(key) if problem.anchor == Anchor::Key || is_block(reader, node) => key.clone(),
            _ => node.span.clone(),
        }
    }

    fn member(&mut self, node: &'n Node, key: &str) -> Option<&'n Member> {
        let Data::Object(members) = &node.data else { return None };
        let index = self.objects.entry(std::ptr::from_ref(node));
        index.or_insert_with(|| members.iter().map(|m| (m.key.as_str(), m)).collect()).get(key).copied()
    }
}

/// Whether a value takes more than a line, so that underlining its key says more.
fn is_block(reader: &Reader<'_>, node: &Node) -> bool {
    const LINE: usize = 200;
    let text = reader.source.text().get(node.span.clone()).unwrap_or_default();
    matches!(node.data, Data::Array(_) | Data::Object(_)) && (text.len() > LINE || text.trim_end().contains('\n'))
}
