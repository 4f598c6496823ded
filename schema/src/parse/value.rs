//! Values of keywords that are no schemas.

use std::collections::HashSet;

use super::{Draft, Loader, advice};
use crate::{Json, NodeId, Number, Pattern, Problem, Type, codes, pointer};

/// Levels of arrays and objects in a value; a scalar is at level 0.
const MAX_VALUE_DEPTH: usize = 128;

/// Longer texts of the schema are cut where a message quotes them.
const QUOTE_LIMIT: usize = 64;

/// A text in quotes, cut where it is long.
pub(crate) fn quote(text: &str) -> String {
    match text.char_indices().nth(QUOTE_LIMIT) {
        Some((end, _)) => format!("{:?}...", text.get(..end).unwrap_or_default()),
        None => format!("{text:?}"),
    }
}

/// The type of a value with its article: `an array`.
pub(super) fn with_article(value: &Json) -> &'static str {
    match value.type_of() {
        Type::Null => "null",
        Type::Boolean => "a boolean",
        Type::Integer => "an integer",
        Type::Number => "a number",
        Type::String => "a string",
        Type::Array => "an array",
        Type::Object => "an object",
    }
}

impl Draft<'_> {
    /// The pointer of a keyword.
    pub(super) fn at(&self, keyword: &str) -> String {
        pointer::join(&self.pointer, keyword)
    }
}

impl Loader {
    pub(super) fn wrong_type(&mut self, keyword: &str, at: String, expected: &str, found: &Json) {
        let message = format!("`{keyword}` must be {expected}, not {}", with_article(found));
        let mut problem = Problem::new(codes::WRONG_TYPE, at, message).label(format!("expected {expected}"));
        problem.help = advice::wrong_type(keyword, found);
        self.report(problem);
    }

    pub(super) fn string(&mut self, draft: &Draft<'_>, keyword: &str, value: &Json) -> Option<String> {
        let text = value.as_str();
        if text.is_none() {
            self.wrong_type(keyword, draft.at(keyword), "a string", value);
        }
        text.map(str::to_owned)
    }

    pub(super) fn boolean(&mut self, draft: &Draft<'_>, keyword: &str, value: &Json) -> bool {
        if !matches!(value, Json::Bool(_)) {
            self.wrong_type(keyword, draft.at(keyword), "a boolean", value);
        }
        *value == Json::Bool(true)
    }

    pub(super) fn number(&mut self, draft: &Draft<'_>, keyword: &str, value: &Json) -> Option<Number> {
        let number = value.as_number();
        if number.is_none() {
            self.wrong_type(keyword, draft.at(keyword), "a number", value);
        }
        number.cloned()
    }

    /// A count of code points or items; beyond 64 bits it is as good as `u64::MAX`.
    pub(super) fn length(&mut self, draft: &Draft<'_>, keyword: &str, value: &Json) -> Option<u64> {
        let number = self.number(draft, keyword, value)?;
        if number.is_negative() || !number.is_integer() {
            let message = format!("`{keyword}` must be a non-negative integer");
            self.report(Problem::new(codes::BAD_LENGTH, draft.at(keyword), message).label("expected 0, 1, 2, ..."));
            return None;
        }
        Some(number.as_u64().unwrap_or(u64::MAX))
    }

    /// Any value that is not too deep.
    pub(super) fn any(&mut self, draft: &Draft<'_>, keyword: &str, value: &Json) -> Option<Json> {
        if !self.is_shallow(draft, keyword, value) {
            return None;
        }
        Some(value.clone())
    }

    /// An array of values.
    pub(super) fn values(&mut self, draft: &Draft<'_>, keyword: &str, value: &Json) -> Option<Vec<Json>> {
        let Some(items) = value.as_array() else {
            self.wrong_type(keyword, draft.at(keyword), "an array", value);
            return None;
        };
        // The array of the keyword itself is no part of any value.
        let shallow = items.iter().all(|item| self.is_shallow(draft, keyword, item));
        shallow.then(|| items.to_vec())
    }

