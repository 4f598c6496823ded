//! Functions that files bring along where they need them.
//!
//! Their texts are TypeScript in which `«` and `»` enclose what JavaScript has not. Lines between `// <anyOf|oneOf>` and
//! `// </>` are there where a schema has such a keyword.

use std::collections::BTreeSet;

macro_rules! helpers {
    ($($variant:ident $name:literal $file:literal),* $(,)?) => {
        /// A helper; in the order in which a file has them.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(super) enum Helper { $($variant),* }

        impl Helper {
            const ALL: &[Helper] = &[$(Helper::$variant),*];

            /// The name of what it gives.
            pub(super) fn name(self) -> &'static str {
                match self { $(Helper::$variant => $name),* }
            }

            fn text(self) -> &'static str {
                match self { $(Helper::$variant => include_str!(concat!("helpers/", $file, ".ts"))),* }
            }
        }
    };
}

helpers! {
    Parse "parse" "parse",
    Assert "assert" "assert",
    Shallow "shallow" "shallow",
    IsDict "isDict" "is_dict",
    Own "own" "own",
    Sized "sized" "sized",
    HasOnly "hasOnly" "has_only",
    Spans "spans" "spans",
    CodePoints "codePoints" "code_points",
    Repeated "repeated" "repeated",
    Among "among" "among",
    Canonical "canonical" "canonical",
    UuidForm "uuidForm" "uuid_form",
    Uuid "isUuid" "uuid",
    DateTimeForm "dateTimeForm" "date_time_form",
    DateTime "isDateTime" "date_time",
    EmailForm "emailForm" "email_form",
    Email "isEmail" "email",
    Uri "isUri" "uri",
    UriReferenceForm "uriReferenceForm" "uri_reference_form",
    UriReference "isUriReference" "uri_reference",
    IsIpv6 "isIpv6" "ipv6",
}

/// The text of every helper, for schemas with these keywords.
pub(super) fn texts(keywords: &BTreeSet<&str>, is_typed: bool) -> Vec<(Helper, String)> {
    Helper::ALL.iter().map(|helper| (*helper, render(&select(helper.text(), keywords), is_typed))).collect()
}

/// A text without the parts that are for other keywords: those between `// <minimum|maximum>` and `// </>`.
fn select(text: &str, keywords: &BTreeSet<&str>) -> String {
    let mut selected = String::with_capacity(text.len());
    let mut open: Vec<bool> = Vec::new();
    for line in text.lines() {
        match line.trim_start().strip_prefix("// <").and_then(|line| line.strip_suffix('>')) {
            Some("/") => drop(open.pop()),
            Some(names) => open.push(names.split('|').any(|name| keywords.contains(name))),
            None if open.iter().all(|is_selected| *is_selected) => {
                selected.push_str(line);
                selected.push('\n');
            }
            None => {}
        }
    }
    selected
}

fn render(text: &str, is_typed: bool) -> String {
    if is_typed {
        return text.replace(['«', '»'], "");
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('«') {
        plain.push_str(before);
        rest = after.split_once('»').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    plain
}
