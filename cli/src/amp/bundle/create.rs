//! `capgen amp bundle create`.

use std::path::PathBuf;

use capgen_amp::bundle::{CreateError, NewBundle, Publisher, Rule, create};
use capgen_diagnostic::{Code, Diagnostic};
use capgen_manifest::{LoadedContract, Manifest, Selection, shown};
use capgen_time::{Clock as _, SystemClock};
use serde::Serialize;

use super::arguments::Create;
use super::print;
use super::replace::{Change, replace};
use crate::amp::secret;
use crate::codes;
use crate::console::{Console, count};
use crate::failure::{Failure, RunResult, Verdict};

pub(super) fn run(arguments: &Create, console: &Console) -> RunResult {
    let bundle = bundle(arguments, console)?;
    let change = replace(&arguments.out, &bundle)?;
    if arguments.json {
        print(&Summary::of(&bundle, arguments))?;
    }
    let folder = shown(&arguments.out);
    if change == Change::None {
        console.line(&format!("  unchanged {folder}"));
    } else {
        let capabilities = count(bundle.descriptors.len(), "capability", "capabilities");
        let schemas = count(bundle.artifacts.len(), "schema", "schemas");
        console.tick(&format!("wrote {folder}: {capabilities}, {schemas}"));
    }
    Ok(Verdict::Fine)
}

/// Reads everything, and creates the bundle in memory. Reports the errors of all files at once.
fn bundle(arguments: &Create, console: &Console) -> Result<NewBundle, Failure> {
    let mut findings = Vec::new();
    let key = secret::read(&arguments.secret_file, console).map_err(|found| findings.extend(found));
    let contracts = contracts(&arguments.capabilities).map_err(|found| findings.extend(found));
    // The errors of the manifests are reported together with that of the key, which they do not need. Nothing that this
    // key signs is written.
    let placeholder = capgen_amp::message::SigningKey::from_seed(&[0; 32]);
    let publisher = Publisher {
        namespace: &arguments.namespace,
        signer: &arguments.me,
        key: key.as_ref().unwrap_or(&placeholder),
        created: arguments.now.unwrap_or_else(|| SystemClock.now_ms()),
    };
    let bundle = contracts.and_then(|contracts| {
        let manifests: Vec<&Manifest> = contracts.iter().map(|contract| &contract.manifest).collect();
        create(&manifests, &publisher).map_err(|errors| findings.extend(finding_of(&errors, &contracts)))
    });
    match bundle {
        Ok(bundle) if findings.is_empty() => Ok(bundle),
        _ => Err(Failure::Findings(findings)),
    }
}

fn contracts(files: &[PathBuf]) -> Result<Vec<LoadedContract>, Vec<Diagnostic>> {
    Selection { files: files.to_vec(), start: ".".into(), ..Selection::default() }.locate().load()
}

/// The findings of errors. An error without a place in its manifest states how many more there are.
fn finding_of(errors: &[CreateError], contracts: &[LoadedContract]) -> Vec<Diagnostic> {
    let mut findings: Vec<Diagnostic> = Vec::new();
    for error in errors {
        let contract = error.manifest.and_then(|index| contracts.get(index));
        match (contract, findings.pop()) {
            (Some(_), Some(last)) if error.path.is_empty() => findings.push(last.note(error.message.as_str())),
            (contract, last) => {
                findings.extend(last);
                findings.push(finding(error, contract, contracts));
            }
        }
    }
    findings
}

fn finding(error: &CreateError, contract: Option<&LoadedContract>, contracts: &[LoadedContract]) -> Diagnostic {
    let (code, label, help) = texts(error);
    let mut finding = Diagnostic::new(code, message(error, contract)).help(help);
    if let Some(contract) = contract {
        finding = finding.label(contract.label(&error.path, label)).pointer(error.path.as_str());
    }
    if let Some((contract, path)) = error.other.as_ref().and_then(|(index, path)| contracts.get(*index).zip(Some(path)))
    {
        finding = finding.label(contract.label(path, "the other one"));
    }
    finding
}

/// The code, the text at the place of the error, and the help.
fn texts(error: &CreateError) -> (Code, &'static str, &'static str) {
    match error.rule {
        Rule::Name => (
            codes::AMP_NAME,
            "not a name of AMP",
            "give the capability an `id` such as `org.example.code-review`, or change its `name`",
        ),
        Rule::Version => (codes::AMP_VERSION, "a version is missing or too long", "write a `version` such as `1.0.0`"),
        Rule::Timeout => (capgen_manifest::codes::TIMEOUT, "no time at all", "write at least 1, or remove `timeoutMs`"),
        Rule::Range => (codes::AMP_RANGE, "not a range of AMP", "write shorter versions"),
        Rule::Duplicate => {
            (codes::AMP_DUPLICATE, "equal precedence", "give one of them another version, or publish only one")
        }
        _ => (codes::AMP_TOO_LARGE, "too large", "shorten the schema, or publish fewer capabilities in one bundle"),
    }
}

fn message(error: &CreateError, contract: Option<&LoadedContract>) -> String {
    let index = error.path.split('/').nth(2).and_then(|index| index.parse::<usize>().ok());
    let capability = contract.zip(index).and_then(|(contract, index)| contract.manifest.capabilities.get(index));
    match (error.rule, capability) {
        (Rule::Version, Some(capability)) if capability.version.is_none() => {
            format!("the capability `{}` has no `version`", capability.name)
        }
        (Rule::Version | Rule::Range | Rule::Size, Some(capability)) => {
            format!("the capability `{}` cannot be published: {}", capability.name, error.message)
        }
        _ => error.message.clone(),
    }
}

/// The bundle as a JSON document.
#[derive(Serialize)]
struct Summary<'b> {
    bundle_id: &'b str,
    created: u64,
    signer: &'b str,
    capabilities: Vec<String>,
    artifacts: Vec<&'b String>,
}

impl<'b> Summary<'b> {
    fn of(bundle: &'b NewBundle, arguments: &'b Create) -> Self {
        Self {
            bundle_id: &bundle.bundle_id,
            created: bundle.created,
            signer: arguments.me.as_str(),
            capabilities: bundle.descriptors.iter().map(|descriptor| descriptor.id.to_string()).collect(),
            artifacts: bundle.artifacts.keys().collect(),
        }
    }
}
