//! `$ref`: names, targets, cycles that consume no input, and long chains.
//!
//! The cycles are found here and not by [`crate::analysis::graph`], which needs a schema without them, and which does
//! not visit definitions that are never used.

use std::collections::HashMap;

use super::{Draft, Loader, advice};
use crate::{Json, Kind, Node, NodeId, Problem, codes, pointer};

/// Maximum number of subschemas that apply to one location in the payload, each through another. Engines recurse along
/// such a chain, so the limit bounds their stacks.
const MAX_CHAIN: u32 = 128;

/// A message lists at most this many names of a cycle. Usual cycles have two or three; longer ones are shown in part.
const CYCLE_NAMES: usize = 8;

impl Loader {
    /// The name of the definition that a `$ref` refers to.
    pub(super) fn reference_name(&mut self, draft: &Draft<'_>, value: &Json) -> Option<String> {
        let target = self.string(draft, "$ref", value)?;
        let name = definition_name(&target);
        if name.is_none() {
            self.report(advice::not_local(&target, draft.at("$ref")));
        }
        name
    }
}

/// The name of the definition that a `$ref` refers to; `None` if the reference is not of the form
/// `#/definitions/<name>`.
///
/// The fragment is percent-decoded ([RFC 6901 section 6](https://www.rfc-editor.org/rfc/rfc6901#section-6)), and `~0`
/// and `~1` are unescaped.
pub fn definition_name(reference: &str) -> Option<String> {
    let fragment = percent_decode(reference.strip_prefix('#')?)?;
    let token = fragment.strip_prefix("/definitions/")?;
    let escapes_are_valid = token.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    (escapes_are_valid && !token.contains('/')).then(|| token.replace("~1", "/").replace("~0", "~"))
}

/// The `$ref` to a definition, such as `#/definitions/a~1b%20c`; [`definition_name`] is its inverse.
///
/// ```
/// use capgen_schema::{definition_name, definition_reference};
/// assert_eq!(definition_reference("a/b c"), "#/definitions/a~1b%20c");
/// assert_eq!(definition_name("#/definitions/a~1b%20c").as_deref(), Some("a/b c"));
/// ```
pub fn definition_reference(name: &str) -> String {
    format!("#/definitions/{}", fragment_token(name))
}

/// A name as a token of a JSON Pointer in a URI fragment ([RFC 6901 section
/// 6](https://www.rfc-editor.org/rfc/rfc6901#section-6)).
pub fn fragment_token(name: &str) -> String {
    let escaped = name.replace('~', "~0").replace('/', "~1");
    let mut encoded = String::with_capacity(escaped.len());
    for byte in escaped.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => encoded.push(char::from(byte)),
            _ if b"-._~!$&'()*+,;=:@".contains(&byte) => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Decodes `%HH`; `None` if an escape is malformed or the result is not UTF-8.
pub(crate) fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        let byte = if byte == b'%' { hex(bytes.next()?)? << 4 | hex(bytes.next()?)? } else { byte };
        decoded.push(byte);
    }
    String::from_utf8(decoded).ok()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|d| u8::try_from(d).ok())
}

/// Replaces every name by an edge to its definition, then looks for cycles and long chains.
pub(super) fn resolve(loader: &mut Loader) {
    let targets: HashMap<String, NodeId> = loader.definitions.iter().cloned().collect();
    for (id, name) in std::mem::take(&mut loader.references) {
        let Some(node) = loader.nodes.get_mut(id.0 as usize) else { continue };
        if let Some(&target) = targets.get(&name) {
            node.kind = Kind::Ref(target);
        } else {
            let at = pointer::join(&node.pointer, "$ref");
            let problem = advice::unresolved(loader.definitions.iter().map(|(name, _)| name.as_str()), &name, at);
            loader.report(problem);
        }
    }
    let problems = Chains::new(&loader.nodes).problems();
    problems.into_iter().for_each(|problem| loader.report(problem));
}

/// A depth-first walk along the edges that stay at one location in the payload. It has an explicit stack, because a
/// chain may be as long as the schema.
struct Chains<'n> {
    nodes: &'n [Node],
    states: Vec<State>,
    path: Vec<(NodeId, std::vec::IntoIter<NodeId>)>,
    problems: Vec<Problem>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    OnPath,
    /// Visited; contains the length of the longest chain from this node.
    Done(u32),
}

impl<'n> Chains<'n> {
    fn new(nodes: &'n [Node]) -> Self {
        Self { nodes, states: vec![State::New; nodes.len()], path: Vec::new(), problems: Vec::new() }
    }

    fn problems(mut self) -> Vec<Problem> {
        for id in (0..).map(NodeId).take(self.nodes.len()) {
            if self.state(id) == State::New {
                self.enter(id);
                self.walk();
            }
        }
        self.problems
    }

    fn state(&self, id: NodeId) -> State {
        self.states.get(id.0 as usize).copied().unwrap_or(State::Done(0))
    }

    fn set(&mut self, id: NodeId, state: State) {
        if let Some(slot) = self.states.get_mut(id.0 as usize) {
            *slot = state;
        }
    }

    fn enter(&mut self, id: NodeId) {
        self.set(id, State::OnPath);
        let next =
            self.nodes.get(id.0 as usize).map(|node| node.kind.in_place().collect::<Vec<_>>()).unwrap_or_default();
        self.path.push((id, next.into_iter()));
    }

    fn walk(&mut self) {
        while let Some((id, next)) = self.path.last_mut() {
            let id = *id;
            match next.next() {
                None => {
                    self.path.pop();
                    self.leave(id);
                }
                Some(next) => match self.state(next) {
                    State::New => self.enter(next),
                    State::OnPath => self.report_cycle(id, next),
                    State::Done(_) => {}
                },
            }
        }
    }

    fn leave(&mut self, id: NodeId) {
        let Some(node) = self.nodes.get(id.0 as usize) else { return };
        let lengths = node.kind.in_place().filter_map(|next| match self.state(next) {
            State::Done(length) => Some(length + 1),
            _ => None,
        });
        let mut length = lengths.max().unwrap_or(0);
        if length > MAX_CHAIN {
            let message = format!("more than {MAX_CHAIN} subschemas apply to one location, each through another");
            let help = "use fewer levels of references";
            self.problems.push(Problem::new(codes::CHAIN_TOO_LONG, node.pointer.clone(), message).help(help));
            // Report the chain once, not again for every node that leads to it.
            length = 0;
        }
        self.set(id, State::Done(length));
    }

    /// The edge that closes a cycle is always a `$ref`, because all other edges lead from a parent to its child.
    fn report_cycle(&mut self, from: NodeId, to: NodeId) {
        let pointer = |id: NodeId| self.nodes.get(id.0 as usize).map_or("", |node| &node.pointer);
        let start = self.path.iter().position(|(id, _)| *id == to).unwrap_or(0);
        let in_cycle = || self.path.iter().skip(start).map(|(id, _)| *id);
        let targets = in_cycle().filter(|&id| {
            id == to || pointer(id).matches('/').count() == 2 && pointer(id).starts_with("/definitions/")
        });
        let mut names: Vec<String> = targets.take(CYCLE_NAMES).map(|id| format!("`#{}`", pointer(id))).collect();
        names.push(format!("`#{}`", pointer(to)));
        let message = format!("reference cycle that does not go into a property or item: {}", names.join(" -> "));
        let problem = Problem::new(codes::REF_CYCLE, pointer::join(pointer(from), "$ref"), message);
        self.problems.push(
            problem
                .label("closes the cycle")
                .help("move the reference into `properties`, `additionalProperties` or `items`, or remove it"),
        );
    }
}
