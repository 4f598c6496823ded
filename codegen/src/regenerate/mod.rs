//! The command that generates a file again, which the file's header and findings state.
//!
//! The header of a file is the same on every machine and however the file was generated: the command depends only on
//! where the file, its contract and the fleet are relative to each other. It runs in the folder of the file, which its
//! reader knows.

mod locate;
mod shell;

use std::path::Path;

use capgen_manifest::{AgentId, Options};

use crate::Language;
pub use locate::Locator;

/// How the generated files of a contract can be generated again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Regenerate {
    source: Source,
    /// The options that apply if the command names none.
    defaults: Options,
    /// The value of `--history`, already quoted: where older contracts are, and the options that it goes with.
    history: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Source {
    /// With these arguments, already quoted, in the folder of the file.
    Folder(String),
    /// In the fleet, from anywhere: the output folder is not near the contract.
    Fleet(AgentId),
    /// By the build script of this package.
    BuildScript(String),
}

impl Regenerate {
    /// For files whose folder is not known: the command selects the agent by its id, in the root folder of its fleet.
    pub fn anywhere(agent: &AgentId) -> Self {
        Self { source: Source::Fleet(agent.clone()), defaults: Options::default(), history: None }
    }

    /// For files that the build script of this package writes, and which are not checked in.
    pub fn build_script(package: &str) -> Self {
        Self { source: Source::BuildScript(package.to_owned()), defaults: Options::default(), history: None }
    }

    /// With a table of the verdicts on callers with older contracts, for which the command has `--history` and these
    /// words. It is for files in TypeScript and JavaScript: others have no table.
    pub fn with_history(self, history: Vec<String>) -> Self {
        Self { history: (!history.is_empty()).then(|| history.join(" ")), ..self }
    }

    /// One line: a command for a POSIX shell, with a comment that names the folder in which to run it.
    pub(crate) fn line(&self, language: Language, options: &Options) -> String {
        let target = language.target();
        let history = self.history.as_ref().filter(|_| target.has_verdicts());
        let history = history.map(|history| format!(" --history {history}")).unwrap_or_default();
        let options = options.flags(&self.defaults, target.name()) + &history;
        let language = language.name();
        match &self.source {
            Source::Folder(arguments) => {
                format!("capgen {arguments} --lang {language}{options} --out . # in the folder of this file")
            }
            Source::Fleet(agent) => format!(
                "capgen --peer {agent} --lang {language}{options} # in the root folder of the fleet; add `--out`, unless \
                 the file is in `generated`"
            ),
            Source::BuildScript(package) => format!("cargo build --package {package}"),
        }
    }
}

/// The path as a word of a command line for a POSIX shell, on one line, with `/` between its parts.
pub fn quoted_path(path: &Path) -> String {
    shell::path_word(path)
}

/// The text as a word of a command line for a POSIX shell, on one line.
pub fn quoted_word(text: &str) -> String {
    shell::word(text.as_ref())
}
