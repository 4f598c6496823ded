//! The table of languages.

use crate::header;
use crate::model::Model;
use crate::rust;
use crate::target::Target;
use crate::typescript;
use capgen_manifest::Options;

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
    /// The file in the root folder of each package with code in this language. `None` for a form of another language.
    package: Option<&'static str>,
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

/// The name, without its extension, of the file that exports those of all agents of a folder.
pub(crate) const INDEX: &str = "index";

/// The index of a folder in one form, with the extension of its files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexForm {
    /// The file name extension, without the dot.
    pub(crate) extension: &'static str,
    language: Language,
    /// The extension of imports, with its dot.
    imports: &'static str,
    print: fn(String, &[&str], &str) -> String,
}

impl IndexForm {
    /// The file name.
    pub(crate) fn name(&self) -> String {
        index_name(self.extension)
    }

    /// The text, for the ids of the agents whose files have the extension.
    pub(crate) fn print(&self, agents: &[&str]) -> String {
        (self.print)(header::of_index(self.language), agents, self.imports)
    }
}

/// The name of the index with this extension.
pub(crate) fn index_name(extension: &str) -> String {
    format!("{INDEX}.{extension}")
}

/// The indexes for some languages, each once.
pub(crate) fn index_forms(languages: &[Language], options: &Options) -> Vec<IndexForm> {
    let mut forms: Vec<IndexForm> = Vec::new();
    for language in languages {
        for File { extension, index, .. } in language.files() {
            let Some(Index { imports, print }) = *index else { continue };
            if forms.iter().all(|form| form.extension != *extension) {
                let imports = imports(options);
                forms.push(IndexForm { extension, language: *language, imports, print });
            }
        }
    }
    forms
}

/// How the index of files with an extension is written.
#[derive(Clone, Copy)]
pub(crate) struct Index {
    /// The extension with which it imports files, with its dot.
    imports: fn(&Options) -> &'static str,
    /// Prints the index after its header, for the ids of agents and the extension of imports.
    print: fn(String, &[&str], &str) -> String,
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
    /// The index of the files with this extension in one folder, if they have one.
    pub(crate) index: Option<Index>,
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
                index: Some(Index { imports: |_| concat!(".", $code), print: typescript::index::$print }),
            },
            File {
                extension: $declarations,
                print: |header, model| typescript::declarations(header, model, concat!(".", $code)),
                shared: Some(typescript::shared::declarations),
                index: Some(Index { imports: |_| concat!(".", $code), print: typescript::index::declarations }),
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

    /// The file that the root folder of each package with code in this language has, such as `Cargo.toml`. `None` for a
    /// form of another language.
    pub const fn package_file(self) -> Option<&'static str> {
        self.row().package
    }

    /// The languages that build scripts generate by default: the package that they build can use nothing else.
    pub(crate) const DEFAULT_OF_BUILD_SCRIPTS: [Language; 1] = [Language::Rust];

    /// The table. Everything else about a language is in its target.
    const fn row(self) -> &'static Row {
        match self {
            Language::Rust => &Row {
                name: "rust",
                aliases: &["rs"],
                about: "Rust; also `rs`",
                package: Some("Cargo.toml"),
                target: &rust::Rust,
                files: &[File { extension: "rs", print: rust::print, shared: None, index: None }],
            },
            Language::TypeScript => &Row {
                name: "typescript",
                aliases: &["ts"],
                about: "TypeScript modules; also `ts`",
                package: Some("package.json"),
                target: &typescript::TypeScript,
                files: &[File {
                    extension: "ts",
                    print: typescript::typed,
                    shared: Some(typescript::shared::typed),
                    index: Some(Index {
                        imports: |options| options.import_extension.suffix(),
                        print: typescript::index::typed,
                    }),
                }],
            },
            Language::JavaScript => &Row {
                name: "javascript",
                aliases: &["js"],
                about: "JavaScript modules with type declarations; also `js`",
                package: None,
                target: &typescript::TypeScript,
                files: javascript!("js", script, "d.ts"),
            },
            Language::JavaScriptModule => &Row {
                name: "mjs",
                aliases: &[],
                about: "The same as javascript, in .mjs and .d.mts",
                package: None,
                target: &typescript::TypeScript,
                files: javascript!("mjs", script, "d.mts"),
            },
            Language::CommonJs => &Row {
                name: "cjs",
                aliases: &[],
                about: "The same as javascript, but as CommonJS modules, in .cjs and .d.cts",
                package: None,
                target: &typescript::TypeScript,
                files: javascript!("cjs", common_js, "d.cts"),
            },
            #[cfg(test)]
            Language::Outline => &Row {
                name: "outline",
                aliases: &[],
                about: "An outline of the types",
                package: None,
                target: &crate::target::outline::Outline,
                files: &[File { extension: "txt", print: crate::target::outline::print, shared: None, index: None }],
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