    fn is_shallow(&mut self, draft: &Draft<'_>, keyword: &str, value: &Json) -> bool {
        let shallow = depth_is_within(value, 0);
        if !shallow {
            let message = format!("a value in `{keyword}` nests deeper than {MAX_VALUE_DEPTH} levels");
            self.report(Problem::new(codes::VALUE_TOO_DEEP, draft.at(keyword), message).label("too deep"));
        }
        shallow
    }

    /// Distinct strings with their indexes.
    pub(super) fn names<'v>(&mut self, keyword: &str, at: &str, value: &'v Json) -> Option<Vec<(String, &'v str)>> {
        let Some(items) = value.as_array() else {
            self.wrong_type(keyword, at.to_owned(), "an array of strings", value);
            return None;
        };
        let mut seen = HashSet::new();
        let mut names = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let index = index.to_string();
            let Some(name) = item.as_str() else {
                let message = format!("`{keyword}` holds {} where only strings may stand", with_article(item));
                self.report(Problem::new(codes::WRONG_TYPE, pointer::join(at, &index), message).label("not a string"));
                continue;
            };
            if !seen.insert(name) {
                let message = format!("`{keyword}` names {} twice", quote(name));
                let problem = Problem::new(codes::DUPLICATE_NAME, pointer::join(at, &index), message);
                self.report(problem.label("again").help("remove one of them"));
                continue;
            }
            names.push((index, name));
        }
        Some(names)
    }

    pub(super) fn lint_enum(&mut self, draft: &Draft<'_>, value: &Json) {
        let Some(items) = value.as_array() else { return };
        if items.is_empty() {
            let problem = Problem::new(codes::ENUM_VALUES, draft.at("enum"), "`enum` is empty, so nothing is accepted");
            return self.report(problem.label("no value"));
        }
        if draft.assertions.enum_values.is_none() {
            return;
        }
        let mut seen = HashSet::new();
        for (index, item) in items.iter().enumerate() {
            if !seen.insert(item.canonical()) {
                let at = pointer::join(&draft.at("enum"), &index.to_string());
                let problem = Problem::new(codes::ENUM_VALUES, at, "`enum` repeats a value");
                self.report(problem.label("again").help("remove one of them"));
            }
        }
    }

    pub(super) fn lint_nested_definitions(&mut self, draft: &Draft<'_>, definitions: &[(String, NodeId)]) {
        let at = draft.at("definitions");
        for (name, _) in definitions {
            let message = "a definition below the root is never used: `$ref` reaches the root's `definitions` alone";
            let problem = Problem::new(codes::UNUSED_DEFINITION, pointer::join(&at, name), message);
            self.report(problem.at_key().label("no `$ref` leads here").help("move it to the root's `definitions`"));
        }
    }

    pub(super) fn lint_pattern(&mut self, draft: &Draft<'_>, pattern: &Pattern) {
        if pattern.has_lookaround() {
            let message = "a pattern with look-around is matched with a step limit; a value that reaches it is refused";
            let problem = Problem::new(codes::PATTERN_LOOK_AROUND, draft.at("pattern"), message);
            self.report(problem.label("look-around").help("write it without `(?=`, `(?!`, `(?<=` and `(?<!`"));
        }
        if self.warns && pattern.may_blow_up() {
            let message = "a JavaScript engine may take exponential time on this pattern";
            let problem = Problem::new(codes::PATTERN_BACKTRACKS, draft.at("pattern"), message);
            self.report(problem.label("may backtrack").help(
                "let no two parts next to or inside each other match the same text, or bound it with `maxLength`",
            ));
        }
    }
}

/// Whether a value nests no deeper than a value of a schema may.
pub(crate) fn depth_is_within_limit(value: &Json) -> bool {
    depth_is_within(value, 0)
}

/// Stops at the limit, so it is safe on any depth.
fn depth_is_within(value: &Json, depth: usize) -> bool {
    match value {
        Json::Array(items) => depth < MAX_VALUE_DEPTH && items.iter().all(|item| depth_is_within(item, depth + 1)),
        Json::Object(members) => {
            depth < MAX_VALUE_DEPTH && members.iter().all(|(_, member)| depth_is_within(member, depth + 1))
        }
        _ => true,
    }
}
