//! Functions that files bring along where they need them.
//!
//! Their texts are TypeScript in which `«` and `»` enclose what JavaScript has not, and interfaces and type aliases stand in
//! paragraphs of their own. Lines between `// <anyOf|oneOf>` and `// </>` are there where a schema has such a keyword.

use std::collections::BTreeSet;

/// A helper; in the order in which a file has them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Helper {
    Types,
    Collect,
    Fail,
    Shallow,
    Plain,
    Own,
    HasSize,
    HasOnly,
    Members,
    CodePoints,
    Distinct,
    Repeated,
    AnyEqual,
    Equal,
    Canonical,
    Decimal,
    Uuid,
    DateTime,
    Email,
    Uri,
    UriReference,
    Ipv6,
}

impl Helper {
    /// Every helper.
    pub(super) const ALL: [Helper; 22] = [
        Helper::Types,
        Helper::Collect,
        Helper::Fail,
        Helper::Shallow,
        Helper::Plain,
        Helper::Own,
        Helper::HasSize,
        Helper::HasOnly,
        Helper::Members,
        Helper::CodePoints,
        Helper::Distinct,
        Helper::Repeated,
        Helper::AnyEqual,
        Helper::Equal,
        Helper::Canonical,
        Helper::Decimal,
        Helper::Uuid,
        Helper::DateTime,
        Helper::Email,
        Helper::Uri,
        Helper::UriReference,
        Helper::Ipv6,
    ];

    /// The name of what it gives.
    pub(super) fn name(self) -> &'static str {
        match self {
            Helper::Types => "Json",
            Helper::Collect => "collect",
            Helper::Fail => "fail",
            Helper::Shallow => "shallow",
            Helper::Plain => "plain",
            Helper::Own => "own",
            Helper::HasSize => "hasSize",
            Helper::HasOnly => "hasOnly",
            Helper::Members => "members",
            Helper::CodePoints => "codePoints",
            Helper::Distinct => "distinct",
            Helper::Repeated => "repeated",
            Helper::AnyEqual => "anyEqual",
            Helper::Equal => "equal",
            Helper::Canonical => "canonical",
            Helper::Decimal => "decimal",
            Helper::Uuid => "formatUuid",
            Helper::DateTime => "formatDateTime",
            Helper::Email => "formatEmail",
            Helper::Uri => "formatUri",
            Helper::UriReference => "formatUriReference",
            Helper::Ipv6 => "ipv6",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Helper::Types => include_str!("helpers/types.ts"),
            Helper::Collect => include_str!("helpers/collect.ts"),
            Helper::Fail => include_str!("helpers/fail.ts"),
            Helper::Shallow => include_str!("helpers/shallow.ts"),
            Helper::Plain => include_str!("helpers/plain.ts"),
            Helper::Own => include_str!("helpers/own.ts"),
            Helper::HasSize => include_str!("helpers/has_size.ts"),
            Helper::HasOnly => include_str!("helpers/has_only.ts"),
            Helper::Members => include_str!("helpers/members.ts"),
            Helper::CodePoints => include_str!("helpers/code_points.ts"),
            Helper::Distinct => include_str!("helpers/distinct.ts"),
            Helper::Repeated => include_str!("helpers/repeated.ts"),
            Helper::AnyEqual => include_str!("helpers/any_equal.ts"),
            Helper::Equal => include_str!("helpers/equal.ts"),
            Helper::Canonical => include_str!("helpers/canonical.ts"),
            Helper::Decimal => include_str!("helpers/decimal.ts"),
            Helper::Uuid => include_str!("helpers/uuid.ts"),
            Helper::DateTime => include_str!("helpers/date_time.ts"),
            Helper::Email => include_str!("helpers/email.ts"),
            Helper::Uri => include_str!("helpers/uri.ts"),
            Helper::UriReference => include_str!("helpers/uri_reference.ts"),
            Helper::Ipv6 => include_str!("helpers/ipv6.ts"),
        }
    }

    fn needs(self) -> &'static [Helper] {
        match self {
            Helper::Collect => &[Helper::Types, Helper::Shallow, Helper::Plain, Helper::Members],
            Helper::HasSize | Helper::HasOnly => &[Helper::Members],
            Helper::Distinct => &[Helper::Repeated],
            Helper::Repeated => &[Helper::Canonical],
            Helper::AnyEqual => &[Helper::Equal],
            Helper::Equal => &[Helper::HasSize, Helper::Plain],
            Helper::Canonical => &[Helper::Decimal],
            Helper::Email | Helper::UriReference => &[Helper::Ipv6],
            Helper::Uri => &[Helper::UriReference],
            _ => &[],
        }
    }
}

/// Adds a helper and what it needs.
pub(super) fn add(helpers: &mut BTreeSet<Helper>, helper: Helper) {
    if helpers.insert(helper) {
        helper.needs().iter().for_each(|need| add(helpers, *need));
    }
}

/// What the collector needs where these keywords are used.
const ON_DEMAND: [(Helper, &[&str]); 7] = [
    (Helper::Own, &["required", "anyOf", "oneOf"]),
    (Helper::CodePoints, &["minLength", "maxLength"]),
    (Helper::Repeated, &["uniqueItems"]),
    (Helper::AnyEqual, &["enum"]),
    (Helper::Equal, &["const", "anyOf", "oneOf"]),
    (Helper::Decimal, &["minLength", "maxLength", "minItems", "maxItems"]),
    (
        Helper::Canonical,
        &[
            "enum",
            "const",
            "anyOf",
            "oneOf",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "minLength",
            "maxLength",
            "pattern",
            "format",
        ],
    ),
];

/// Adds the collector of violations for schemas with these keywords.
pub(super) fn add_collector(helpers: &mut BTreeSet<Helper>, keywords: &BTreeSet<&str>) {
    add(helpers, Helper::Collect);
    for (helper, on) in ON_DEMAND {
        if on.iter().any(|keyword| keywords.contains(keyword)) {
            add(helpers, helper);
        }
    }
}

/// The texts of helpers.
pub(super) fn print(helpers: &BTreeSet<Helper>, keywords: &BTreeSet<&str>, is_typed: bool) -> String {
    let texts = helpers.iter().map(|helper| render(&select(helper.text(), keywords), is_typed));
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    texts.join("\n")
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
    let is_code = |paragraph: &&str| {
        let first = paragraph.lines().find(|line| !line.starts_with("/**")).unwrap_or_default();
        !first.starts_with("type ") && !first.starts_with("interface ")
    };
    plain.split("\n\n").filter(is_code).collect::<Vec<_>>().join("\n\n")
}
