//! The keywords of the subset: one `match` arm reads each keyword's value.

use capgen_diagnostic::Applicability;

use super::{Draft, Loader, advice, fixes, value};
use crate::{Format, Json, NodeId, Pattern, PatternErrorKind, Problem, Type, TypeSet, codes, pointer};

/// The most patterns of one object. Each name of a payload is compared with all of them; usual objects have one or two.
const MAX_PATTERNS: usize = 64;

/// The URI of the dialect that is read.
const DRAFT_07: &str = "http://json-schema.org/draft-07/schema#";

impl Loader {
    pub(super) fn keyword(&mut self, draft: &mut Draft<'_>, name: &str, value: &Json) {
        match name {
            "title" => draft.annotations.title = self.string(draft, name, value),
            "description" => draft.annotations.description = self.string(draft, name, value),
            "x-format" => self.unchecked_format(draft, value),
            "$comment" => drop(self.string(draft, name, value)),
            "$schema" => self.dialect(draft, value),
            "$id" => self.id(draft, value),
            "deprecated" => draft.annotations.deprecated = self.boolean(draft, name, value),
            "readOnly" => draft.annotations.read_only = self.boolean(draft, name, value),
            "writeOnly" => draft.annotations.write_only = self.boolean(draft, name, value),
            "default" => draft.annotations.default = self.any(draft, name, value),
            "examples" => draft.annotations.examples = self.values(draft, name, value).unwrap_or_default(),
            "definitions" => {
                let definitions = self.members(draft, name, value);
                // References are limited to the root's definitions, so only these are targets.
                if draft.depth == 0 {
                    self.definitions = definitions;
                } else {
                    self.lint_nested_definitions(draft, &definitions);
                }
            }
            _ => self.assertion(draft, name, value),
        }
    }

    pub(super) fn assertion(&mut self, draft: &mut Draft<'_>, name: &str, value: &Json) {
        match name {
            "type" => draft.assertions.types = self.types(draft, value),
            "enum" => {
                draft.assertions.enum_values = self.values(draft, name, value);
                self.lint_enum(draft, value);
            }
            "const" => draft.assertions.const_value = self.any(draft, name, value),
            "properties" => draft.assertions.properties = self.members(draft, name, value),
            "required" => draft.assertions.required = self.required(draft, value),
            "patternProperties" => self.pattern_properties(draft, value),
            "additionalProperties" => draft.assertions.additional_properties = Some(self.child(draft, name, value)),
            "propertyNames" => draft.assertions.property_names = self.property_names(draft, value),
            "minProperties" => draft.assertions.min_properties = self.length(draft, name, value),
            "maxProperties" => draft.assertions.max_properties = self.length(draft, name, value),
            "dependentRequired" | "dependencies" => self.dependent_required(draft, name, value),
            "items" if value.as_array().is_some() => {
                draft.assertions.tuple = self.branches(draft, name, value).unwrap_or_default();
            }
            "additionalItems" => self.additional_items(draft, value),
            "items" => draft.assertions.items = Some(self.child(draft, name, value)),
            "minimum" => draft.assertions.minimum = self.number(draft, name, value),
            "maximum" => draft.assertions.maximum = self.number(draft, name, value),
            "exclusiveMinimum" => draft.assertions.exclusive_minimum = self.number(draft, name, value),
            "exclusiveMaximum" => draft.assertions.exclusive_maximum = self.number(draft, name, value),
            "multipleOf" => draft.assertions.multiple_of = self.divisor(draft, name, value),
            "minLength" => draft.assertions.min_length = self.length(draft, name, value),
            "maxLength" => draft.assertions.max_length = self.length(draft, name, value),
            "minItems" => draft.assertions.min_items = self.length(draft, name, value),
            "maxItems" => draft.assertions.max_items = self.length(draft, name, value),
            "uniqueItems" => draft.assertions.unique_items = self.boolean(draft, name, value),
            "pattern" => self.pattern(draft, value),
            "format" => self.format(draft, value),
            "oneOf" => draft.assertions.one_of = self.branches(draft, name, value),
            "anyOf" => draft.assertions.any_of = self.branches(draft, name, value),
            "allOf" => draft.assertions.all_of = self.branches(draft, name, value),
            "not" => draft.assertions.not = Some(self.child(draft, name, value)),
            "contains" => draft.assertions.contains = Some(self.child(draft, name, value)),
            "if" | "then" | "else" => self.condition(draft, name, value),
            _ => {
                let problem = advice::unknown_keyword(draft.object, name, value, draft.at(name));
                self.report(problem);
            }
        }
    }

