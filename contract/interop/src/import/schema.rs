//! Schemas of other formats as schemas of the subset.
//!
//! A schema that is already in the subset stays as it is, so that an export followed by an import gives the same
//! contract. Every other schema is translated by the normaliser, the only code that converts schemas.

use capgen_diagnostic::quoted;
use capgen_schema::codes::{OTHER_DIALECT, REF_NOT_LOCAL};
use capgen_schema::{
    Anchor, Code, Json, LINKED_FILES, Loss, Object, Problem, Reading, Schema, annotate_formats,
    has_keywords_of_other_drafts, has_patterns_of_lines, is_known_dialect, keyword_at, normalise_lossy,
    normalise_noting,
};

use super::{Entry, ImportFinding, Importer};
use crate::codes;
use crate::export::reachable;

/// The normaliser reports about so many problems of a schema.
const MAX_PROBLEMS: usize = 1000;

/// The dialect of a schema without `$schema`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    /// Draft 2020-12.
    Modern,
    /// OpenAPI 3.0.
    OpenApi30,
    /// Draft 2020-12 if the root has `$defs`, and otherwise draft-07.
    ByDefinitions,
}

impl Dialect {
    /// The `$schema` of its schemas; `None` if it depends on the schema.
    fn uri(self) -> Option<&'static str> {
        match self {
            Dialect::Modern => Some(MODERN),
            Dialect::OpenApi30 => Some(OPENAPI_3_0),
            Dialect::ByDefinitions => None,
        }
    }
}

/// The `$schema` of a modern schema that has none. Its keywords are those of draft 2020-12, and not declared by the
/// author: the normaliser accepts those of older drafts as well.
const MODERN: &str = "https://spec.openapis.org/oas/3.1/dialect/base";

/// The `$schema` of a schema of OpenAPI 3.0, which has none.
const OPENAPI_3_0: &str = "https://spec.openapis.org/oas/3.0/schema/2021-09-28";

/// A schema of another format.
#[derive(Debug)]
pub(crate) struct Foreign<'s> {
    /// Its name in messages, such as `inputSchema`.
    pub(crate) part: &'s str,
    /// The schema as the document has it.
    pub(crate) source: &'s Json,
    /// The schema as the contract would have it, if it was exported from one. It need not be in the subset.
    pub(crate) own: Json,
    /// The dialect.
    pub(crate) dialect: Dialect,
    /// Whether `$schema` is part of the contract.
    pub(crate) keeps_dialect: bool,
}

impl Importer {
    /// The schema, or its problems as findings of the entry. `locate` turns a JSON Pointer in `source` into one of the
    /// document.
    ///
    /// A `$schema` of the document is dropped, unless it is known to be that of the contract: it asserts nothing, and
    /// all schemas of a contract have one dialect.
    pub(crate) fn schema(
        &mut self,
        entry: &mut Entry,
        foreign: Foreign<'_>,
        locate: &dyn Fn(&str) -> String,
    ) -> Option<Schema> {
        let Foreign { part, source, own, dialect, keeps_dialect } = foreign;
        self.note_formats(entry, part, (source, dialect), locate);
        let formats = self.settings.annotated_formats;
        let annotated = |schema: &Json| annotate_formats(schema, &|name| formats.contains(name));
        let (changed, own) = match formats.is_empty() {
            true => (None, own),
            false => (annotated(source), annotated(&own).unwrap_or(own)),
        };
        let source = changed.as_ref().unwrap_or(source);
        let own = if keeps_dialect || source.get("$schema").is_none() { own } else { without_dialect(own) };
        // The author of a contract wrote its schemas in the subset, and means the letter.
        let has_readings = || has_patterns_of_lines(source) || has_keywords_of_other_drafts(source, dialect.uri());
        let is_exact = entry.is_contract || !has_readings();
        if is_exact
            && has_the_subset(source)
            && let Ok(schema) = Schema::parse(&own)
        {
            return Some(schema);
        }
        let with_dialect = with_dialect(source, dialect);
        let source = with_dialect.as_ref().unwrap_or(source);
        let result = match self.settings.lossy {
            true => normalise_lossy(source),
            false => normalise_noting(source),
        };
        let output = match result {
            Ok((output, losses)) => {
                for loss in losses {
                    let place = place(part, &loss.pointer);
                    self.reading(entry, &place, loss, locate);
                }
                output
            }
            Err(mut problems) => {
                let is_full = problems.len() >= MAX_PROBLEMS;
                if let Some(last) = problems.last_mut().filter(|_| is_full) {
                    last.message.push_str(&format!(
                        "; there may be more, at most {MAX_PROBLEMS} problems of a schema are shown"
                    ));
                }
                for problem in problems {
                    let place = place(part, &problem.pointer);
                    let finding = of_problem(problem, source, self.settings.lossy, locate);
                    self.report(entry, &place, finding);
                }
                return None;
            }
        };
        // The normaliser's output always loads.
        Schema::parse(&without_dialect(output)).ok()
    }
}

