//! Unicode properties by their names in ECMA-262: tables 69 to 71 of section 22.2.2.9.
//!
//! The sets are those of the crate `regex-syntax` (Unicode 16). That crate matches names loosely, and some short names
//! have a different meaning there, so it is only queried with long names that include the property.

use regex_syntax::hir::{Class, ClassUnicode, HirKind};

use super::parse::set_of;
use super::scripts::SCRIPTS;

/// The reason why there is no set for a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unknown {
    /// The name is not a property in ECMA-262.
    Name,
    /// The property is valid, but `regex-syntax` has no table for it.
    Table,
}

/// The set for `text`, the content of the braces in `\p{…}`.
pub(super) fn lookup(text: &str) -> Result<ClassUnicode, Unknown> {
    if let Some((name, value)) = text.split_once('=') {
        return match name {
            "General_Category" | "gc" => category(value).ok_or(Unknown::Name)?,
            "Script" | "sc" => script("sc", value),
            "Script_Extensions" | "scx" => script("scx", value),
            _ => Err(Unknown::Name),
        };
    }
    match category(text) {
        Some(set) => set,
        None => binary(text),
    }
}

/// Whether `c` is allowed in the name of a group (`RegExpIdentifierName`), at its start or after it.
pub(super) fn may_be_in_name(c: char, at_start: bool) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic() || matches!(c, '$' | '_') || (c.is_ascii_digit() && !at_start);
    }
    if matches!(c, '\u{200c}' | '\u{200d}') {
        return !at_start;
    }
    let set = table(if at_start { "ID_Start" } else { "ID_Continue" });
    set.is_ok_and(|set| set.ranges().iter().any(|range| (range.start()..=range.end()).contains(&c)))
}

fn category(name: &str) -> Option<Result<ClassUnicode, Unknown>> {
    let names = CATEGORIES.iter().find(|names| names.contains(&name))?;
    let long = names.first()?;
    // A Rust string contains no surrogates.
    Some(if *long == "Surrogate" { Ok(ClassUnicode::empty()) } else { table(&format!("gc={long}")) })
}

fn script(property: &str, name: &str) -> Result<ClassUnicode, Unknown> {
    let names = SCRIPTS.iter().find(|names| names.contains(&name)).ok_or(Unknown::Name)?;
    table(&format!("{property}={}", names.first().ok_or(Unknown::Table)?))
}

fn binary(name: &str) -> Result<ClassUnicode, Unknown> {
    let names = BINARY.iter().find(|names| names.contains(&name)).ok_or(Unknown::Name)?;
    match names.first() {
        Some(&"Any") => Ok(set_of(&[('\0', char::MAX)])),
        Some(&"ASCII") => Ok(set_of(&[('\0', '\x7f')])),
        Some(&"Assigned") => {
            let mut set = table("gc=Unassigned")?;
            set.negate();
            Ok(set)
        }
        Some(long) => table(long),
        None => Err(Unknown::Table),
    }
}

fn table(name: &str) -> Result<ClassUnicode, Unknown> {
    let hir = regex_syntax::parse(&format!("\\p{{{name}}}")).map_err(|_| Unknown::Table)?;
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(set)) => Ok(set),
        // `regex-syntax` turns a set of one character into a literal.
        HirKind::Literal(literal) => {
            let mut chars = std::str::from_utf8(&literal.0).map_err(|_| Unknown::Table)?.chars();
            chars.next().map(|c| set_of(&[(c, c)])).ok_or(Unknown::Table)
        }
        _ => Err(Unknown::Table),
    }
}

