//! Hand-written functions that files contain if they need them.
//!
//! Their texts are TypeScript in which `«` and `»` enclose types, which JavaScript leaves out. A helper is the same in every
//! file: a bundle of several files then compresses to little more than one of them.

use std::collections::BTreeSet;

macro_rules! helpers {
    ($($variant:ident $name:literal $file:literal [$($needed:ident),*]),* $(,)?) => {
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

            /// The helpers that its text uses.
            fn needs(self) -> &'static [Helper] {
                match self { $(Helper::$variant => &[$(Helper::$needed),*]),* }
            }
        }
    };
}

// Name of the helper, name in TypeScript, file, [other helpers that it needs].
helpers! {
    Parse "parse" "parse" [Shallow, IsDict],
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

impl Helper {
    /// Some helpers and those that they need, directly or through others.
    pub(super) fn with_needed(helpers: impl Iterator<Item = Helper>) -> BTreeSet<Helper> {
        let mut needed = BTreeSet::new();
        let mut open: Vec<Helper> = helpers.collect();
        while let Some(helper) = open.pop() {
            if needed.insert(helper) {
                open.extend(helper.needs());
            }
        }
        needed
    }

    /// Its lines in TypeScript or, without types, in JavaScript.
    pub(in crate::typescript) fn lines(self, is_typed: bool) -> Vec<String> {
        self.text().lines().map(|line| render(line, is_typed)).collect()
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

    fn code(helper: Helper) -> String {
        let is_comment =
            |line: &String| line.trim_start().starts_with(['/', '*']) && !line.trim_start().starts_with("/^");
        helper.lines(true).into_iter().filter(|line| !is_comment(line)).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn every_helper_declares_the_helpers_that_its_text_uses() {
        for helper in Helper::ALL {
            let text = code(*helper);
            let used = Helper::ALL.iter().filter(|other| *other != helper && uses(&text, other.name()));
            // The rules pass `among` and `repeated` to `parse`, which has variables of these names.
            let used =
                used.filter(|other| *helper != Helper::Parse || !matches!(other, Helper::Among | Helper::Repeated));
            let declared: BTreeSet<Helper> = helper.needs().iter().copied().collect();
            assert_eq!(used.copied().collect::<BTreeSet<_>>(), declared, "{helper:?}");
        }
    }
}
