//! Hand-written functions that files contain if they need them.
//!
//! Their texts are TypeScript in which `«` and `»` enclose types, which JavaScript leaves out. Lines between
//! `// <anyOf|oneOf>` and `// </>` are only in files that have such a [`Feature`].

use std::collections::BTreeSet;

macro_rules! helpers {
    ($($variant:ident $name:literal $file:literal [$($needed:ident $($feature:ident)*),*]),* $(,)?) => {
        /// A helper; in the order in which a file has them.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(in crate::typescript) enum Helper { $($variant),* }

        impl Helper {
            #[cfg(test)]
            const ALL: &[Helper] = &[$(Helper::$variant),*];

            /// The name that it declares.
            pub(in crate::typescript) fn name(self) -> &'static str {
                match self { $(Helper::$variant => $name),* }
            }

            fn text(self) -> &'static str {
                match self { $(Helper::$variant => include_str!(concat!("helpers/", $file, ".ts"))),* }
            }

            /// The helpers that its text uses, each with the features of which one must be there; always if it has none.
            fn needs(self) -> &'static [(Helper, &'static [Feature])] {
                match self { $(Helper::$variant => &[$((Helper::$needed, &[$(Feature::$feature),*])),*]),* }
            }
        }
    };
}

// Name of the helper, name in TypeScript, file, [other helpers that it needs, for these features].
helpers! {
    Parse "parse" "parse" [
        Shallow, IsDict, CodePoints MinLength MaxLength, Repeated UniqueItems, Among Structured
    ],
    Assert "assert" "assert" [],
    Shallow "shallow" "shallow" [],
    IsDict "isDict" "is_dict" [],
    Own "own" "own" [],
    Sized "sized" "sized" [Shallow],
    HasOnly "hasOnly" "has_only" [],
    Spans "spans" "spans" [CodePoints],
    CodePoints "codePoints" "code_points" [],
    Repeated "repeated" "repeated" [Canonical],
    Among "among" "among" [Canonical],
    Canonical "canonical" "canonical" [IsDict],
    UuidForm "uuidForm" "uuid_form" [],
    Uuid "isUuid" "uuid" [UuidForm],
    DateTimeForm "dateTimeForm" "date_time_form" [],
    DateTime "isDateTime" "date_time" [DateTimeForm],
    EmailForm "emailForm" "email_form" [],
    Email "isEmail" "email" [EmailForm, IsIpv6],
    Uri "isUri" "uri" [UriReference],
    UriReferenceForm "uriReferenceForm" "uri_reference_form" [],
    UriReference "isUriReference" "uri_reference" [UriReferenceForm, IsIpv6],
    IsIpv6 "isIpv6" "ipv6" [],
}

macro_rules! features {
    ($($variant:ident $name:literal),* $(,)?) => {
        /// What the schemas of a file use, as far as helpers have a part for it.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(in crate::typescript) enum Feature { $($variant),* }

        impl Feature {
            #[cfg(test)]
            const ALL: &[Feature] = &[$(Feature::$variant),*];

            /// Its name in the texts of helpers.
            fn name(self) -> &'static str {
                match self { $(Feature::$variant => $name),* }
            }
        }
    };
}

features! {
    Nothing "false",
    Enum "enum",
    Const "const",
    Minimum "minimum",
    Maximum "maximum",
    ExclusiveMinimum "exclusiveMinimum",
    ExclusiveMaximum "exclusiveMaximum",
    MinLength "minLength",
    MaxLength "maxLength",
    Pattern "pattern",
    Format "format",
    MinItems "minItems",
    MaxItems "maxItems",
    UniqueItems "uniqueItems",
    AnyOf "anyOf",
    OneOf "oneOf",
    Not "not",
    // Arrays and objects in `enum` and `const`.
    Structured "structured",
    // Definitions that one place can reach more than once.
    Shared "shared",
}

