//! The options of `capgen gen`.

use std::path::PathBuf;

use capgen_codegen::{ImportExtension, Language, Options, RuntimePath};
use clap::Args;
use clap::builder::TypedValueParser;

use crate::arguments::{Contracts, Format, contract_path};
use crate::diff::arguments::AssumeName;

/// The output folder if `--out` is not given.
pub(crate) const DEFAULT_OUT: &str = "generated";

#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Generate {
    #[command(flatten)]
    pub(crate) contracts: Contracts,
    #[command(flatten)]
    pub(crate) imported: crate::import::Imported,
    /// Output folder, relative to the current folder
    #[arg(long, value_name = "DIR", default_value = DEFAULT_OUT)]
    pub(crate) out: PathBuf,
    /// Generate this language; may be repeated or a comma-separated list [default: rust,typescript]
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',', value_parser = LanguageParser)]
    pub(crate) lang: Vec<Language>,
    /// Rust: merge "optional and nullable" into one `Option<T>`, so that `null` and an absent property become the same
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) merge_nullable: Option<bool>,
    /// TypeScript: write arrays with `minItems` or `maxItems` as `T[]` instead of tuples such as `[T, ...T[]]`
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) plain_arrays: Option<bool>,
    /// Add a client that calls the agent, and a trait (TypeScript: an interface) to implement it
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) calls: Option<bool>,
    /// TypeScript, JavaScript: add a table to servers that has the older contracts of each capability, and whether
    /// callers that were built with them can be served. They are in the history of the manifest (`git`), or in these
    /// manifests
    #[arg(long, value_name = "git|FILE", num_args = 1.., conflicts_with = "mcp", value_parser = contract_path())]
    pub(crate) history: Vec<PathBuf>,
    /// With --history: the programs that comparisons assume [default: those that fleet.yaml names, otherwise any-peer]
    #[arg(long, value_enum, requires = "history")]
    pub(crate) assume: Option<AssumeName>,
    /// With --history: the file of accepted findings [default: the file that fleet.yaml names]
    #[arg(long, value_name = "FILE", requires = "history")]
    pub(crate) accepted: Option<PathBuf>,
    /// TypeScript, JavaScript: make each side of a capability an object that follows the Standard Schema convention too
    /// [default: true]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) standard_schema: Option<bool>,
    /// TypeScript, JavaScript: write all code of an agent to its own file, instead of the code that the files of a
    /// folder share to `_capgen`
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) single_file: Option<bool>,
    /// TypeScript: the extension with which files import `_capgen`: `js` compiles without an option, Node and Deno run
    /// `ts` as it is, and some bundlers need `none` [default: js]
    #[arg(long, value_name = "js|ts|none", value_parser = import_extension)]
    pub(crate) import_extension: Option<ImportExtension>,
    /// Rust: the path of the crate `capgen`, such as `::my_capgen` if the dependency has this name, or
    /// `crate::contracts::capgen` if a module re-exports it [default: ::capgen]
    #[arg(long, value_name = "PATH", value_parser = runtime_path)]
    pub(crate) runtime_path: Option<RuntimePath>,
    /// Print a summary to standard output as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    /// Write nothing; fail if a file is out of date or missing, or if its agent no longer exists
    #[arg(long)]
    pub(crate) check: bool,
    /// Write nothing; print the changes as a unified diff
    #[arg(long, conflicts_with = "json")]
    pub(crate) diff: bool,
    /// How to print errors, warnings and files that are out of date: `human` prints to standard error, the other
    /// formats to standard output
    #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with_all = ["json", "diff"])]
    pub(crate) format: Format,
    /// Keep running, and regenerate when a manifest, or the source of an import, changes
    #[arg(long, conflicts_with_all = ["json", "check", "diff", "format"])]
    pub(crate) watch: bool,
}

