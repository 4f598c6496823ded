//! Target languages.

/// A target language.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Language {
    /// Rust, editions 2021 and 2024.
    Rust,
    /// TypeScript 5, ES modules, no imports.
    TypeScript,
    /// JavaScript (ES2022) with type declarations: the same code as [`Language::TypeScript`], for programs without a build
    /// step.
    JavaScript,
    /// The same JavaScript in files that Node reads as ES modules in every package: `.mjs`, with the declarations in `.d.mts`.
    JavaScriptModule,
    /// The same JavaScript as CommonJS modules, for `require`: `.cjs`, with the declarations in `.d.cts`.
    CommonJs,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 5] =
        [Language::Rust, Language::TypeScript, Language::JavaScript, Language::JavaScriptModule, Language::CommonJs];

    /// The languages that the command line generates by default.
    pub const DEFAULT: [Language; 2] = [Language::Rust, Language::TypeScript];

    /// The language's name on the command line: `rust`, `typescript`, `javascript`, `mjs` or `cjs`.
    pub const fn name(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::TypeScript => "typescript",
            Language::JavaScript => "javascript",
            Language::JavaScriptModule => "mjs",
            Language::CommonJs => "cjs",
        }
    }

    /// The extensions of the generated files, without the dot.
    pub fn extensions(self) -> impl Iterator<Item = &'static str> {
        self.files().iter().map(|file| file.extension())
    }

    /// The files that are generated for each agent.
    pub(crate) const fn files(self) -> &'static [FileKind] {
        match self {
            Language::Rust => &[FileKind::Rust],
            Language::TypeScript => &[FileKind::TypeScript],
            Language::JavaScript => &[FileKind::JavaScript, FileKind::Declarations],
            Language::JavaScriptModule => &[FileKind::JavaScriptModule, FileKind::ModuleDeclarations],
            Language::CommonJs => &[FileKind::CommonJs, FileKind::CommonJsDeclarations],
        }
    }

    /// The language with that name; the inverse of [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|l| l.name() == name)
    }
}

/// A generated file of one agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileKind {
    Rust,
    TypeScript,
    JavaScript,
    /// The type declarations for [`FileKind::JavaScript`].
    Declarations,
    JavaScriptModule,
    ModuleDeclarations,
    CommonJs,
    CommonJsDeclarations,
}

impl FileKind {
    /// The file name extension, without the dot.
    pub(crate) const fn extension(self) -> &'static str {
        match self {
            FileKind::Rust => "rs",
            FileKind::TypeScript => "ts",
            FileKind::JavaScript => "js",
            FileKind::Declarations => "d.ts",
            FileKind::JavaScriptModule => "mjs",
            FileKind::ModuleDeclarations => "d.mts",
            FileKind::CommonJs => "cjs",
            FileKind::CommonJsDeclarations => "d.cts",
        }
    }
}
