//! The languages that code is generated in.

/// A language that code is generated in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Language {
    /// Rust, editions 2021 and 2024.
    Rust,
    /// TypeScript 5, ES modules, no imports.
    TypeScript,
    /// JavaScript of ES2022 with its declarations: what [`Language::TypeScript`] gives, for where nothing is compiled.
    JavaScript,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 3] = [Language::Rust, Language::TypeScript, Language::JavaScript];

    /// The languages that the command line generates where none is named.
    pub const DEFAULT: [Language; 2] = [Language::Rust, Language::TypeScript];

    /// The name on the command line: `rust`, `typescript` or `javascript`.
    pub const fn name(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::TypeScript => "typescript",
            Language::JavaScript => "javascript",
        }
    }

    /// The file name extensions of what is generated, without the dot.
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Language::Rust => &["rs"],
            Language::TypeScript => &["ts"],
            Language::JavaScript => &["js", "d.ts"],
        }
    }

    /// The language of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|l| l.name() == name)
    }
}