/// Values of General_Category: the long name first, then its aliases.
const CATEGORIES: &[&[&str]] = &[
    &["Cased_Letter", "LC"],
    &["Close_Punctuation", "Pe"],
    &["Connector_Punctuation", "Pc"],
    &["Control", "Cc", "cntrl"],
    &["Currency_Symbol", "Sc"],
    &["Dash_Punctuation", "Pd"],
    &["Decimal_Number", "Nd", "digit"],
    &["Enclosing_Mark", "Me"],
    &["Final_Punctuation", "Pf"],
    &["Format", "Cf"],
    &["Initial_Punctuation", "Pi"],
    &["Letter", "L"],
    &["Letter_Number", "Nl"],
    &["Line_Separator", "Zl"],
    &["Lowercase_Letter", "Ll"],
    &["Mark", "M", "Combining_Mark"],
    &["Math_Symbol", "Sm"],
    &["Modifier_Letter", "Lm"],
    &["Modifier_Symbol", "Sk"],
    &["Nonspacing_Mark", "Mn"],
    &["Number", "N"],
    &["Open_Punctuation", "Ps"],
    &["Other", "C"],
    &["Other_Letter", "Lo"],
    &["Other_Number", "No"],
    &["Other_Punctuation", "Po"],
    &["Other_Symbol", "So"],
    &["Paragraph_Separator", "Zp"],
    &["Private_Use", "Co"],
    &["Punctuation", "P", "punct"],
    &["Separator", "Z"],
    &["Space_Separator", "Zs"],
    &["Spacing_Mark", "Mc"],
    &["Surrogate", "Cs"],
    &["Symbol", "S"],
    &["Titlecase_Letter", "Lt"],
    &["Unassigned", "Cn"],
    &["Uppercase_Letter", "Lu"],
];

/// Binary properties: the long name first, then its aliases.
const BINARY: &[&[&str]] = &[
    &["ASCII"],
    &["ASCII_Hex_Digit", "AHex"],
    &["Alphabetic", "Alpha"],
    &["Any"],
    &["Assigned"],
    &["Bidi_Control", "Bidi_C"],
    &["Bidi_Mirrored", "Bidi_M"],
    &["Case_Ignorable", "CI"],
    &["Cased"],
    &["Changes_When_Casefolded", "CWCF"],
    &["Changes_When_Casemapped", "CWCM"],
    &["Changes_When_Lowercased", "CWL"],
    &["Changes_When_NFKC_Casefolded", "CWKCF"],
    &["Changes_When_Titlecased", "CWT"],
    &["Changes_When_Uppercased", "CWU"],
    &["Dash"],
    &["Default_Ignorable_Code_Point", "DI"],
    &["Deprecated", "Dep"],
    &["Diacritic", "Dia"],
    &["Emoji"],
    &["Emoji_Component", "EComp"],
    &["Emoji_Modifier", "EMod"],
    &["Emoji_Modifier_Base", "EBase"],
    &["Emoji_Presentation", "EPres"],
    &["Extended_Pictographic", "ExtPict"],
    &["Extender", "Ext"],
    &["Grapheme_Base", "Gr_Base"],
    &["Grapheme_Extend", "Gr_Ext"],
    &["Hex_Digit", "Hex"],
    &["IDS_Binary_Operator", "IDSB"],
    &["IDS_Trinary_Operator", "IDST"],
    &["ID_Continue", "IDC"],
    &["ID_Start", "IDS"],
    &["Ideographic", "Ideo"],
    &["Join_Control", "Join_C"],
    &["Logical_Order_Exception", "LOE"],
    &["Lowercase", "Lower"],
    &["Math"],
    &["Noncharacter_Code_Point", "NChar"],
    &["Pattern_Syntax", "Pat_Syn"],
    &["Pattern_White_Space", "Pat_WS"],
    &["Quotation_Mark", "QMark"],
    &["Radical"],
    &["Regional_Indicator", "RI"],
    &["Sentence_Terminal", "STerm"],
    &["Soft_Dotted", "SD"],
    &["Terminal_Punctuation", "Term"],
    &["Unified_Ideograph", "UIdeo"],
    &["Uppercase", "Upper"],
    &["Variation_Selector", "VS"],
    &["White_Space", "space"],
    &["XID_Continue", "XIDC"],
    &["XID_Start", "XIDS"],
];
