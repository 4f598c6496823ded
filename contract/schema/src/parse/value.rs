//! Keyword values other than schemas: strings, numbers, lengths, names and literal values.

use std::collections::HashSet;

use capgen_diagnostic::Applicability;

use super::{Draft, Loader, advice, fixes};
use crate::{Edit, Json, MAX_PAYLOAD_DEPTH, NodeId, Number, Pattern, Problem, Type, codes, pointer};

/// Levels of arrays and objects in a value; a scalar is at level 0. A value with more levels than payloads may have
/// equals no payload.
const MAX_VALUE_DEPTH: usize = MAX_PAYLOAD_DEPTH;

/// The most digits of `multipleOf`: a division takes time proportional to the digits of the number times those of the
/// divisor. Usual divisors have a few.
const MAX_DIVISOR_DIGITS: usize = 1000;

/// Messages quote at most this many characters of a text from the schema. The start identifies it, and the message
/// stays on a line or two.
const MAX_QUOTED: usize = 64;

/// `text` in quotes, truncated to [`MAX_QUOTED`] characters.
pub(crate) fn quote(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{:?}...", text.get(..end).unwrap_or_default()),
        None => format!("{text:?}"),
    }
}

/// The type of a value with its article, such as `an array`.
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
        self.report(wrong_type(keyword, at, expected, found));
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
            let mut problem = wrong_type(keyword, draft.at(keyword), "a number", value);
            if keyword.starts_with("exclusive") && *value == Json::Bool(true) {
                problem.fix = fixes::of_exclusive(keyword, &problem.pointer, draft.object);
            }
            self.report(problem);
        }
        number.cloned()
    }

    /// A number of code points or items. No value has `u64::MAX` of them, so a larger limit saturates.
    pub(super) fn length(&mut self, draft: &Draft<'_>, keyword: &str, value: &Json) -> Option<u64> {
        let number = self.number(draft, keyword, value)?;
        if number.is_negative() || !number.is_integer() {
            let message = format!("`{keyword}` must be a non-negative integer");
            let problem = Problem::new(codes::BAD_LENGTH, draft.at(keyword), message).label("expected 0, 1, 2, ...");
            let problem = problem.help(advice::length_limit(keyword, number.is_negative()));
            self.report(match number.is_negative() && keyword.starts_with("min") {
                true => problem.fix_removal(Applicability::Certain),
                false => problem,
            });
            return None;
        }
        Some(number.as_u64().unwrap_or(u64::MAX))
    }

    /// The value of `multipleOf`.
    pub(super) fn divisor(&mut self, draft: &Draft<'_>, keyword: &str, value: &Json) -> Option<Number> {
        let number = self.number(draft, keyword, value)?;
        if number.is_negative() || number == Number::ZERO {
            let message = format!("`{keyword}` must be greater than 0");
            let problem = Problem::new(codes::BAD_DIVISOR, draft.at(keyword), message).label("not positive");
            self.report(problem.help("write a positive number, or remove it").fix_removal(Applicability::NeedsReview));
            return None;
        }
        if number.parts().is_some_and(|(_, digits, _)| digits.len() > MAX_DIVISOR_DIGITS) {
            let message = format!("`{keyword}` has more than {MAX_DIVISOR_DIGITS} digits");
            self.report(Problem::new(codes::BAD_DIVISOR, draft.at(keyword), message).label("too long"));
            return None;
        }
        Some(number)
    }

    /// A JSON value, unless it is nested too deeply.
    pub(super) fn any(&mut self, draft: &Draft<'_>, keyword: &str, value: &Json) -> Option<Json> {
        if !self.is_shallow(draft, keyword, value) {
            return None;
        }
        Some(value.clone())
    }

    /// An array of JSON values.
    pub(super) fn values(&mut self, draft: &Draft<'_>, keyword: &str, value: &Json) -> Option<Vec<Json>> {
        let Some(items) = value.as_array() else {
            self.wrong_type(keyword, draft.at(keyword), "an array", value);
            return None;
        };
        // The keyword's own array is not part of any value, so it does not count as a level.
        let shallow = items.iter().all(|item| self.is_shallow(draft, keyword, item));
        shallow.then(|| items.to_vec())
    }

    fn is_shallow(&mut self, draft: &Draft<'_>, keyword: &str, value: &Json) -> bool {
        let shallow = depth_is_within(value, 0);
        if !shallow {
            let message = format!("a value in `{keyword}` is nested more than {MAX_VALUE_DEPTH} levels deep");
            self.report(Problem::new(codes::VALUE_TOO_DEEP, draft.at(keyword), message).label("too deep"));
        }
        shallow
    }

    /// An array of distinct strings, each with its index as a JSON Pointer token. Elements with errors are skipped.
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
                let message = format!("`{keyword}` must contain only strings, not {}", with_article(item));
                let problem = Problem::new(codes::WRONG_TYPE, pointer::join(at, &index), message).label("not a string");
                self.report(not_a_name(problem, keyword, item));
                continue;
            };
            if !seen.insert(name) {
                let message = format!("duplicate name {} in `{keyword}`", quote(name));
                let problem = Problem::new(codes::DUPLICATE_NAME, pointer::join(at, &index), message);
                let problem = problem.label("duplicate").help("remove one of them");
                self.report(problem.fix_removal(Applicability::Certain));
                continue;
            }
            names.push((index, name));
        }
        Some(names)
    }

    /// Warns about an `enum` that is empty or contains the same value twice (compared as JSON, so `1` equals `1.0`).
    pub(super) fn lint_enum(&mut self, draft: &Draft<'_>, value: &Json) {
        let Some(items) = value.as_array() else { return };
        if items.is_empty() {
            let problem =
                Problem::new(codes::ENUM_VALUES, draft.at("enum"), "`enum` is empty, so no value is accepted");
            return self.report(problem.label("no value"));
        }
        // Values that are nested too deeply have been reported; writing their canonical form would recurse as deep.
        if draft.assertions.enum_values.is_none() {
            return;
        }
        let mut seen = HashSet::new();
        for (index, item) in items.iter().enumerate() {
            if !seen.insert(item.canonical()) {
                let at = pointer::join(&draft.at("enum"), &index.to_string());
                let problem = Problem::new(codes::ENUM_VALUES, at, "duplicate value in `enum`");
                let problem = problem.label("duplicate").help("remove one of them");
                self.report(problem.fix_removal(Applicability::Certain));
            }
        }
    }

    /// Warns about definitions below the root, which no `$ref` can reach.
    pub(super) fn lint_nested_definitions(&mut self, draft: &Draft<'_>, definitions: &[(String, NodeId)]) {
        let at = draft.at("definitions");
        for (name, _) in definitions {
            let message = "this definition is never used: `$ref` can only point into the root's `definitions`";
            let problem = Problem::new(codes::UNUSED_DEFINITION, pointer::join(&at, name), message);
            let problem = problem.at_key().label("not referenced").help("move it to the root's `definitions`");
            self.report(problem.fix_removal(Applicability::NeedsReview));
        }
    }

    /// Warns about patterns that an engine cannot match in linear time.
    pub(super) fn lint_pattern(&mut self, at: &str, pattern: &Pattern) {
        if pattern.has_lookaround() {
            let message =
                "a pattern with look-around runs with a step limit; a value that reaches the limit is rejected";
            let problem = Problem::new(codes::PATTERN_LOOK_AROUND, at.to_owned(), message);
            self.report(problem.label("look-around").help("write it without `(?=`, `(?!`, `(?<=` and `(?<!`"));
        }
        if let Some((inner, flags)) = between_slashes(pattern.source()) {
            let message = "the slashes around this pattern are a part of it: the value must contain them";
            let problem = Problem::new(codes::PATTERN_SLASHES, at.to_owned(), message);
            let problem = problem.label("slashes").help(format!("remove the slashes: write {}", quote(inner)));
            // Without its flags a pattern may match other texts.
            let applicability = if flags.is_empty() { Applicability::Certain } else { Applicability::NeedsReview };
            self.report(problem.fix_value(applicability, Json::String(inner.to_owned())));
        }
        // The analysis takes milliseconds, far longer than loading a typical schema.
        if self.warns && self.patterns.may_blow_up(pattern) {
            let message = "a JavaScript engine may take exponential time to match this pattern";
            let problem = Problem::new(codes::PATTERN_BACKTRACKS, at.to_owned(), message);
            self.report(
                problem
                    .label("may backtrack")
                    .help("rewrite it so that adjacent or nested repetitions cannot match the same text"),
            );
        }
    }
}

