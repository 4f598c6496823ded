//! The API for `build.rs`.

mod error;
mod history;
mod options;
mod outputs;
mod report;

use std::collections::BTreeSet;
use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use capgen_diagnostic::Diagnostic;
use capgen_files::{UPDATE_VARIABLE, asks_for_update, is_packaged};
use capgen_manifest::{KeptContracts, Selection, check_values};

use crate::output::{self, Destination, Plan, PlannedFile, State};
use crate::regenerate::quoted_word;
use crate::{ImportExtension, Language, Options, codes};

pub use error::BuildError;
use history::History;
use outputs::FromFleet;
use report::CargoInstructions;

/// Checks or writes generated code from a crate's `build.rs`.
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), capgen_codegen::BuildError> {
///     capgen_codegen::Build::new().peer("pr-reviewer").verify()
/// }
/// ```
///
/// Relative paths are relative to the crate (`CARGO_MANIFEST_DIR`). Check the generated code in: reviews then show the
/// effect of a changed contract, and a crate that is downloaded from a registry builds without the contract.
#[derive(Clone, Debug, Default)]
#[must_use = "call `verify` or `write_if_changed`"]
pub struct Build {
    peers: Vec<String>,
    capabilities: Vec<PathBuf>,
    root: Option<PathBuf>,
    out_dir: Option<PathBuf>,
    languages: Vec<Language>,
    merge_nullable: Option<bool>,
    plain_arrays: Option<bool>,
    calls: Option<bool>,
    standard_schema: Option<bool>,
    single_file: Option<bool>,
    import_extension: Option<ImportExtension>,
    runtime_path: Option<String>,
    history: History,
    from_fleet: FromFleet,
}

impl Build {
    /// Starts without contracts. The output is Rust, in the folder `generated`.
    ///
    /// ```
    /// let build = capgen_codegen::Build::new();
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an agent of the fleet by its id. Can be called more than once.
    ///
    /// ```
    /// let build = capgen_codegen::Build::new().peer("pr-reviewer").peer("payments");
    /// ```
    pub fn peer(mut self, id: impl Into<String>) -> Self {
        self.peers.push(id.into());
        self
    }

    /// Sets the fleet's root folder. The default is the nearest folder at or above the crate that contains `fleet.yaml`
    /// or `agents/`.
    ///
    /// ```
    /// let build = capgen_codegen::Build::new().root("../fleet").peer("pr-reviewer");
    /// ```
    pub fn root(mut self, path: impl Into<PathBuf>) -> Self {
        self.root = Some(path.into());
        self
    }

    /// Adds a `capabilities.yaml`, inside or outside the fleet. Can be called more than once.
    ///
    /// ```
    /// let build = capgen_codegen::Build::new().capabilities("contracts/search.yaml");
    /// ```
    pub fn capabilities(mut self, path: impl Into<PathBuf>) -> Self {
        self.capabilities.push(path.into());
        self
    }

    /// Sets the output folder. The default is `generated`.
    ///
    /// ```
    /// let build = capgen_codegen::Build::new().peer("pr-reviewer").out_dir("src/generated");
    /// ```
    pub fn out_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(path.into());
        self
    }

    /// Sets the languages. The default is Rust alone, because a Rust crate has no use for the others.
    ///
    /// ```
    /// use capgen_codegen::{Build, Language};
    /// let build = Build::new().peer("pr-reviewer").languages([Language::Rust, Language::TypeScript]);
    /// ```
    pub fn languages(mut self, languages: impl IntoIterator<Item = Language>) -> Self {
        self.languages = languages.into_iter().collect();
        self
    }

    /// Checks that the generated code is up to date.
    ///
    /// If the environment variable `CAPGEN_UPDATE` is set (to anything except an empty text and `0`), it updates the
    /// generated code instead: `CAPGEN_UPDATE=1 cargo build`. Otherwise it never writes.
    ///
    /// Inside a packaged crate, where the contracts may be missing, it neither checks nor writes anything, whatever the
    /// variable: a user who updates a crate must not change the sources of its dependencies.
    ///
    /// Prints instructions for cargo: `cargo::rerun-if-changed` for the contracts, the `fleet.yaml` that lists them and
    /// the generated files; `cargo::rerun-if-env-changed` for the variable; `cargo::warning` and `cargo::error` for the
    /// findings, with the diff, and for the files that were updated.
    ///
    /// ```no_run
    /// fn main() -> Result<(), capgen_codegen::BuildError> {
    ///     capgen_codegen::Build::new().peer("pr-reviewer").verify()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// A contract is invalid, generated code is out of date or missing, or a file cannot be updated. The details are
    /// printed as `cargo::error` lines.
    pub fn verify(&self) -> Result<(), BuildError> {
        let update = asks_for_update(env::var_os(UPDATE_VARIABLE).as_deref());
        self.run(if update { Mode::Update } else { Mode::Verify })
    }

    /// Like [`verify`](Self::verify), but accepts an outdated file, with a warning, if its contract has the same hash.
    ///
    /// The hash covers the names, the versions and the schemas of capabilities, without annotations. So an edit of a
    /// description does not fail the builds of callers, and neither does another version of capgen. An edit of the
    /// generated file does not either: `capgen gen --check` in CI still compares every byte.
    ///
    /// ```no_run
    /// fn main() -> Result<(), capgen_codegen::BuildError> {
    ///     capgen_codegen::Build::new().peer("pr-reviewer").verify_contract()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`verify`](Self::verify), except for files with the same contract.
    pub fn verify_contract(&self) -> Result<(), BuildError> {
        let update = asks_for_update(env::var_os(UPDATE_VARIABLE).as_deref());
        self.run(if update { Mode::Update } else { Mode::VerifyContract })
    }

    /// Writes the generated files that are out of date or missing.
    ///
    /// Prints instructions for cargo: `cargo::rerun-if-changed` for the contracts and the `fleet.yaml` that lists them;
    /// `cargo::warning` and `cargo::error` for the findings.
    ///
    /// ```no_run
    /// fn main() -> Result<(), capgen_codegen::BuildError> {
    ///     capgen_codegen::Build::new().peer("pr-reviewer").write_if_changed()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// A contract is invalid, a file cannot be written, or this is a packaged crate, whose source must not change.
    pub fn write_if_changed(&self) -> Result<(), BuildError> {
        self.run(Mode::Write)
    }

    fn run(&self, mode: Mode) -> Result<(), BuildError> {
        let Some(package) = Package::of_the_build_script() else {
            return Err(BuildError::new("`CARGO_MANIFEST_DIR` is not set: call this from a build script"));
        };
        self.run_in(&package, mode, &mut io::stdout().lock())
    }

    /// Runs on any package and writes to any stream, for tests.
    fn run_in(&self, package: &Package, mode: Mode, out: &mut dyn Write) -> Result<(), BuildError> {
        let mut report = CargoInstructions::new(&package.folder, out);
        if is_packaged(&package.folder) {
            return match mode {
                Mode::Verify | Mode::VerifyContract => Ok(()),
                Mode::Update => report.note(UPDATE_IS_IGNORED),
                Mode::Write => Err(report.fail(&[packaged(&package.folder)])),
            };
        }
        let plans = self.plans(package, mode, &mut report)?;
        let files = || plans.iter().flat_map(Plan::files);
        match mode {
            Mode::Write => write(&plans, &mut report),
            Mode::Update => {
                write(&plans, &mut report)?;
                let updated = files().filter(|file| file.state() != State::Unchanged);
                updated
                    .map(|file| format!("updated `{}`", file.path().display()))
                    .try_for_each(|line| report.note(&line))
            }
            Mode::Verify | Mode::VerifyContract => {
                let fix = package.fix();
                let findings: Vec<Diagnostic> = plans.iter().flat_map(|plan| plan.stale(&fix)).collect();
                if mode == Mode::VerifyContract && files().all(PlannedFile::is_accepted) {
                    return findings.iter().try_for_each(|finding| report.note_of(finding));
                }
                // The diff of a missing file would be the whole file.
                let stale = files().filter(|file| file.state() == State::Stale);
                let diff: String = stale.map(PlannedFile::diff).collect();
                if findings.is_empty() { Ok(()) } else { Err(report.fail_as_stale(&findings, &diff)) }
            }
        }
    }

    /// The plans of all output folders.
    fn plans(
        &self,
        package: &Package,
        mode: Mode,
        report: &mut CargoInstructions<'_>,
    ) -> Result<Vec<Plan>, BuildError> {
        let parts = if self.from_fleet.is_empty() {
            vec![self.part(package, report)?]
        } else {
            let (parts, file) = self.from_fleet.parts(self, package).map_err(|findings| report.fail(&findings))?;
            file.iter().try_for_each(|file| report.depends_on(file))?;
            parts
        };
        let plans: Result<Vec<Plan>, BuildError> =
            parts.iter().map(|part| self.plan(part, package, mode, report)).collect();
        let mut plans = plans?;
        let findings = output::share(&mut plans);
        if !findings.is_empty() {
            return Err(report.fail(&findings));
        }
        if matches!(mode, Mode::Write | Mode::Update) {
            for plan in &plans {
                let others = plans.iter().filter(|other| !std::ptr::eq(*other, plan));
                let planned: BTreeSet<&Path> = others.flat_map(Plan::files).map(PlannedFile::path).collect();
                let findings = plan.left_behind(|path| !planned.contains(path));
                let findings = findings.map_err(|findings| report.fail(&findings))?;
                report.warn(&findings)?;
            }
        }
        Ok(plans)
    }

    /// The contracts and the folder that the methods select.
    fn part(&self, package: &Package, report: &mut CargoInstructions<'_>) -> Result<Part, BuildError> {
        let selection = self.selection(&package.folder);
        if selection.is_empty() {
            let finding =
                Diagnostic::new(capgen_manifest::codes::NOTHING_SELECTED, "the build script selects no contracts");
            return Err(report.fail(&[finding.help("call `.peer(id)`, `.capabilities(path)` or `.outputs()`")]));
        }
        let default = &Language::DEFAULT_OF_BUILD_SCRIPTS[..];
        let languages = if self.languages.is_empty() { default } else { &self.languages };
        Ok(Part {
            selection,
            folder: self.out_dir.clone().unwrap_or_else(|| PathBuf::from("generated")),
            languages: languages.to_vec(),
            options: None,
            history: self.history.clone(),
        })
    }

    /// Reads, generates and compares, and declares the dependencies to cargo.
    fn plan(
        &self,
        part: &Part,
        package: &Package,
        mode: Mode,
        report: &mut CargoInstructions<'_>,
    ) -> Result<Plan, BuildError> {
        let located = part.selection.locate();
        let paths = located.paths();
        for path in &paths {
            report.depends_on(path)?;
        }
        let fleet = located.fleet().cloned();
        let defaults = part.options.clone().unwrap_or_else(|| located.options());
        let options = self.options(defaults).map_err(|findings| report.fail(&findings))?;
        let contracts = located.load_and_check(&mut KeptContracts::default(), output::agents_check(&part.languages));
        let contracts = contracts.map_err(|findings| report.fail(&findings))?;
        for contract in &contracts {
            report.warn(&contract.warnings)?;
        }
        let errors: Vec<Diagnostic> = contracts.iter().flat_map(check_values).collect();
        if !errors.is_empty() {
            return Err(report.fail(&errors));
        }
        let path = package.folder.join(&part.folder);
        let is_private = package.out_dir.as_ref().is_some_and(|out_dir| path.starts_with(out_dir));
        let build_script = is_private.then_some(package.name.as_str());
        let (known, folders) = ((fleet, &paths[..]), (&*package.folder, &*path));
        let tables = part.history.tables(&contracts, known, folders, options.calls, report)?;
        let destination = Destination { folder: &path, languages: &part.languages, options, build_script };
        let outputs = destination.generate_knowing(&contracts, tables);
        for output in &outputs {
            report.warn(&output.warnings)?;
        }
        if mode != Mode::Write {
            report.depends_on_variable(UPDATE_VARIABLE)?;
            for name in output::file_names(&outputs) {
                report.depends_on(&path.join(name))?;
            }
        }
        let plan = Plan::below(&package.folder, &part.folder, outputs).map_err(|findings| report.fail(&findings))?;
        if mode != Mode::Write {
            for index in plan.files().iter().filter(|file| file.is_index()) {
                report.depends_on(&package.folder.join(index.path()))?;
            }
        }
        Ok(plan)
    }

    fn selection(&self, package: &Path) -> Selection {
        let package = relative_start(package);
        Selection {
            peers: self.peers.clone(),
            all: false,
            files: self.capabilities.iter().map(|path| package.join(path)).collect(),
            root: self.root.as_ref().map(|root| package.join(root)),
            start: package,
        }
    }
}