impl Helper {
    /// Some helpers and those that they need, directly or through others.
    pub(super) fn with_needed(helpers: impl Iterator<Item = Helper>, features: &BTreeSet<Feature>) -> BTreeSet<Helper> {
        let mut needed = BTreeSet::new();
        let mut open: Vec<Helper> = helpers.collect();
        while let Some(helper) = open.pop() {
            if needed.insert(helper) {
                let is_there = |of: &[Feature]| of.is_empty() || of.iter().any(|feature| features.contains(feature));
                open.extend(helper.needs().iter().filter(|(_, of)| is_there(of)).map(|(helper, _)| *helper));
            }
        }
        needed
    }

    /// Its lines in TypeScript or, without types, in JavaScript, with the parts for these features.
    pub(in crate::typescript) fn lines(self, features: &BTreeSet<Feature>, is_typed: bool) -> Vec<String> {
        let mut lines = Vec::new();
        let mut open: Vec<bool> = Vec::new();
        for line in self.text().lines() {
            match line.trim_start().strip_prefix("// <").and_then(|line| line.strip_suffix('>')) {
                Some("/") => drop(open.pop()),
                Some(names) => {
                    let is_named = |feature: &Feature| names.split('|').any(|name| name == feature.name());
                    open.push(features.iter().any(is_named));
                }
                None if open.iter().all(|is_selected| *is_selected) => lines.push(line.to_owned()),
                None => {}
            }
        }
        lines.iter().map(|line| render(line, is_typed)).collect()
    }
}

/// A line with or without the parts in `«` and `»`.
fn render(line: &str, is_typed: bool) -> String {
    if is_typed {
        return line.replace(['«', '»'], "");
    }
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('«') {
        plain.push_str(before);
        rest = after.split_once('»').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a text uses a name. Helpers are not named in comments, strings or as properties of other objects.
    fn uses(text: &str, name: &str) -> bool {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
        text.split(|c: char| !is_part(c)).any(|word| word.trim_start_matches("...").split('.').next() == Some(name))
    }

    fn code(helper: Helper, features: &BTreeSet<Feature>) -> String {
        let lines = helper.lines(features, true);
        let is_comment =
            |line: &String| line.trim_start().starts_with(['/', '*']) && !line.trim_start().starts_with("/^");
        lines.into_iter().filter(|line| !is_comment(line)).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn every_helper_declares_the_helpers_that_its_text_uses() {
        let none = BTreeSet::new();
        let single = Feature::ALL.iter().map(|feature| BTreeSet::from([*feature]));
        let all: BTreeSet<Feature> = Feature::ALL.iter().copied().collect();
        let with_structured =
            [Feature::Enum, Feature::Const].map(|feature| BTreeSet::from([feature, Feature::Structured]));
        for features in [none, all].into_iter().chain(single).chain(with_structured) {
            // Without a list of values there is nothing structured in it.
            if features.len() == 1 && features.contains(&Feature::Structured) {
                continue;
            }
            for helper in Helper::ALL {
                let text = code(*helper, &features);
                let used = Helper::ALL.iter().filter(|other| *other != helper && uses(&text, other.name()));
                let declared =
                    helper.needs().iter().filter(|(_, of)| of.is_empty() || of.iter().any(|f| features.contains(f)));
                let declared: BTreeSet<Helper> = declared.map(|(helper, _)| *helper).collect();
                assert_eq!(used.copied().collect::<BTreeSet<_>>(), declared, "{helper:?} with {features:?}");
            }
        }
    }

    #[test]
    fn every_part_is_for_a_feature() {
        for line in Helper::ALL.iter().flat_map(|helper| helper.text().lines()) {
            if let Some(names) = line.trim_start().strip_prefix("// <").and_then(|line| line.strip_suffix('>')) {
                for name in names.split('|').filter(|name| *name != "/") {
                    assert!(Feature::ALL.iter().any(|feature| feature.name() == name), "{name}");
                }
            }
        }
    }
}
