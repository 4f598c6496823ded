//! The table of languages.

use crate::model::Model;
use crate::rust;
use crate::target::Target;
use crate::typescript;

/// A target language.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Language {
    /// Rust, editions 2021 and 2024.
    Rust,
    /// TypeScript 5, ES modules, which import nothing but one file of their folder.
    TypeScript,
    /// JavaScript (ES2022) with type declarations: the same code as [`Language::TypeScript`], for programs without a
    /// build step.
    JavaScript,
    /// The same JavaScript in files that Node reads as ES modules in every package: `.mjs`, with the declarations in
    /// `.d.mts`.
    JavaScriptModule,
    /// The same JavaScript as CommonJS modules, for `require`: `.cjs`, with the declarations in `.d.cts`.
    CommonJs,
    /// The smallest target, which shows that no other code knows the languages.
    #[cfg(test)]
    Outline,
}

/// The properties of a language.
struct Row {
    name: &'static str,
    aliases: &'static [&'static str],
    about: &'static str,
    target: &'static dyn Target,
    files: &'static [File],
}

/// The name, without its extension, of the file that the files of one folder share. No agent has this id, because ids
/// begin with a letter or a digit.
pub(crate) const SHARED: &str = "_capgen";

/// The name of the shared file with this extension.
pub(crate) fn shared_name(extension: &str) -> String {
    format!("{SHARED}.{extension}")
}

/// A generated file of one agent.
#[derive(Clone, Copy)]
pub(crate) struct File {
    /// The file name extension, without the dot.
    pub(crate) extension: &'static str,
    /// Prints the settled model of the target. The first argument is the header.
    pub(crate) print: fn(String, &Model<'_>) -> String,
    /// Prints the code that the files with this extension in one folder share, after its header, if they share any.
    pub(crate) shared: Option<fn(String) -> String>,
}

/// The files of a form of JavaScript: the code, printed by a function, and its declarations. Both import the code that
/// they share from the file with the extension of the code.
macro_rules! javascript {
    ($code:literal, $print:ident, $declarations:literal) => {
        &[
            File {
                extension: $code,
                print: |header, model| typescript::$print(header, model, concat!(".", $code)),
                shared: Some(typescript::shared::$print),
            },
            File {
                extension: $declarations,
                print: |header, model| typescript::declarations(header, model, concat!(".", $code)),
                shared: Some(typescript::shared::declarations),
            },
        ]
    };
}

impl Language {
    /// Every language.
    pub const ALL: &'static [Language] = &[
        Language::Rust,
        Language::TypeScript,
        Language::JavaScript,
        Language::JavaScriptModule,
        Language::CommonJs,
        #[cfg(test)]
        Language::Outline,
    ];

    /// The languages that the command line generates by default.
    pub const DEFAULT: [Language; 2] = [Language::Rust, Language::TypeScript];

    /// The languages that build scripts generate by default: the package that they build can use nothing else.
    pub(crate) const DEFAULT_OF_BUILD_SCRIPTS: [Language; 1] = [Language::Rust];

    /// The table. Everything else about a language is in its target.
    const fn row(self) -> &'static Row {
        match self {
            Language::Rust => &Row {
                name: "rust",
                aliases: &["rs"],
                about: "Rust; also `rs`",
                target: &rust::Rust,
                files: &[File { extension: "rs", print: rust::print, shared: None }],
            },
            Language::TypeScript => &Row {
                name: "typescript",
                aliases: &["ts"],
                about: "TypeScript modules; also `ts`",
                target: &typescript::TypeScript,
                files: &[File { extension: "ts", print: typescript::typed, shared: Some(typescript::shared::typed) }],
            },
            Language::JavaScript => &Row {
                name: "javascript",
                aliases: &["js"],
                about: "JavaScript modules with type declarations; also `js`",
                target: &typescript::TypeScript,
                files: javascript!("js", script, "d.ts"),
            },
            Language::JavaScriptModule => &Row {
                name: "mjs",
                aliases: &[],
                about: "The same as javascript, in .mjs and .d.mts",
                target: &typescript::TypeScript,
                files: javascript!("mjs", script, "d.mts"),
            },
            Language::CommonJs => &Row {
                name: "cjs",
                aliases: &[],
                about: "The same as javascript, but as CommonJS modules, in .cjs and .d.cts",
                target: &typescript::TypeScript,
                files: javascript!("cjs", common_js, "d.cts"),
            },
            #[cfg(test)]
            Language::Outline => &Row {
                name: "outline",
                aliases: &[],
                about: "An outline of the types",
                target: &crate::target::outline::Outline,
                files: &[File { extension: "txt", print: crate::target::outline::print, shared: None }],
            },
        }
    }

    /// The language's name on the command line: `rust`, `typescript`, `javascript`, `mjs` or `cjs`.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Other names on the command line, such as `ts`.
    pub const fn aliases(self) -> &'static [&'static str] {
        self.row().aliases
    }

    /// The language in one line, for the help of the command line.
    pub const fn about(self) -> &'static str {
        self.row().about
    }

    /// The extensions of the generated files, without the dot.
    pub fn extensions(self) -> impl Iterator<Item = &'static str> {
        self.files().iter().map(|file| file.extension)
    }

    /// The files that are generated for each agent.
    pub(crate) const fn files(self) -> &'static [File] {
        self.row().files
    }

    /// The rules of the language.
    pub(crate) const fn target(self) -> &'static dyn Target {
        self.row().target
    }

    /// The language with that name; the inverse of [`name`](Self::name). [`aliases`](Self::aliases) are not accepted.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|language| language.name() == name)
    }

    /// The first language of each target among `languages`: the others share its types.
    pub(crate) fn targets(languages: &[Language]) -> Vec<&'static dyn Target> {
        let mut targets: Vec<&'static dyn Target> = Vec::new();
        for language in languages {
            let target = language.target();
            if targets.iter().all(|other| other.name() != target.name()) {
                targets.push(target);
            }
        }
        targets
    }
}
