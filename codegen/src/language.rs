//! The languages that code is generated in.

/// A language that code is generated in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Language {
    /// Rust, editions 2021 and 2024.
    Rust,
    /// TypeScript 5, ES modules, no imports.
    TypeScript,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 2] = [Language::Rust, Language::TypeScript];

    /// The name on the command line: `rust` or `typescript`.
    pub const fn name(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::TypeScript => "typescript",
        }
    }

    /// The file name extension, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Language::Rust => "rs",
            Language::TypeScript => "ts",
        }
    }

    /// The language of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|l| l.name() == name)
    }
}
