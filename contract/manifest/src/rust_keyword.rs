//! The keywords of Rust, for names and paths in generated code.

/// Whether and how a keyword of Rust can be an identifier.
///
/// ```
/// use capgen_manifest::RustKeyword;
/// assert_eq!(RustKeyword::of("type"), Some(RustKeyword::Raw));
/// assert_eq!(RustKeyword::of("self"), Some(RustKeyword::NeverRaw));
/// assert_eq!(RustKeyword::of("kind"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RustKeyword {
    /// As a raw identifier, such as `r#type`.
    Raw,
    /// In no form and in no edition.
    NeverRaw,
}

/// Keywords that cannot be raw identifiers in any edition.
const NEVER_RAW: [&str; 4] = ["Self", "crate", "self", "super"];

/// Words that are keywords, or reserved, in edition 2021 or 2024: generated code compiles in both.
const RAW: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

impl RustKeyword {
    /// The keyword with this text; `None` if the text is not a keyword in edition 2021 or 2024.
    pub fn of(word: &str) -> Option<Self> {
        if NEVER_RAW.contains(&word) { Some(Self::NeverRaw) } else { RAW.contains(&word).then_some(Self::Raw) }
    }
}