    fn dialect(&mut self, draft: &Draft<'_>, value: &Json) {
        let Some(uri) = self.string(draft, "$schema", value) else { return };
        let path = uri.strip_prefix("http://").or_else(|| uri.strip_prefix("https://")).unwrap_or(&uri);
        if path.strip_suffix('#').unwrap_or(path) != "json-schema.org/draft-07/schema" {
            // Other drafts share most keywords, but silently reading them as draft-07 could change an assertion.
            let message = format!(
                "`$schema` is {}, but only draft-07 is supported",
                value::quote(&capgen_diagnostic::public_url(&uri))
            );
            let problem = Problem::new(codes::OTHER_DIALECT, draft.at("$schema"), message);
            self.report(
                problem
                    .label("unsupported dialect")
                    .help("write `\"$schema\": \"http://json-schema.org/draft-07/schema#\"`, or remove it")
                    .rename(&uri, Some((DRAFT_07, Applicability::NeedsReview))),
            );
        }
    }

    fn id(&mut self, draft: &Draft<'_>, value: &Json) {
        if draft.depth > 0 {
            let message = "`$id` below the root would change the base URI of references";
            let problem = Problem::new(codes::NESTED_ID, draft.at("$id"), message);
            let problem = problem.at_key().label("not at the root").help("remove it; refer to `#/definitions/<name>`");
            self.report(problem.fix_removal(Applicability::NeedsReview));
        }
        self.string(draft, "$id", value);
    }

    fn types(&mut self, draft: &Draft<'_>, value: &Json) -> Option<TypeSet> {
        let at = draft.at("type");
        match value {
            Json::String(name) => self.type_name(at, name, &[]).map(|t| TypeSet::EMPTY.with(t)),
            // Draft-07 requires at least one name; a separate code, because the fix differs from that of a wrong type.
            Json::Array(names) if names.is_empty() => {
                let problem = Problem::new(codes::EMPTY_TYPE, at, "`type` is empty, so no value would be accepted");
                let problem = problem.label("no type").help("write at least one type, or remove `type`");
                self.report(problem.fix_removal(Applicability::NeedsReview));
                None
            }
            Json::Array(items) => {
                let names = self.names("type", &at, value)?;
                let types: Vec<Type> = names
                    .iter()
                    .filter_map(|(index, name)| self.type_name(pointer::join(&at, index), name, items))
                    .collect();
                Some(types.into_iter().collect())
            }
            other => {
                self.wrong_type("type", at, "the name of a type or an array of names", other);
                None
            }
        }
    }

    /// The type of a name, which may be one of several.
    fn type_name(&mut self, at: String, name: &str, siblings: &[Json]) -> Option<Type> {
        let known = Type::from_name(name);
        if known.is_none() {
            let problem = Problem::new(codes::UNKNOWN_TYPE, at, format!("unknown type {}", value::quote(name)));
            let advice = advice::unknown_type(name);
            let problem = problem.label("not a JSON Schema type").help(advice.help);
            let fixed = fixes::of_type(problem, name, advice.instead, siblings);
            self.report(fixed);
        }
        known
    }

    fn required(&mut self, draft: &Draft<'_>, value: &Json) -> Vec<String> {
        let names = self.names("required", &draft.at("required"), value).unwrap_or_default();
        names.into_iter().map(|(_, name)| name.to_owned()).collect()
    }

    fn format(&mut self, draft: &mut Draft<'_>, value: &Json) {
        let Some(name) = self.string(draft, "format", value) else { return };
        draft.assertions.format = Format::from_name(&name);
        if draft.assertions.format.is_none() {
            let message = format!("format {} is not part of the schema subset", value::quote(&name));
            let problem = Problem::new(codes::UNKNOWN_FORMAT, draft.at("format"), message);
            let advice = advice::unknown_format(&name);
            let problem = problem.label("not enforced").help(advice.help);
            self.report(fixes::of_format(problem, draft.object, &name, advice.instead));
        }
    }

    /// `x-format`. Exports write it as `format`, of which a schema has only one.
    fn unchecked_format(&mut self, draft: &mut Draft<'_>, value: &Json) {
        draft.annotations.x_format = self.string(draft, "x-format", value);
        if draft.object.get("format").is_some() {
            let message = "`x-format` is next to `format`, but a value has one format";
            let problem = Problem::new(codes::TWO_FORMATS, draft.at("x-format"), message).at_key();
            self.report(problem.label("a second format").help("remove one of them; only `format` is checked"));
        }
    }

    fn pattern(&mut self, draft: &mut Draft<'_>, value: &Json) {
        let Some(source) = self.string(draft, "pattern", value) else { return };
        let at = draft.at("pattern");
        draft.assertions.pattern = self.checked_pattern(&source, &at);
    }

