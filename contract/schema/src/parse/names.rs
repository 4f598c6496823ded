//! `propertyNames`, whose value is not a schema of its own: it has assertions about strings only.

use capgen_diagnostic::Applicability;

use super::{Draft, Loader, advice, table, value};
use crate::{Annotations, Assertions, Json, Problem, Type, codes};

impl Loader {
    /// The assertions of `propertyNames`, if it asserts something.
    pub(super) fn property_names(&mut self, draft: &Draft<'_>, value: &Json) -> Option<Box<Assertions>> {
        let pointer = draft.at("propertyNames");
        let Some(object) = value.as_object() else {
            let message = format!("`propertyNames` must be an object, not {}", value::with_article(value));
            let problem = Problem::new(codes::PROPERTY_NAMES, pointer, message).label("expected an object");
            let problem = match value {
                Json::Bool(true) => problem.fix_removal(Applicability::Certain),
                _ => problem,
            };
            self.report(problem.help(match value {
                Json::Bool(true) => "remove it: it allows every name",
                Json::Bool(false) => "write `additionalProperties: false` to allow no property",
                _ => ADVICE,
            }));
            return None;
        };
        let assertions = Assertions::default();
        let mut names =
            Draft { object, pointer, depth: draft.depth + 1, assertions, annotations: Annotations::default() };
        for (keyword, value) in object {
            match table::is_about_names(keyword) {
                true => self.keyword(&mut names, keyword, value),
                false => self.not_about_names(&names, keyword),
            }
        }
        if names.assertions.types.take().is_some_and(|types| !types.contains(Type::String)) {
            let message = "the name of a property is always a string, so no name has this `type`";
            let problem = Problem::new(codes::PROPERTY_NAMES, names.at("type"), message).label("not `string`");
            self.report(problem.help("remove it, or write the form of the names as a `pattern`"));
        }
        // The least length of a text is zero.
        names.assertions.min_length = names.assertions.min_length.filter(|limit| *limit > 0);
        (!names.assertions.is_empty()).then(|| Box::new(names.assertions))
    }

    fn not_about_names(&mut self, names: &Draft<'_>, keyword: &str) {
        let help = match keyword {
            "enum" | "const" => "list the names in `properties`, and write `additionalProperties: false`",
            "allOf" => "write the `allOf` around it: several objects, each with a `propertyNames`",
            "$ref" => "copy the assertions of the definition",
            "anyOf" | "oneOf" => "write one `pattern` with alternatives: `^(a|b)$`",
            "not" => "write a `pattern` with a negative look-ahead: `^(?!...)`",
            "default" | "examples" | "deprecated" | "readOnly" | "writeOnly" => {
                "remove it, or write it in `description`"
            }
            known if table::keywords().any(|name| name == known) => ADVICE,
            unknown => {
                // The value does not matter: no suggestion is about properties.
                let problem = advice::unknown_keyword(names.object, unknown, &Json::Null, names.at(unknown));
                return self.report(problem);
            }
        };
        let message = format!("`{keyword}` is not allowed in `propertyNames`");
        let problem = Problem::new(codes::PROPERTY_NAMES, names.at(keyword), message).at_key();
        self.report(problem.label("not an assertion about names").help(help));
    }
}

const ADVICE: &str = "write an object with `pattern`, `minLength`, `maxLength` or `format`";