const EXAMPLES: &str = "\
Examples:
  capgen gen --peer pr-reviewer --peer payments
  capgen gen --all --lang typescript --out web/src/contracts
  capgen gen --capabilities vendor/search.yaml --json
  capgen gen --peer payments --calls --history git
                                         servers know the older contracts of their callers
  capgen gen --mcp tools.json            from the tools of an MCP server, without a manifest
  capgen gen --all --check --diff        fail if output is out of date, and show the changes
  capgen gen --all --check --format github
                                         in a GitHub workflow: annotate the pull request

The generated files are <out>/<id>.rs and <out>/<id>.ts, or <out>/<id>.js and <out>/<id>.d.ts with --lang javascript \
(.mjs and .d.mts with mjs, .cjs and .d.cts with cjs). \
The code that the files of a folder share is in <out>/_capgen.ts, or _capgen with the extensions of JavaScript, \
and <out>/index.ts, or index with these extensions, exports the files of all agents in the folder. \
An existing file is replaced only if its content changes, and only if capgen generated it or it is blank. \
If any manifest has errors, nothing is written.

--json prints {\"peers\": [{\"peer\", \"source\", \"capabilities\", \"files\": [{\"path\", \"status\"}], \"hash\"}], \
\"shared\": [{\"path\", \"status\"}], \"orphans\", \"diagnostics\"}. A status is `written` or `unchanged`; with --check, it is `unchanged`, `stale` (out of date) or `missing`.

--check also reports orphans: generated files whose agent is neither in the fleet nor in a manifest given by --capabilities. \
Outside a fleet, it checks only the generated files of the selected manifests.";

impl Generate {
    /// The options of generated code: those of the fleet, unless a flag sets them.
    pub(crate) fn options(&self, fleet: Options) -> Options {
        Options {
            merge_nullable: self.merge_nullable.unwrap_or(fleet.merge_nullable),
            plain_arrays: self.plain_arrays.unwrap_or(fleet.plain_arrays),
            calls: self.calls.unwrap_or(fleet.calls),
            standard_schema: self.standard_schema.unwrap_or(fleet.standard_schema),
            single_file: self.single_file.unwrap_or(fleet.single_file),
            import_extension: self.import_extension.unwrap_or(fleet.import_extension),
            runtime_path: self.runtime_path.clone().unwrap_or(fleet.runtime_path),
        }
    }

    /// The selected languages, without duplicates, in the order of [`Language::ALL`].
    pub(crate) fn languages(&self) -> Vec<Language> {
        if self.lang.is_empty() {
            return Language::DEFAULT.to_vec();
        }
        Language::ALL.iter().copied().filter(|language| self.lang.contains(language)).collect()
    }
}

/// Reads the value of `--lang`: the name of a language, or one of its other names.
#[derive(Clone)]
struct LanguageParser;

impl TypedValueParser for LanguageParser {
    type Value = Language;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Language, clap::Error> {
        let names = Language::ALL.iter().map(|language| possible_value(*language));
        let name = clap::builder::PossibleValuesParser::new(names).parse_ref(command, argument, value)?;
        let has_name = |language: &&Language| possible_value(**language).matches(&name, false);
        Language::ALL
            .iter()
            .find(has_name)
            .copied()
            .ok_or_else(|| clap::Error::new(clap::error::ErrorKind::InvalidValue))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        Some(Box::new(Language::ALL.iter().map(|language| possible_value(*language))))
    }
}

fn possible_value(language: Language) -> clap::builder::PossibleValue {
    clap::builder::PossibleValue::new(language.name()).aliases(language.aliases()).help(language.about())
}

/// Reads the value of `--import-extension`.
fn import_extension(text: &str) -> Result<ImportExtension, String> {
    ImportExtension::from_name(text).ok_or_else(|| {
        let names = ImportExtension::ALL.map(|extension| format!("`{}`", extension.name()));
        format!("the values are {}", names.join(", "))
    })
}

/// Reads the value of `--runtime-path`.
fn runtime_path(text: &str) -> Result<RuntimePath, String> {
    RuntimePath::new(text).map_err(|error| format!("{}: {error}", capgen_manifest::codes::RUNTIME_PATH.as_str()))
}