/// Contracts and the folder for their code.
#[derive(Debug)]
struct Part {
    selection: Selection,
    /// Relative to the package.
    folder: PathBuf,
    languages: Vec<Language>,
    /// The options that apply where no method sets others; `None` for those of the fleet with the selected agents.
    options: Option<Options>,
    history: History,
}

/// The folder of the package for the search for files: cargo runs build scripts in it, and relative paths are as short
/// in messages as the user wrote them.
fn relative_start(package: &Path) -> PathBuf {
    let is_here = Path::new(".").canonicalize().ok() == package.canonicalize().ok();
    if is_here { PathBuf::from(".") } else { package.to_owned() }
}

fn write(plans: &[Plan], report: &mut CargoInstructions<'_>) -> Result<(), BuildError> {
    plans.iter().try_for_each(|plan| plan.write().map_err(|findings| report.fail(&findings)))
}

/// The package of the build script, as cargo describes it
/// ([environment variables](https://doc.rust-lang.org/cargo/reference/environment-variables.html)).
#[derive(Clone, Debug)]
struct Package {
    folder: PathBuf,
    name: String,
    /// The folder for files that are not checked in.
    out_dir: Option<PathBuf>,
}

impl Package {
    fn of_the_build_script() -> Option<Self> {
        Some(Self {
            folder: env::var_os("CARGO_MANIFEST_DIR")?.into(),
            name: env::var("CARGO_PKG_NAME").unwrap_or_default(),
            out_dir: env::var_os("OUT_DIR").map(PathBuf::from),
        })
    }

    /// How to update generated code. The command has the same effect in every folder of the workspace.
    fn fix(&self) -> String {
        let name = quoted_word(&self.name);
        format!("run `{UPDATE_VARIABLE}=1 cargo build --package {name}` in the workspace, and check in the result")
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Verify,
    VerifyContract,
    /// One of the two with `CAPGEN_UPDATE`.
    Update,
    Write,
}

const UPDATE_IS_IGNORED: &str = "CAPGEN_UPDATE is ignored: a build script must not change a packaged crate";

fn packaged(package: &Path) -> Diagnostic {
    let message = format!("`{}` is a packaged crate, which a build script must not change", package.display());
    Diagnostic::new(codes::PACKAGED, message).help("check in the generated code, and call `verify` in the build script")
}

#[cfg(test)]
mod tests;
