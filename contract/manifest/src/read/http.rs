//! `http` at the root and in capabilities. The checks are those of the model, and have their positions here.

use capgen_diagnostic::Code;

use super::reader::{Map, Place, Reader};
use crate::http::{HttpProblem, ProblemKind};
use crate::tree::{Part, follow};
use crate::{Data, Http, HttpDefaults, Node, codes};

/// The defaults of the root, and how much of them may still be copied.
pub(super) struct Inherited {
    defaults: HttpDefaults,
    values: usize,
    bytes: usize,
    room: (usize, usize),
}

impl Inherited {
    /// Reads `http` at the root.
    pub(super) fn read(reader: &mut Reader<'_>, map: &Map<'_>) -> Self {
        let room = (Http::MAX_VALUES, Http::MAX_BYTES);
        let Some(member) = map.get(Http::KEY) else {
            return Self { defaults: HttpDefaults::default(), values: 0, bytes: 0, room };
        };
        let value = member.value.to_json();
        let problems = HttpDefaults::problems_of_root(&value);
        let defaults = if problems.is_empty() { HttpDefaults::checked(&value) } else { HttpDefaults::default() };
        report(reader, &member.value, &map.below(Http::KEY), problems);
        let (values, bytes) = Http::size(&value);
        Self { defaults, values, bytes, room }
    }

    /// Takes the room for one more copy; `false` if there is none.
    fn take(&mut self) -> bool {
        let room = (self.room.0.checked_sub(self.values), self.room.1.checked_sub(self.bytes));
        if let (Some(values), Some(bytes)) = room {
            self.room = (values, bytes);
        }
        matches!(room, (Some(_), Some(_)))
    }
}

/// Reads `http` of a capability; `None` also after errors.
pub(super) fn read(reader: &mut Reader<'_>, map: &Map<'_>, key: &str, inherited: &mut Inherited) -> Option<Http> {
    let member = map.get(key)?;
    let value = member.value.to_json();
    // First, because the checks take time for each value that is inherited.
    if !inherited.take() {
        let message = format!(
            "the capabilities take more than {} values, or more than {} bytes, from `http` at the root",
            Http::MAX_VALUES,
            Http::MAX_BYTES
        );
        let at = (member.key_span.clone(), "");
        let finding = reader.finding(codes::TOO_LARGE, message, at, &map.below(key));
        reader.report(finding.help("shorten the defaults, or split the manifest"));
        return None;
    }
    let problems = inherited.defaults.problems(&value);
    if !problems.is_empty() {
        report(reader, &member.value, &map.below(key), problems);
        return None;
    }
    Some(inherited.defaults.complete(&value))
}

fn report(reader: &mut Reader<'_>, node: &Node, place: &Place, problems: Vec<HttpProblem>) {
    for HttpProblem { kind, pointer, is_key, message, help } in problems {
        let found = follow(node, &pointer, |node, key| node.member(key));
        let part = if is_key { Part::Key } else { Part::Value };
        let span = match &found.node.data {
            // The first key represents a mapping, which may cover pages.
            Data::Object(members) if found.key.is_none() || kind == ProblemKind::MissingKey => {
                members.first().map_or(found.node.span.clone(), |member| member.key_span.clone())
            }
            _ => found.span(reader.source, part),
        };
        let pointer = format!("{}{pointer}", place.pointer);
        let place = Place { pointer, ..place.clone() };
        let finding = reader.finding(code(kind), message, (span, ""), &place);
        reader.report(finding.help(help));
    }
}

fn code(kind: ProblemKind) -> Code {
    match kind {
        ProblemKind::UnknownKey => codes::UNKNOWN_KEY,
        ProblemKind::MissingKey => codes::MISSING_KEY,
        ProblemKind::WrongType => codes::WRONG_TYPE,
        ProblemKind::UnknownValue => codes::UNKNOWN_VALUE,
        ProblemKind::EmptyList => codes::EMPTY_LIST,
        ProblemKind::EmptyText => codes::EMPTY_TEXT,
        ProblemKind::Operation => codes::HTTP_OPERATION,
        ProblemKind::Parameter => codes::HTTP_PARAMETER,
        ProblemKind::Url => codes::HTTP_URL,
        ProblemKind::Security => codes::HTTP_SECURITY,
    }
}