    /// The pattern, whose problems and warnings are reported at a pointer.
    pub(super) fn checked_pattern(&mut self, source: &str, at: &str) -> Option<Pattern> {
        match self.patterns.get(source, || at.to_owned()) {
            Ok(pattern) => {
                self.lint_pattern(at, &pattern);
                Some(pattern)
            }
            Err(error) => {
                let (code, help) = match error.kind {
                    PatternErrorKind::Syntax => (
                        codes::PATTERN_SYNTAX,
                        "write it in the syntax of ECMA-262 with the `u` flag, where only syntax characters may be escaped",
                    ),
                    PatternErrorKind::BackReference => {
                        (codes::PATTERN_BACK_REFERENCE, "write it without `\\1` or `\\k<name>`")
                    }
                    PatternErrorKind::TooLarge => {
                        (codes::PATTERN_TOO_LARGE, "use smaller repetition counts, or check lengths with `maxLength`")
                    }
                    PatternErrorKind::Unsupported => {
                        (codes::PATTERN_UNSUPPORTED, "use another property, or a class such as `[a-z]`")
                    }
                };
                // Each kind has its own code and help, but the parser's message contains the position in the pattern.
                let message = format!("invalid pattern: {}", error.message);
                self.report(Problem::new(code, at.to_owned(), message).help(help));
                None
            }
        }
    }

    /// The subschemas of `patternProperties`.
    fn pattern_properties(&mut self, draft: &mut Draft<'_>, value: &Json) {
        let at = draft.at("patternProperties");
        let Some(object) = value.as_object() else {
            return self.wrong_type("patternProperties", at, "an object of schemas", value);
        };
        if object.len() > MAX_PATTERNS {
            let message = format!("`patternProperties` has more than {MAX_PATTERNS} patterns");
            let problem = Problem::new(codes::SCHEMA_TOO_LARGE, at, message).label("too many");
            return self.report(problem.help("write one pattern with alternatives for each schema: `^(a|b)`"));
        }
        for (source, schema) in object {
            let at = pointer::join(&at, source);
            let pattern = self.checked_pattern(source, &at);
            let id = self.load(schema, at, draft.depth + 1);
            draft.assertions.pattern_properties.extend(pattern.map(|pattern| (pattern, id)));
        }
    }

    /// The subschemas of `properties` or `definitions`.
    fn members(&mut self, draft: &Draft<'_>, keyword: &str, value: &Json) -> Vec<(String, NodeId)> {
        let at = draft.at(keyword);
        let Some(object) = value.as_object() else {
            self.wrong_type(keyword, at, "an object of schemas", value);
            return Vec::new();
        };
        object
            .iter()
            .map(|(name, schema)| (name.clone(), self.load(schema, pointer::join(&at, name), draft.depth + 1)))
            .collect()
    }

    /// The subschema of `additionalItems`, which has a meaning only beside a list in `items`.
    fn additional_items(&mut self, draft: &mut Draft<'_>, value: &Json) {
        let (help, is_ignored) = match draft.object.get("items") {
            Some(Json::Array(_)) => ("", false),
            Some(_) => ("remove it: `items` applies to all items", true),
            None => ("write `items`, whose schema applies to all items, or a list in `items` before it", true),
        };
        if is_ignored {
            let message = "`additionalItems` has no effect, because `items` is not a list of schemas";
            let problem = Problem::new(codes::UNKNOWN_KEYWORD, draft.at("additionalItems"), message);
            return self.report(problem.at_key().label("no list before it").help(help));
        }
        draft.assertions.additional_items = Some(self.child(draft, "additionalItems", value));
    }

    /// The subschema of `if`, `then` or `else`, of which `if` and one of the others need each other.
    fn condition(&mut self, draft: &mut Draft<'_>, name: &str, value: &Json) {
        let has = |name: &str| draft.object.get(name).is_some();
        let (message, label, help) = match name {
            "if" if !has("then") && !has("else") => (
                "`if` has no effect without `then` and `else`".to_owned(),
                "nothing depends on it",
                "write the schema of the values that match it in `then`, or remove it",
            ),
            "then" | "else" if !has("if") => (
                format!("`{name}` has no effect without `if`"),
                "no condition",
                "write the condition in `if`; to apply the schema to every value, write it in `allOf`",
            ),
            _ => {
                let id = Some(self.child(draft, name, value));
                match name {
                    "if" => draft.assertions.if_ = id,
                    "then" => draft.assertions.then = id,
                    _ => draft.assertions.else_ = id,
                }
                return;
            }
        };
        let problem = Problem::new(codes::UNKNOWN_KEYWORD, draft.at(name), message);
        self.report(problem.at_key().label(label).help(help));
    }

    /// The subschemas of `oneOf`, `anyOf`, `allOf`, or of a list in `items`.
    fn branches(&mut self, draft: &Draft<'_>, keyword: &str, value: &Json) -> Option<Vec<NodeId>> {
        let at = draft.at(keyword);
        let Some(items) = value.as_array() else {
            self.wrong_type(keyword, at, "an array of schemas", value);
            return None;
        };
        if items.is_empty() {
            let problem = Problem::new(codes::EMPTY_UNION, at, format!("`{keyword}` is empty"));
            let problem = problem.label("no schema").help("write at least one schema, or remove it");
            self.report(problem.fix_removal(Applicability::NeedsReview));
            return None;
        }
        let load = |(index, schema): (usize, &Json)| {
            self.load(schema, pointer::join(&at, &index.to_string()), draft.depth + 1)
        };
        Some(items.iter().enumerate().map(load).collect())
    }
}
