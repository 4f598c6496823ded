//! The API for `build.rs`.

mod error;
mod report;

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use capgen_manifest::Diagnostic;

use crate::contracts::Selection;
use crate::output::{Output, Plan, PlannedFile, State};
use crate::{Language, codes, generate};

pub use error::BuildError;
use report::Report;

/// Checks or writes generated code from a crate's `build.rs`.
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), capgen_codegen::BuildError> {
///     capgen_codegen::Build::new().peer("pr-reviewer").verify()
/// }
/// ```
///
/// Relative paths are relative to the crate (`CARGO_MANIFEST_DIR`). Generated code is meant to be checked in: then a
/// change of a contract shows in review, and a crate that is downloaded from a registry builds without the contract.
#[derive(Clone, Debug, Default)]
#[must_use = "nothing happens before `verify` or `write_if_changed`"]
pub struct Build {
    peers: Vec<String>,
    capabilities: Vec<PathBuf>,
    root: Option<PathBuf>,
    out_dir: Option<PathBuf>,
    languages: Vec<Language>,
}

impl Build {
    /// Nothing to generate from, into `generated`, in Rust.
    ///
    /// ```
    /// let build = capgen_codegen::Build::new();
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the agent of that id of the fleet. May be called more than once.
    ///
    /// ```
    /// let build = capgen_codegen::Build::new().peer("pr-reviewer").peer("payments");
    /// ```
    pub fn peer(mut self, id: impl Into<String>) -> Self {
        self.peers.push(id.into());
        self
    }

    /// The fleet's root folder. Where it is not given, it is the nearest one at or above the crate that holds
    /// `fleet.yaml` or `agents/`.
    ///
    /// ```
    /// let build = capgen_codegen::Build::new().root("../fleet").peer("pr-reviewer");
    /// ```
    pub fn root(mut self, path: impl Into<PathBuf>) -> Self {
        self.root = Some(path.into());
        self
    }

    /// Adds a `capabilities.yaml`, in the fleet or not. May be called more than once.
    ///
    /// ```
    /// let build = capgen_codegen::Build::new().capabilities("contracts/search.yaml");
    /// ```
    pub fn capabilities(mut self, path: impl Into<PathBuf>) -> Self {
        self.capabilities.push(path.into());
        self
    }

    /// The output folder, `generated` where it is not given.
    ///
    /// ```
    /// let build = capgen_codegen::Build::new().peer("pr-reviewer").out_dir("src/generated");
    /// ```
    pub fn out_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(path.into());
        self
    }

    /// The languages, Rust alone where they are not given: a Rust crate has no use for the others.
    ///
    /// ```
    /// use capgen_codegen::{Build, Language};
    /// let build = Build::new().peer("pr-reviewer").languages([Language::Rust, Language::TypeScript]);
    /// ```
    pub fn languages(mut self, languages: impl IntoIterator<Item = Language>) -> Self {
        self.languages = languages.into_iter().collect();
        self
    }

    /// Checks that the generated code is what the contracts give. Never writes. Inside a packaged crate, where the
    /// contracts may be missing, it does nothing.
    ///
    /// Prints what cargo needs: `cargo::rerun-if-changed` for the contracts, the `fleet.yaml` that leads to them and the
    /// generated files; `cargo::warning` and `cargo::error` for what is found, with the diff.
    ///
    /// ```no_run
    /// fn main() -> Result<(), capgen_codegen::BuildError> {
    ///     capgen_codegen::Build::new().peer("pr-reviewer").verify()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// A contract is bad, or generated code is stale or missing. What it is has been printed as `cargo::error` lines.
    pub fn verify(&self) -> Result<(), BuildError> {
        self.run(Mode::Verify)
    }

    /// Writes the generated code where it is not what the contracts give.
    ///
    /// Prints what cargo needs: `cargo::rerun-if-changed` for the contracts and the `fleet.yaml` that leads to them;
    /// `cargo::warning` and `cargo::error` for what is found.
    ///
    /// ```no_run
    /// fn main() -> Result<(), capgen_codegen::BuildError> {
    ///     capgen_codegen::Build::new().peer("pr-reviewer").write_if_changed()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// A contract is bad, a file cannot be written, or this is a packaged crate: a downloaded source is not to be changed.
    pub fn write_if_changed(&self) -> Result<(), BuildError> {
        self.run(Mode::Write)
    }

    fn run(&self, mode: Mode) -> Result<(), BuildError> {
        let Some(package) = env::var_os("CARGO_MANIFEST_DIR") else {
            return Err(BuildError::new("`CARGO_MANIFEST_DIR` is not set: this is for build scripts"));
        };
        self.run_in(Path::new(&package), mode, &mut io::stdout().lock())
    }

    /// The whole run, on any package and any stream.
    fn run_in(&self, package: &Path, mode: Mode, out: &mut dyn Write) -> Result<(), BuildError> {
        let mut report = Report::new(package, out);
        if is_packaged(package) {
            return match mode {
                Mode::Verify => Ok(()),
                Mode::Write => Err(report.fail(&[packaged(package)])),
            };
        }
        let plan = self.plan(package, mode, &mut report)?;
        match mode {
            Mode::Write => plan.write().map_err(|findings| report.fail(&findings)),
            Mode::Verify => {
                let findings = plan.stale();
                // The diff of a missing file is all of it, and says nothing.
                let stale = plan.files().iter().filter(|file| file.state() == State::Stale);
                let diff: String = stale.map(PlannedFile::diff).collect();
                if findings.is_empty() { Ok(()) } else { Err(report.fail_as_stale(&findings, &diff)) }
            }
        }
    }

    /// Reads, generates and compares, and tells cargo what that depends on.
    fn plan(&self, package: &Path, mode: Mode, report: &mut Report<'_>) -> Result<Plan, BuildError> {
        let selection = self.selection(package);
        if selection.is_empty() {
            let finding = Diagnostic::new(codes::NOTHING_NAMED, "the build script names nothing to generate from");
            return Err(report.fail(&[finding.help("call `.peer(id)` or `.capabilities(path)`")]));
        }
        let located = selection.locate();
        for path in located.paths() {
            report.depends_on(&path)?;
        }
        let contracts = located.load_for_output().map_err(|findings| report.fail(&findings))?;
        let languages = if self.languages.is_empty() { &[Language::Rust][..] } else { &self.languages };
        let mut outputs = Vec::with_capacity(contracts.len());
        for contract in contracts {
            report.warn(&contract.warnings)?;
            let files = generate(&contract.manifest, languages);
            outputs.push(Output { agent: contract.manifest.agent, origin: contract.origin, files });
        }
        let folder = self.out_dir.as_deref().unwrap_or(Path::new("generated"));
        if mode == Mode::Verify {
            for name in outputs.iter().flat_map(|output| output.files.keys()) {
                report.depends_on(&package.join(folder).join(name))?;
            }
        }
        Plan::below(package, folder, outputs).map_err(|findings| report.fail(&findings))
    }

    fn selection(&self, package: &Path) -> Selection {
        Selection {
            peers: self.peers.clone(),
            all: false,
            files: self.capabilities.iter().map(|path| package.join(path)).collect(),
            root: self.root.as_ref().map(|root| package.join(root)),
            start: package.to_owned(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Verify,
    Write,
}

/// Whether the package was unpacked by cargo, which keeps these names for itself: `cargo package` adds the first two (the
/// second where there is a repository), and vendoring the third.
fn is_packaged(package: &Path) -> bool {
    ["Cargo.toml.orig", ".cargo_vcs_info.json", ".cargo-checksum.json"].iter().any(|name| package.join(name).exists())
}

fn packaged(package: &Path) -> Diagnostic {
    let message = format!("`{}` is a packaged crate: generated code is not written into it", package.display());
    Diagnostic::new(codes::PACKAGED, message).help("check the generated code in, and call `verify` in the build script")
}

#[cfg(test)]
mod tests;