fn wrong_type(keyword: &str, at: String, expected: &str, found: &Json) -> Problem {
    let message = format!("`{keyword}` must be {expected}, not {}", with_article(found));
    let mut problem = Problem::new(codes::WRONG_TYPE, at, message).label(format!("expected {expected}"));
    problem.help = advice::wrong_type(keyword, found);
    problem.fix = fixes::of_wrong_type(keyword, &problem.pointer, found);
    problem
}

/// Help for an element of a list of names that is not a string.
fn not_a_name(problem: Problem, keyword: &str, item: &Json) -> Problem {
    match item {
        // In YAML, null without quotes is not a string.
        Json::Null if keyword == "type" => {
            let name = Json::String(Type::Null.name().to_owned());
            problem.help("write \"null\" in quotes").fix_value(Applicability::Certain, name)
        }
        Json::Number(_) | Json::Bool(_) if keyword != "type" => {
            let edit = Edit::Quote { pointer: problem.pointer.clone() };
            problem.help("put the name in quotes").fix(Applicability::Certain, vec![edit])
        }
        Json::Null if keyword != "type" => problem.help("write a name, or remove the element"),
        _ => problem,
    }
}

/// The pattern between the slashes of a JavaScript literal such as `/^a$/i`, and its flags. Only a slash outside of an
/// anchor counts: no text is before the start of a value or after its end, so it is a mistake.
fn between_slashes(pattern: &str) -> Option<(&str, &str)> {
    let (inner, flags) = pattern.strip_prefix('/')?.rsplit_once('/')?;
    let has_end = inner.ends_with('$') && !inner.ends_with("\\$");
    (flags.chars().all(|c| "dgimsuvy".contains(c)) && (inner.starts_with('^') || has_end)).then_some((inner, flags))
}

/// Whether a value is within the nesting limit of values in schemas, 128 levels.
pub(crate) fn depth_is_within_limit(value: &Json) -> bool {
    depth_is_within(value, 0)
}

/// The recursion stops at the limit, so a value of any depth is safe.
fn depth_is_within(value: &Json, depth: usize) -> bool {
    match value {
        Json::Array(items) => depth < MAX_VALUE_DEPTH && items.iter().all(|item| depth_is_within(item, depth + 1)),
        Json::Object(members) => {
            depth < MAX_VALUE_DEPTH && members.iter().all(|(_, member)| depth_is_within(member, depth + 1))
        }
        _ => true,
    }
}