impl Importer {
    /// Reports a part of a schema that is read in another way than it is written. What concerns a format or a keyword
    /// wherever it is, or all of a component, is reported once.
    fn reading(&mut self, entry: &mut Entry, place: &str, loss: Loss, locate: &dyn Fn(&str) -> String) {
        let (reading, name) = (loss.reading, loss.name.clone());
        let finding = of_loss(loss, locate);
        match reading {
            Reading::UncheckedFormat | Reading::Ignored | Reading::UnknownKeyword => {
                self.report_once(entry, place, finding, name)
            }
            Reading::Nullable | Reading::RootReference | Reading::EveryName => {
                let owner = Self::owner(entry, &finding.pointer);
                self.report_once(entry, place, finding, owner);
            }
            _ => self.report(entry, place, finding),
        }
    }
}

/// A place in words: that of a part of a schema, or of another file.
fn place(part: &str, pointer: &str) -> String {
    let in_file = pointer.strip_prefix('/').and_then(|rest| rest.strip_prefix(LINKED_FILES)?.strip_prefix('/'));
    match in_file.map(|rest| rest.split_once('/').unwrap_or((rest, ""))) {
        _ if pointer.is_empty() => part.to_owned(),
        Some((file, "")) => format!("{part}, file {}", quoted(file)),
        Some((file, rest)) => format!("{part}, file {}, /{rest}", quoted(file)),
        None => format!("{part}, {pointer}"),
    }
}

/// The code of a reading, and a few words next to its place.
fn code(reading: Reading) -> (Code, &'static str) {
    match reading {
        Reading::UncheckedFormat => (codes::UNCHECKED_FORMAT, "not checked"),
        Reading::Ignored => (codes::IGNORED_KEYWORD, "ignored"),
        Reading::UnknownKeyword => (codes::UNKNOWN_KEYWORD, "asserts nothing"),
        Reading::Nullable => (codes::NULLABLE, "read as null"),
        Reading::Discriminator => (codes::DISCRIMINATOR, "required in each branch"),
        Reading::Overlap => (codes::OVERLAPPING_BRANCHES, "asserts nothing"),
        Reading::PatternSyntax => (codes::PATTERN_SYNTAX, "translated"),
        Reading::EveryName => (codes::EVERY_NAME, "read as every name"),
        Reading::OtherForm => (codes::OTHER_FORM, "read as in its draft"),
        Reading::RootReference => (codes::ROOT_REFERENCE, "read as a place of the document"),
        _ => (codes::LOSS, "widened"),
    }
}

fn of_loss(loss: Loss, locate: &dyn Fn(&str) -> String) -> ImportFinding {
    let (code, label) = code(loss.reading);
    ImportFinding {
        code,
        entry: String::new(),
        concerns_document: false,
        place: String::new(),
        pointer: locate(&loss.pointer),
        anchor: Anchor::Key,
        keyword: loss.keyword,
        message: loss.reason,
        label: label.to_owned(),
        first: None,
        help: help_for(loss.reading).map(str::to_owned),
    }
}

