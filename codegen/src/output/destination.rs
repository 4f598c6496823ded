//! From contracts to the files of their agents, in memory.

use std::iter;
use std::path::Path;
use std::sync::Arc;

use capgen_diagnostic::Diagnostic;
use capgen_manifest::{AgentId, LoadedContract, PerContract};
use capgen_schema::Hash;

use crate::history::{HistoryTable, Verdicts};
use crate::language::{IndexForm, index_forms};
use crate::lower::widened::findings;
use crate::lower::{exceeded_limits, lower};
use crate::model::Model;
use crate::regenerate::Locator;
use crate::{Files, Language, Options, Regenerate, print, shared_files};

/// The generated files of one agent.
#[derive(Clone, Debug)]
pub struct Output {
    /// The agent.
    pub agent: AgentId,
    /// The path of the contract, for messages.
    pub origin: String,
    /// The hash of the contract.
    pub hash: Hash,
    /// The files of this agent alone. In an [`Arc`], because a program that runs again after each change keeps them.
    pub files: Arc<Files>,
    /// The files that they import, which those of other agents share; see [`shared_files`].
    pub shared: Arc<Files>,
    /// Findings about the types, in source order; see [`check_types`].
    pub warnings: Vec<Diagnostic>,
    /// The indexes of a folder with these files.
    pub indexes: Indexes,
}

/// The files that export all generated files of a folder, one for each form of TypeScript and JavaScript. By default,
/// there are none.
#[derive(Clone, Debug, Default)]
pub struct Indexes(pub(super) Arc<[IndexForm]>);

/// The folder and the form of generated code.
#[derive(Clone, Debug)]
pub struct Destination<'a> {
    /// The output folder, relative to the working directory. It need not exist.
    pub folder: &'a Path,
    /// The languages to generate.
    pub languages: &'a [Language],
    /// The options of generated code.
    pub options: Options,
    /// The package whose build script writes the files, if they are not checked in.
    pub build_script: Option<&'a str>,
}

impl Destination<'_> {
    /// Generates the files of each contract.
    pub fn generate(&self, contracts: &[LoadedContract]) -> Vec<Output> {
        self.generate_by(contracts, Locator::command)
    }

    /// Generates the files of each contract, with the command that `command` finds. The command of a build script takes
    /// precedence.
    pub fn generate_by(
        &self,
        contracts: &[LoadedContract],
        command: impl Fn(&mut Locator, &LoadedContract) -> Regenerate,
    ) -> Vec<Output> {
        let mut locator = Locator::new(self.folder);
        let shared = self.shared();
        let output = |contract| {
            let regenerate = self.regenerate(command(&mut locator, contract));
            self.output(contract, Verdicts::default(), &regenerate, &shared)
        };
        contracts.iter().map(output).collect()
    }

    /// Generates the files of each contract with its table of the verdicts on callers with older contracts, in the same
    /// order; without one if `tables` is shorter. Only generated servers in TypeScript and JavaScript have the table.
    pub fn generate_knowing(&self, contracts: &[LoadedContract], tables: Vec<HistoryTable>) -> Vec<Output> {
        let mut locator = Locator::new(self.folder);
        let shared = self.shared();
        let tables = tables.into_iter().chain(iter::repeat_with(HistoryTable::default));
        let output = |(contract, HistoryTable { verdicts, words }): (_, HistoryTable)| {
            let regenerate = self.regenerate(locator.command(contract).with_history(words));
            self.output(contract, verdicts, &regenerate, &shared)
        };
        contracts.iter().zip(tables).map(output).collect()
    }

    /// Like [`generate`](Self::generate), but a contract whose text, command and options are the same as in the call
    /// that filled `kept` keeps its files.
    pub fn generate_again(&self, contracts: &[LoadedContract], kept: &mut KeptOutputs) -> Vec<Output> {
        let mut locator = Locator::new(self.folder);
        let form = (self.languages.to_vec(), self.options.clone());
        if kept.form != form {
            *kept = KeptOutputs { form, shared: self.shared(), outputs: PerContract::default() };
        }
        let shared = Arc::clone(&kept.shared);
        kept.outputs.keep_only(contracts);
        let output = |contract| {
            let regenerate = self.regenerate(locator.command(contract));
            let is_current = |(earlier, _): &(Regenerate, Output)| *earlier == regenerate;
            let (_, output) = kept.outputs.get(contract, is_current, || {
                let output = self.output(contract, Verdicts::default(), &regenerate, &shared);
                (regenerate.clone(), output)
            });
            output.clone()
        };
        contracts.iter().map(output).collect()
    }

    /// The command of the build script takes precedence.
    fn regenerate(&self, command: Regenerate) -> Regenerate {
        self.build_script.map_or(command, Regenerate::build_script)
    }

    fn shared(&self) -> Arc<Files> {
        shared_files(self.languages, &self.options).into()
    }

    fn output(
        &self,
        contract: &LoadedContract,
        verdicts: Verdicts,
        regenerate: &Regenerate,
        shared: &Arc<Files>,
    ) -> Output {
        let model = Model { verdicts, ..lower(&contract.manifest) };
        let hash = model.hashes().contract;
        let (files, widened) = print(model, self.languages, &self.options, regenerate);
        Output {
            agent: contract.manifest.agent.clone(),
            origin: contract.path().to_owned(),
            hash,
            warnings: findings(contract, &widened),
            files: Arc::new(files),
            shared: Arc::clone(shared),
            indexes: Indexes(index_forms(self.languages, &self.options).into()),
        }
    }
}

/// The outputs of an earlier run, for [`Destination::generate_again`].
#[derive(Debug, Default)]
pub struct KeptOutputs {
    /// The languages and options of the outputs.
    form: (Vec<Language>, Options),
    /// The files that the outputs share.
    shared: Arc<Files>,
    /// Each with the command in its headers.
    outputs: PerContract<(Regenerate, Output)>,
}

/// The findings about the types that would be generated from a contract in these languages: a warning
/// ([`codes::WIDENED`](crate::codes::WIDENED)) for each side whose types are less precise than its schema, because of a
/// limit.
pub fn check_types(contract: &LoadedContract, languages: &[Language]) -> Vec<Diagnostic> {
    findings(contract, &exceeded_limits(&contract.manifest, languages))
}