/// How to write the assumption of a reading. Losses have other remedies.
fn help_for(reading: Reading) -> Option<&'static str> {
    Some(match reading {
        Reading::UncheckedFormat => "write a `pattern`, or another format, if the values are to be checked",
        Reading::Ignored => {
            "remove it; to apply it, write `allOf` with the reference and the keyword, or declare a draft that has it"
        }
        Reading::UnknownKeyword => "if something is to be checked, write a keyword of JSON Schema",
        Reading::Nullable => "list `null` in `type`, or write `anyOf` with the type null",
        Reading::Discriminator => "list the property in `required` of each branch, with a `const`",
        Reading::PatternSyntax => "write the pattern in the syntax of ECMA-262",
        Reading::EveryName => "write the schema in `additionalProperties`",
        Reading::OtherForm => "write it in the form of the declared draft, or declare the draft that has its form",
        Reading::RootReference => "remove the `$id` around it, or write the URI of the document before the `#`",
        Reading::Overlap => {
            "give the property a `const` of its own in each branch, or a `mapping` with different names for them"
        }
        _ => return None,
    })
}

/// How to fix a reference to another document.
const ELSEWHERE: &str = "bundle the document first: nothing is fetched, and only `openapi` and `json-schema` read other \
    files of the folder (`--root-dir`)";

/// The options that import a schema in spite of a problem.
const OPTIONS: &str = "import with `--lossy`, which widens the schema, or with `--skip`, which leaves the entry out";

fn of_problem(mut problem: Problem, source: &Json, is_lossy: bool, locate: &dyn Fn(&str) -> String) -> ImportFinding {
    if problem.code == OTHER_DIALECT {
        // A contract has one dialect, but an import reads several.
        problem.message = "`$schema` names a dialect that is not known".to_owned();
        problem.help = Some("declare draft-04, -06, -07, 2019-09 or 2020-12, or remove it".to_owned());
    }
    if problem.code == REF_NOT_LOCAL {
        problem.help = Some(ELSEWHERE.to_owned());
    }
    let keyword = keyword_at(source, &problem.pointer);
    ImportFinding {
        code: problem.code,
        entry: String::new(),
        concerns_document: false,
        place: String::new(),
        pointer: locate(&problem.pointer),
        anchor: problem.anchor,
        keyword: keyword.unwrap_or_default(),
        message: problem.message,
        label: problem.label,
        first: None,
        help: Some(help(problem.help, is_lossy)),
    }
}

/// How to fix the source, and how to import it as it is: it may belong to someone else.
fn help(help: Option<String>, is_lossy: bool) -> String {
    let options = if is_lossy { "leave the entry out with `--skip`" } else { OPTIONS };
    help.map_or_else(|| options.to_owned(), |help| format!("{help}; or {options}"))
}

/// Whether the dialect gives the keywords of the subset the same meaning. Draft-04 lacks some, such as `const`, and the
/// normaliser rejects dialects that it does not know.
fn has_the_subset(source: &Json) -> bool {
    let Some(declared) = source.get("$schema") else { return true };
    declared.as_str().is_some_and(|uri| is_known_dialect(uri) && !uri.contains("json-schema.org/draft-04/"))
}

/// The schema without the definitions that nothing reaches, of which `check` would warn. Those in an export
/// of capgen belong to the contract.
pub(crate) fn pruned(schema: Json) -> Json {
    let Some(definitions) = schema.get("definitions").and_then(Json::as_object) else { return schema };
    let reached = reachable(&schema);
    let kept: Object = definitions.iter().filter(|(name, _)| reached.contains(name)).cloned().collect();
    match schema {
        Json::Object(mut members) if kept.len() < members.get("definitions").map_or(0, size) => {
            members.set("definitions", (!kept.is_empty()).then_some(Json::Object(kept)));
            Json::Object(members)
        }
        other => other,
    }
}

fn size(members: &Json) -> usize {
    members.as_object().map_or(0, Object::len)
}

fn without_dialect(schema: Json) -> Json {
    match schema {
        Json::Object(mut members) => {
            members.set("$schema", None);
            Json::Object(members)
        }
        other => other,
    }
}

fn with_dialect(source: &Json, dialect: Dialect) -> Option<Json> {
    let object = source.as_object().filter(|object| object.get("$schema").is_none())?;
    let uri = dialect.uri()?;
    let mut members = object.clone();
    members.push("$schema".to_owned(), Json::from(uri));
    Some(Json::Object(members))
}
